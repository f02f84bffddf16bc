"""Types as the proof writes them: one notation for each type, and which fits where another is
expected."""
import re
from dataclasses import dataclass
from collections.abc import Iterator

from .units import UNITS

_DEEPEST = 200
_MAXIMUM_SCALE = 18
_PLAIN = ("Nothing", "Bool", "Int", "Text", "Date")
ORDERED = ("Int", "Dec", "Qty", "Text", "Date")
_WORD = re.compile(r"[A-Za-z0-9_]*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Type:
    kind: str  # Nothing Bool Int Text Date Dec Qty Opt List Map Record
    notation: str  # equal notations: equal types
    scale: int = 0  # Dec
    unit: str = ""  # Qty
    parts: tuple["Type", ...] = ()  # of Opt, List and Map one, of a Record its members'
    names: tuple[str, ...] = ()  # of the members of a Record, by bytes
    partial: bool = False  # whether Nothing is somewhere inside

    @property
    def inner(self) -> "Type":
        return self.parts[0]

    def member(self, name: str) -> "Type | None":
        return self.parts[self.names.index(name)] if name in self.names else None

    def members(self) -> Iterator[tuple[str, "Type"]]:
        return zip(self.names, self.parts)

    @property
    def is_scalar(self) -> bool:
        """Whether results are written out: lists, maps and records are only hashed."""
        if self.kind == "Opt":
            return self.inner.is_scalar
        return self.kind not in ("List", "Map", "Record")


def fits(given: Type, wanted: Type) -> bool:
    """Whether a value of `given` may stand where `wanted` is expected: the same type, but for
    Nothing inside `given`, which stands for any."""
    if given.kind == "Nothing" or given.notation == wanted.notation:
        return True
    if not given.partial or given.kind != wanted.kind or given.names != wanted.names:
        return False
    return all(fits(a, b) for a, b in zip(given.parts, wanted.parts))


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def take(self, token: str) -> bool:
        if not self.text.startswith(token, self.at):
            return False
        self.at += len(token)
        return True

    def word(self) -> str:
        found = _WORD.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return found[0]

    def any(self, depth: int) -> Type | None:
        start = self.at
        name = self.word()
        if depth >= _DEEPEST:
            return None
        if name in _PLAIN:
            return Type(name, name, partial=name == "Nothing")
        if not self.take("("):
            return None
        if name == "Dec":
            return self.decimal(start)
        if name == "Qty":
            unit = self.word()
            if unit not in UNITS or not self.take(")"):
                return None
            return Type("Qty", self.text[start:self.at], unit=unit)
        return self.record(start, depth) if name == "Record" else self.holder(name, start, depth)

    def decimal(self, start: int) -> Type | None:
        digits = self.word()
        if re.fullmatch(r"[0-9]|1[0-9]", digits) is None or int(digits) > _MAXIMUM_SCALE:
            return None
        return None if not self.take(")") else Type("Dec", self.text[start:self.at], int(digits))

    def holder(self, name: str, start: int, depth: int) -> Type | None:
        if name not in ("Opt", "List") and not (name == "Map" and self.take("Text, ")):
            return None
        inner = self.any(depth + 1)
        if inner is None or not self.take(")") or (name == "Opt" and inner.kind == "Opt"):
            return None
        return Type(name, self.text[start:self.at], parts=(inner,), partial=inner.partial)

    def record(self, start: int, depth: int) -> Type | None:
        names: list[str] = []
        parts: list[Type] = []
        while not self.take(")"):
            if names and not self.take(", "):
                return None
            name = self.word()
            if _NAME.fullmatch(name) is None or (names and name <= names[-1]):
                return None
            member = self.any(depth + 1) if self.take(": ") else None
            if member is None:
                return None
            names.append(name)
            parts.append(member)
        return Type("Record", self.text[start:self.at], parts=tuple(parts), names=tuple(names),
                    partial=any(part.partial for part in parts))


def is_path(text: str) -> bool:
    """Whether the text is a field's path: names with dots between."""
    return all(_NAME.fullmatch(name) is not None for name in text.split("."))


_read: dict[str, Type | None] = {}


def read_type(notation: str) -> Type | None:
    """The type that is written so; None unless this is exactly how it is written."""
    if notation not in _read:
        reader = _Reader(notation)
        found = reader.any(0)
        _read[notation] = found if reader.at == len(notation) else None
    return _read[notation]
