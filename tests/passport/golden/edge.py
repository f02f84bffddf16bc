"""The derivation of the golden case of corners, node by node in the order of evaluation."""
import bpc

CELL = "Record(code: Text, made: Date, share: Dec(2), voltage: Qty(V))"
NOTES = "Record(extra: Map(Text, Int), text: Opt(Text))"


def volts(value: str) -> dict:
    return {"unit": "V", "value": value}


# Shaped: shares at scale 2, volts at six digits. 0.0005 mV is 0.0000005 V, a tie: to the even 0.
CELLS = [
    {"code": "é", "made": "0001-01-01", "share": "0.50", "voltage": volts("3.700000")},
    {"code": "z", "made": "9999-12-31", "share": "-0.25", "voltage": volts("0.000000")},
    {"code": "Z", "made": "2026-12-31", "share": "0.75", "voltage": volts("3.700000")},
]
NOTE = {"extra": {"ключ 🔑": 42, "b": -9007199254740991}, "text": None}


class Edge(bpc.Proof):
    def __init__(self, facts: list) -> None:
        super().__init__()
        self.payloads = {fact["fact_key"]: fact["payload"] for fact in facts}

    def cells(self) -> int:
        """getFactsByPrefix("Cell", "cell:")"""
        children = [self.text("Cell"), self.text("cell:")]
        for key in ("cell:a", "cell:b", "cell:c"):
            children.append(self.fact_get("Cell", key, self.payloads[key], self.text(key)))
        return self.op("getFactsByPrefix", f"List({CELL})", CELLS, *children)

    def cell(self, cells: int, i: int) -> int:
        return self.op("element", CELL, CELLS[i], cells, self.const("Int", i))

    def member(self, cell: int, i: int, name: str, kind: str) -> int:
        return self.op("get", kind, CELLS[i][name], cell, self.text(name))

    def share(self, cell: int, i: int) -> int:
        return self.member(cell, i, "share", "Dec(2)")

    def at_least_zero(self, cell: int, i: int, op: str) -> int:
        positive = not CELLS[i]["share"].startswith("-")
        return self.op(op, "Bool", positive, self.share(cell, i), self.const("Dec(0)", "0"))

    def notes(self) -> int:
        """requireSome(getFact("Notes", "notes:1"), "E1", "notes are missing")"""
        found = self.fact_get("Notes", "notes:1", self.payloads["notes:1"], self.text("notes:1"))
        option = self.op("getFact", f"Opt({NOTES})", NOTE, found)
        return self.op("requireSome", NOTES, NOTE, option, self.text("E1"),
                       self.text("notes are missing"))


def cell_fields(p: Edge) -> tuple[list[int], list[dict]]:
    cells = p.cells()
    # all() stops at the second cell, whose share is negative.
    conditions = [p.at_least_zero(p.cell(cells, i), i, ">=") for i in (0, 1)]
    made = [p.field("cells.all_positive", "Bool", p.op("all", "Bool", False, cells, *conditions))]

    codes = [p.member(p.cell(cells, i), i, "code", "Text") for i in (0, 1, 2)]
    mapped = p.op("map", "List(Text)", ["é", "z", "Z"], cells, *codes)
    sort = p.op("sort", "List(Text)", ["Z", "z", "é"], mapped)
    made.append(p.field("cells.codes", "List(Text)", sort))

    scale = p.const("Int", 1)
    above = [p.at_least_zero(p.cell(cells, i), i, ">") for i in (0, 1, 2)]
    kept = p.op("filter", f"List({CELL})", [CELLS[0], CELLS[2]], cells, *above)
    shares = []
    for place, i in ((0, 0), (1, 2)):
        cell = p.op("element", CELL, CELLS[i], kept, p.const("Int", place))
        shares.append(p.share(cell, i))
    numbers = p.op("map", "List(Dec(2))", ["0.50", "0.75"], kept, *shares)
    # 1.25 to one digit: half to the even 1.2.
    made.append(p.field("cells.total", "Dec(1)", p.op("sumDec", "Dec(1)", "1.2", scale, numbers)))

    emitted, entries = [], []
    for i, status in ((0, "PASS"), (1, "FAIL"), (2, "PASS")):
        cell = p.cell(cells, i)
        name = p.text("CELL")
        chosen = p.op("if", "Text", status, p.at_least_zero(cell, i, ">="), p.text(status))
        code = CELLS[i]["code"]
        words = p.text("the share of ")
        evidence = p.op("+", "Text", "the share of " + code, words, p.member(cell, i, "code", "Text"))
        entries.append({"evidence": "the share of " + code, "id": "CELL", "status": status})
        emitted.append(p.node("COMPLIANCE_EMIT", entries[-1], [name, chosen, evidence]))
    each = p.op("map", "List(Bool)", [True, False, True], cells, *emitted)
    made.append(p.field("checks.each", "List(Bool)", each, *emitted))
    return made, entries


def small_fields(p: Edge) -> list[int]:
    days = p.op("addDays", "Date", "2027-03-01", p.op("issued_on", "Date", "2027-02-18"),
                p.const("Int", 11))
    made = [p.field("days.due", "Date", days)]
    made.append(p.field("empty.list", "List(Dec(2))", p.op("list", "List(Dec(2))", [])))
    left = p.op("&&", "Bool", False, p.const("Bool", False))  # the right side is not evaluated
    right = p.op("!", "Bool", False, p.const("Bool", True))
    made.append(p.field("logic.short", "Bool", p.op("||", "Bool", False, left, right)))
    absent = p.fact_get("Notes", "notes:none", None, p.text("notes:none"))
    is_some = p.op("isSome", "Bool", False, p.op("getFact", f"Opt({NOTES})", None, absent))
    none = p.const("Opt(Text)", None)
    made.append(p.field("missing.note", "Opt(Text)", p.op("if", "Opt(Text)", None, is_some, none)))
    a = "0123456789abcdef" * 4
    b = p.op("+", "Text", a * 2, p.text(a), p.text(a))
    four = p.op("+", "Text", a * 4, b, b)  # 256 bytes: the last that is written out
    made.append(p.field("names.long", "Text", p.op("+", "Text", a * 6, four, b)))
    return made


def note_and_number_fields(p: Edge) -> list[int]:
    extra = p.op("get", "Map(Text, Int)", NOTE["extra"], p.notes(), p.text("extra"))
    answer = p.op("recordGet", "Opt(Int)", 42, extra, p.text("ключ 🔑"))
    made = [p.field("notes.answer", "Opt(Int)", answer)]
    text = p.op("get", "Opt(Text)", None, p.notes(), p.text("text"))
    instead = '"é"\n\x07'
    made.append(p.field("notes.text", "Text",
                        p.op("unwrapOr", "Text", instead, text, p.text(instead))))

    digits = [p.const("Int", i) for i in (1, 2, 3)]
    items = p.op("list", "List(Int)", [1, 2, 3], *digits)
    start = p.const("Int", 0)
    results, total = [], 0
    for i in (0, 1, 2):
        element = p.op("element", "Int", i + 1, items, p.const("Int", i))
        ten = p.op("*", "Int", total * 10, results[-1] if results else start, p.const("Int", 10))
        total = total * 10 + i + 1
        results.append(p.op("+", "Int", total, ten, element))
    made.append(p.field("numbers.folded", "Int", p.op("fold", "Int", 123, items, start, *results)))
    scale = p.const("Int", 2)
    minus = p.const("Dec(3)", "-2.345")  # the sign of a literal belongs to it
    rounded = p.op("toDec", "Dec(2)", "-2.35", scale, minus, p.text("half_up"))
    made.append(p.field("numbers.negative", "Dec(2)", rounded))
    # The unused let and the argument that the lambda ignores are left out.
    seven = p.op("list", "List(Int)", [7], p.const("Int", 7))
    made.append(p.field("unused.value", "List(Int)",
                        p.op("map", "List(Int)", [1], seven, p.const("Int", 1))))
    return made


def volt_field(p: Edge) -> int:
    unit, cells = p.text("mV"), p.cells()
    parts = [p.member(p.cell(cells, i), i, "voltage", "Qty(V)") for i in (0, 1, 2)]
    listed = p.op("map", "List(Qty(V))", [cell["voltage"] for cell in CELLS], cells, *parts)
    total = {"unit": "mV", "value": "7400.000000"}
    return p.field("volts.total", "Qty(mV)", p.op("sumQty", "Qty(mV)", total, unit, listed))


def derive(facts: list) -> tuple:
    p = Edge(facts)
    made, compliance = cell_fields(p)
    made += small_fields(p) + note_and_number_fields(p) + [volt_field(p)]
    fields = {
        "cells": {"all_positive": False, "codes": ["Z", "z", "é"], "total": "1.2"},
        "checks": {"each": [True, False, True]}, "days": {"due": "2027-03-01"},
        "empty": {"list": []}, "logic": {"short": False}, "missing": {"note": None},
        "names": {"long": "0123456789abcdef" * 24},
        "notes": {"answer": 42, "text": '"é"\n\x07'},
        "numbers": {"folded": 123, "negative": "-2.35"}, "unused": {"value": [1]},
        "volts": {"total": {"unit": "mV", "value": "7400.000000"}}}
    kind = ("Record(cells: Record(all_positive: Bool, codes: List(Text), total: Dec(1)), "
            "checks: Record(each: List(Bool)), days: Record(due: Date), "
            "empty: Record(list: List(Dec(2))), logic: Record(short: Bool), "
            "missing: Record(note: Opt(Text)), names: Record(long: Text), "
            "notes: Record(answer: Opt(Int), text: Text), "
            "numbers: Record(folded: Int, negative: Dec(2)), unused: Record(value: List(Int)), "
            "volts: Record(total: Qty(mV)))")
    paths = [node["data"]["field"] for node in p.nodes if node["type"] == "FIELD"]
    access = {path: "restricted" for path in paths}
    access |= {"cells.codes": "authority", "checks.each": "public"}
    return fields, access, compliance, p.document(p.op("root", kind, fields, *made))
