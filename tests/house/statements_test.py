#!/usr/bin/env python3
"""Statement texts lie in sql/statements/, and cmake/embed_statements.py makes of them what C++ sends."""
import pathlib
import sys
import tempfile
import unittest

import house
import statements

sys.path.insert(0, str(house.ROOT / "cmake"))
import embed_statements  # noqa: E402  (lies beside CMake's own files)


class OutsideOfSqlTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def faults(self, text: str, name: str = "src/pg/a.cc") -> list[str]:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return statements.violations(path, name)

    def test_this_house_keeps_its_statements_in_sql(self) -> None:
        faults = [fault for path in house.project_files()
                  for fault in statements.violations(path, house.relative(path))]
        self.assertEqual(faults, [], "\n" + "\n".join(faults))

    def test_every_exception_is_needed(self) -> None:
        for name in statements.EXCEPTIONS:
            text = (house.ROOT / name).read_text(encoding="utf-8")
            self.assertTrue(self.faults(text), f"{name} holds no statement any more")

    def test_statements_in_cpp_are_refused(self) -> None:
        for text in ("select 1", "SELECT now()", "with x as (select 1) table x", "insert into t values (1)",
                     "update t set a = 1", "delete from t", "begin", "begin isolation level serializable",
                     "rollback", "savepoint call", "set local lock_timeout = 1", "do $$ begin end $$",
                     "create table t ()", "grant a to b", "truncate t", "lock table t"):
            with self.subTest(text):
                self.assertEqual(len(self.faults(f'run("{text}");\n')), 1)

    def test_texts_side_by_side_and_raw_texts_are_one(self) -> None:
        self.assertEqual(len(self.faults('run("select"\n    " b from t");\n')), 1)
        self.assertEqual(len(self.faults('run(R"sql(\nselect 1)sql");\n')), 1)

    def test_sentences_comments_and_includes_pass(self) -> None:
        for text in ('say("Set A to b");\n', 'say("select the jobs");\n', '// "select 1"\n',
                     '#include "begin"\n', 'say("updated");\n', 'say("with a key");\n'):
            with self.subTest(text):
                self.assertEqual(self.faults(text), [])

    def test_tests_may_hold_statements(self) -> None:
        self.assertEqual(self.faults('run("select 1");\n', "tests/pg/a_test.cc"), [])


class EmbeddedTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def assert_refused(self, reason: str) -> None:
        with self.assertRaisesRegex(ValueError, reason):
            embed_statements.find(self.folder)

    def test_a_statement_is_one_line_without_its_comment(self) -> None:
        self.write("jobs/get_job.sql", "-- Why.\n-- More.\nselect a,\n    b\nfrom t\n")
        self.assertEqual(embed_statements.find(self.folder), {"jobs": {"get_job": "select a, b from t"}})

    def test_a_dollar_quote_is_sent_as_written(self) -> None:
        text = "do $$\nbegin\n    null;  -- nothing\nend\n$$"
        self.write("schema/a.sql", "-- Why.\n" + text + "\n")
        self.assertEqual(embed_statements.find(self.folder)["schema"]["a"], text)

    def test_what_would_change_by_joining_its_lines_is_refused(self) -> None:
        self.write("jobs/a.sql", "select 1 -- one\nfrom t\n")
        self.assert_refused("comment after the beginning")
        self.write("jobs/a.sql", "select 'a\n    b'\n")
        self.assert_refused("on two lines")

    def test_names_are_unique_and_snake_case(self) -> None:
        self.write("jobs/a.sql", "select 1\n")
        self.write("rules/a.sql", "select 2\n")
        self.assert_refused("same name")
        (self.folder / "rules/a.sql").unlink()
        self.write("jobs/GetJob.sql", "select 1\n")
        self.assert_refused("snake_case")

    def test_empty_texts_and_semicolons_are_refused(self) -> None:
        self.write("jobs/a.sql", "-- Nothing.\n")
        self.assert_refused("no statement")
        self.write("jobs/a.sql", "select 1;\n")
        self.assert_refused("semicolon")

    def test_a_constant_has_the_name_of_its_file(self) -> None:
        text = embed_statements.header("jobs", {"get_job": 'select "a"'})
        self.assertIn("namespace jobforge::statements::jobs {", text)
        self.assertIn('inline constexpr pg::Statement kGetJob{\n    "get_job",\n    "select \\"a\\""};', text)

    def test_every_statement_of_this_house_is_used(self) -> None:
        code = "".join(path.read_text(encoding="utf-8") for path in (house.ROOT / "src").rglob("*")
                       if path.suffix in {".h", ".cc"})
        for subject, texts in embed_statements.find(house.ROOT / "sql/statements").items():
            for name in texts:
                self.assertIn(f"statements::{subject}::{embed_statements.constant(name)}", code)


if __name__ == "__main__":
    unittest.main()
