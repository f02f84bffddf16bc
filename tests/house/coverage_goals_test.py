#!/usr/bin/env python3
"""The coverage gate opens and closes at its goals."""
import unittest

import coverage_goals


def summary(**rooms: tuple[int, int]) -> dict:
    return {"files": [{"filename": f"src/{room}/a.cc", "line_covered": covered, "line_total": total}
                      for room, (covered, total) in rooms.items()]}


class CoverageGoalsTest(unittest.TestCase):
    def reached(self, **rooms: tuple[int, int]) -> bool:
        return coverage_goals.report(coverage_goals.rooms(summary(**rooms)))[1]

    def test_exactly_the_goal_is_enough(self) -> None:
        self.assertTrue(self.reached(base=(90, 100), engine=(85, 100), pg=(85, 100), cli=(75, 100)))

    def test_one_line_below_any_goal_fails(self) -> None:
        for room, goal in {"base": 90, "passport": 90, "engine": 85, "pg": 85, "cli": 75}.items():
            with self.subTest(room):
                self.assertFalse(self.reached(**{room: (goal - 1, 100)}))

    def test_files_of_one_room_are_counted_together(self) -> None:
        files = summary(base=(100, 100))["files"] + summary(base=(0, 10))["files"]
        self.assertEqual(coverage_goals.rooms({"files": files}), {"base": (100, 110)})

    def test_measuring_nothing_reaches_nothing(self) -> None:
        self.assertFalse(self.reached())


if __name__ == "__main__":
    unittest.main()
