"""Computes every node of a proof again, from its children and the facts."""
from dataclasses import dataclass
from datetime import date

from .canonical import Fault, Json, content_hash
from .fact_operations import FACT_OPERATIONS
from .list_operations import LIST_OPERATIONS
from .logic_operations import LOGIC_OPERATIONS
from .notation import Type, fits, is_path, read_type
from .number_operations import NUMBER_OPERATIONS
from .operations import Call, Environment, Fact, Operand, require
from .proof import Node, read_proof
from .shapes import read_exact
from .text_operations import TEXT_OPERATIONS
from .values import Members, Sequence, Value, json_of, members, size_of

OPERATIONS = {**NUMBER_OPERATIONS, **LOGIC_OPERATIONS, **LIST_OPERATIONS, **TEXT_OPERATIONS,
              **FACT_OPERATIONS}
_LONGEST_WRITTEN_TEXT = 256  # bytes
_MOST_PARTS_OF_PATH = 32


@dataclass(frozen=True)
class Worth:
    """What a checked node is worth. No type: FACT_GET and ASSERT are not values."""
    type: Type | None = None
    value: Value = None
    fact: Fact | None = None


@dataclass(frozen=True)
class Derived:
    """What a proof proves."""
    nodes: list[Node]
    types: dict[str, Type]  # of the fields, by path
    records: set[tuple[str, str]]  # type of a fact, and the notation by which it was read
    fields: Json
    compliance: list[Json]


def notation_of(worth: Worth) -> str:
    return "" if worth.type is None else worth.type.notation


class _Fields:
    """The fields, nested by the dots of their paths."""

    def __init__(self) -> None:
        self.parts: dict[str, _Fields | Worth] = {}

    def add(self, path: str, worth: Worth) -> None:
        names = path.split(".")
        require(is_path(path) and len(names) <= _MOST_PARTS_OF_PATH, f"{path} is not a path")
        place = self
        for name in names[:-1]:
            part = place.parts.setdefault(name, _Fields())
            if isinstance(part, Worth):
                raise Fault(f"the path {path} goes through a field")
            place = part
        require(names[-1] not in place.parts, f"the path {path} is not free")
        place.parts[names[-1]] = worth

    def notation(self) -> str:
        written = []
        for name, part in sorted(self.parts.items()):
            type_ = part.notation() if isinstance(part, _Fields) else notation_of(part)
            written.append(f"{name}: {type_}")
        return f"Record({', '.join(written)})"

    def value(self) -> Members:
        return members({name: part.value() if isinstance(part, _Fields) else part.value
                        for name, part in self.parts.items()})


class _Checker:
    def __init__(self, nodes: list[Node], environment: Environment) -> None:
        self.nodes = nodes
        self.environment = environment
        self.worth: list[Worth] = []
        self.records: set[tuple[str, str]] = set()
        self.hashes: dict[int, tuple[Value, str]] = {}  # by identity; the value keeps it taken

    def check(self) -> None:
        for place, node in enumerate(self.nodes):
            try:
                self.worth.append(self.one(node))
            except Fault as fault:
                name = f"{node.text('op')}: " if node.type == "OP" else ""
                raise Fault(f"node {place}: {name}{fault}") from fault

    def one(self, node: Node) -> Worth:
        if node.type == "CONST":
            return self.constant(node)
        if node.type == "FACT_GET":
            return self.fact_get(node)
        if node.type == "ASSERT":
            return self.assertion(node)
        if node.type == "COMPLIANCE_EMIT":
            return self.emission(node)
        if node.type == "FIELD":
            return self.field(node)
        return self.root(node) if node.text("op") == "root" else self.operation(node)

    @staticmethod
    def declared_type(node: Node) -> Type:
        found = read_type(node.text("type"))
        if found is None:
            raise Fault("its type is not written as types are")
        return found

    def constant(self, node: Node) -> Worth:
        type_ = self.declared_type(node)
        require(not node.children, "a literal has no children")
        is_none = type_.kind == "Opt" and node.data["value"] is None
        require(is_none or type_.is_scalar, "a literal is not a list, map or record")
        return Worth(type_, read_exact(node.data["value"], type_))

    def text_of(self, child: int) -> str | None:
        worth = self.worth[child]
        is_text = worth.type is not None and worth.type.kind == "Text"
        return worth.value if is_text and isinstance(worth.value, str) else None

    def fact_get(self, node: Node) -> Worth:
        key = node.text("fact_key")
        require(len(node.children) == 1 and self.text_of(node.children[0]) == key,
                "its child is not its key")
        fact = self.environment.facts.get((node.text("fact_type"), key))
        require(node.data["payload_hash"] == (None if fact is None else fact.payload_hash),
                "its payload_hash is not that of the fact")
        return Worth(fact=fact)

    def operands(self, node: Node, takes_facts: bool) -> list[Operand]:
        made = []
        for child in node.children:
            worth, type_ = self.worth[child], self.nodes[child].type
            require(worth.type is not None or (takes_facts and type_ == "FACT_GET"),
                    f"its child {child} is not a value")
            made.append(Operand(worth.type, worth.value, type_ == "CONST", worth.fact))
        return made

    def operation(self, node: Node) -> Worth:
        type_ = self.declared_type(node)
        row = OPERATIONS.get(node.text("op"))
        if row is None:
            raise Fault("there is no such operation")
        count = len(node.children)
        require(row.least <= count and (row.most is None or count <= row.most),
                "it has too few or too many children")
        takes_facts = node.text("op") in ("getFact", "getFactsByPrefix")
        operands = self.operands(node, takes_facts)
        if takes_facts:
            self.records.update((self.nodes[child].text("fact_type"), type_.notation)
                                for child in node.children if self.nodes[child].type == "FACT_GET")
        value = row.run(Call(type_, operands, self.environment))
        self.compare_result(node, type_, value)
        return Worth(type_, value)

    def compare_result(self, node: Node, type_: Type, value: Value) -> None:
        long_text = isinstance(value, str) and len(value.encode()) > _LONGEST_WRITTEN_TEXT
        if not type_.is_scalar or long_text:
            require("result_hash" in node.data, "it writes no result_hash")
            require(node.data["result_hash"] == self.hash_of(value),
                    "its result_hash is that of another value")
            return
        require("result" in node.data, "it writes no result")
        self.environment.pay(1)
        computed = json_of(value)
        read_exact(computed, type_)  # a right value under a wrong type is wrong
        stated = node.data["result"]
        # To Python true equals 1.
        require(stated == computed and type(stated) is type(computed),
                f"its result is {computed!r}")

    def hash_of(self, value: Value) -> str:
        """A list, map or record is hashed once, however many nodes pass it on."""
        if not isinstance(value, (Sequence, Members)):
            self.environment.pay(size_of(value))
            return content_hash(json_of(value))
        if id(value) not in self.hashes:
            self.environment.pay(size_of(value))
            self.hashes[id(value)] = (value, content_hash(json_of(value)))
        return self.hashes[id(value)][1]

    def assertion(self, node: Node) -> Worth:
        require(node.data["condition"] is True, "its condition is not true")
        require(len(node.children) == 3, "it has not three children")
        condition = self.worth[node.children[0]]
        require(condition.type is not None and condition.type.kind == "Bool"
                and condition.value is True, "what it asserts is not true")
        require(self.text_of(node.children[1]) == node.text("code"), "its code is another")
        for child in node.children[1:]:
            require(self.text_of(child) is not None and self.nodes[child].type == "CONST",
                    "its code and its message are literals")
        return Worth()

    def emission(self, node: Node) -> Worth:
        require(len(node.children) == 3, "it has not three children")
        for child, member in zip(node.children, ("id", "status", "evidence")):
            require(self.text_of(child) == node.text(member), f"its {member} is another")
        return Worth(read_type("Bool"), node.text("status") != "FAIL")

    def field(self, node: Node) -> Worth:
        type_ = self.declared_type(node)
        require(len(node.children) > 0, "it has no value")
        value = self.worth[node.children[0]]
        require(value.type is not None and fits(value.type, type_), "its type is not its value's")
        for child in node.children[1:]:
            require(self.nodes[child].type in ("ASSERT", "COMPLIANCE_EMIT"),
                    "a child behind its value is neither ASSERT nor COMPLIANCE_EMIT")
        return Worth(type_, value.value)

    def root(self, node: Node) -> Worth:
        type_ = self.declared_type(node)
        tree = _Fields()
        for child in node.children:
            tree.add(self.nodes[child].text("field"), self.worth[child])
        require(tree.notation() == type_.notation, "its type is not that of the fields")
        value = tree.value()
        self.compare_result(node, type_, value)
        return Worth(type_, value)

    def compliance(self) -> list[Json]:
        """What the fields list, in order; Fault if one is listed by none."""
        listed = [child for place in self.nodes[-1].children
                  for child in self.nodes[place].children[1:]
                  if self.nodes[child].type == "COMPLIANCE_EMIT"]
        known = set(listed)
        for place, node in enumerate(self.nodes):
            require(node.type != "COMPLIANCE_EMIT" or place in known,
                    f"node {place}: no FIELD lists this COMPLIANCE_EMIT")
        return [dict(self.nodes[child].data) for child in listed]


def check_proof(document: Json, facts: list[Fact], product: tuple[str, str],
                issued_on: date) -> Derived:
    """What the proof proves from these facts, the product's name and sku, and the day of issue."""
    nodes = read_proof(document)
    by_key = {(fact.fact_type, fact.fact_key): fact for fact in facts}
    require(len(by_key) == len(facts), "two facts of one type and key")
    given = members({"name": product[0], "sku": product[1]})
    checker = _Checker(nodes, Environment(by_key, given, issued_on))
    checker.check()
    compliance = checker.compliance()
    types = {nodes[place].text("field"): checker.declared_type(nodes[place])
             for place in nodes[-1].children}
    return Derived(nodes, types, checker.records, json_of(checker.worth[-1].value), compliance)
