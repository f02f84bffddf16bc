#!/usr/bin/env python3
"""Counts what a ctest run did, room by room; exits 1 if a test was skipped or none ran.

usage: test_summary.py RESULTS.xml       (ctest --output-junit)

ctest calls a run with skipped tests a success. Here a skip is a defect: it hides what is not tested.
"""
import collections
import sys
import xml.etree.ElementTree as ElementTree

SLOWEST = 5


def name(case: ElementTree.Element) -> str:
    return case.get("name", "")


def seconds(case: ElementTree.Element) -> float:
    return float(case.get("time", "0"))


def failed(case: ElementTree.Element) -> bool:
    return case.find("failure") is not None


def skipped(case: ElementTree.Element) -> bool:
    """Anything that neither ran nor failed: skipped, disabled, or its program could not start."""
    return case.find("skipped") is not None or case.get("status") not in ("run", "fail")


def summary(cases: list[ElementTree.Element]) -> tuple[str, bool]:
    """Lines for people, and whether tests ran and none was skipped."""
    rooms: dict[str, list[ElementTree.Element]] = collections.defaultdict(list)
    for case in cases:
        rooms[name(case).split("/")[0]].append(case)
    lines = [f"{'':<20}{'tests':>8}{'failed':>8}{'seconds':>10}"]
    for room, of_room in [*sorted(rooms.items()), ("all", cases)]:
        lines.append(f"{room:<20}{len(of_room):>8}{sum(map(failed, of_room)):>8}"
                     f"{sum(map(seconds, of_room)):>10.1f}")
    for case in sorted(cases, key=seconds, reverse=True)[:SLOWEST]:
        lines.append(f"  slow: {seconds(case):6.1f} s  {name(case)}")
    lines += [f"  FAILED: {name(case)}" for case in cases if failed(case)]
    missed = [case for case in cases if skipped(case)]
    lines += [f"  NOT RUN: {name(case)}" for case in missed]
    return "\n".join(lines), bool(cases) and not missed


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    text, complete = summary(list(ElementTree.parse(sys.argv[1]).getroot().iter("testcase")))
    print(text)
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
