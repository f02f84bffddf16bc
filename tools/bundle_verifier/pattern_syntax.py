"""The syntax of RE2's regular expressions, as far as docs/formats.md allows it, as a tree.

Greedy or not makes no difference to whether a text matches, and nor do names of groups.
"""
import re
from dataclasses import dataclass
from typing import TypeAlias

from .canonical import Fault
from .pattern_characters import (EVERYTHING, NEWLINE, CharacterSet, Ranges, named_class, perl_class,
                                 set_of)

_MOST_REPEATS = 1000
_REPEAT = re.compile(r"\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\}")
_FLAGS = re.compile(r"([imsU]*)(?:-([imsU]+))?([:)])")
_GROUP_NAME = re.compile(r"P?<[A-Za-z0-9_]+>")
_POSIX_CLASS = re.compile(r"\[:(\^?)([A-Za-z]*):\]")
_CONTROLS = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_ASSERTIONS = {"A": "begin", "z": "end", "b": "word", "B": "no_word"}


@dataclass(frozen=True)
class Characters:
    set: CharacterSet


@dataclass(frozen=True)
class Assertion:
    kind: str  # begin end begin_line end_line word no_word


@dataclass(frozen=True)
class Concatenation:
    parts: "tuple[Node, ...]"


@dataclass(frozen=True)
class Alternation:
    parts: "tuple[Node, ...]"


@dataclass(frozen=True)
class Repetition:
    part: "Node"
    least: int
    most: int | None


Node: TypeAlias = Characters | Assertion | Concatenation | Alternation | Repetition


class Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.flags: frozenset[str] = frozenset()

    def whole(self) -> Node:
        node = self.alternation()
        if self.at < len(self.text):
            raise Fault("the pattern has a ) too many")
        return node

    def peek(self, offset: int = 0) -> str:
        return self.text[self.at + offset:self.at + offset + 1]

    def take(self, token: str) -> bool:
        if not self.text.startswith(token, self.at):
            return False
        self.at += len(token)
        return True

    def match(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        found = expression.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def alternation(self) -> Node:
        parts = [self.concatenation()]
        while self.take("|"):
            parts.append(self.concatenation())
        return parts[0] if len(parts) == 1 else Alternation(tuple(parts))

    def concatenation(self) -> Node:
        parts: list[Node] = []
        repeatable = repeated = False
        while self.at < len(self.text) and self.peek() not in "|)":
            repetition = self.repetition()
            if repetition is None:
                made = self.atoms()
                parts += made
                repeatable, repeated = bool(made) or repeatable, False
                continue
            if not repeatable or repeated:
                raise Fault("the pattern repeats nothing")
            parts[-1] = Repetition(parts[-1], *repetition)
            repeated = True
        return Concatenation(tuple(parts))

    def repetition(self) -> tuple[int, int | None] | None:
        bounds: tuple[int, int | None] | None = {"*": (0, None), "+": (1, None),
                                                 "?": (0, 1)}.get(self.peek())
        if bounds is not None:
            self.at += 1
        else:
            found = self.match(_REPEAT)
            if found is None:
                return None
            least = int(found[1])
            most = least if found[2] is None else int(found[3]) if found[3] else None
            if max(least, most or 0) > _MOST_REPEATS or (most is not None and most < least):
                raise Fault("the pattern repeats too often")
            bounds = (least, most)
        self.take("?")
        return bounds

    def atoms(self) -> list[Node]:
        """The next item; several for \\Q...\\E, none for flags alone."""
        character = self.peek()
        if character == "(":
            return self.group()
        if character == "[":
            return [Characters(self.character_class())]
        if character == "\\":
            return self.escaped()
        self.at += 1
        if character == "^":
            return [Assertion("begin_line" if "m" in self.flags else "begin")]
        if character == "$":
            return [Assertion("end_line" if "m" in self.flags else "end")]
        if character == ".":
            return [Characters(EVERYTHING if "s" in self.flags else NEWLINE.negated())]
        return [self.literal(ord(character))]

    @property
    def case_ignored(self) -> bool:
        return "i" in self.flags

    def literal(self, code: int) -> Node:
        return Characters(self.made(((code, code),)))

    def made(self, ranges: Ranges) -> CharacterSet:
        return set_of(ranges).case_ignored() if self.case_ignored else set_of(ranges)

    def group(self) -> list[Node]:
        outside = self.flags
        self.at += 1
        if self.take("?") and self.match(_GROUP_NAME) is None:
            found = self.match(_FLAGS)
            if found is None:
                raise Fault("the pattern has a group (? that RE2 does not know")
            self.flags = self.flags | set(found[1]) - set(found[2] or "")
            if found[3] == ")":
                return []
        inside = self.alternation()
        if not self.take(")"):
            raise Fault("the pattern lacks a )")
        self.flags = outside
        return [inside]

    def escaped(self) -> list[Node]:
        kind = self.peek(1)
        if kind in _ASSERTIONS:
            self.at += 2
            return [Assertion(_ASSERTIONS[kind])]
        if kind == "Q":
            self.at += 2
            literal, _, _ = self.text[self.at:].partition("\\E")
            self.at = min(self.at + len(literal) + 2, len(self.text))
            return [self.literal(ord(character)) for character in literal]
        found = perl_class(kind, self.case_ignored)
        if found is not None:
            self.at += 2
            return [Characters(found)]
        return [self.literal(self.escaped_code())]

    def escaped_code(self) -> int:
        """At a backslash: the code point that it stands for together with what follows."""
        self.at += 2
        character = self.text[self.at - 1:self.at]
        if character in _CONTROLS:
            return _CONTROLS[character]
        if character == "x":
            return self.hexadecimal()
        # One digit from 1 to 7 alone would be a reference back.
        if character == "0" or (character and character in "1234567"
                                and self.peek() and self.peek() in "01234567"):
            digits = re.compile(r"[0-7]{1,3}").match(self.text, self.at - 1)
            assert digits is not None
            self.at = digits.end()
            return int(digits[0], 8)
        if character and ord(character) < 128 and not character.isalnum():
            return ord(character)
        raise Fault(f"the pattern has an escape \\{character} that is not allowed")

    def hexadecimal(self) -> int:
        found = self.match(re.compile(r"\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2})"))
        code = int(found[1] or found[2], 16) if found else -1
        if not 0 <= code <= 0x10FFFF:
            raise Fault("the pattern has \\x without digits, or beyond Unicode")
        return code

    def character_class(self) -> CharacterSet:
        self.at += 1
        negated = self.take("^")
        ranges: list[tuple[int, int]] = []
        first = True
        while first or self.peek() != "]":
            if self.at >= len(self.text):
                raise Fault("the pattern lacks a ]")
            first = False
            ranges += self.class_item()
        self.at += 1
        made = self.made(tuple(ranges))
        return made.negated() if negated else made

    def class_item(self) -> Ranges:
        if self.text.startswith("[:", self.at) and ":]" in self.text[self.at + 2:]:
            return self.class_of_name()
        escaped = self.peek() == "\\"
        found = perl_class(self.peek(1), self.case_ignored) if escaped else None
        if found is not None:
            self.at += 2
            return found.ranges
        low = high = self.class_character()
        if self.peek() == "-" and self.peek(1) not in ("]", ""):
            self.at += 1
            high = self.class_character()
        if high < low:
            raise Fault("the pattern has a range that runs backwards")
        return ((low, high),)

    def class_of_name(self) -> Ranges:
        found = self.match(_POSIX_CLASS)
        made = named_class(found[2], found[1] != "", self.case_ignored) if found else None
        if made is None:
            raise Fault("the pattern has a class [: :] that RE2 does not know")
        return made.ranges

    def class_character(self) -> int:
        if self.peek() == "\\":
            return self.escaped_code()
        self.at += 1
        return ord(self.text[self.at - 1])


def parse_pattern(text: str) -> Node:
    return Parser(text).whole()
