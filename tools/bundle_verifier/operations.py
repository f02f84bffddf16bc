"""What the operations of a proof share: their operands, what they may look at, and the budget."""
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple
from collections.abc import Callable

from .canonical import Fault, Json
from .notation import Type
from .patterns import Pattern
from .values import Members, Value

# Far above what any evaluation can have made; a hostile proof ends here.
BUDGET = 32_000_000


class Fact(NamedTuple):
    fact_type: str
    fact_key: str
    payload: Json
    payload_hash: str


@dataclass
class Environment:
    facts: dict[tuple[str, str], Fact]
    product: Members
    issued_on: date
    budget: int = BUDGET
    patterns: dict[str, Pattern] = field(default_factory=dict)

    def pay(self, units: int) -> None:
        self.budget -= units
        if self.budget < 0:
            raise Fault("the proof's values are larger than any evaluation can have made")


class Operand(NamedTuple):
    """A child as its parent sees it."""
    type: Type | None  # None: FACT_GET, which only getFact and getFactsByPrefix take
    value: Value
    is_constant: bool
    fact: Fact | None = None  # of a FACT_GET that found one


@dataclass
class Call:
    type: Type  # as the node declares it
    operands: list[Operand]
    environment: Environment

    def type_of(self, i: int) -> Type:
        found = self.operands[i].type
        if found is None:
            raise Fault(f"its operand {i} is a FACT_GET")
        return found

    def kind(self, i: int) -> str:
        found = self.operands[i].type
        return "" if found is None else found.kind

    def kinds(self) -> tuple[str, ...]:
        return tuple(self.kind(i) for i in range(len(self.operands)))

    def __getitem__(self, i: int) -> Value:
        return self.operands[i].value

    def constant(self, i: int, kind: str) -> Value:
        """The value of an argument that has to be a literal."""
        if self.kind(i) != kind or not self.operands[i].is_constant:
            raise Fault(f"its operand {i} is not a literal {kind}")
        return self[i]


Operation = Callable[[Call], Value]


class Row(NamedTuple):
    """How many operands an operation takes (most None: any number from least on), and itself."""
    least: int
    most: int | None
    run: Operation


def require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Fault(otherwise)
