#!/usr/bin/env python3
"""CHANGELOG.md keeps the form of keepachangelog.com, so that people and programs can read it."""
import re
import unittest

import house

SECTIONS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
RELEASE = re.compile(r"## \[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d{2}-\d{2})")


def faults(text: str) -> list[str]:
    """What is wrong with this changelog."""
    lines = text.splitlines()
    headings = [line for line in lines if line.startswith("## ")]
    found = []
    if lines[:1] != ["# Changelog"]:
        found.append("the title is not '# Changelog'")
    if headings[:1] != ["## [Unreleased]"]:
        found.append("the first heading is not '## [Unreleased]'")
    releases = [RELEASE.fullmatch(line) for line in headings[1:]]
    if None in releases:
        found.append("a release is not '## [1.2.3] - 2030-01-31'")
    else:
        versions = [tuple(map(int, release.groups()[:3])) for release in releases]
        if versions != sorted(set(versions), reverse=True):
            found.append("the newest release does not come first")
    for section in re.split(r"^### ", text, flags=re.M)[1:]:
        name, _, body = section.partition("\n")
        if name not in SECTIONS:
            found.append(f"'{name}' is none of {', '.join(sorted(SECTIONS))}")
        if not re.search(r"^- \S", body.split("\n## ")[0], re.M):
            found.append(f"'{name}' is empty")
    return found


class ChangelogTest(unittest.TestCase):
    def test_our_changelog_has_the_form(self) -> None:
        self.assertEqual(faults((house.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")), [])

    def test_the_newest_release_is_not_newer_than_the_project(self) -> None:
        text = (house.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        project = re.search(r"project\(jobforge VERSION (\d+)\.(\d+)\.(\d+)",
                            (house.ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
        for release in RELEASE.finditer(text):
            self.assertLessEqual(tuple(map(int, release.groups()[:3])),
                                 tuple(map(int, project.groups())))

    def test_a_malformed_changelog_is_refused(self) -> None:
        good = "# Changelog\n\n## [Unreleased]\n\n### Added\n- A.\n\n## [0.1.0] - 2030-01-31\n"
        self.assertEqual(faults(good), [])
        for bad in (good.replace("# Changelog\n", "# News\n"), good.replace("Unreleased", "Next"),
                    good.replace("Added", "New"), good.replace("- A.\n", ""),
                    good.replace(" - 2030-01-31", ""), good + "## [0.2.0] - 2030-02-01\n"):
            with self.subTest(bad):
                self.assertNotEqual(faults(bad), [])


if __name__ == "__main__":
    unittest.main()
