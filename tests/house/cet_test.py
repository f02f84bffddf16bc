#!/usr/bin/env python3
"""Our objects are marked for control-flow enforcement, and the program is where its runtime allows.

The linker marks a program only if every object in it is marked. Debian 12's start-up objects
(Scrt1.o, crti.o, crtn.o) are not; then the program cannot be. None of ours may be the reason.
"""
import os
import platform
import re
import shutil
import subprocess
import tempfile
import unittest

import house

# What a machine's compilers can mark; elsewhere there is nothing to be marked.
WANTED = {"x86_64": {"IBT", "SHSTK"}}.get(platform.machine(), set())


def marks_by_file(path) -> dict[str, set[str]]:
    """Of each object in an archive, or of the one file."""
    text = subprocess.run(["readelf", "--notes", "--wide", str(path)], check=True, capture_output=True,
                          text=True).stdout
    marks, name = {}, str(path)
    if str(path).endswith(".a"):
        members = subprocess.run(["ar", "t", str(path)], check=True, capture_output=True, text=True).stdout
        marks = {member: set() for member in members.split()}
    else:
        marks[name] = set()
    for line in text.splitlines():
        member = re.match(r"File: .*\((.*)\)$", line)
        if member:
            name = member.group(1)
        features = re.search(r"x86 feature: (.*)$", line)
        if features:
            marks.setdefault(name, set()).update(features.group(1).split(", "))
    return marks


def unmarked(path) -> list[str]:
    return [name for name, marks in marks_by_file(path).items() if not WANTED <= marks]


class CetTest(unittest.TestCase):
    def test_every_object_of_ours_is_marked(self) -> None:
        archives = sorted(house.BUILD.glob("libjobforge_*.a"))
        self.assertGreater(len(archives), 5, f"there is no build in {house.BUILD}")
        for archive in archives:
            self.assertEqual(unmarked(archive), [], archive.name)

    def test_the_program_is_marked_where_its_runtime_is(self) -> None:
        runtime = [
            subprocess.run(["c++", f"-print-file-name={name}"], check=True, capture_output=True,
                           text=True).stdout.strip()
            for name in ("Scrt1.o", "crti.o", "crtn.o", "crtbeginS.o", "crtendS.o")
        ]
        allowed = all(not unmarked(path) for path in runtime)
        marks = marks_by_file(house.BUILD / "jobforge")[str(house.BUILD / "jobforge")]
        self.assertEqual(WANTED <= marks, allowed or not WANTED, f"{marks}, {runtime}")

    def test_an_object_without_marks_is_found(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source, archive = os.path.join(folder, "plain.c"), os.path.join(folder, "libjobforge_x.a")
            with open(source, "w", encoding="utf-8") as file:
                file.write("int f(void) { return 1; }\n")
            flags = ["-fcf-protection=none"] if WANTED else []
            compiler = shutil.which("cc")
            subprocess.run([compiler, *flags, "-c", source, "-o", source + ".o"], check=True)
            subprocess.run(["ar", "rc", archive, source + ".o"], check=True)
            self.assertEqual(unmarked(archive), ["plain.c.o"] if WANTED else [])


if __name__ == "__main__":
    unittest.main()
