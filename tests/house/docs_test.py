#!/usr/bin/env python3
"""The documents tell the truth: links lead somewhere, commands exist, quoted files are those files."""
import pathlib
import re
import subprocess
import tempfile
import unittest

import docs
import house

DOCUMENTS = [path for path in house.project_files() if path.suffix == ".md"]


def dev_verbs() -> set[str]:
    script = (house.ROOT / "dev").read_text(encoding="utf-8")
    return {name.replace("_", "-") for name in re.findall(r"^verb_(\w+)\(\)", script, re.M)}


class DocumentsTest(unittest.TestCase):
    def test_relative_links_resolve(self) -> None:
        broken = [fault for path in DOCUMENTS for fault in docs.broken_links(path)]
        self.assertEqual(broken, [])

    def test_every_dev_verb_in_the_documents_exists(self) -> None:
        for path in DOCUMENTS:
            self.assertLessEqual(docs.commands(path, "./dev"), dev_verbs(), path.name)

    def test_every_dev_verb_is_explained_by_its_help(self) -> None:
        text = subprocess.run([house.ROOT / "dev", "help"], check=True, capture_output=True,
                              text=True).stdout
        listed = set(re.findall(r"^  ([a-z-]+)", text, re.M))
        self.assertEqual(listed, dev_verbs() - {"install-packages"})

    def test_every_program_command_in_the_documents_exists(self) -> None:
        wanted = {verb: path.name for path in DOCUMENTS for verb in docs.commands(path, "jobforge")}
        self.assertTrue(wanted, "the documents mention no command at all")
        for verb, name in sorted(wanted.items()):
            with self.subTest(verb):
                answer = subprocess.run([house.BUILD / "jobforge", verb, "--help"], check=False,
                                        capture_output=True, text=True, timeout=30)
                self.assertEqual(answer.returncode, 0, f"{name}: jobforge {verb}\n{answer.stderr}")

    def test_quoted_files_are_those_files(self) -> None:
        quotes = [(path, *quote) for path in DOCUMENTS for quote in docs.read(path).quotes]
        self.assertIn("examples/first-program/main.cc", [name for _, name, _ in quotes],
                      "the README shows the first program")
        for path, name, text in quotes:
            with self.subTest(f"{path.name}: {name}"):
                self.assertEqual(text, (house.ROOT / name).read_text(encoding="utf-8"))


def words_of(path: pathlib.Path) -> dict[str, str]:
    """Word -> meaning, of the tables of the glossary."""
    found = {}
    for line in docs.read(path).prose:
        cells = re.fullmatch(r"\| (.+?) \| (.+) \|", line)
        if cells and cells[1] != "word":
            for word in cells[1].split(", "):
                if word in found:
                    raise ValueError(f"{path.name}: {word} has two meanings")
                found[word] = cells[2]
    return found


class GlossaryTest(unittest.TestCase):
    def test_a_word_has_one_meaning_and_names_that_exist(self) -> None:
        code = "\n".join(path.read_text(encoding="utf-8") for path in house.project_files()
                         if house.relative(path).startswith(("src/", "sql/functions/", "include/")))
        words = words_of(house.ROOT / "docs" / "glossary.md")
        self.assertGreater(len(words), 60)
        for word, meaning in words.items():
            for name in re.findall(r"`([a-z_]+)`", meaning):
                with self.subTest(f"{word}: {name}"):
                    self.assertRegex(code, rf"\b{name}\b")

    def test_a_word_that_is_there_twice_is_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "glossary.md"
            path.write_text("| word | meaning |\n|---|---|\n| job | a row |\n", encoding="utf-8")
            self.assertEqual(words_of(path), {"job": "a row"})
            path.write_text("| job | a row |\n| job | a thread |\n", encoding="utf-8")
            self.assertRaises(ValueError, words_of, path)


class TheChecksThemselvesTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "README.md"

    def write(self, text: str) -> pathlib.Path:
        self.path.write_text(text, encoding="utf-8")
        return self.path

    def test_a_dead_link_and_a_dead_anchor_are_found(self) -> None:
        path = self.write("# One two\n[a](gone.md) [b](#one-two) [c](#three) [d](https://x.org)\n")
        self.assertEqual(docs.broken_links(path),
                         ["README.md: gone.md does not exist",
                          "README.md: #three: there is no such heading"])

    def test_links_inside_code_are_no_links(self) -> None:
        self.assertEqual(docs.broken_links(self.write("`[a](gone.md)`\n```\n[b](gone.md)\n```\n")), [])

    def test_commands_are_found_in_spans_and_shell_blocks_only(self) -> None:
        path = self.write("jobforge prose, `jobforge up`, `jobforge::Client`, `jobforge.enqueue`\n"
                          "```sh\nbuild/jobforge migrate --dry-run\n./dev test\n```\n"
                          "```cpp\n// jobforge comment\n```\n")
        self.assertEqual(docs.commands(path, "jobforge"), {"up", "migrate"})
        self.assertEqual(docs.commands(path, "./dev"), {"test"})

    def test_a_quoted_file_is_found_with_its_text(self) -> None:
        path = self.write("<!-- file: a/b.cc -->\n```cpp\nint x;\n```\n")
        self.assertEqual(docs.read(path).quotes, [("a/b.cc", "int x;\n")])


if __name__ == "__main__":
    unittest.main()
