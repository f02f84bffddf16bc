#!/usr/bin/env python3
"""The summary counts what ran, and a skipped test does not pass as a good one."""
import unittest
import xml.etree.ElementTree as ElementTree

import test_summary

PASSED = '<testcase name="engine/Lease.is_renewed" status="run" time="1.5"/>'
FAILED = '<testcase name="engine/Lease.is_lost" status="fail" time="2"><failure/></testcase>'
SKIPPED = '<testcase name="pg/Pool.later" status="notrun" time="0"><skipped/></testcase>'
DISABLED = '<testcase name="pg/Pool.never" status="disabled" time="0"/>'


class TestSummaryTest(unittest.TestCase):
    def summary(self, *cases: str) -> tuple[str, bool]:
        return test_summary.summary([ElementTree.fromstring(case) for case in cases])

    def test_it_counts_tests_failures_and_seconds_by_room(self) -> None:
        text, complete = self.summary(PASSED, FAILED)
        self.assertRegex(text, r"engine +2 +1 +3\.5\n")
        self.assertRegex(text, r"all +2 +1 +3\.5\n")
        self.assertIn("FAILED: engine/Lease.is_lost", text)
        self.assertTrue(complete)

    def test_the_slowest_test_comes_first(self) -> None:
        text, _ = self.summary(PASSED, FAILED)
        self.assertLess(text.index("Lease.is_lost"), text.index("Lease.is_renewed"))

    def test_a_skipped_or_disabled_test_is_named_and_refused(self) -> None:
        for case, name in ((SKIPPED, "pg/Pool.later"), (DISABLED, "pg/Pool.never")):
            with self.subTest(name):
                text, complete = self.summary(PASSED, case)
                self.assertIn(f"NOT RUN: {name}", text)
                self.assertFalse(complete)

    def test_a_run_without_tests_is_refused(self) -> None:
        self.assertFalse(self.summary()[1])


if __name__ == "__main__":
    unittest.main()
