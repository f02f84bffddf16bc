#!/usr/bin/env python3
"""No message advises to grant a role that spans tenants.

Whoever reads it may hold a tenant's own login, and with such a role it can claim every tenant's jobs.
docs/sql.md makes a login for each purpose.
"""
import re
import unittest

import house

# `jobforge up` on its own private server, executed and never shown.
EXECUTED = {"src/cli/serve/cmd_up.cc"}
ADVICE = re.compile(r"grant\s+[^;\"']*jobforge_(owner|worker|gateway|engine|definer|observer)", re.IGNORECASE)
# Of SQL the texts only: the rights themselves are granted there, too. A comment may have an apostrophe.
SQL_COMMENT = re.compile(r"--[^\n]*")
SQL_TEXT = re.compile(r"'(?:[^']|'')*'")


def advice(name: str, text: str) -> list[str]:
    texts = SQL_TEXT.findall(SQL_COMMENT.sub("", text)) if name.endswith(".sql") else [text]
    return [found.group(0) for one in texts for found in ADVICE.finditer(one)
            if not one.startswith("'grant ")]


class AdviceTest(unittest.TestCase):
    def test_no_message_advises_a_role_that_spans_tenants(self) -> None:
        found = []
        for path in house.project_files():
            name = house.relative(path)
            if name.startswith(("src/", "sql/functions/")) and path.suffix in (".cc", ".h", ".sql") \
                    and name not in EXECUTED:
                found += [f"{name}: {text}" for text in advice(name, path.read_text(encoding="utf-8"))]
        self.assertEqual(found, [])

    def test_advice_is_found(self) -> None:
        self.assertTrue(advice("a.cc", 'hint = "Run: grant jobforge_gateway to {}";'))
        self.assertTrue(advice("a.sql", "raise_error('X', 'Run: grant jobforge_tenant, jobforge_worker to x.')"))
        self.assertFalse(advice("a.cc", 'hint = "grant jobforge_tenant to {}";'))
        self.assertFalse(advice("a.sql", "grant execute on function f to jobforge_gateway;"))


if __name__ == "__main__":
    unittest.main()
