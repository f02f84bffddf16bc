#!/usr/bin/env python3
"""Comments and pages name files that exist; so do the hops of ARCHITECTURE.md."""
import re
import unittest

import house
import references

HOP = re.compile(r"^\d+\. `([^`]+)` `(\w+)`", re.M)
TREE = references.Tree(["src/pg/pool.cc", "src/pg/pool.h", "sql/functions/jobs/wake.sql"])
# Heading of a path in ARCHITECTURE.md -> the most hops that one of its lists may have.
LONGEST_PATHS = {"Path of a job": 15, "Path of a passport": 15, "Path of a request": 18}


def hops(text: str) -> dict[str, list[list[tuple[str, str]]]]:
    """Per heading its lists of hops, each a file and a function."""
    found = {}
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        title, _, body = section.partition("\n")
        lists = re.split(r"^1\. ", body, flags=re.M)[1:]
        found[title] = [HOP.findall("1. " + one) for one in lists]
    return found


def defines(path: str, text: str, function: str) -> bool:
    if path.endswith(".sql"):
        return f"function jobforge.{function}(" in text
    return re.search(rf"\b{function}\(", text) is not None


class ReferencesTest(unittest.TestCase):
    def test_this_house_names_files_that_exist(self) -> None:
        files = [house.relative(path) for path in house.project_files()]
        tree = references.Tree(files)
        faults = [fault for name in files if not name.startswith("tests/fuzz/corpus/")
                  and name.endswith(tuple(filter(None, references.COMMENTS)))
                  for fault in references.missing(
                      name, (house.ROOT / name).read_text(encoding="utf-8"), tree)]
        self.assertEqual(faults, [], "\n" + "\n".join(faults))

    def assert_missing(self, name: str, text: str, wrong: str) -> None:
        self.assertEqual(references.missing(name, text, TREE), [f"{name}:1: {wrong} does not exist"])

    def test_a_file_that_is_gone_is_found(self) -> None:
        self.assert_missing("src/a.cc", "int x;  // as in src/pg/gone.cc\n", "src/pg/gone.cc")
        self.assert_missing("src/a.cc", "// gone.h says why\n", "gone.h")
        self.assert_missing("src/a.sql", "-- see sql/functions/wake.sql\n", "sql/functions/wake.sql")
        self.assert_missing("docs/a.md", "| a unit | `unit_gone.h` |\n", "unit_gone.h")
        self.assert_missing("docs/a.md", "src/pg/gone_*.cc\n", "src/pg/gone_*.cc")

    def test_files_folders_and_patterns_that_exist_are_right(self) -> None:
        for text in ("// pool.h", "// src/pg/", "// src/pg/pool.cc:", "// src/pg/*.cc", "// wake.sql."):
            self.assertEqual(references.missing("src/a.cc", text, TREE), [], text)

    def test_code_is_not_a_comment(self) -> None:
        self.assertEqual(references.missing("src/a.cc", 'f("gone.h");\n#include "gone.h"\n', TREE), [])

    def test_every_exception_is_needed(self) -> None:
        files = [house.relative(path) for path in house.project_files()]
        for name in references.EXEMPT:
            self.assertTrue(any(file.startswith(name) for file in files), name)


class ArchitectureTest(unittest.TestCase):
    def setUp(self) -> None:
        self.paths = hops((house.ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))

    def test_every_hop_is_a_function_of_its_file(self) -> None:
        for title in LONGEST_PATHS:
            for path, function in sum(self.paths[title], []):
                with self.subTest(f"{title}: {path} {function}"):
                    text = (house.ROOT / path).read_text(encoding="utf-8")
                    self.assertTrue(defines(path, text, function))

    def test_paths_are_short(self) -> None:
        for title, most in LONGEST_PATHS.items():
            self.assertTrue(self.paths[title], title)
            for one in self.paths[title]:
                self.assertLessEqual(len(one), most, title)
                self.assertGreater(len(one), 5, f"{title}: its hops are not read")

    def test_a_hop_that_is_gone_is_found(self) -> None:
        self.assertFalse(defines("a.cc", "int other(int);", "gone"))
        self.assertFalse(defines("a.sql", "-- jobforge.gone\n", "gone"))
        self.assertTrue(defines("a.sql", "create function jobforge.here(p_x text)", "here"))
        self.assertEqual(hops("## Path\n1. `a.cc` `f`: x\n2. `b.cc` `g`: y\n"),
                         {"Path": [[("a.cc", "f"), ("b.cc", "g")]]})


if __name__ == "__main__":
    unittest.main()
