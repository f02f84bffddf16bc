"""list element get recordGet map filter any all fold count sort"""
from functools import cmp_to_key

from .canonical import Fault
from .logic_operations import order
from .notation import ORDERED, fits
from .operations import Call, Row, require
from .values import Members, Sequence, Value, sequence, size_of


def _items(call: Call) -> tuple[Value, ...]:
    found = call[0]
    if call.kind(0) != "List" or not isinstance(found, Sequence):
        raise Fault("its first operand is not a List")
    return found.items


def _collect(call: Call, first: int) -> Value:
    """The operands from `first` on, as the items of a list of the declared type."""
    require(call.type.kind == "List", "its type is not a List")
    for i in range(first, len(call.operands)):
        require(fits(call.type_of(i), call.type.inner), "an element has another type")
    return sequence([operand.value for operand in call.operands[first:]])


def _list(call: Call) -> Value:
    return _collect(call, 0)


def _element(call: Call) -> Value:
    items, index = _items(call), call.constant(1, "Int")
    require(fits(call.type_of(0).inner, call.type), "its type is not that of the elements")
    if not isinstance(index, int) or not 0 <= index < len(items):
        raise Fault("the list has no such element")
    return items[index]


def _get(call: Call) -> Value:
    record, name = call[0], call.constant(1, "Text")
    member = call.type_of(0).member(str(name)) if call.kind(0) == "Record" else None
    if member is None or not isinstance(record, Members) or not fits(member, call.type):
        raise Fault("the record has no such member")
    return record.members[str(name)]


def _record_get(call: Call) -> Value:
    name = call[1]
    if call.type.kind != "Opt" or call.kind(1) != "Text" or not isinstance(name, str):
        raise Fault("it gives an Opt for a name")
    where = call.type_of(0).inner if call.kind(0) == "Opt" else call.type_of(0)
    found = where.inner if where.kind == "Map" else where.member(name)
    if found is None:
        raise Fault("there is no such member of this type")
    require(fits(found.inner if found.kind == "Opt" else found, call.type.inner),
            "its type is not that of the member")
    container = call[0]
    return container.members.get(name) if isinstance(container, Members) else None


def _one_for_each(call: Call, first: int) -> tuple[Value, ...]:
    items = _items(call)
    require(len(call.operands) - first == len(items), "it has not one application for each element")
    return items


def _map(call: Call) -> Value:
    _one_for_each(call, 1)
    return _collect(call, 1)


def _filter(call: Call) -> Value:
    items = _one_for_each(call, 1)
    require(fits(call.type_of(0), call.type), "its type is not that of its list")
    require(all(kind == "Bool" for kind in call.kinds()[1:]), "a condition is not a Bool")
    return sequence([item for item, operand in zip(items, call.operands[1:]) if operand.value])


def _fold(call: Call) -> Value:
    _one_for_each(call, 2)
    for i in range(1, len(call.operands)):
        require(fits(call.type_of(i), call.type), "an application has another type")
    return call[len(call.operands) - 1]


def _any_or_all(call: Call, deciding: bool) -> Value:
    """The conditions up to the first that decides, or one for each element."""
    count = len(_items(call))
    require(all(kind == "Bool" for kind in call.kinds()[1:]), "a condition is not a Bool")
    conditions = [operand.value for operand in call.operands[1:]]
    require(deciding not in conditions[:-1] and len(conditions) <= count,
            "conditions behind the deciding one")
    if conditions and conditions[-1] is deciding:
        return deciding
    require(len(conditions) == count, "it stops before anything is decided")
    return not deciding


def _any(call: Call) -> Value:
    return _any_or_all(call, True)


def _all(call: Call) -> Value:
    return _any_or_all(call, False)


def _count(call: Call) -> Value:
    return len(_items(call))


def _sort(call: Call) -> Value:
    items = _items(call)
    require(fits(call.type_of(0), call.type), "its type is not that of its list")
    require(call.type_of(0).inner.kind in (*ORDERED, "Nothing"), "its elements have no order")
    call.environment.pay(size_of(call[0]) * len(items).bit_length())
    return sequence(sorted(items, key=cmp_to_key(order)))


LIST_OPERATIONS = {
    "list": Row(0, None, _list), "element": Row(2, 2, _element), "get": Row(2, 2, _get),
    "recordGet": Row(2, 2, _record_get), "map": Row(1, None, _map),
    "filter": Row(1, None, _filter), "fold": Row(2, None, _fold), "any": Row(1, None, _any),
    "all": Row(1, None, _all), "count": Row(1, 1, _count), "sort": Row(1, 1, _sort),
}
