"""if && || ! == != < <= > >= isSome some unwrapOr requireSome declassify"""
from datetime import date

from .notation import ORDERED, Type, fits
from .operations import Call, Row, require
from .units import UNITS, same_dimension
from .values import Members, Qty, Sequence, Value, number_of, size_of


def _choose(call: Call) -> Value:
    require(call.kind(0) == "Bool", "its condition is not a Bool")
    branch = call.type_of(1)
    lifted = call.type.kind == "Opt" and fits(branch, call.type.inner)
    require(lifted or fits(branch, call.type), "its type is not that of the taken branch")
    return call[1]


def _both_or_either(call: Call, deciding: bool) -> Value:
    require(all(kind == "Bool" for kind in call.kinds()), "an operand is not a Bool")
    decided = call[0] is deciding
    require(decided == (len(call.operands) == 1),
            "the right side is there exactly if the left did not decide")
    return call[len(call.operands) - 1]


def _and(call: Call) -> Value:
    return _both_or_either(call, False)


def _or(call: Call) -> Value:
    return _both_or_either(call, True)


def _not(call: Call) -> Value:
    require(call.kind(0) == "Bool", "its operand is not a Bool")
    return not call[0]


def _comparable(a: Type, b: Type) -> bool:
    """One type, but for the scale of a Dec and for the unit of a Qty within its dimension."""
    if a.kind == b.kind == "Dec":
        return True
    if a.kind == b.kind == "Qty":
        return same_dimension(a.unit, b.unit)
    return fits(a, b) or fits(b, a)


def equal(a: Value, b: Value) -> bool:
    """Precondition: their types are comparable."""
    if a is None or b is None:
        return a is b
    if isinstance(a, Sequence) and isinstance(b, Sequence):
        return len(a.items) == len(b.items) and all(map(equal, a.items, b.items))
    if isinstance(a, Members) and isinstance(b, Members):
        return a.members.keys() == b.members.keys() and all(
            equal(value, b.members[name]) for name, value in a.members.items())
    return order(a, b) == 0


def order(a: Value, b: Value) -> int:
    """Negative, 0 or positive. Precondition: their types are comparable, and neither is none."""
    if isinstance(a, str) and isinstance(b, str):
        return (a > b) - (a < b)  # code points are in the order of their UTF-8 bytes
    if isinstance(a, date) and isinstance(b, date):
        return (a > b) - (a < b)
    left, right = number_of(a), number_of(b)
    if isinstance(a, Qty) and isinstance(b, Qty):
        left, right = left * UNITS[a.unit][1], right * UNITS[b.unit][1]
    return (left > right) - (left < right)


def _pay_for_both(call: Call) -> None:
    call.environment.pay(min(size_of(call[0]), size_of(call[1])))


def _are_equal(call: Call) -> bool:
    require(_comparable(call.type_of(0), call.type_of(1)), "its operands have two types")
    _pay_for_both(call)
    return equal(call[0], call[1])


def _different(call: Call) -> Value:
    return not _are_equal(call)


def _order(call: Call) -> int:
    require(call.kind(0) in ORDERED and _comparable(call.type_of(0), call.type_of(1)),
            "its operands have no order")
    _pay_for_both(call)
    return order(call[0], call[1])


def _less(call: Call) -> Value:
    return _order(call) < 0


def _at_most(call: Call) -> Value:
    return _order(call) <= 0


def _greater(call: Call) -> Value:
    return _order(call) > 0


def _at_least(call: Call) -> Value:
    return _order(call) >= 0


def _is_some(call: Call) -> Value:
    require(all(kind == "Opt" for kind in call.kinds()), "an operand is not an Opt")
    return all(operand.value is not None for operand in call.operands)


def _some(call: Call) -> Value:
    require(call.type.kind == "Opt" and call.kind(0) != "Opt"
            and fits(call.type_of(0), call.type.inner), "its type is not Opt of its operand's")
    return call[0]


def _unwrap_or(call: Call) -> Value:
    require(call.kind(0) == "Opt" and fits(call.type_of(0).inner, call.type)
            and fits(call.type_of(1), call.type), "its type is not what the Opt holds")
    return call[1] if call[0] is None else call[0]


def _require_some(call: Call) -> Value:
    require(call.kind(0) == "Opt" and fits(call.type_of(0).inner, call.type),
            "its type is not what the Opt holds")
    call.constant(1, "Text")
    call.constant(2, "Text")
    require(call[0] is not None, "what it requires is missing")
    return call[0]


def _declassify(call: Call) -> Value:
    require(str(call.constant(0, "Text")).strip(" \t\r\n") != "", "its reason says nothing")
    require(fits(call.type_of(1), call.type), "its type is not that of its value")
    return call[1]


LOGIC_OPERATIONS = {
    "if": Row(2, 2, _choose), "&&": Row(1, 2, _and), "||": Row(1, 2, _or), "!": Row(1, 1, _not),
    "==": Row(2, 2, _are_equal), "!=": Row(2, 2, _different), "<": Row(2, 2, _less),
    "<=": Row(2, 2, _at_most), ">": Row(2, 2, _greater), ">=": Row(2, 2, _at_least),
    "isSome": Row(1, None, _is_some), "some": Row(1, 1, _some),
    "unwrapOr": Row(2, 2, _unwrap_or), "requireSome": Row(3, 3, _require_some),
    "declassify": Row(2, 2, _declassify),
}
