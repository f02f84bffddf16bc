"""The derivation of the golden case of access tiers, node by node in the order of evaluation."""
import bpc

COST = "Record(euro_per_kwh: Dec(2), note: Opt(Text))"
SHAPED = {"euro_per_kwh": "95.50", "note": None}


def derive(facts: list) -> tuple:
    p = bpc.Proof()
    found = p.op("getFact", f"Opt({COST})", SHAPED,
                 p.fact_get("Cost", "cost:1", facts[0]["payload"], p.text("cost:1")))
    given = p.op("requireSome", COST, SHAPED, found, p.text("E1"), p.text("no cost"))
    cost = p.field("cost", "Dec(2)",
                   p.op("get", "Dec(2)", "95.50", given, p.text("euro_per_kwh")))

    # The reason is an argument like any other: it comes first, then the value.
    reason = p.text("the class is on the label")
    above = p.op(">", "Bool", True, cost, p.const("Dec(2)", "90.00"))
    known = p.op("declassify", "Bool", True, reason, above)
    chosen = p.op("if", "Text", "premium", known, p.text("premium"))
    price = p.field("price.class", "Text", chosen)

    name = p.text("FAIR")
    reason = p.text("a finding is public")
    above = p.op(">", "Bool", True, cost, p.const("Dec(2)", "20.00"))
    status = p.op("if", "Text", "PASS", above, p.text("PASS"))
    known = p.op("declassify", "Text", "PASS", reason, status)
    entry = {"evidence": "the price covers wages", "id": "FAIR", "status": "PASS"}
    emitted = p.node("COMPLIANCE_EMIT", entry, [name, known, p.text("the price covers wages")])
    fair = p.field("price.fair", "Bool", emitted, emitted)

    reason = p.text('Annex XIII 4: "as given"')
    absent = p.op("recordGet", "Opt(Text)", None, found, p.text("note"))
    note = p.field("price.note", "Opt(Text)", p.op("declassify", "Opt(Text)", None, reason, absent))

    reason = p.text("shown in the shop")
    both = p.op("list", "List(Int)", [1, 2], p.const("Int", 1), p.const("Int", 2))
    steps = p.field("price.steps", "List(Int)",
                    p.op("declassify", "List(Int)", [1, 2], reason, both))

    fields = {"cost": "95.50",
              "price": {"class": "premium", "fair": True, "note": None, "steps": [1, 2]}}
    kind = ("Record(cost: Dec(2), price: Record(class: Text, fair: Bool, note: Opt(Text), "
            "steps: List(Int)))")
    access = {"cost": "authority", "price.class": "public", "price.fair": "restricted",
              "price.note": "interest", "price.steps": "restricted"}
    root = p.op("root", kind, fields, cost, price, fair, note, steps)
    return fields, access, [entry], p.document(root)
