#!/usr/bin/env python3
"""tools/verify_bundle.py and `jobforge passport verify` agree about every check of every bundle.

Each changed bundle is given to both: as a forger leaves it, and signed by a lying issuer, so that
each check has to find by itself what is wrong. JOBFORGE_MUTATIONS multiplies their number.
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

import bundles
from bundles import (
    GOLDEN_CASES, KEY, PROGRAM, Document, copied, golden, rehashed, signed, written)
from mutations import in_content, in_document, in_proof, letters_changed, paths_of

from bundle_verifier.bundle import verify_bundle
from bundle_verifier.canonical import Fault
from bundle_verifier.derivation import OPERATIONS
from bundle_verifier.patterns import Pattern

TIMES = int(os.environ.get("JOBFORGE_MUTATIONS", "1"))
Verdict = dict[str, bool]


class AgreementTest(unittest.TestCase):
    folder: pathlib.Path
    operations: Document

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.operations = bundles.operations(cls.folder)

    def answer_of(self, verifier: list[str | pathlib.Path], data: bytes,
                  *more: str) -> Document:
        path = self.folder / "bundle.json"
        path.write_bytes(data)
        done = subprocess.run([*verifier, path, "--key", bundles.KEY_ARGUMENT, "--json", *more],
                              check=False, capture_output=True, timeout=60)
        answer: Document = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if answer["valid"] else 1)
        return answer

    def judged_by_the_program(self, data: bytes) -> tuple[Verdict, bool]:
        answer = self.answer_of([PROGRAM, "passport", "verify"], data)
        return {check["check"]: check["passed"] for check in answer["checks"]}, answer["valid"]

    def compare_json(self, data: bytes, *more: str) -> Document:
        """Both reports, member by member; gives the tool's."""
        theirs = self.answer_of([PROGRAM, "passport", "verify"], data, *more)
        ours = self.answer_of([sys.executable, "-B", bundles.TOOL], data, *more)
        self.assertEqual(theirs.keys(), ours.keys())
        # The tool does not run rules, and does not check where values may flow (docs/formats.md).
        theirs["remarks"] = [remark for remark in theirs["remarks"]
                             if not remark.startswith("Its rules show a value")]
        for member in ("code_fits", "findings", "hashes", "remarks"):
            self.assertEqual(theirs[member], ours[member], member)
        # Details are for people, each verifier's own words.
        self.assertEqual([{**check, "detail": ""} for check in theirs["checks"]
                          if check["check"] != "recompile"],
                         [{**check, "detail": ""} for check in ours["checks"]])
        self.assertEqual(sorted({*theirs["not_made"], "recompile"}), sorted(ours["not_made"]))
        return ours

    def test_both_give_the_same_json(self) -> None:
        for name in GOLDEN_CASES:
            document = golden(name)
            report = self.compare_json(written(document))
            self.assertTrue(report["valid"], name)
            hashes = report["hashes"]
            codes = "&".join(f"{letters}={hashes[part]['base32']}" for letters, part in (
                ("ph", "payload_hash"), ("pr", "proof_root_hash"), ("rh", "receipt_hash")))
            receipt = document["receipt"]
            for text, fits in ((f"https://x.example/p/{receipt['passport_id']}#{codes}", True),
                               (f"/p/{receipt['passport_version_id']}#{codes}", True),
                               (f"BPC1|pv={receipt['passport_version_id']}|"
                                + codes.replace("&", "|"), True),
                               (f"https://x.example/p/{receipt['tenant_id']}#{codes}", False),
                               ("", False)):
                report = self.compare_json(written(document), "--code", text)
                self.assertEqual((report["code_fits"], report["valid"]), (fits, fits), text)

    def test_both_give_the_same_json_of_what_is_no_valid_bundle(self) -> None:
        document = golden("edge")
        foreign = copied(document)
        foreign["payload"]["compliance"][0]["status"] = "FINE"
        changed = copied(document)
        changed["payload"]["product"]["name"] = "x"
        rootless = copied(document)
        rootless["proof"]["root_hash"] = 1
        info = copied(document)
        for part in ("payload", "proof"):
            info[part] = json.loads(json.dumps(info[part]).replace('"WARN"', '"INFO"')
                                    .replace('"PASS"', '"INFO"'))
        remarks = self.compare_json(written(signed(rehashed(info))))["remarks"]
        self.assertEqual(len(remarks), 1)
        self.assertIn("with the status INFO", remarks[0])
        for data in (b"", b"{}", written(document)[1:], written(foreign), written(changed),
                     written(rootless), written(signed(rehashed(changed)))):
            self.assertFalse(self.compare_json(data)["valid"])
            self.compare_json(data, "--code", "BPC1|")

    def compare(self, data: bytes, note: object) -> bool:
        """Whether the program accepts the bundle."""
        theirs, valid = self.judged_by_the_program(data)
        report = verify_bundle(data, KEY)
        ours = {check.name: check.passed for check in report.checks}
        # What one of them did not make, neither needed for its verdict.
        differing = {name: (theirs[name], ours[name]) for name in theirs.keys() & ours.keys()
                     if theirs[name] != ours[name]}
        details = [check for check in report.checks if not check.passed]
        # The tool looks up what the rules declare, which the program sees by recompiling.
        if differing == {"proof": (True, False)} and theirs.get("recompile") is False:
            differing = {}
        self.assertEqual(differing, {}, f"{note}: {details}")
        if valid:
            self.assertTrue(report.valid, f"{note}: {details}")
        if report.valid and not valid:
            only = [name for name, passed in theirs.items() if not passed]
            self.assertEqual(only, ["recompile"], note)
        return valid

    def test_both_accept_the_golden_bundles_and_the_one_with_every_operation(self) -> None:
        for document in (*map(golden, GOLDEN_CASES), self.operations):
            self.assertTrue(self.compare(written(document), document["product"]))

    def test_the_one_with_every_operation_has_every_operation(self) -> None:
        used = {node["data"]["op"] for node in self.operations["proof"]["nodes"]
                if node["type"] == "OP"}
        self.assertEqual(set(OPERATIONS) | {"root"}, used)

    def test_both_refuse_what_a_forger_changes(self) -> None:
        draw = random.Random(31)
        for name in GOLDEN_CASES:
            document = golden(name)
            data, paths = written(document), list(paths_of(document))
            for i in range(15 * TIMES):
                changed = (letters_changed(data, draw) if i % 2
                           else in_document(document, draw, paths))
                if changed != data:
                    self.assertFalse(self.compare(changed, (name, i)))

    def test_both_find_the_same_faults_in_what_a_lying_issuer_signs(self) -> None:
        draw = random.Random(32)
        accepted = compared = 0
        for document in (*map(golden, GOLDEN_CASES), self.operations):
            for i in range(30 * TIMES):
                changed = (in_content if i % 3 == 0 else in_proof)(document, draw)
                if changed == document:
                    continue
                try:
                    changed = signed(changed)
                except (KeyError, TypeError):
                    pass  # it has no receipt to sign any more
                accepted += self.compare(written(changed), (document["product"], i))
                compared += 1
        # Ids of the receipt and tests are the issuer's to choose; hardly anything else is.
        self.assertLess(accepted * 10, compared)


class PatternAgreementTest(unittest.TestCase):
    """What the tool makes of a pattern is what RE2 in the program makes of it."""

    ATOMS = (
        "a", "b", "k", "K", "s", "é", "ß", "ſ", "0", "-", "_", " ", "\n", ".", "^", "$", "*",
        "+", "?", "*?", "|", "(", ")", "(?:", "(?i)", "(?i:", "(?s)", "(?m)", "(?-i)", "(?i-s)",
        "(?U)", "(?)", "(?", "(?=", "(?P<n>", "{", "}", "{,2}", "{2}", "{1,2}", "{0}", "{2,1}",
        "a{1001}", "[", "[a-c]", "[^a]", "[]a]", "[a-]", "[b-a]", "[a-\\d]", "[[:alpha:]]",
        "[[:^digit:]]", "[[:word:]]", "[[:x:]]", "[\\W]", "[^\\W]", "[\\d-]", "\\d", "\\D",
        "\\s", "\\S", "\\w", "\\W", "\\b", "\\B", "\\A", "\\z", "\\Z", "\\x41", "\\x{e9}",
        "\\x{110000}", "\\x", "\\101", "\\1", "\\8", "\\Q", "\\E", "\\Qa.b\\E", "\\n", "\\t",
        "\\v", "\\.", "\\_", "\\é", "\\p", "\\C")
    LETTERS = "abkK\u212asSſéÉßẞ09- \n\t\v.A{}xİiI_,2"

    def drawn(self, draw: random.Random) -> tuple[str, str]:
        """A pattern, with its brackets mostly closed, and a text."""
        pattern = "".join(draw.choice(self.ATOMS) for _ in range(draw.randint(1, 5)))
        if draw.randrange(10) < 7:
            pattern += ")" * max(0, pattern.count("(") - pattern.count(")"))
        return pattern, "".join(draw.choice(self.LETTERS) for _ in range(draw.randint(0, 6)))

    @staticmethod
    def found_by_the_tool(pattern: str, text: str) -> bool | None:
        try:
            return Pattern(pattern).is_found_in(text)
        except Fault:
            return None

    def found_by_the_program(self, cases: list[tuple[str, str]]) -> list[bool | None]:
        fields = [f"field f{i}: Bool = matches({json.dumps(text, ensure_ascii=False)}, "
                  f"{json.dumps(pattern, ensure_ascii=False)});\n"
                  for i, (pattern, text) in enumerate(cases)]
        with tempfile.TemporaryDirectory() as folder:
            rules = pathlib.Path(folder) / "patterns.rules"
            rules.write_text("".join(fields), encoding="utf-8")
            checked = subprocess.run([PROGRAM, "rules", "check", rules], check=False,
                                     capture_output=True, text=True, timeout=60)
            refused = {int(line) - 1 for line in re.findall(
                rf"^{re.escape(str(rules))}:(\d+):", checked.stdout + checked.stderr, re.M)}
            rules.write_text("".join(field for i, field in enumerate(fields) if i not in refused),
                             encoding="utf-8")
            answer = subprocess.run(
                [PROGRAM, "rules", "eval", rules, "--issued-on", "2027-01-01", "--product",
                 bundles.OPERATIONS / "product.json"],
                check=True, capture_output=True, text=True, timeout=60)
        found = dict(re.findall(r"^f(\d+)\s+Bool\s+(true|false)", answer.stdout, re.M))
        return [None if i in refused else found[str(i)] == "true" for i in range(len(cases))]

    def test_both_know_the_same_patterns_and_find_them_in_the_same_texts(self) -> None:
        draw, known = random.Random(41), 0
        for _ in range(5 * TIMES):
            cases = [self.drawn(draw) for _ in range(80)]
            for case, theirs in zip(cases, self.found_by_the_program(cases)):
                self.assertEqual(self.found_by_the_tool(*case), theirs, case)
                known += theirs is not None
        self.assertGreater(known, 100 * TIMES)


if __name__ == "__main__":
    bundles.run_tests()
