#!/usr/bin/env python3
"""The rooms know only the rooms they may know; and the check sees it when they do not."""
import pathlib
import re
import tempfile
import unittest

import arrows
import house


class Tree:
    """A small house in a temporary folder, right in every respect until a test adds a file."""

    def __init__(self, folder: str) -> None:
        self.root = pathlib.Path(folder)
        self.write("CMakeLists.txt", "jobforge_room(base LINKS fmt::fmt)\n"
                                     "jobforge_room(pg LINKS jobforge_base)\n"
                                     "jobforge_room(engine\n    LINKS jobforge_base jobforge_pg)\n")
        self.write("include/jobforge/error.h", "#include <string>\n")
        self.write("src/base/text.h", "#include <jobforge/error.h>\n")
        self.write("src/pg/connection.h", '#include <libpq-fe.h>\n#include "base/text.h"\n')
        self.write("src/engine/worker/worker.cc", '#include <thread>\n#include "pg/connection.h"\n')
        self.write("src/app/main.cc", '#include "engine/worker.h"\n')
        self.write("src/engine/worker.h", "")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class ArrowsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Tree(folder.name)

    def assert_refused(self, name: str, text: str, reason: str) -> None:
        """Given a right house, when this file is planted, then exactly this is reported."""
        self.assertEqual(arrows.violations(self.tree.root), [])
        self.tree.write(name, text)
        faults = arrows.violations(self.tree.root)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(reason, faults[0])

    def test_this_house_has_no_wrong_arrow(self) -> None:
        self.assertEqual(arrows.violations(house.ROOT), [])

    def test_the_page_has_these_arrows(self) -> None:
        page = (house.ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
        table = page.split("| room | may include |\n|---|---|\n")[1].split("\n\n")[0]
        found: dict[str, set[str]] = {}
        for line in table.splitlines():
            rooms, targets = (re.findall(r"\w+", cell) for cell in line.strip("|").split("|"))
            for room in rooms:
                found[room] = set(arrows.ARROWS) - {room} if targets == ["every", "room"] else set(targets)
        self.assertEqual(found, {room: targets - {room} for room, targets in arrows.ARROWS.items()})

    def test_the_page_for_contributors_names_the_pure_rooms(self) -> None:
        page = (house.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
        named = re.search(r"pure rooms\s+\(([^)]*)\)", page)
        self.assertEqual(set(re.findall(r"`(\w+)`", named[1])) if named else set(), arrows.PURE)

    def test_an_upward_include_is_refused(self) -> None:
        self.assert_refused("src/base/bad.cc", '#include "pg/connection.h"\n',
                            "base may not know pg")

    def test_rooms_side_by_side_do_not_know_each_other(self) -> None:
        self.tree.write("CMakeLists.txt", "jobforge_room(base LINKS a)\njobforge_room(pg LINKS a)\n"
                                          "jobforge_room(engine LINKS a)\n"
                                          "jobforge_room(connect LINKS jobforge_base)\n")
        self.assert_refused("src/connect/bad.cc", '#include "engine/worker.h"\n',
                            "connect may not know engine")

    def test_nobody_knows_app(self) -> None:
        self.tree.write("src/app/wiring.h", "")
        self.assert_refused("src/engine/bad.cc", '#include "app/wiring.h"\n',
                            "engine may not know app")

    def test_an_include_without_its_room_is_refused(self) -> None:
        self.assert_refused("src/base/bad.cc", '#include "text.h"\n', "include by room path")

    def test_a_room_in_angle_brackets_is_refused(self) -> None:
        self.assert_refused("src/engine/bad.cc", "#include <pg/connection.h>\n", "with quotes")

    def test_libpq_stays_in_its_rooms(self) -> None:
        self.assert_refused("src/app/bad.cc", "#include <libpq-fe.h>\n", "belongs to engine, pg")

    def test_cli11_stays_in_its_one_file(self) -> None:
        self.tree.write("CMakeLists.txt", "jobforge_room(base LINKS a)\njobforge_room(pg LINKS a)\n"
                                          "jobforge_room(engine LINKS a)\n"
                                          "jobforge_room(cli LINKS jobforge_base)\n")
        self.tree.write("src/cli/command_line.cc", "#include <CLI/CLI.hpp>\n")
        self.assert_refused("src/cli/commands/commands.h", "#include <CLI/CLI.hpp>\n",
                            "belongs to src/cli/command_line.cc")

    def test_a_pure_room_starts_no_thread_and_opens_no_file(self) -> None:
        for header in ("thread", "mutex", "fstream", "sys/socket.h"):
            self.tree.write("src/base/bad.cc", "")
            with self.subTest(header):
                self.assert_refused("src/base/bad.cc", f"#include <{header}>\n", "base is pure")

    def test_a_pure_room_reads_no_clock(self) -> None:
        self.assert_refused("src/base/bad.cc", "auto t = std::chrono::system_clock::now();\n",
                            "no _clock::now")

    def test_a_comment_about_the_clock_is_no_clock(self) -> None:
        self.tree.write("src/base/good.cc", "// never system_clock::now(): the caller passes it\n")
        self.assertEqual(arrows.violations(self.tree.root), [])

    def test_a_public_header_includes_nothing_private_or_foreign(self) -> None:
        for header in ('"base/text.h"', "<libpq-fe.h>", "<fmt/format.h>", "<sys/types.h>"):
            self.tree.write("include/jobforge/bad.h", "")
            with self.subTest(header):
                self.assert_refused("include/jobforge/bad.h", f"#include {header}\n",
                                    "a public header may not include")

    def test_a_link_against_the_arrows_is_refused(self) -> None:
        self.assert_refused("CMakeLists.txt", "jobforge_room(base LINKS jobforge_pg)\n"
                                              "jobforge_room(pg LINKS jobforge_base)\n"
                                              "jobforge_room(engine LINKS jobforge_pg)\n",
                            "base may not link pg")

    def test_a_folder_that_is_no_room_is_refused(self) -> None:
        self.tree.write("src/utils/help.h", "")
        faults = arrows.violations(self.tree.root)
        self.assertTrue(any("no room 'utils'" in fault for fault in faults), faults)


if __name__ == "__main__":
    unittest.main()
