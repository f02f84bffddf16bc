#!/usr/bin/env python3
"""House rules that no compiler checks; and the checks see it when they are broken."""
import pathlib
import tempfile
import unittest

import house
import style


class StyleTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def faults(self, name: str, text: str) -> list[str]:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return style.violations(path, name)

    def assert_refused(self, name: str, text: str, reason: str) -> None:
        faults = self.faults(name, text)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(reason, faults[0])

    def test_this_house_keeps_its_rules(self) -> None:
        faults = [fault for path in house.project_files()
                  for fault in style.violations(path, house.relative(path))]
        self.assertEqual(faults, [], "\n" + "\n".join(faults))

    def test_every_exception_still_exists(self) -> None:
        for name in [*style.LONG_FILES, *style.SLEEPERS, *style.UNVOICED]:
            if name != "sql/schema.sql":  # appears with the first ./dev schema
                self.assertTrue((house.ROOT / name).exists(), name)

    def test_a_good_file_passes(self) -> None:
        self.assertEqual(self.faults("src/base/a.h", "// Why.\n#pragma once\n"), [])

    def test_unfinished_words_are_refused(self) -> None:
        for word in ("TO" "DO", "FIX" "ME", "XX" "X"):
            with self.subTest(word):
                self.assert_refused("src/base/a.cc", f"int x;  // {word}: later\n", "unfinished")

    def test_tabs_and_trailing_blanks_are_refused(self) -> None:
        self.assert_refused("src/base/a.cc", "\tint x;\n", "a tab")
        self.assert_refused("src/base/a.cc", "int x; \n", "blanks at the end")

    def test_long_lines_and_long_files_are_refused(self) -> None:
        self.assert_refused("src/base/a.cc", "x" * 101 + "\n", "101 columns")
        self.assert_refused("src/base/a.cc", "x;\n" * 501, "501 lines")
        self.assertEqual(self.faults("src/base/a.cc", "x;\n" * 500), [])

    def test_switching_durability_off_is_refused(self) -> None:
        off = "off"
        for text in (f"set synchronous_commit = {off};", f"set synchronous_commit to {off};",
                     f"alter system set fsync = '{off}';", "create UN" "LOGGED table t ();"):
            with self.subTest(text):
                self.assert_refused("sql/migrations/0001_a.sql", text + "\n", "durability")
        self.assert_refused("src/pg/a.cc", f'"fsync={off}"\n', "durability")

    def test_saying_why_durability_stays_on_is_allowed(self) -> None:
        self.assertEqual(self.faults("sql/a.sql", "-- never fsync = " "off\n"), [])
        self.assertEqual(self.faults("sql/a.sql", "set synchronous_commit = on;\n"), [])

    def test_paths_of_a_machine_are_refused(self) -> None:
        for folder in ("/ro" "ot/x", "/ho" "me/ann/x"):
            with self.subTest(folder):
                self.assert_refused("docs/a.md", f"see {folder}\n", "machine")

    def test_headers_of_c_are_refused_under_their_old_names(self) -> None:
        self.assert_refused("src/base/a.cc", "#include <string.h>\n", "#include <cstring>")
        self.assertEqual(self.faults("src/base/a.cc", "#include <sys/time.h>\n"), [])

    def test_skipped_tests_and_sleeps_in_tests_are_refused(self) -> None:
        self.assert_refused("tests/base/a_test.cc", "    GTEST_" "SKIP();\n", "skipped")
        self.assert_refused("tests/base/a_test.cc", "TEST(A, DISABLED" "_b) {}\n", "skipped")
        self.assert_refused("tests/base/a_test.cc", "std::this_thread::sleep_for(1s);\n", "sleep")
        self.assertEqual(self.faults("src/engine/a.cc", "std::this_thread::sleep_for(1s);\n"), [])

    def test_ending_the_sessions_of_other_tests_is_refused(self) -> None:
        search = 'run("select pg_terminate_backend(pid) from pg_stat_activity where "\n    "'
        self.assert_refused("tests/base/a_test.cc", search + "usename = 'x'\");\n", "other tests")
        self.assertEqual(self.faults("tests/base/a_test.cc", search + 'datname = $1");\n'), [])

    def test_the_voice_is_kept_in_comments_messages_and_pages(self) -> None:
        for line in ("// `x` is no address", 'refuse("a port is no number");', "// Whoever writes must flush",
                     "// nobody reads it", "// Somebody may wait", "// perhaps later", "// He waits",
                     "// the client and his key"):
            with self.subTest(line):
                self.assert_refused("src/base/a.cc", line + "\n", "write ")
        self.assert_refused("docs/a.md", "What is no JSON is refused.\n", "is not a")
        self.assert_refused("sql/functions/jobs/a.sql", "-- nobody may\n", "write 'no ...'")

    def test_words_that_only_look_like_these_pass(self) -> None:
        for line in ("// there is no key", "// There are no rows", "// it is no longer there", "// the cache",
                     "// runs as `nobody`", "// is no key left? (a line that goes on)"):
            with self.subTest(line):
                self.assertEqual(self.faults("src/base/a.cc", line + "\n"), [])
        self.assertEqual(self.faults("tests/base/a_test.cc", "// nobody\n"), [])

    def test_a_header_says_what_it_is_for(self) -> None:
        self.assert_refused("src/base/a.h", "#pragma once\n", "what it is for")
        self.assert_refused("src/base/a.h", "// Why.\n", "no #pragma once")


if __name__ == "__main__":
    unittest.main()
