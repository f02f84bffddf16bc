"""Reading JSON by a type: a fact's payload as rules see it, and values that the proof writes."""
import re
from datetime import date
from fractions import Fraction

from .canonical import LARGEST_INTEGER, Fault, Json
from .notation import Type
from .units import UNIT_CODES, UNITS, factor, same_dimension
from .values import (MAXIMUM_SCALE, QUANTITY_SCALE, Dec, Value, decimal, json_of, members,
                     number_of, quantity, sequence)

_DECIMAL = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?")
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")


def _misfit(type_: Type) -> Fault:
    return Fault(f"a value does not have the shape {type_.notation[:80]}")


def read_date(text: str) -> date | None:
    """A day from 0001-01-01 to 9999-12-31."""
    parts = _DATE.fullmatch(text)
    try:
        return None if parts is None else date(*map(int, parts.groups()))
    except ValueError:
        return None


def _integer(json: Json) -> int | None:
    if not isinstance(json, int) or isinstance(json, bool) or abs(json) > LARGEST_INTEGER:
        return None
    return json


def _exact(json: Json, scale: int) -> Dec | None:
    """Of an integer, or of a text with at most `scale` digits behind the point: never rounded."""
    text = json if isinstance(json, str) else str(_integer(json))
    parts = _DECIMAL.fullmatch(text)
    if parts is None or len(parts[3] or "") > min(scale, MAXIMUM_SCALE):
        return None
    number = Fraction(int(parts[2] + (parts[3] or "")), 10 ** len(parts[3] or ""))
    try:
        return decimal(-number if parts[1] else number, scale)
    except Fault:
        return None


def _unit(json: dict[str, Json]) -> str | None:
    """By name, or by UN/CEFACT code; where both are given they must name one unit."""
    name, code = json.get("unit"), json.get("unitCode")
    by_name = name if isinstance(name, str) and name in UNITS else None
    by_code = UNIT_CODES.get(code) if isinstance(code, str) else None
    if name is not None and code is not None:
        return by_name if by_name == by_code else None
    return by_code if name is None else by_name


def _is_half_a_quantity(json: Json, type_: Type) -> bool:
    """Without a number or without a unit, or with the code of something else."""
    if type_.kind != "Qty" or not isinstance(json, dict):
        return False
    if json.get("value") is None:
        return True
    if json.get("unit") is not None:
        return False
    code = json.get("unitCode")
    if not isinstance(code, str):
        return code is None
    return code not in UNIT_CODES or not same_dimension(UNIT_CODES[code], type_.unit)


def _quantity(json: Json, type_: Type) -> Value:
    if not isinstance(json, dict):
        raise _misfit(type_)
    number, unit = _exact(json.get("value"), QUANTITY_SCALE), _unit(json)
    if number is None or unit is None or not same_dimension(unit, type_.unit):
        raise _misfit(type_)
    return quantity(number_of(number) * factor(unit, type_.unit), type_.unit)


def _scalar(json: Json, type_: Type) -> Value:
    value: Value = None
    if type_.kind == "Bool":
        value = json if isinstance(json, bool) else None
    elif type_.kind == "Int":
        value = _integer(json)
    elif type_.kind == "Text":
        value = json if isinstance(json, str) else None
    elif type_.kind == "Date":
        value = read_date(json) if isinstance(json, str) else None
    elif type_.kind == "Dec":
        value = _exact(json, type_.scale)
    elif type_.kind == "Qty":
        value = _quantity(json, type_)
    if value is None:
        raise _misfit(type_)
    return value


def shape(json: Json, type_: Type) -> Value:
    """The JSON as a value of the type; Fault if it does not have that shape."""
    if type_.kind == "Opt":
        absent = json is None or _is_half_a_quantity(json, type_.inner)
        return None if absent else shape(json, type_.inner)
    if type_.kind == "List":
        if not isinstance(json, list):
            raise _misfit(type_)
        return sequence([shape(item, type_.inner) for item in json])
    if type_.kind in ("Map", "Record"):
        if not isinstance(json, dict):
            raise _misfit(type_)
        if type_.kind == "Map":
            return members({name: shape(item, type_.inner) for name, item in json.items()})
        return members({name: shape(json.get(name), part) for name, part in type_.members()})
    return _scalar(json, type_)


def read_exact(json: Json, type_: Type) -> Value:
    """A value as the proof writes it: Fault unless this is its one spelling."""
    value = shape(json, type_)
    written = json_of(value)
    if written != json or type(written) is not type(json):
        raise _misfit(type_)
    return value
