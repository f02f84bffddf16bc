#!/usr/bin/env python3
"""Every example of docs/rules.md is run, and prints what the page says.

A block that begins with ```rules file=NAME (or ```json file=NAME) is written to NAME in an empty
directory; a ```console block is run there line by line: `$ command`, then what it prints. The exit
code is 0 unless the block says exit=N.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import docs
import house

PAGE = house.ROOT / "docs" / "rules.md"


def attribute(language: str, name: str, default: str = "") -> str:
    found = re.search(rf"\b{name}=(\S+)", language)
    return found[1] if found else default


def steps(text: str) -> list[tuple[str, str]]:
    """(command, output) of a console block."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.M)
    if parts[0].strip():
        raise ValueError(f"a console block begins with output: {parts[0]!r}")
    return list(zip(parts[1::2], parts[2::2]))


def run(command: str, folder: pathlib.Path) -> tuple[int, str]:
    environment = {"PATH": f"{house.BUILD}:{os.environ['PATH']}", "LANG": "C.UTF-8",
                   "HOME": str(folder)}
    answer = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            timeout=60)
    return answer.returncode, answer.stdout


class RulesPageTest(unittest.TestCase):
    maxDiff = None

    def test_every_example_prints_what_the_page_says(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            commands = 0
            for language, text in docs.read(PAGE).code:
                file = attribute(language, "file")
                if file:
                    (folder / file).parent.mkdir(parents=True, exist_ok=True)
                    (folder / file).write_text(text, encoding="utf-8")
                elif language.split(" ")[0] == "console":
                    for command, printed in steps(text):
                        commands += 1
                        with self.subTest(command):
                            code, output = run(command, folder)
                            self.assertEqual(output, printed)
                            self.assertEqual(code, int(attribute(language, "exit", "0")))
            self.assertGreaterEqual(commands, 15)

    def test_the_commands_of_the_battery_example_work(self) -> None:
        example = house.ROOT / "examples" / "battery-eu"
        blocks = [text for language, text in docs.read(example / "README.md").code
                  if language == "sh"]
        self.assertGreaterEqual(len(blocks), 2)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "battery-eu"
            shutil.copytree(example, folder)
            for text in blocks:
                code, output = run("set -e\n" + text, folder)
                self.assertEqual(code, 0, output)
            self.assertTrue((folder / "passport" / "payload.json").exists())

    def test_every_block_of_rules_is_used(self) -> None:
        """A rules block without a file would be shown and never run."""
        for language, _ in docs.read(PAGE).code:
            if language.split(" ")[0] in ("rules", "json"):
                self.assertTrue(attribute(language, "file"), language)

    def test_every_built_in_and_every_unit_is_in_the_reference(self) -> None:
        page = PAGE.read_text(encoding="utf-8")
        source = (house.ROOT / "src/rules/check/builtin.cc").read_text(encoding="utf-8")
        names = re.findall(r'Row\{"(\w+)"', source)
        self.assertGreater(len(names), 20)
        table = (house.ROOT / "src/values/unit_table.h").read_text(encoding="utf-8")
        units = re.findall(r'\{"(\w+)",', table)
        self.assertGreater(len(units), 20)
        self.assertEqual([name for name in names if f"`{name}(" not in page], [])
        self.assertEqual([unit for unit in units if f"`{unit}`" not in page], [])


if __name__ == "__main__":
    unittest.main()
