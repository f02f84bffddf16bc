"""What tidy.py remembers, on a project of one file and one header."""
import json
import pathlib
import tempfile
import unittest
import unittest.mock

import tidy

CHECKS = "Checks: '-*,modernize-use-nullptr'\nWarningsAsErrors: '*'\nHeaderFilterRegex: '.*'\n"


class TidyTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.build = self.root / "build"
        self.build.mkdir()
        self.write(".clang-tidy", CHECKS)
        self.write("a.h", "int* first();\n")
        self.write("a.cc", '#include "a.h"\nint* first() { return nullptr; }\n')
        self.write("build/compile_commands.json", json.dumps([
            {"directory": str(self.build), "file": str(self.root / "a.cc"),
             "command": f"/usr/bin/c++ -std=c++20 -o a.o -c {self.root / 'a.cc'}"}]))
        # It changes how long a check takes, not what is found, and takes long to build.
        without = unittest.mock.patch.object(tidy, "built_plugin", lambda folder: None)
        without.start()
        self.addCleanup(without.stop)

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")

    def verdict(self) -> str:
        return tidy.Linter(self.root, self.build).lint("a.cc")[1]

    def test_a_clean_file_is_looked_at_once(self) -> None:
        self.assertEqual([self.verdict(), self.verdict()], ["clean", "known"])

    def test_a_finding_is_told_again_and_again_until_it_is_gone(self) -> None:
        self.write("a.cc", "int* first() { return 0; }\n")
        self.assertEqual([self.verdict(), self.verdict()], ["found", "found"])
        self.write("a.cc", "int* first() { return nullptr; }\n")
        self.assertEqual(self.verdict(), "clean")

    def test_what_a_file_includes_counts(self) -> None:
        self.assertEqual(self.verdict(), "clean")
        self.write("a.h", "int* first();\ninline int* second() { return 0; }\n")
        self.assertEqual(self.verdict(), "found")

    def test_a_silenced_line_that_loses_its_comment_is_found(self) -> None:
        self.write("a.cc", "int* first() { return 0; }  // NOLINT: a test\n")
        self.assertEqual(self.verdict(), "clean")
        self.write("a.cc", "int* first() { return 0; }\n")
        self.assertEqual(self.verdict(), "found")

    def test_other_checks_look_again(self) -> None:
        self.assertEqual(self.verdict(), "clean")
        self.write(".clang-tidy", CHECKS.replace("nullptr'", "nullptr,modernize-use-trailing-return-type'"))
        self.assertEqual(self.verdict(), "found")

    def test_a_file_that_no_target_compiles_is_told(self) -> None:
        name, verdict, said = tidy.Linter(self.root, self.build).lint("b.cc")
        self.assertEqual((name, verdict), ("b.cc", "found"))
        self.assertIn("not compiled by any target", said)


if __name__ == "__main__":
    unittest.main()
