#!/usr/bin/env python3
"""Counts the test cases that ran, from GoogleTest's result files; exits 1 if one was skipped.

usage: test_summary.py FOLDER       (the *.xml files that ctest's binaries left there)

ctest sees one test a binary. People want to know how many cases ran and which were slow, and a
skipped case is a defect that GoogleTest reports as success.
"""
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

SLOWEST = 5


def read(folder: pathlib.Path) -> dict[str, list[ElementTree.Element]]:
    """Binary's folder -> its cases."""
    return {path.stem: list(ElementTree.parse(path).getroot().iter("testcase"))
            for path in sorted(folder.glob("*.xml"))}


def skipped(case: ElementTree.Element) -> bool:
    return case.find("skipped") is not None or case.get("status") == "notrun"


def seconds(case: ElementTree.Element) -> float:
    return float(case.get("time", "0"))


def name(case: ElementTree.Element) -> str:
    return f"{case.get('classname')}.{case.get('name')}"


def summary(results: dict[str, list[ElementTree.Element]]) -> tuple[str, bool]:
    """Lines for people, and whether no case was skipped."""
    lines = [f"{'':<12}{'cases':>8}{'failed':>8}{'seconds':>10}"]
    cases = [case for binary in results.values() for case in binary]
    for binary, of_binary in [*results.items(), ("all", cases)]:
        failed = sum(case.find("failure") is not None for case in of_binary)
        lines.append(f"{binary:<12}{len(of_binary):>8}{failed:>8}{sum(map(seconds, of_binary)):>10.1f}")
    for case in sorted(cases, key=seconds, reverse=True)[:SLOWEST]:
        lines.append(f"  slow: {seconds(case):6.1f} s  {name(case)}")
    missed = [name(case) for case in cases if skipped(case)]
    lines += [f"  SKIPPED: {case}" for case in missed]
    return "\n".join(lines), not missed


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    text, complete = summary(read(pathlib.Path(sys.argv[1])))
    print(text)
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
