#!/usr/bin/env python3
"""sql/schema.sql is what the migrations make: a reviewer sees every change of the schema as a diff."""
import difflib
import subprocess
import sys
import unittest

import house

SUPPORT = house.ROOT / "tests" / "support"


class SchemaTest(unittest.TestCase):
    def test_the_checked_in_schema_is_what_migrate_makes(self) -> None:
        dump = subprocess.run(
            [sys.executable, "-B", SUPPORT / "private_cluster.py", SUPPORT / "dump_schema.sh",
             house.BUILD / "jobforge"], check=False, capture_output=True, text=True)
        self.assertEqual(dump.returncode, 0, dump.stderr)
        checked_in = (house.ROOT / "sql" / "schema.sql").read_text(encoding="utf-8")
        difference = "".join(difflib.unified_diff(
            checked_in.splitlines(True), dump.stdout.splitlines(True), "sql/schema.sql", "migrated"))
        self.assertEqual(difference, "", "run ./dev schema and review the change")


if __name__ == "__main__":
    unittest.main()
