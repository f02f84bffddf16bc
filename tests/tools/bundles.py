"""Bundles for the tests of tools/verify_bundle.py: the golden ones, one with every operation, and
ways to sign them again as a lying issuer would."""
import base64
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import unittest
from typing import Any, NoReturn

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("JOBFORGE_BUILD_DIR", ROOT / "build"))
PROGRAM = BUILD / "jobforge"
TOOL = ROOT / "tools/verify_bundle.py"
GOLDEN = ROOT / "tests/passport/golden"
OPERATIONS = ROOT / "tests/tools/operations"

sys.dont_write_bytecode = True
sys.path[:0] = [str(TOOL.parent), str(GOLDEN)]
import bpc as bpc  # noqa: E402  (found through the path above)
from bundle_verifier import ed25519  # noqa: E402
from bundle_verifier.bundle import Report, verify_bundle  # noqa: E402
from bundle_verifier.keys import TrustedKey  # noqa: E402

Document = dict[str, Any]

SEED = bytes(range(32))  # the golden files' key: everybody knows it
KEY = TrustedKey(bpc.public_key(SEED), "golden-key")
KEY_ARGUMENT = "golden-key=A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="
GOLDEN_CASES = tuple(sorted(path.parents[1].name for path in GOLDEN.glob("*/expected/bundle.json")))


def golden(name: str) -> Document:
    found: Document = json.loads((GOLDEN / name / "expected/bundle.json").read_bytes())
    return found


def written(document: Any) -> bytes:
    """The canonical bytes, as Python's json can make them: keys beyond U+FFFF would be sorted by
    code point, and the bundles here have none beside keys from U+E000 on."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def content_hash(value: Any) -> str:
    return hashlib.sha256(written(value)).hexdigest()


def copied(document: Document) -> Document:
    """Faster than copy.deepcopy."""
    made: Document = json.loads(json.dumps(document))
    return made


def verified(document: Document, trusted: TrustedKey = KEY) -> Report:
    return verify_bundle(written(document), trusted)


def rehashed(document: Document) -> Document:
    """With the hashes computed again that a forger can compute: all but the signature."""
    made = copied(document)
    nodes = made["proof"]["nodes"]
    for node in nodes:
        hashes = [nodes[child]["hash"] for child in node["children"]]
        node["hash"] = content_hash({"children_hashes": hashes, "data": node["data"],
                                         "id": node["id"], "type": node["type"]})
    made["proof"]["root_hash"] = nodes[-1]["hash"]
    for fact, listed in zip(made["facts"], made["snapshot"]["facts"]):
        listed["payload_hash"] = content_hash(fact["payload"])
    made["receipt"] |= {
        "payload_hash": content_hash(made["payload"]),
        "proof_root_hash": made["proof"]["root_hash"],
        "snapshot_hash": content_hash(made["snapshot"]),
        "dsl_sha256": bpc.sha256(made["rules"]["dsl_source"]),
        "tests_sha256": bpc.sha256(made["rules"]["tests_source"])}
    return made


def sign(seed: bytes, message: bytes) -> bytes:
    """RFC 8032 with the tool's curve: bpc.sign gives the same and takes thirty times as long."""
    scalar, prefix = bpc.secret_scalar(seed)
    nonce = int.from_bytes(hashlib.sha512(prefix + message).digest(), "little") % bpc.ORDER
    point = ed25519.encoded_multiple(nonce)
    digest = hashlib.sha512(point + ed25519.encoded_multiple(scalar) + message).digest()
    answer = (nonce + int.from_bytes(digest, "little") * scalar) % bpc.ORDER
    return point + answer.to_bytes(32, "little")


def signed(document: Document, seed: bytes = SEED) -> Document:
    """Signed as it is: by a lying issuer."""
    made = copied(document)
    del made["receipt"]["signature"]
    digest = bytes.fromhex(content_hash(made["receipt"]))
    made["receipt"]["signature"] = base64.b64encode(sign(seed, digest)).decode()
    return made


def operations(folder: pathlib.Path) -> Document:
    """Compiled by the program under test: every operation there is."""
    key = folder / "key"
    key.write_text(base64.b64encode(SEED).decode(), encoding="ascii")
    facts = folder / "facts"
    facts.mkdir()
    (facts / "facts.json").write_bytes((OPERATIONS / "facts.json").read_bytes())
    subprocess.run(
        [PROGRAM, "passport", "compile", "--rules", OPERATIONS / "rules.bpc", "--product",
         OPERATIONS / "product.json", "--facts", facts, "--issued-at", "2027-03-01T00:00:00Z",
         "--key", key, "--key-id", "golden-key", "--out", folder / "out"],
        check=True, capture_output=True, timeout=60)
    found: Document = json.loads((folder / "out/bundle.json").read_bytes())
    return found


def run_tests() -> NoReturn:
    """As unittest.main, but a program without tests fails."""
    result = unittest.main(module="__main__", exit=False).result
    if result.testsRun == 0:
        print("no test was run", file=sys.stderr)
    sys.exit(0 if result.wasSuccessful() and result.testsRun > 0 and not result.skipped else 1)
