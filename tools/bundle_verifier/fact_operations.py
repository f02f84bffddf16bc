"""product issued_on getFact getFactsByPrefix"""
from .canonical import Fault
from .notation import Type
from .operations import Call, Fact, Row, require
from .shapes import shape
from .values import Value, sequence, size_of


def _product(call: Call) -> Value:
    require(call.type.notation == "Record(name: Text, sku: Text)",
            "its type is not Record(name: Text, sku: Text)")
    return call.environment.product


def _issued_on(call: Call) -> Value:
    return call.environment.issued_on


def _shaped(call: Call, fact: Fact, type_: Type) -> Value:
    value = shape(fact.payload, type_)
    call.environment.pay(size_of(value))
    return value


def _get_fact(call: Call) -> Value:
    require(call.operands[0].type is None and call.type.kind == "Opt"
            and call.type.inner.kind == "Record", "it gives an Opt of a Record for a FACT_GET")
    fact = call.operands[0].fact
    return None if fact is None else _shaped(call, fact, call.type.inner)


def _get_facts_by_prefix(call: Call) -> Value:
    fact_type, prefix = call.constant(0, "Text"), call[1]
    if call.kind(1) != "Text" or not isinstance(prefix, str):
        raise Fault("its prefix is not a Text")
    require(call.type.kind == "List" and call.type.inner.kind == "Record",
            "it gives a List of a Record")
    found = sorted((fact for fact in call.environment.facts.values()
                    if fact.fact_type == fact_type and fact.fact_key.startswith(prefix)),
                   key=lambda fact: fact.fact_key)
    given = [operand.fact for operand in call.operands[2:]]
    require(len(given) == len(found) and all(a is b for a, b in zip(given, found)),
            "its facts are not those of the prefix, in order")
    return sequence([_shaped(call, fact, call.type.inner) for fact in found])


FACT_OPERATIONS = {
    "product": Row(0, 0, _product), "issued_on": Row(0, 0, _issued_on),
    "getFact": Row(1, 1, _get_fact), "getFactsByPrefix": Row(2, None, _get_facts_by_prefix),
}
