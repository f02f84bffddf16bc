"""Every test that docs/testing.md and docs/threats.md name exists."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`([A-Z]\w+\.[a-z]\w+)`")
DEFINED = re.compile(r"^TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\s*\)", re.M)


def missing(document: str, sources: list[str]) -> list[str]:
    defined = {f"{suite}.{name}" for text in sources for suite, name in DEFINED.findall(text)}
    return sorted(set(NAMED.findall(document)) - defined)


class Cases(unittest.TestCase):
    def test_named_tests_exist(self):
        sources = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*_test.cc")]
        for name in ("docs/testing.md", "docs/threats.md"):
            document = (ROOT / name).read_text(encoding="utf-8")
            self.assertGreater(len(NAMED.findall(document)), 15)
            self.assertEqual(missing(document, sources), [], name)

    def test_a_missing_one_is_found(self):
        self.assertEqual(missing("| x | `Suite.gone` |", ["TEST_F(Suite, here) {"]), ["Suite.gone"])


if __name__ == "__main__":
    unittest.main()
