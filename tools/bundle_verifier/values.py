"""Values of the rule language: exact, and as JSON."""
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from .canonical import Fault, Json

QUANTITY_SCALE = 6
MAXIMUM_SCALE = 18
_LIMIT = 10**38


class Dec(NamedTuple):
    unscaled: int
    scale: int


class Qty(NamedTuple):
    value: Dec  # with six digits
    unit: str


@dataclass(frozen=True, eq=False)
class Sequence:
    items: "tuple[Value, ...]"
    size: int


@dataclass(frozen=True, eq=False)
class Members:
    """Of a record or a map."""
    members: "dict[str, Value]"
    size: int


# None is none. A value's type is known beside it: bool and int never meet.
Value: TypeAlias = None | bool | int | Dec | Qty | str | date | Sequence | Members


def sequence(items: "list[Value]") -> Sequence:
    return Sequence(tuple(items), 1 + sum(size_of(item) for item in items))


def members(entries: "dict[str, Value]") -> Members:
    return Members(entries, 1 + sum(size_of(value) + len(name.encode()) // 16
                                    for name, value in entries.items()))


def size_of(value: Value) -> int:
    """In units of the budget."""
    if isinstance(value, str):
        return 1 + len(value.encode()) // 16
    if isinstance(value, (Sequence, Members)):
        return value.size
    return 1


def rounded(number: Fraction, mode: str) -> int:
    whole, rest = divmod(abs(number.numerator), number.denominator)
    half = 2 * rest - number.denominator
    if mode == "up":
        away = rest > 0
    elif mode == "half_up":
        away = half >= 0
    elif mode == "half_even":
        away = half > 0 or (half == 0 and whole % 2 == 1)
    else:
        away = False
    whole += 1 if away else 0
    return -whole if number < 0 else whole


def decimal(number: Fraction, scale: int, mode: str = "half_even") -> Dec:
    """The number with `scale` digits behind the point; Fault from 39 digits on."""
    unscaled = rounded(number * 10**scale, mode)
    if abs(unscaled) >= _LIMIT:
        raise Fault("a number of more than 38 digits")
    return Dec(unscaled, scale)


def quantity(number: Fraction, unit: str) -> Qty:
    return Qty(decimal(number, QUANTITY_SCALE), unit)


def number_of(value: Value) -> Fraction:
    """Of an Int, a Dec, or a Qty in its own unit."""
    if isinstance(value, Qty):
        value = value.value
    if isinstance(value, Dec):
        return Fraction(value.unscaled, 10**value.scale)
    assert isinstance(value, int)
    return Fraction(value)


def decimal_text(value: Dec) -> str:
    digits = str(abs(value.unscaled)).rjust(value.scale + 1, "0")
    sign = "-" if value.unscaled < 0 else ""
    if value.scale == 0:
        return sign + digits
    return f"{sign}{digits[:-value.scale]}.{digits[-value.scale:]}"


def quantity_text(value: Qty) -> str:
    return f"{decimal_text(value.value).rstrip('0').rstrip('.')} {value.unit}"


def json_of(value: Value) -> Json:
    if isinstance(value, Dec):
        return decimal_text(value)
    if isinstance(value, Qty):
        return {"unit": value.unit, "value": decimal_text(value.value)}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Sequence):
        return [json_of(item) for item in value.items]
    if isinstance(value, Members):
        return {name: json_of(member) for name, member in value.members.items()}
    return value
