#!/usr/bin/env python3
"""Writes a text file as a C++ function that answers it.

usage: embed_text.py FILE OUTPUT HEADER NAMESPACE FUNCTION
"""
import pathlib
import sys

from embed_sql import literal


def main() -> None:
    source, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    header, namespace, function = sys.argv[3:6]
    lines = source.read_bytes().splitlines(keepends=True)
    joined = "\n        ".join(literal(line) for line in lines)
    text = (
        f"// Generated from {source.name} by cmake/embed_text.py.\n"
        f'#include "{header}"\n\n'
        f"namespace {namespace} {{\n\n"
        f"std::string_view {function}() noexcept {{\n    return {joined};\n}}\n\n"
        f"}}  // namespace {namespace}\n"
    )
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
