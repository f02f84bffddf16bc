#!/usr/bin/env python3
"""Folders are small and names mean one file; and the check sees it when they do not."""
import unittest
import unittest.mock

import house
import tree


class TreeTest(unittest.TestCase):
    def setUp(self) -> None:
        self.files = [house.relative(path) for path in house.project_files()]

    def test_the_folders_of_this_house_are_small(self) -> None:
        self.assertEqual(tree.folder_faults(self.files), [])

    def test_a_name_means_one_file(self) -> None:
        self.assertEqual(tree.name_faults(self.files), [])

    def test_a_large_folder_is_refused(self) -> None:
        crowd = [f"src/a/{number}.cc" for number in range(tree.MAX_FILES)]
        with unittest.mock.patch.object(tree, "LARGE_FOLDERS", {}):
            self.assertEqual(tree.folder_faults(crowd), [])
            self.assertIn("src/a: 46 files", tree.folder_faults([*crowd, "src/a/one_more.cc"])[0])

    def test_an_exception_only_shrinks(self) -> None:
        files = ["tests/sql/a_test.cc"] * 50
        with unittest.mock.patch.object(tree, "LARGE_FOLDERS", {"tests/sql": (50, "why")}):
            self.assertEqual(tree.folder_faults(files), [])
            self.assertIn("lower its number", tree.folder_faults(files[1:])[0])
            self.assertIn("over 50", tree.folder_faults([*files, "tests/sql/b_test.cc"])[0])

    def test_a_name_in_two_rooms_is_refused(self) -> None:
        self.assertEqual(tree.name_faults(["src/a/pool.h", "src/b/pool.h", "tests/a/pool.h"]),
                         ["pool.h occurs 2 times: src/a/pool.h, src/b/pool.h"])
        self.assertEqual(tree.name_faults(["src/a/pool.h", "src/b/pool.cc"]), [])


if __name__ == "__main__":
    unittest.main()
