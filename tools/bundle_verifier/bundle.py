"""The checks of a bundle, in the order of docs/formats.md, but for `recompile`."""
import base64
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from collections.abc import Callable

from . import ed25519
from .canonical import Fault, Json, canonical, content_hash, parse_canonical, sha256_hex
from .declarations import check_declarations
from .derivation import Derived, check_proof
from .keys import TrustedKey, decode_base64
from .operations import Fact, require
from .proof import exactly, texts
from .shapes import read_date

# What a check that is never made says of it.
NOT_MADE = {"recompile": "not recompiled from the rule source: this program does not run rules; "
                         "jobforge passport verify does"}
_STATUSES = ("PASS", "FAIL", "WARN", "PENDING", "NOT_APPLICABLE")
_TIERS = ("public", "interest", "authority", "interest_and_authority", "restricted")
_HASH = re.compile(r"[0-9a-f]{64}")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"(.{10})T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z")


def _is_time(text: str) -> bool:
    parts = _TIME.fullmatch(text)
    return parts is not None and read_date(parts[1]) is not None


def _is_uuid(text: str) -> bool:
    return _UUID.fullmatch(text) is not None


def _is_hash(text: str) -> bool:
    return _HASH.fullmatch(text) is not None


def _is_signature(text: str) -> bool:
    data = decode_base64(text)
    return data is not None and len(data) == 64


_RECEIPT: dict[str, Callable[[str], bool]] = {
    "receipt_version": "BPC-RECEIPT-1".__eq__, "signature_alg": "ED25519".__eq__,
    "issued_at": _is_time, "signature": _is_signature,
    "compiler_build_id": bool, "signing_key_id": bool,
    **dict.fromkeys(("tenant_id", "passport_version_id", "passport_id", "battery_product_id",
                     "snapshot_id", "rule_package_version_id"), _is_uuid),
    **dict.fromkeys(("snapshot_hash", "dsl_sha256", "tests_sha256", "payload_hash",
                     "proof_root_hash"), _is_hash),
}


@dataclass
class Bundle:
    """A bundle whose objects have exactly their members, each of the right kind."""
    receipt: dict[str, str]
    product: dict[str, Json]
    payload: dict[str, Json]
    proof: Json
    rules: dict[str, Json]
    snapshot: dict[str, Json]
    listed: list[dict[str, Json]]  # the snapshot's facts
    facts: list[dict[str, Json]]

    def receipt_hash(self) -> str:
        """What is signed: of the receipt without its signature."""
        unsigned: Json = {name: text for name, text in self.receipt.items() if name != "signature"}
        return content_hash(unsigned)


def _read_facts(value: Json, what: str, *names: str) -> list[dict[str, Json]]:
    if not isinstance(value, list):
        raise Fault(f"{what}s are not a list")
    facts = [exactly(each, what, "fact_key", "fact_type", *names) for each in value]
    for fact in facts:
        texts(fact, what, *(name for name in fact if name != "payload"))
        require(_is_hash(str(fact["source_sha256"])), f"{what}: source_sha256 is not 64 hex digits")
    return facts


def _read_receipt(value: Json) -> dict[str, str]:
    found = exactly(value, "the receipt", *_RECEIPT)
    texts(found, "the receipt", *_RECEIPT)
    receipt = {name: str(member) for name, member in found.items()}
    for name, has_form in _RECEIPT.items():
        require(has_form(receipt[name]), f"the receipt's {name} does not have its form")
    return receipt


def read_bundle(document: Json) -> Bundle:
    bundle = exactly(document, "the bundle", "bundle_version", "facts", "payload", "product",
                     "proof", "receipt", "rules", "snapshot")
    require(bundle["bundle_version"] == "BPC-BUNDLE-1", "bundle_version is not BPC-BUNDLE-1")
    payload = exactly(bundle["payload"], "the payload", "access", "compliance", "fields",
                      "passport_version", "product")
    require(payload["passport_version"] == "BPC-PASSPORT-1",
            "passport_version is not BPC-PASSPORT-1")
    product = exactly(bundle["product"], "the product", "battery_product_id", "name", "sku")
    texts(product, "the product", "battery_product_id", "name", "sku")
    rules = exactly(bundle["rules"], "rules", "dsl_source", "tests_source")
    texts(rules, "rules", "dsl_source", "tests_source")
    snapshot = exactly(bundle["snapshot"], "the snapshot", "facts", "snapshot_id",
                       "snapshot_version")
    require(snapshot["snapshot_version"] == "BPC-SNAPSHOT-1",
            "snapshot_version is not BPC-SNAPSHOT-1")
    return Bundle(_read_receipt(bundle["receipt"]), product, payload, bundle["proof"], rules,
                  snapshot,
                  _read_facts(snapshot["facts"], "a fact of the snapshot", "payload_hash",
                              "source_sha256"),
                  _read_facts(bundle["facts"], "a fact", "payload", "source_sha256"))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def check_signature(bundle: Bundle, trusted: TrustedKey) -> str:
    claimed = bundle.receipt["signing_key_id"]
    signature = decode_base64(bundle.receipt["signature"])
    assert signature is not None  # its form was checked
    require(ed25519.verifies(trusted.key, bytes.fromhex(bundle.receipt_hash()), signature),
            f"not signed with this key, or changed since; the receipt names the key \"{claimed}\"")
    if trusted.key_id is None:
        return (f"signed by \"{claimed}\", issued at {bundle.receipt['issued_at']}; whether the key "
                "has this id was not checked")
    require(claimed == trusted.key_id,
            f"signed with the key \"{trusted.key_id}\", but the receipt names \"{claimed}\"")
    return f"signed by \"{claimed}\", issued at {bundle.receipt['issued_at']}"


def check_snapshot(bundle: Bundle) -> str:
    require(content_hash(bundle.snapshot) == bundle.receipt["snapshot_hash"],
            "the snapshot's hash is not the receipt's snapshot_hash")
    require(bundle.snapshot["snapshot_id"] == bundle.receipt["snapshot_id"],
            "the snapshot's id is not the receipt's")
    keys = [(str(fact["fact_type"]), str(fact["fact_key"])) for fact in bundle.listed]
    require(all(a < b for a, b in zip(keys, keys[1:])),
            "its facts are not sorted, or one is there twice")
    return _counted(len(keys), "fact")


def check_facts(bundle: Bundle) -> str:
    require(len(bundle.facts) == len(bundle.listed),
            f"{_counted(len(bundle.facts), 'fact')}, but the snapshot lists {len(bundle.listed)}")
    for place, (fact, listed) in enumerate(zip(bundle.facts, bundle.listed)):
        expected = {name: fact[name] for name in ("fact_key", "fact_type", "source_sha256")}
        expected["payload_hash"] = content_hash(fact["payload"])
        require(listed == expected, f"fact {place} ({fact['fact_type']} \"{fact['fact_key']}\") is "
                                    "not the one that the snapshot lists")
    return f"{_counted(len(bundle.facts), 'fact')}, as the snapshot lists them"


def check_rules(bundle: Bundle) -> str:
    for source, digest in (("dsl_source", "dsl_sha256"), ("tests_source", "tests_sha256")):
        require(sha256_hex(str(bundle.rules[source]).encode()) == bundle.receipt[digest],
                f"{source} does not have the receipt's {digest}")
    return f"dsl {bundle.receipt['dsl_sha256'][:12]}, tests {bundle.receipt['tests_sha256'][:12]}"


def check_product(bundle: Bundle) -> str:
    require(bundle.payload["product"] == bundle.product,
            "the bundle's product is not the payload's")
    require(bundle.product["battery_product_id"] == bundle.receipt["battery_product_id"],
            "the product's id is not the receipt's battery_product_id")
    return f"{bundle.product['sku']} \"{bundle.product['name']}\""


def check_payload(bundle: Bundle) -> str:
    require(content_hash(bundle.payload) == bundle.receipt["payload_hash"],
            "the payload's hash is not the receipt's payload_hash")
    return f"hash {bundle.receipt['payload_hash'][:12]}"


def _derive(bundle: Bundle) -> Derived:
    facts = [Fact(str(fact["fact_type"]), str(fact["fact_key"]), fact["payload"],
                  content_hash(fact["payload"])) for fact in bundle.facts]
    product = (str(bundle.product["name"]), str(bundle.product["sku"]))
    return check_proof(bundle.proof, facts, product,
                       date.fromisoformat(bundle.receipt["issued_at"][:10]))


def check_derivation(bundle: Bundle, rules_passed: bool) -> str:
    stated = bundle.proof.get("root_hash") if isinstance(bundle.proof, dict) else None
    require(stated == bundle.receipt["proof_root_hash"],
            "its root hash is not the receipt's proof_root_hash")
    derived = _derive(bundle)
    # By their bytes: to Python true equals 1.
    for name, value in (("fields", derived.fields), ("compliance", derived.compliance)):
        require(canonical(value) == canonical(bundle.payload[name]),
                f"it derives other {name} than the payload's")
    access = bundle.payload["access"]
    if not isinstance(access, dict) or access.keys() != derived.types.keys():
        raise Fault("the payload's access does not have every field's path, and no other")
    for path, tier in access.items():
        require(tier in _TIERS, f"the payload gives {path} no tier of access that there is")
    tiers = {path: str(tier) for path, tier in access.items()}
    found = f"{_counted(len(derived.nodes), 'node')} computed again"
    if not rules_passed:
        return found
    check_declarations(str(bundle.rules["dsl_source"]), derived, tiers)
    return f"{found}; {_counted(len(tiers), 'field')} with the types and access that the rules declare"


@dataclass(frozen=True)
class Check:
    name: str
    passed: bool
    detail: str  # what is wrong, or what was found


@dataclass
class Report:
    checks: list[Check] = field(default_factory=list)
    bundle: Bundle | None = None

    @property
    def valid(self) -> bool:
        return len(self.checks) == len(_CHECKS) + 4 and all(check.passed for check in self.checks)

    def run(self, name: str, check: Callable[[], str]) -> bool:
        try:
            self.checks.append(Check(name, True, check()))
        except Fault as fault:
            self.checks.append(Check(name, False, str(fault)))
        return self.checks[-1].passed

    def not_made(self) -> list[str]:
        made = {check.name for check in self.checks}
        return [name for name in _ALL_CHECKS if name not in made]

    def _statuses(self) -> list[str]:
        entries = self.bundle.payload["compliance"] if self.bundle else []
        return [status if isinstance(status, str) else ""
                for entry in (entries if isinstance(entries, list) else [])
                for status in [entry.get("status") if isinstance(entry, dict) else None]]

    def findings(self) -> dict[str, int]:
        """How many compliance entries have each status; UNKNOWN: one that there is not."""
        return dict(Counter(status if status in _STATUSES else "UNKNOWN"
                            for status in self._statuses()))

    def remarks(self) -> list[str]:
        """What is not wrong, but should be known. That today's `rules check` would refuse the rules
        is a remark of the program alone."""
        foreign = sorted(set(self._statuses()) - set(_STATUSES))
        if not foreign or not any(check.name == "proof" and check.passed for check in self.checks):
            return []
        return [f"It has compliance entries with the status {', '.join(foreign)}. Passports that "
                f"are issued today have only {', '.join(_STATUSES)}."]

    def hashes(self) -> dict[str, dict[str, str]]:
        """As on the public page and as in the code, computed from the parts."""
        proof = self.bundle.proof if self.bundle else None
        root = proof.get("root_hash") if isinstance(proof, dict) else None
        if self.bundle is None or not isinstance(root, str):
            return {}
        found = {"payload_hash": content_hash(self.bundle.payload), "proof_root_hash": root,
                 "receipt_hash": self.bundle.receipt_hash()}
        return {name: {"base32": _base32(digits), "hex": digits}
                for name, digits in found.items()}

    def has_code(self, text: str) -> bool:
        """Whether the text is the code of this version (BPC-QR-1), by what the receipt says."""
        if self.bundle is None:
            return False
        hashes = [self.bundle.receipt["payload_hash"], self.bundle.receipt["proof_root_hash"],
                  self.bundle.receipt_hash()]
        named = [f"{name}={_base32(digits)}" for name, digits in zip(("ph", "pr", "rh"), hashes)]
        version = self.bundle.receipt["passport_version_id"]
        if text.startswith("BPC1|"):
            return text == "|".join(["BPC1", f"pv={version}", *named])
        return text.endswith(tuple(f"/p/{page}#{'&'.join(named)}"
                                   for page in (self.bundle.receipt["passport_id"], version)))


def _base32(digits: str) -> str:
    """Without padding; empty for what is no hash in hex."""
    return (base64.b32encode(bytes.fromhex(digits)).decode().rstrip("=")
            if re.fullmatch("([0-9a-f]{2})*", digits) else "")


_ALL_CHECKS = ("canonical", "members", "signature", "snapshot", "facts", "rules", "product",
               "payload", "proof", "recompile")
_CHECKS: tuple[tuple[str, Callable[[Bundle], str]], ...] = (
    ("snapshot", check_snapshot), ("facts", check_facts), ("rules", check_rules),
    ("product", check_product), ("payload", check_payload))

_SIGNED_CONTENT = {"signature", "snapshot", "facts", "product"}


def verify_bundle(data: bytes, trusted: TrustedKey) -> Report:
    """Everything about the bundle but that its rules give this proof. What cannot be made any more
    is not in the report: a bundle that cannot be read ends it, and `proof`, whose cost is up to the
    author of the bundle, is only made for content that the trusted key has signed."""
    report = Report()
    documents: list[Json] = []

    def read() -> str:
        documents.append(parse_canonical(data))
        return f"{len(data)} bytes"

    def members() -> str:
        report.bundle = read_bundle(documents[0])
        return "BPC-BUNDLE-1"

    if not report.run("canonical", read) or not report.run("members", members):
        return report
    bundle = report.bundle
    assert bundle is not None
    report.run("signature", partial(check_signature, bundle, trusted))
    for name, check in _CHECKS:
        report.run(name, partial(check, bundle))
    passed = {check.name for check in report.checks if check.passed}
    if _SIGNED_CONTENT <= passed:
        report.run("proof", partial(check_derivation, bundle, "rules" in passed))
    return report
