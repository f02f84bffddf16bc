"""contains startsWith matches gs1CheckDigit toText year month day addDays"""
import re
from datetime import date, timedelta

from .canonical import Fault
from .logic_operations import equal
from .notation import fits
from .operations import Call, Row, require
from .patterns import Pattern
from .values import Dec, Qty, Sequence, Value, decimal_text, quantity_text, size_of

_GS1_LENGTHS = (8, 12, 13, 14, 17, 18)


def _contains(call: Call) -> Value:
    where, what = call[0], call[1]
    if isinstance(where, str) and isinstance(what, str) and call.kinds() == ("Text", "Text"):
        call.environment.pay(size_of(where) + size_of(what))
        return what in where
    if call.kind(0) != "List" or not isinstance(where, Sequence):
        raise Fault("it looks for a Text in a Text, or for an element in a List")
    inner = call.type_of(0).inner
    require(fits(call.type_of(1), inner) or fits(inner, call.type_of(1)),
            "what it looks for has another type than the elements")
    call.environment.pay(size_of(where) + size_of(what))
    return any(equal(item, what) for item in where.items)


def _text(call: Call, i: int) -> str:
    text = call[i]
    if call.kind(i) != "Text" or not isinstance(text, str):
        raise Fault(f"its operand {i} is not a Text")
    return text


def _starts_with(call: Call) -> Value:
    text, beginning = _text(call, 0), _text(call, 1)
    call.environment.pay(size_of(beginning))
    return text.startswith(beginning)


def _matches(call: Call) -> Value:
    text, source = _text(call, 0), str(call.constant(1, "Text"))
    if source not in call.environment.patterns:
        call.environment.patterns[source] = Pattern(source)
        call.environment.pay(call.environment.patterns[source].states)
    pattern = call.environment.patterns[source]
    call.environment.pay(size_of(text) * pattern.states)
    return pattern.is_found_in(text)


def _gs1_check_digit(call: Call) -> Value:
    key = _text(call, 0)
    if len(key) not in _GS1_LENGTHS or re.fullmatch(r"[0-9]+", key) is None:
        return False
    weighted = (int(digit) * (3 if i % 2 else 1) for i, digit in enumerate(reversed(key)))
    return sum(weighted) % 10 == 0


def _to_text(call: Call) -> Value:
    value = call[0]
    require(call.kind(0) in ("Bool", "Int", "Dec", "Qty", "Date"),
            "it writes a Bool, Int, Dec, Qty or Date as Text")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Dec):
        return decimal_text(value)
    if isinstance(value, Qty):
        return quantity_text(value)
    return value.isoformat() if isinstance(value, date) else str(value)


def _date(call: Call) -> date:
    found = call[0]
    if call.kind(0) != "Date" or not isinstance(found, date):
        raise Fault("its operand is not a Date")
    return found


def _year(call: Call) -> Value:
    return _date(call).year


def _month(call: Call) -> Value:
    return _date(call).month


def _day(call: Call) -> Value:
    return _date(call).day


def _add_days(call: Call) -> Value:
    start, days = _date(call), call[1]
    if call.kind(1) != "Int" or not isinstance(days, int):
        raise Fault("it takes a Date and an Int")
    try:
        return start + timedelta(days=days)
    except OverflowError as error:
        raise Fault("there is no such day between the years 1 and 9999") from error


TEXT_OPERATIONS = {
    "contains": Row(2, 2, _contains), "startsWith": Row(2, 2, _starts_with),
    "matches": Row(2, 2, _matches), "gs1CheckDigit": Row(1, 1, _gs1_check_digit),
    "toText": Row(1, 1, _to_text), "year": Row(1, 1, _year), "month": Row(1, 1, _month),
    "day": Row(1, 1, _day), "addDays": Row(2, 2, _add_days),
}
