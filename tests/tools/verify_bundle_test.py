#!/usr/bin/env python3
"""tools/verify_bundle.py: accepts the golden bundles, and no change of them by anybody.

JOBFORGE_MUTATIONS multiplies the number of mutations (1 by default, some 3,000).
"""
import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import bundles
from bundles import GOLDEN_CASES, KEY, Document, golden, rehashed, signed, verified, written
from mutations import (bytes_changed, in_content, in_document, in_proof, letters_changed, paths_of,
                       variation, with_value)

from bundle_verifier import canonical, ed25519
from bundle_verifier.bundle import verify_bundle
from bundle_verifier.canonical import Fault
from bundle_verifier.keys import TrustedKey, read_key
from bundle_verifier.patterns import Pattern

TIMES = int(os.environ.get("JOBFORGE_MUTATIONS", "1"))
CHECKS = ["canonical", "members", "signature", "snapshot", "facts", "rules", "product", "payload",
          "proof"]


def failed(document: Document, trusted: TrustedKey = KEY) -> list[str]:
    return [check.name for check in verified(document, trusted).checks if not check.passed]


class GoldenBundlesTest(unittest.TestCase):
    def test_the_quick_ways_of_these_tests_give_the_golden_bytes(self) -> None:
        for name in GOLDEN_CASES:
            document = golden(name)
            self.assertEqual(written(document), bundles.bpc.cjson(document).encode())
            self.assertEqual(signed(rehashed(document)), document)

    def test_each_is_valid_and_its_own_canonical_form(self) -> None:
        self.assertGreaterEqual(len(GOLDEN_CASES), 3)
        for name in GOLDEN_CASES:
            report = verified(golden(name))
            self.assertEqual([(check.name, check.passed) for check in report.checks],
                             [(check, True) for check in CHECKS], name)
            self.assertTrue(report.valid)

    def test_the_report_counts_what_the_rules_found(self) -> None:
        self.assertEqual(verified(golden("edge")).findings(), {"PASS": 2, "FAIL": 1})


class CommandLineTest(unittest.TestCase):
    folder: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "bundle.json").write_bytes(written(golden("medium")))
        (cls.folder / "key.pub").write_text(bundles.KEY_ARGUMENT.partition("=")[2] + "\n",
                                            encoding="ascii")

    def run_tool(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-B", bundles.TOOL, *words], cwd=self.folder,
                              check=False, capture_output=True, text=True, timeout=60)

    def test_a_valid_bundle_is_exit_code_0_and_says_what_was_not_checked(self) -> None:
        for key in ("golden-key=key.pub", bundles.KEY_ARGUMENT):
            done = self.run_tool("bundle.json", "--key", key)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn('signed by "golden-key"', done.stdout)
            self.assertIn("not recompiled from the rule source", done.stdout)

    def test_a_key_without_an_id_leaves_the_claimed_one_unchecked_and_says_so(self) -> None:
        done = self.run_tool("bundle.json", "--key", "key.pub")
        self.assertEqual(done.returncode, 0)
        self.assertIn('signed by "golden-key", issued at 2027-02-18T09:30:00.123456Z; '
                      "whether the key has this id was not checked", done.stdout)

    def test_another_id_than_the_receipt_names_is_exit_code_1(self) -> None:
        done = self.run_tool("bundle.json", "--key", "other-key=key.pub")
        self.assertEqual(done.returncode, 1)
        self.assertIn('NOT valid: signature: signed with the key "other-key"', done.stdout)

    def test_a_changed_bundle_is_exit_code_1_and_named(self) -> None:
        changed = written(golden("medium")).replace(b"Pack 50", b"Pack 51", 1)
        (self.folder / "changed.json").write_bytes(changed)
        done = self.run_tool("changed.json", "--key", "key.pub", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertIn('"valid": false', done.stdout)

    def test_what_cannot_be_read_is_exit_code_1_and_usage_2(self) -> None:
        self.assertEqual(self.run_tool("nowhere.json", "--key", "key.pub").returncode, 1)
        self.assertEqual(self.run_tool("bundle.json", "--key", "nowhere.pub").returncode, 1)
        self.assertEqual(self.run_tool("bundle.json").returncode, 2)

    def test_control_characters_of_a_bundle_do_not_reach_the_terminal(self) -> None:
        document = golden("minimal")
        document["receipt"]["signing_key_id"] = "key\x1b[2J"
        (self.folder / "escape.json").write_bytes(written(signed(document)))
        done = self.run_tool("escape.json", "--key", "key.pub")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("\x1b", done.stdout)


class SignatureTest(unittest.TestCase):
    def test_the_first_vectors_of_rfc_8032(self) -> None:
        for key, message, signature in (
                ("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
                 "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                 "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
                ("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
                 "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                 "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")):
            data = [bytes.fromhex(text) for text in (key, message, signature)]
            self.assertTrue(ed25519.verifies(data[0], data[1], data[2]))
            for place in range(64):
                changed = bytearray(data[2])
                changed[place] ^= 1
                self.assertFalse(ed25519.verifies(data[0], data[1], bytes(changed)))

    def test_s_beyond_the_group_order_is_refused(self) -> None:
        signature = bytes.fromhex(bundles.bpc.sign(bundles.SEED, b"text").hex())
        answer = int.from_bytes(signature[32:], "little") + bundles.bpc.ORDER
        self.assertTrue(ed25519.verifies(KEY.key, b"text", signature))
        self.assertFalse(ed25519.verifies(KEY.key, b"text",
                                          signature[:32] + answer.to_bytes(32, "little")))

    def test_keys_of_small_order_in_a_second_spelling_or_off_the_curve_are_refused(self) -> None:
        prime = bundles.bpc.P
        for number in (0, 1, prime - 1, prime, prime + 1, prime + 3, 2**255 - 1, 1 + 2**255, 2):
            with self.assertRaises(Fault):
                read_key(number.to_bytes(32, "little").hex())

    def test_a_component_of_small_order_in_the_key_is_not_multiplied_away(self) -> None:
        # A' = A + T with T of order 2: [8]A' = [8]A, so a check with the cofactor would accept.
        bpc = bundles.bpc
        point = bpc.times(bpc.secret_scalar(bundles.SEED)[0], bpc.BASE)
        mixed = bpc.packed(bpc.point_add(point, (0, bpc.P - 1)))
        # Signed for A', with k of A': R and S as the owner of A makes them.
        scalar, prefix = bpc.secret_scalar(bundles.SEED)
        for nonce in range(1, 20):
            commitment = bpc.packed(bpc.times(nonce, bpc.BASE))
            challenge = int.from_bytes(hashlib.sha512(commitment + mixed + b"m").digest(),
                                       "little") % bpc.ORDER
            answer = (nonce + challenge * scalar) % bpc.ORDER
            made = commitment + answer.to_bytes(32, "little")
            self.assertEqual(ed25519.verifies(mixed, b"m", made), challenge % 2 == 0)

    def test_the_id_of_another_key_is_refused_under_a_known_id(self) -> None:
        document = golden("medium")
        document["receipt"]["signing_key_id"] = "key-of-somebody-else"
        lie = signed(document)
        self.assertEqual(failed(lie), ["signature"])
        self.assertEqual(failed(lie, TrustedKey(KEY.key)), [])

    def test_another_signer_is_refused_before_anything_is_computed(self) -> None:
        report = verified(signed(golden("medium"), bytes(32)))
        self.assertEqual(failed(signed(golden("medium"), bytes(32))), ["signature"])
        self.assertNotIn("proof", [check.name for check in report.checks])
        self.assertFalse(report.valid)


class PatternTest(unittest.TestCase):
    def test_patterns_mean_what_re2_says(self) -> None:
        for pattern, text, found in (
                ("^a$", "a\n", False), ("(?m)^a$", "a\nb", True), (r"\Aa\z", "a", True),
                ("a{,2}", "a{,2}", True), ("^a{2,3}$", "aaaa", False), ("a{2}", "xaay", True),
                (r"\s", "\v", False), (r"[\s]", "\v", False), ("[[:space:]]", "\v", True),
                (r"\d", "\u0663", False), (r"\bé", "é", False), (".", "\n", False),
                ("(?s).", "\n", True), ("[^a]", "\n", True), ("(?i)k", "\u212a", True),
                ("(?i)[^k]", "\u212a", False), ("(?i)straße", "STRAßE", True),
                ("(?i:a)b", "AB", False), ("(?-i)a", "A", False), (r"\Qa.b\E+", "a.bb", True),
                (r"\x{1F600}|\x41", "😀", True), (r"\101", "A", True), ("[]a]", "]", True),
                ("[a-]", "-", True), ("[^[:^digit:]]", "5", True), ("(a|b)*c??$", "abab", True),
                ("(?P<n>a)(?<m>b)", "ab", True), ("", "", True), ("x*", "", True),
                (r"\pL", "a", None), (r"\1", "", None), ("(?=a)", "a", None), ("a**", "a", None),
                ("(", "", None), (")", "", None), ("[b-a]", "a", None), (r"\C", "a", None),
                ("a{1001}", "a", None), (r"\Z", "", None), ("*a", "a", None)):
            with self.subTest(pattern=pattern, text=text):
                if found is None:
                    self.assertRaises(Fault, Pattern, pattern)
                else:
                    self.assertIs(Pattern(pattern).is_found_in(text), found)

    def test_no_pattern_takes_exponential_time(self) -> None:
        self.assertFalse(Pattern("^(a+)+$").is_found_in("a" * 5000 + "b"))


class ForgerTest(unittest.TestCase):
    """Without the key: no change is accepted."""

    def test_another_spelling_of_the_same_document(self) -> None:
        data = written(golden("medium"))
        document = json.loads(data)
        others = [data.replace(spelling, other, 1) for spelling, other in (
            (b'":', b'": '), (b"Pack 50", b"\\u0050ack 50"), (b"[]", b"[ ]"),
            (b'"id":0,', b'"id":-0,'), (b'"id":0,', b'"id":0.0,'),
            (b'"id":0,', b'"id":0,"id":0,'))]
        others.append(json.dumps(dict(reversed(document.items())), ensure_ascii=False,
                                 separators=(",", ":")).encode())
        for other in (*others, data + b"\n", b" " + data, b"\xef\xbb\xbf" + data):
            self.assertEqual(json.loads(other.decode("utf-8-sig")), document)
            report = verify_bundle(other, KEY)
            self.assertEqual([(check.name, check.passed) for check in report.checks],
                             [("canonical", False)], other[:60])

    def test_a_name_that_is_there_twice_and_numbers_that_are_not_exact(self) -> None:
        for text in (b'{"a":1,"a":1}', b"[1.0]", b"[1e2]", b"[9007199254740992]", b"[NaN]",
                     b'"\\u0000"', b'"\\ud800"', b"\"\xff\"", b"[" * 129 + b"]" * 129):
            with self.assertRaises(Fault, msg=text):
                canonical.canonical(canonical.parse(text))
        deepest = b"[" * 128 + b"]" * 128
        self.assertEqual(canonical.canonical(canonical.parse(deepest)), deepest)

    def test_a_snapshot_changed_together_with_its_facts(self) -> None:
        document = golden("medium")
        for facts in (document["facts"], document["snapshot"]["facts"]):
            facts[0]["source_sha256"] = "0" * 64
        self.assertEqual(failed(document), ["snapshot"])

    def test_a_payload_is_compared_with_the_receipt_and_not_only_with_the_proof(self) -> None:
        document = golden("medium")
        document["payload"]["fields"]["battery"]["mass"] = "412.51"
        self.assertEqual(failed(document), ["payload", "proof"])

    def test_a_derivation_that_holds_but_was_not_signed(self) -> None:
        honest = golden("medium")
        message = next(node for node in honest["proof"]["nodes"]
                       if node["data"].get("value") == "a footprint is never negative")
        message["data"]["value"] = "a footprint may be negative"
        other = rehashed(honest)
        self.assertEqual(failed(signed(other)), [], "it holds")
        with_old_receipt = other | {"receipt": golden("medium")["receipt"]}
        self.assertEqual(failed(with_old_receipt), ["proof"])
        # With the signed root_hash written above nodes that do not have it.
        with_old_receipt["proof"]["root_hash"] = with_old_receipt["receipt"]["proof_root_hash"]
        self.assertEqual(failed(with_old_receipt), ["proof"])

    def test_bytes_changed(self) -> None:
        draw = random.Random(11)
        for name in GOLDEN_CASES:
            data = written(golden(name))
            for i in range(200 * TIMES):
                changed = (bytes_changed if i % 3 == 0 else letters_changed)(data, draw)
                if changed != data:
                    self.assertFalse(verify_bundle(changed, KEY).valid, (name, i))

    def test_every_value_of_the_smallest_bundle_changed_or_removed(self) -> None:
        document, draw = golden("minimal"), random.Random(12)
        data = written(document)
        for path in paths_of(document):
            for changed in (in_document(document, draw, [path]),
                            in_document(document, draw, [path])):
                self.assertTrue(changed == data or not verify_bundle(changed, KEY).valid, path)

    def test_values_of_the_others_changed_or_removed(self) -> None:
        draw = random.Random(13)
        for name in ("medium", "edge"):
            document = golden(name)
            data, paths = written(document), list(paths_of(document))
            for i in range(200 * TIMES):
                changed = in_document(document, draw, paths)
                self.assertTrue(changed == data or not verify_bundle(changed, KEY).valid, (name, i))

    def test_changes_with_every_hash_computed_again(self) -> None:
        draw = random.Random(14)
        for name in GOLDEN_CASES:
            document = golden(name)
            for i in range(100 * TIMES):
                changed = (in_proof if i % 2 else in_content)(document, draw)
                if changed != document:
                    self.assertFalse(verified(changed).valid, (name, i))


class DeclassifyTest(unittest.TestCase):
    """An operation that no golden bundle has: its result is its second child."""

    @staticmethod
    def told(reason: str, result: str) -> Document:
        proof = bundles.bpc.Proof()
        value = proof.op("declassify", "Text", result, proof.text(reason), proof.text("known"))
        field = proof.field("told", "Text", value)
        root = proof.op("root", "Record(told: Text)", {"told": result}, field)
        document = golden("minimal")
        document["proof"] = proof.document(root)
        document["payload"]["fields"] = {"told": result}
        document["payload"]["access"] = {"told": "public"}
        document["rules"]["dsl_source"] = \
            f'field told: Text access(public) = declassify("{reason}", "known");'
        return signed(rehashed(document))

    def test_its_result_is_the_value_and_its_reason_says_something(self) -> None:
        self.assertEqual(failed(self.told("a buyer may know", "known")), [])
        self.assertEqual(failed(self.told("a buyer may know", "unknown")), ["proof"])
        self.assertEqual(failed(self.told(" ", "known")), ["proof"])


class LyingIssuerTest(unittest.TestCase):
    """With the key: what is signed must still follow from the facts, step by step."""

    def refused(self, lie: Document, *checks: str) -> None:
        self.assertEqual(failed(signed(rehashed(lie))), list(checks))

    def test_every_result_of_every_operation_changed(self) -> None:
        draw = random.Random(21)
        for name in GOLDEN_CASES:
            document = golden(name)
            for node in document["proof"]["nodes"]:
                for member in ("result", "result_hash"):
                    if member not in node["data"]:
                        continue
                    path = ("proof", "nodes", node["id"], "data", member)
                    value = variation(node["data"][member], draw)
                    with self.subTest(golden=name, node=node["id"], value=value):
                        self.refused(with_value(document, path, value), "proof")

    def test_every_field_changed_in_the_payload(self) -> None:
        draw = random.Random(22)
        for name in GOLDEN_CASES:
            document = golden(name)
            for path in paths_of(document["payload"]["fields"], ("payload", "fields")):
                value = variation(bundles_value(document, path), draw)
                with self.subTest(golden=name, path=path, value=value):
                    self.refused(with_value(document, path, value), "proof")

    def test_true_is_not_one_and_false_not_zero(self) -> None:
        document = golden("medium")
        document["payload"]["fields"]["carbon"]["checked"] = 1
        self.refused(document, "proof")

    def test_every_tier_of_access_changed(self) -> None:
        for name in GOLDEN_CASES:
            document = golden(name)
            for path, tier in document["payload"]["access"].items():
                for other in {"public", "interest", "restricted", "everybody"} - {tier}:
                    with self.subTest(golden=name, path=path, tier=other):
                        self.refused(with_value(document, ("payload", "access", path), other),
                                     "proof")

    def test_every_compliance_entry_changed_or_dropped(self) -> None:
        document = golden("edge")
        entries = document["payload"]["compliance"]
        self.assertEqual(len(entries), 3)
        for i, entry in enumerate(entries):
            other = "PASS" if entry["status"] == "FAIL" else "FAIL"
            path = ("payload", "compliance", i, "status")
            self.refused(with_value(document, path, other), "proof")
            left = entries[:i] + entries[i + 1:]
            self.refused(with_value(document, ("payload", "compliance"), left), "proof")

    def test_an_emission_with_another_status_than_was_computed(self) -> None:
        document = golden("edge")
        for node in document["proof"]["nodes"]:
            if node["type"] == "COMPLIANCE_EMIT" and node["data"]["status"] == "FAIL":
                path = ("proof", "nodes", node["id"], "data", "status")
                self.refused(with_value(document, path, "PASS"), "proof")

    def test_an_emission_whose_texts_are_not_those_of_its_children(self) -> None:
        document = golden("edge")
        place = next(node["id"] for node in document["proof"]["nodes"]
                     if node["type"] == "COMPLIANCE_EMIT")
        entry = document["proof"]["nodes"][place]["data"]
        at = document["payload"]["compliance"].index(entry)
        for member in ("evidence", "id", "status"):
            lie = with_value(document, ("proof", "nodes", place, "data", member), "WARN")
            lie["payload"]["compliance"][at][member] = "WARN"
            self.refused(lie, "proof")

    def test_every_fact_changed(self) -> None:
        document = golden("medium")
        for path in paths_of(document["facts"], ("facts",)):
            if "payload" in path[:-1]:
                draw = random.Random(23)
                value = variation(bundles_value(document, path), draw)
                with self.subTest(path=path, value=value):
                    self.refused(with_value(document, path, value), "proof")

    def test_another_product_another_day_and_other_rules(self) -> None:
        document = golden("edge")
        self.refused(with_value(document, ("product", "sku"), "SKU-2"), "product")
        self.refused(with_value(document, ("receipt", "issued_at"), "2027-02-19T00:00:00.000000Z"),
                     "proof")
        source = document["rules"]["dsl_source"]
        for declared, lie in (("share: Dec(2)", "share: Dec(3)"), ("due: Date", "due: Text"),
                              ("days.due", "days.other"), ("access(public)", ""),
                              ("\n", "\nfield more: Int = 1;\n")):
            with self.subTest(declared=declared, lie=lie):
                self.assertIn(declared, source)
                self.refused(with_value(document, ("rules", "dsl_source"),
                                        source.replace(declared, lie, 1)), "proof")


def bundles_value(document: Document, path: tuple[str | int, ...]) -> object:
    value: object = document
    for step in path:
        value = value[step]  # type: ignore[index]
    return value


if __name__ == "__main__":
    bundles.run_tests()
