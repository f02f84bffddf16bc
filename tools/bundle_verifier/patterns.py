"""Whether a pattern is found in a text, in time linear in the text.

All ways through the pattern are followed at once (Thompson's construction), so no pattern of a
hostile bundle takes exponential time, as it would with Python's `re`. And the syntax is RE2's,
which differs from Python's in many small ways: $, \\s, {,n}, (?i) and more.
"""
from dataclasses import dataclass

from .canonical import Fault
from .pattern_characters import WORD, CharacterSet
from .pattern_syntax import Alternation, Assertion, Characters, Concatenation, Node, parse_pattern

_LONGEST = 1000  # bytes
_MOST_STATES = 100_000


@dataclass
class _State:
    """Goes on to `following` on a character of `set`, or if `assertion` holds, or (both None) at
    once. No following: the end."""
    set: CharacterSet | None = None
    assertion: str | None = None
    following: tuple[int, ...] = ()


def _is_word(character: str) -> bool:
    return character != "" and WORD.holds(character)


def _holds(assertion: str, before: str, after: str) -> bool:
    """Between two characters; empty: there is none."""
    if assertion == "begin":
        return before == ""
    if assertion == "end":
        return after == ""
    if assertion == "begin_line":
        return before in ("", "\n")
    if assertion == "end_line":
        return after in ("", "\n")
    return (_is_word(before) != _is_word(after)) == (assertion == "word")


class Pattern:
    def __init__(self, source: str) -> None:
        if len(source.encode()) > _LONGEST:
            raise Fault("the pattern has more than 1000 bytes")
        self._states = [_State()]
        self._start = self._build(parse_pattern(source), 0)

    @property
    def states(self) -> int:
        """How many ways may have to be followed at once."""
        return len(self._states)

    def _state(self, state: _State) -> int:
        if len(self._states) >= _MOST_STATES:
            raise Fault("the pattern repeats too often")
        self._states.append(state)
        return len(self._states) - 1

    def _build(self, node: Node, following: int) -> int:
        """The state from which the node leads to `following`."""
        if isinstance(node, Characters):
            return self._state(_State(set=node.set, following=(following,)))
        if isinstance(node, Assertion):
            return self._state(_State(assertion=node.kind, following=(following,)))
        if isinstance(node, Concatenation):
            for part in reversed(node.parts):
                following = self._build(part, following)
            return following
        if isinstance(node, Alternation):
            starts = tuple(self._build(part, following) for part in node.parts)
            return self._state(_State(following=starts))
        if node.most is None:
            loop = self._state(_State())
            self._states[loop].following = (self._build(node.part, loop), following)
            following = loop
        for _ in range((node.most or node.least) - node.least):
            optional = self._build(node.part, following)
            following = self._state(_State(following=(optional, following)))
        for _ in range(node.least):
            following = self._build(node.part, following)
        return following

    def _reached(self, starts: set[int], before: str, after: str) -> set[int]:
        """All states that need no character to be reached."""
        reached: set[int] = set()
        waiting = list(starts)
        while waiting:
            number = waiting.pop()
            if number in reached:
                continue
            reached.add(number)
            state = self._states[number]
            if state.set is None and (state.assertion is None
                                      or _holds(state.assertion, before, after)):
                waiting += state.following
        return reached

    def is_found_in(self, text: str) -> bool:
        current: set[int] = set()
        before = ""
        for after in [*text, ""]:
            current.add(self._start)  # a match may begin anywhere
            reached = self._reached(current, before, after)
            if 0 in reached:
                return True
            current = set()
            for number in reached:
                state = self._states[number]
                if state.set is not None and after != "" and state.set.holds(after):
                    current.update(state.following)
            before = after
        return False
