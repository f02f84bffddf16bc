#!/usr/bin/env python3
"""Compares the covered lines of each room with its goal; exits 1 below one.

usage: coverage_goals.py SUMMARY.json      (gcovr --json-summary)
"""
import collections
import json
import sys

GOALS = {"base": 90, "values": 90, "rules": 90, "passport": 90, "verify": 90, "audit": 90,
         "prices": 90, "engine": 85, "pg": 85}
OTHER_GOAL = 75


def rooms(summary: dict) -> dict[str, tuple[int, int]]:
    """Room -> (covered lines, all lines). Public headers count as the room `include`."""
    lines: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    for file in summary["files"]:
        parts = file["filename"].split("/")
        room = parts[1] if parts[0] == "src" else parts[0]
        lines[room][0] += file["line_covered"]
        lines[room][1] += file["line_total"]
    return {room: (covered, total) for room, (covered, total) in sorted(lines.items()) if total}


def report(measured: dict[str, tuple[int, int]]) -> tuple[str, bool]:
    """A table for people, and whether every goal is reached. No room at all reaches nothing."""
    rows, reached = [f"{'room':<12}{'lines':>8}{'covered':>10}{'goal':>8}"], bool(measured)
    for room, (covered, total) in measured.items():
        goal = GOALS.get(room, OTHER_GOAL)
        enough = 100 * covered >= goal * total
        reached = reached and enough
        rows.append(f"{room:<12}{total:>8}{100 * covered / total:>9.1f}%{goal:>7}%"
                    + ("" if enough else "  BELOW"))
    return "\n".join(rows), reached


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(sys.argv[1], encoding="utf-8") as file:
        text, reached = report(rooms(json.load(file)))
    print(text)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
