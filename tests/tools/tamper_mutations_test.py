#!/usr/bin/env python3
"""tools/verify_bundle.py refuses every mutation that tests/passport/tamper_test.cc tries.

The program's test writes its mutations, so that both verifiers get the same bytes.
"""
import collections
import os
import pathlib
import subprocess
import tempfile
import unittest
from collections.abc import Iterator

import bundles
from bundles import KEY

from bundle_verifier.bundle import verify_bundle

TESTS = bundles.BUILD / "tests/jobforge_passport_tests"
GROUPS = {  # name in tamper_test.cc -> the least number of mutations
    "every_byte_flipped_dropped_doubled_and_swapped": 10_000,
    "every_member_element_and_value_edited_canonically": 1_000,
    "nodes_edited_with_their_hashes_computed_again": 1_000,
}


class TamperMutationsTest(unittest.TestCase):
    def mutations(self, group: str, folder: pathlib.Path) -> Iterator[bytes]:
        path = folder / group
        subprocess.run([TESTS, f"--gtest_filter=Tampering.{group}"], check=True,
                       capture_output=True, timeout=300,
                       env={**os.environ, "JOBFORGE_MUTATIONS_TO": str(path)})
        with path.open("rb") as file:
            while size := file.readline():
                yield file.read(int(size))

    def refused(self, group: str) -> collections.Counter[str]:
        """How many mutations each check was the first to find."""
        found: collections.Counter[str] = collections.Counter()
        with tempfile.TemporaryDirectory() as folder:
            for place, data in enumerate(self.mutations(group, pathlib.Path(folder))):
                report = verify_bundle(data, KEY)
                self.assertFalse(report.valid, f"{group}, mutation {place}")
                found[next(check.name for check in report.checks if not check.passed)] += 1
        self.assertGreaterEqual(found.total(), GROUPS[group], found)
        return found

    def test_every_byte_flipped_dropped_doubled_and_swapped(self) -> None:
        self.assertIn("canonical", self.refused("every_byte_flipped_dropped_doubled_and_swapped"))

    def test_every_member_element_and_value_edited_canonically(self) -> None:
        found = self.refused("every_member_element_and_value_edited_canonically")
        self.assertLess({"members", "signature", "snapshot", "facts", "rules"}, found.keys())

    def test_nodes_edited_with_their_hashes_computed_again(self) -> None:
        found = self.refused("nodes_edited_with_their_hashes_computed_again")
        self.assertEqual(found.keys(), {"proof"})


if __name__ == "__main__":
    bundles.run_tests()
