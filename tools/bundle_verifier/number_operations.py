"""+ - * / neg toDec toQty convert sumQty sumDec"""
import re
from fractions import Fraction

from .canonical import LARGEST_INTEGER, Fault
from .operations import Call, Row, require
from .units import UNITS, factor, product_unit, quotient_unit, same_dimension
from .values import (MAXIMUM_SCALE, QUANTITY_SCALE, Dec, Sequence, Value, decimal, number_of,
                     quantity, size_of)

_LEAST_QUOTIENT_SCALE = 6
_MODES = ("half_even", "half_up", "down", "up")
_NUMBERS = ("Int", "Dec")
_DECIMAL_TEXT = re.compile(r"-?([0-9]+)(?:\.([0-9]+))?")
_MOST_DIGITS = 38


def _integer(exact: Fraction) -> int:
    require(abs(exact) <= LARGEST_INTEGER, "the Int overflows")
    return int(exact)


def _sum(call: Call, sign: int) -> Value:
    kind = call.kind(0)
    require(kind in ("Int", "Dec", "Qty") and call.kind(1) == kind, "its operands cannot be added")
    exact = number_of(call[0]) + sign * number_of(call[1])
    if kind == "Int":
        return _integer(exact)
    if kind == "Dec":
        return decimal(exact, max(call.type_of(0).scale, call.type_of(1).scale))
    require(call.type_of(0).unit == call.type_of(1).unit, "its operands have two units")
    return quantity(exact, call.type_of(0).unit)


def _plus(call: Call) -> Value:
    left, right = call[0], call[1]
    if isinstance(left, str) and isinstance(right, str) and call.kinds() == ("Text", "Text"):
        call.environment.pay(size_of(left) + size_of(right))
        return left + right
    return _sum(call, 1)


def _minus(call: Call) -> Value:
    return _sum(call, -1)


def _times(call: Call) -> Value:
    a, b = call.kinds()
    require({a, b} <= {"Int", "Dec", "Qty"} and {a, b} != {"Int", "Dec"},
            "its operands cannot be multiplied")
    exact = number_of(call[0]) * number_of(call[1])
    if a == b == "Int":
        return _integer(exact)
    if a == b == "Dec":
        scale = call.type_of(0).scale + call.type_of(1).scale
        require(scale <= MAXIMUM_SCALE, "the scales add to more than 18")
        return decimal(exact, scale)
    unit = call.type_of(0 if a == "Qty" else 1).unit
    if a == b:
        named = product_unit(call.type_of(0).unit, call.type_of(1).unit)
        if named is None:
            raise Fault("the product of these units has no name")
        unit = named
    return quantity(exact, unit)


def _over(call: Call) -> Value:
    a, b = call.kinds()
    require((a, b) == ("Dec", "Dec") or (a == "Qty" and b in ("Int", "Dec", "Qty")),
            "its operands cannot be divided")
    require(number_of(call[1]) != 0, "division by zero")
    exact = number_of(call[0]) / number_of(call[1])
    if a == "Dec":
        return decimal(exact, max(_LEAST_QUOTIENT_SCALE, call.type_of(0).scale,
                                  call.type_of(1).scale))
    unit = call.type_of(0).unit
    if b != "Qty":
        return quantity(exact, unit)
    divisor = call.type_of(1).unit
    if same_dimension(unit, divisor):
        return decimal(exact * factor(unit, divisor), QUANTITY_SCALE)
    named = quotient_unit(unit, divisor)
    if named is None:
        raise Fault("the quotient of these units has no name")
    return quantity(exact, named)


def _negate(call: Call) -> Value:
    kind = call.kind(0)
    if kind == "Int":
        return _integer(-number_of(call[0]))
    if kind == "Dec":
        return decimal(-number_of(call[0]), call.type_of(0).scale)
    require(kind == "Qty", "its operand is not a number")
    return quantity(-number_of(call[0]), call.type_of(0).unit)


def _scale(call: Call) -> int:
    scale = call.constant(0, "Int")
    if not isinstance(scale, int) or not 0 <= scale <= MAXIMUM_SCALE:
        raise Fault("its scale is not a whole number from 0 to 18")
    return scale


def _dec_of_text(text: str, scale: int, mode: str) -> Dec | None:
    parts = _DECIMAL_TEXT.fullmatch(text)
    if parts is None:
        return None
    whole, fraction = parts[1], parts[2] or ""
    if len((whole + fraction).lstrip("0")) > _MOST_DIGITS:
        raise Fault("a text of more than 38 digits")
    size = Fraction(int(whole + fraction), 10 ** len(fraction))
    return decimal(-size if text.startswith("-") else size, scale, mode)


def _to_dec(call: Call) -> Value:
    scale = _scale(call)
    mode = call.constant(2, "Text") if len(call.operands) == 3 else "half_even"
    require(mode in _MODES, "there is no such rounding")
    assert isinstance(mode, str)
    if call.kind(1) in _NUMBERS:
        return decimal(number_of(call[1]), scale, mode)
    text = call[1]
    if call.kind(1) != "Text" or not isinstance(text, str):
        raise Fault("it makes a Dec of Int, Dec or Text")
    return _dec_of_text(text, scale, mode)


def _unit(call: Call) -> str:
    unit = call.constant(0, "Text")
    if not isinstance(unit, str) or unit not in UNITS:
        raise Fault("there is no such unit")
    return unit


def _to_qty(call: Call) -> Value:
    unit = _unit(call)
    require(call.kind(1) in _NUMBERS, "it makes a Qty of a unit and a number")
    return quantity(number_of(call[1]), unit)


def _convert(call: Call) -> Value:
    unit = _unit(call)
    require(call.kind(1) == "Qty" and same_dimension(unit, call.type_of(1).unit),
            "it converts a Qty to a unit of its dimension")
    return quantity(number_of(call[1]) * factor(call.type_of(1).unit, unit), unit)


def _total(call: Call, kinds: tuple[str, ...]) -> Fraction:
    numbers = call[1]
    if call.kind(1) != "List" or not isinstance(numbers, Sequence):
        raise Fault("it sums a list")
    require(call.type_of(1).inner.kind in (*kinds, "Nothing"), "it cannot sum such elements")
    call.environment.pay(size_of(numbers))
    return sum((number_of(item) for item in numbers.items), Fraction(0))


def _sum_qty(call: Call) -> Value:
    unit = _unit(call)
    total = _total(call, ("Qty",))
    element = call.type_of(1).inner
    if element.kind == "Nothing":
        return quantity(total, unit)
    require(same_dimension(unit, element.unit), "its elements have another dimension")
    return quantity(total * factor(element.unit, unit), unit)


def _sum_dec(call: Call) -> Value:
    return decimal(_total(call, _NUMBERS), _scale(call))


NUMBER_OPERATIONS = {
    "+": Row(2, 2, _plus), "-": Row(2, 2, _minus), "*": Row(2, 2, _times), "/": Row(2, 2, _over),
    "neg": Row(1, 1, _negate), "toDec": Row(2, 3, _to_dec), "toQty": Row(2, 2, _to_qty),
    "convert": Row(2, 2, _convert), "sumQty": Row(2, 2, _sum_qty), "sumDec": Row(2, 2, _sum_dec),
}
