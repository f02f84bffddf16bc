#!/usr/bin/env python3
"""The golden files and the vectors of docs/formats.md are what the second implementation computes."""
import re
import subprocess
import sys
import unittest

import house

GOLDEN = house.ROOT / "tests/passport/golden"
sys.path.insert(0, str(GOLDEN))
import bpc  # noqa: E402  (found through the path above)

PAGE = (house.ROOT / "docs/formats.md").read_text(encoding="utf-8")


def expected(name: str) -> str:
    return (GOLDEN / "minimal/expected" / name).read_text(encoding="utf-8").removesuffix("\n")


class GoldenTest(unittest.TestCase):
    def test_the_golden_files_are_what_make_py_works_out(self) -> None:
        answer = subprocess.run([sys.executable, "-B", GOLDEN / "make.py", "--check"], check=False,
                                capture_output=True, text=True)
        self.assertEqual(answer.returncode, 0, answer.stderr)

    def test_make_py_signs_as_rfc_8032_says(self) -> None:
        seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
        self.assertEqual(bpc.public_key(seed).hex(),
                         "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
        self.assertEqual(bpc.sign(seed, b"").hex(),
                         "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                         "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b")


class ThePageTest(unittest.TestCase):
    def test_the_worked_example_is_the_minimal_golden_case(self) -> None:
        for file in ("payload.json", "snapshot.json", "unsigned_receipt.json", "qr.txt"):
            with self.subTest(file):
                self.assertIn("\n" + expected(file) + "\n", PAGE)
        written = re.search(r"```text\n(\{\"field_index\".*?)\n```", PAGE, re.S)
        self.assertEqual(written[1].replace("\n", ""), expected("proof.json"))

    def test_its_hashes_are_those_of_what_it_shows(self) -> None:
        receipt = bpc.load(expected("receipt.json"))
        for digest in (bpc.sha256(expected("payload.json")), bpc.sha256(expected("snapshot.json")),
                       bpc.sha256(expected("unsigned_receipt.json")), receipt["signature"],
                       bpc.content_hash({"b": 2, "a": 1}),
                       bpc.content_hash({"€": 1, "\ufb33": 2, "\U0001f600": 3})):
            self.assertIn(f"`{digest}`", PAGE)

    def test_every_operation_of_the_checker_is_on_the_page(self) -> None:
        rows = "".join(path.read_text(encoding="utf-8")
                       for path in (house.ROOT / "src/verify").glob("*_operations.cc"))
        names = set(re.findall(r'^    \{"([^"]+)", \d', rows, re.M))
        self.assertGreater(len(names), 40)
        table = PAGE.split("### The operations")[1].split("### The smallest proof")[0]
        shown = {name.replace("\\|", "|") for name in re.findall(r"`([^`]+)`", table)}
        self.assertEqual(names - shown, set())


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
