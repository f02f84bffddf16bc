#!/usr/bin/env python3
"""The summary counts what ran, and a skipped case does not pass as a good one."""
import pathlib
import tempfile
import unittest

import test_summary

PASSED = '<testcase classname="Lease" name="is_renewed" status="run" time="1.5"/>'
FAILED = '<testcase classname="Lease" name="is_lost" status="run" time="2"><failure/></testcase>'
SKIPPED = '<testcase classname="Lease" name="later" status="run" time="0"><skipped/></testcase>'
DISABLED = '<testcase classname="Lease" name="never" status="notrun" time="0"/>'


class TestSummaryTest(unittest.TestCase):
    def summary(self, *cases: str) -> tuple[str, bool]:
        with tempfile.TemporaryDirectory() as folder:
            text = f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>"
            (pathlib.Path(folder) / "engine.xml").write_text(text, encoding="utf-8")
            return test_summary.summary(test_summary.read(pathlib.Path(folder)))

    def test_it_counts_cases_failures_and_seconds(self) -> None:
        text, complete = self.summary(PASSED, FAILED)
        self.assertRegex(text, r"engine +2 +1 +3\.5\n")
        self.assertRegex(text, r"all +2 +1 +3\.5\n")
        self.assertTrue(complete)

    def test_the_slowest_case_comes_first(self) -> None:
        text, _ = self.summary(PASSED, FAILED)
        self.assertLess(text.index("Lease.is_lost"), text.index("Lease.is_renewed"))

    def test_a_skipped_or_disabled_case_is_named_and_refused(self) -> None:
        for case, name in ((SKIPPED, "Lease.later"), (DISABLED, "Lease.never")):
            with self.subTest(name):
                text, complete = self.summary(PASSED, case)
                self.assertIn(f"SKIPPED: {name}", text)
                self.assertFalse(complete)


if __name__ == "__main__":
    unittest.main()
