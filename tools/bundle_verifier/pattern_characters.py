"""Sets of characters in patterns."""
import sys
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from collections.abc import Iterable

_LAST = sys.maxunicode
Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class CharacterSet:
    ranges: Ranges  # of code points, both ends included, ascending, with gaps between

    def holds(self, character: str) -> bool:
        return self.holds_code(ord(character))

    def holds_code(self, code: int) -> bool:
        place = bisect_right(self.ranges, (code, _LAST + 1)) - 1
        return place >= 0 and self.ranges[place][1] >= code

    def negated(self) -> "CharacterSet":
        starts = [0, *(high + 1 for _, high in self.ranges)]
        ends = [*(low - 1 for low, _ in self.ranges), _LAST]
        return CharacterSet(tuple((low, high) for low, high in zip(starts, ends) if low <= high))

    def case_ignored(self) -> "CharacterSet":
        """With every character that differs in case only from one of the set."""
        more = [(code, code) for orbit in _orbits() if any(map(self.holds_code, orbit))
                for code in orbit]
        return set_of([*self.ranges, *more])


def set_of(ranges: Iterable[tuple[int, int]]) -> CharacterSet:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return CharacterSet(tuple(merged))


def _simple_fold(character: str) -> str:
    """Unicode's simple case folding: one character for one."""
    folded = character.casefold()
    if len(folded) == 1:
        return folded
    lowered = character.lower()
    return lowered if len(lowered) == 1 else character


@cache
def _orbits() -> tuple[tuple[int, ...], ...]:
    """Characters that fold to one and the same, where there are several."""
    orbits: dict[str, list[int]] = {}
    for code in range(_LAST + 1):
        orbits.setdefault(_simple_fold(chr(code)), []).append(code)
    return tuple(tuple(codes) for codes in orbits.values() if len(codes) > 1)


def _characters(*ranges: str) -> CharacterSet:
    return set_of((ord(text[0]), ord(text[-1])) for text in ranges)


EVERYTHING = CharacterSet(((0, _LAST),))
NEWLINE = _characters("\n")
WORD = _characters("09", "AZ", "az", "_")
_PERL = {"d": _characters("09"), "s": _characters("\t\n", "\f\r", " "), "w": WORD}
_NAMED = {
    "alnum": _characters("09", "AZ", "az"), "alpha": _characters("AZ", "az"),
    "ascii": _characters("\x00\x7f"), "blank": _characters("\t", " "),
    "cntrl": _characters("\x00\x1f", "\x7f"), "digit": _characters("09"),
    "graph": _characters("!~"), "lower": _characters("az"), "print": _characters(" ~"),
    "punct": _characters("!/", ":@", "[`", "{~"), "space": _characters("\t\r", " "),
    "upper": _characters("AZ"), "word": WORD, "xdigit": _characters("09", "AF", "af"),
}


def _class(found: CharacterSet | None, negated: bool, case_ignored: bool) -> CharacterSet | None:
    if found is not None and case_ignored:
        found = found.case_ignored()
    return found.negated() if found is not None and negated else found


def perl_class(letter: str, case_ignored: bool) -> CharacterSet | None:
    """Of d, s, w, and in upper case everything else."""
    return _class(_PERL.get(letter.lower()), letter.isupper(), case_ignored)


def named_class(name: str, negated: bool, case_ignored: bool) -> CharacterSet | None:
    """Of [:name:]; None: there is none."""
    return _class(_NAMED.get(name), negated, case_ignored)
