"""What a rule source declares: the type and the access of every field.

The rules themselves are not run here. But the source declares which fields there are, of which type
and with which access, and how facts are read; proof and payload must say the same.
"""
import re

from .canonical import Fault
from .derivation import Derived

_TOKEN = re.compile(r"""--[^\r\n]*           # a comment
    |(?P<text>"(?:[^"\\\r\n]|\\[^\r\n])*")
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<number>[0-9]+)
    |(?P<symbol>[^\s])
    |\s+""", re.VERBOSE)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN_TYPES = ("Bool", "Int", "Text", "Date")
_RESTRICTED = "restricted"


class _Source:
    def __init__(self, text: str) -> None:
        self.tokens = [found[0] for found in _TOKEN.finditer(text) if found.lastgroup]
        self.at = 0

    def peek(self, offset: int = 0) -> str:
        place = self.at + offset
        return self.tokens[place] if 0 <= place < len(self.tokens) else ""

    def next(self) -> str:
        self.at += 1
        return self.peek(-1)

    def take(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def require(self, token: str) -> None:
        if not self.take(token):
            raise Fault(f"the rule source has \"{self.peek()}\" where \"{token}\" is expected")

    def word(self) -> str:
        found = self.next()
        if _NAME.fullmatch(found) is None:
            raise Fault(f"the rule source has \"{found}\" where a name is expected")
        return found


class _Declarations:
    """`fact` and `field` declarations begin where nothing else can: `field("path")` is an
    expression, `fact name("Type", "key")` an example's, and a path's words follow a dot."""

    def __init__(self, source: str) -> None:
        self.source = _Source(source)
        self.facts: dict[str, int] = {}  # name -> the token behind its brace
        self.fields: dict[str, tuple[int, str]] = {}  # path -> the token of its type; access
        self.known: dict[str, str] = {}  # notation of a fact's record
        while self.source.peek():
            self.declaration()

    def declaration(self) -> None:
        source = self.source
        begins = source.peek(-1) != "." and _NAME.fullmatch(source.peek(1)) is not None
        keyword = source.next()
        if begins and keyword == "field":
            self.field()
        elif begins and keyword == "fact" and source.peek(1) == "{":
            name = source.word()
            if name in self.facts:
                raise Fault(f"the rule source declares the fact {name} twice")
            self.facts[name] = source.at + 1

    def field(self) -> None:
        source = self.source
        path = source.word()
        while source.take("."):
            path += "." + source.word()
        source.require(":")
        if path in self.fields:
            raise Fault(f"the rule source declares the field {path} twice")
        start = source.at
        access = _RESTRICTED
        while source.peek() not in ("=", "access", ""):
            source.next()
        if source.take("access"):
            source.require("(")
            access = source.word()
            source.require(")")
        source.require("=")
        self.fields[path] = (start, access)

    def type_of(self, path: str) -> str:
        self.source.at = self.fields[path][0]
        found = self.type(())
        if self.source.peek() not in ("=", "access"):
            raise Fault(f"the rule source has \"{self.source.peek()}\" behind the type of {path}")
        return found

    def type(self, inside: tuple[str, ...]) -> str:
        """The notation of the type that stands here. `inside`: the facts around it."""
        source = self.source
        name = source.word()
        if name in _PLAIN_TYPES:
            return name
        if name in self.facts:
            return self.record_of(name, inside)
        source.require("(")
        if name in ("Dec", "Qty"):
            notation = f"{name}({source.next()})"
        elif name == "Record":
            return self.members(")", inside)
        elif name in ("Opt", "List"):
            notation = f"{name}({self.type(inside)})"
        elif name == "Map":
            source.require("Text")
            source.require(",")
            notation = f"Map(Text, {self.type(inside)})"
        else:
            raise Fault(f"the rule source names a type {name} that there is not")
        source.require(")")
        return notation

    def members(self, close: str, inside: tuple[str, ...]) -> str:
        found: dict[str, str] = {}
        while not self.source.take(close):
            name = self.source.word()
            self.source.require(":")
            if name in found:
                raise Fault(f"the rule source declares the member {name} twice")
            found[name] = self.type(inside)
            if not self.source.take(",") and self.source.peek() != close:
                self.source.require(",")
        return f"Record({', '.join(f'{name}: {type_}' for name, type_ in sorted(found.items()))})"

    def record_of(self, fact: str, inside: tuple[str, ...]) -> str:
        if fact in inside:
            raise Fault(f"the rule source declares the fact {fact} by itself")
        if fact not in self.known:
            behind = self.source.at
            self.source.at = self.facts[fact]
            self.known[fact] = self.members("}", (*inside, fact))
            self.source.at = behind
        return self.known[fact]


def check_declarations(source: str, derived: Derived, access: dict[str, str]) -> None:
    """Fault unless the source declares exactly the proof's fields, of their types and with this
    access, and the facts as the proof reads them."""
    declared, types = _Declarations(source), derived.types
    for fact, notation in sorted(derived.records):
        record = declared.record_of(fact, ()) if fact in declared.facts else "no fact"
        if notation not in (f"Opt({record})", f"List({record})"):
            raise Fault(f"the rules do not declare the fact {fact} as the proof reads it")
    for path in sorted(declared.fields.keys() ^ types.keys()):
        there, missing = ("rules", "proof") if path in declared.fields else ("proof", "rules")
        raise Fault(f"the field {path} is in the {there}, but not in the {missing}")
    for path, (_, tier) in declared.fields.items():
        notation = declared.type_of(path)
        if notation != types[path].notation:
            raise Fault(f"the rules declare {path} as {notation[:80]}, the proof has "
                        f"{types[path].notation[:80]}")
        if tier != access[path]:
            raise Fault(f"the rules give {path} the access {tier}, the payload {access[path]}")
