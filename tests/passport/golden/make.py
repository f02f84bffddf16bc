#!/usr/bin/env python3
"""The golden files: four passports worked out by hand, and the bytes they must have.

    make.py           write the expected files of minimal/, medium/, edge/ and tiers/
    make.py --check   compare them with what stands there; exit 1 if a byte differs

The inputs (rules.bpc, facts.json, product.json, options.json) are written by people. The
derivations below are written by people too, node by node from the table of docs/formats.md; the
values in them were computed on paper. Nothing here comes from the program.
"""
import pathlib
import sys

import bpc
import edge
import tiers

HERE = pathlib.Path(__file__).resolve().parent
SEED = bytes(range(32))  # a key for tests: everybody knows it


def minimal(_facts: list) -> tuple:
    proof = bpc.Proof()
    greeting = proof.field("greeting", "Text", proof.text("hello"))
    fields = {"greeting": "hello"}
    root = proof.op("root", "Record(greeting: Text)", fields, greeting)
    return fields, {"greeting": "public"}, [], proof.document(root)


BATTERY = "Record(capacity_kwh: Dec(3), chemistry: Text, mass: Opt(Dec(2)), sku: Text)"
FOOTPRINT = {"unit": "gCO2e_per_kWh", "value": "70000.000000"}


def medium_fact(proof: bpc.Proof, kind: str, key: str, payload, record: str, shaped: dict,
                code: str, message: str) -> int:
    """requireSome(getFact(kind, "prefix:" + product.sku), code, message)"""
    prefix = proof.text(key.split(":")[0] + ":")
    product = proof.op("product", "Record(name: Text, sku: Text)",
                       {"name": "Pack 50", "sku": "SKU-1"})
    sku = proof.op("get", "Text", "SKU-1", product, proof.text("sku"))
    found = proof.fact_get(kind, key, payload, proof.op("+", "Text", key, prefix, sku))
    option = proof.op("getFact", f"Opt({record})", shaped, found)
    return proof.op("requireSome", record, shaped, option, proof.text(code), proof.text(message))


def medium(facts: list) -> tuple:
    proof = bpc.Proof()
    battery_payload, pcf_payload = (fact["payload"] for fact in facts)
    shaped = {"capacity_kwh": "50.000", "chemistry": "NMC", "mass": "412.50", "sku": "SKU-1"}
    energy = {"unit": "kWh", "value": "50.000000"}

    battery = medium_fact(proof, "Battery", "battery:SKU-1", battery_payload, BATTERY, shaped,
                          "E001", "battery facts are missing")
    unit = proof.text("kWh")
    number = proof.op("get", "Dec(3)", "50.000", battery, proof.text("capacity_kwh"))
    capacity = proof.field("battery.capacity", "Qty(kWh)",
                           proof.op("toQty", "Qty(kWh)", energy, unit, number))

    battery = medium_fact(proof, "Battery", "battery:SKU-1", battery_payload, BATTERY, shaped,
                          "E001", "battery facts are missing")
    mass = proof.field("battery.mass", "Opt(Dec(2))",
                       proof.op("get", "Opt(Dec(2))", "412.50", battery, proof.text("mass")))

    pcf = medium_fact(proof, "PCF", "pcf:SKU-1", pcf_payload, "Record(total_gco2e: Dec(0))",
                      {"total_gco2e": "3500000"}, "E010", "carbon footprint is missing")
    total = proof.op("get", "Dec(0)", "3500000", pcf, proof.text("total_gco2e"))
    positive = proof.op(">=", "Bool", True, total, proof.const("Dec(0)", "0"))
    asserted = proof.node("ASSERT", {"code": "E011", "condition": True},
                          [positive, proof.text("E011"), proof.text("a footprint is never negative")])
    grams = proof.op("toQty", "Qty(gCO2e)", {"unit": "gCO2e", "value": "3500000.000000"},
                     proof.text("gCO2e"), total)
    quotient = proof.op("/", "Qty(gCO2e_per_kWh)", FOOTPRINT, grams, capacity)
    footprint = proof.field("carbon.footprint", "Qty(gCO2e_per_kWh)", quotient, asserted)

    name = proof.text("CF-1")
    limit = proof.const("Qty(gCO2e_per_kWh)", {"unit": "gCO2e_per_kWh", "value": "80000.000000"})
    below = proof.op("<=", "Bool", True, footprint, limit)
    status = proof.op("if", "Text", "PASS", below, proof.text("PASS"))
    evidence = "the footprint is at most 80 kg CO2e per kWh"
    entry = {"evidence": evidence, "id": "CF-1", "status": "PASS"}
    emitted = proof.node("COMPLIANCE_EMIT", entry, [name, status, proof.text(evidence)])
    checked = proof.field("carbon.checked", "Bool", emitted, emitted)

    fields = {"battery": {"capacity": energy, "mass": "412.50"},
              "carbon": {"checked": True, "footprint": FOOTPRINT}}
    kind = ("Record(battery: Record(capacity: Qty(kWh), mass: Opt(Dec(2))), "
            "carbon: Record(checked: Bool, footprint: Qty(gCO2e_per_kWh)))")
    root = proof.op("root", kind, fields, capacity, mass, footprint, checked)
    access = {"battery.capacity": "public", "battery.mass": "interest",
              "carbon.checked": "restricted", "carbon.footprint": "interest_and_authority"}
    return fields, access, [entry], proof.document(root)


def expected(name: str, derive) -> dict[str, str]:
    """File name -> text, for one case."""
    folder = HERE / name
    rules = (folder / "rules.bpc").read_text(encoding="utf-8")
    tests = (folder / "tests.bpc").read_text(encoding="utf-8")
    options, product, given = (bpc.load((folder / file).read_text(encoding="utf-8"))
                               for file in ("options.json", "product.json", "facts.json"))
    source = bpc.sha256((folder / "facts.json").read_bytes())
    facts = [fact | {"source_sha256": source} for fact in given]
    facts.sort(key=lambda fact: (fact["fact_type"].encode(), fact["fact_key"].encode()))
    fields, access, compliance, proof = derive(facts)

    payload = bpc.payload(product, fields, access, compliance)
    snapshot = bpc.snapshot(options["snapshot_id"], facts)
    ids = options | {"battery_product_id": product["battery_product_id"]}
    unsigned = bpc.receipt(ids, payload, proof, snapshot, rules, tests)
    receipt = bpc.signed(unsigned, SEED)
    bundle = {"bundle_version": "BPC-BUNDLE-1", "facts": facts, "payload": payload,
              "product": product, "proof": proof, "receipt": receipt,
              "rules": {"dsl_source": rules, "tests_source": tests}, "snapshot": snapshot}
    documents = {"payload.json": payload, "proof.json": proof, "receipt.json": receipt,
                 "unsigned_receipt.json": unsigned, "snapshot.json": snapshot,
                 "bundle.json": bundle}
    files = {file: bpc.cjson(document) for file, document in documents.items()}
    return files | {"qr.txt": bpc.qr_text(unsigned),
                    "qr_url.txt": bpc.qr_text(unsigned, "https://example.org")}


CASES = {"minimal": minimal, "medium": medium, "edge": edge.derive, "tiers": tiers.derive}


def main() -> int:
    faults = 0
    for name, derive in CASES.items():
        for file, text in expected(name, derive).items():
            path = HERE / name / "expected" / file
            written = text.encode() + b"\n"  # the house ends every text file with a newline
            if "--check" not in sys.argv:
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(written)
            elif not path.exists() or path.read_bytes() != written:
                print(f"{name}/expected/{file} is not what make.py works out", file=sys.stderr)
                faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
