#!/usr/bin/env python3
"""Writes example files as a C++ source.

usage: embed_example.py DIRECTORY OUTPUT FILE...
"""
import pathlib
import sys

from embed_sql import literal

HEADER = """// Generated from examples/ by cmake/embed_example.py.
#include "cli/demo/embedded_example.h"

namespace jobforge::cli {

std::string_view embedded_example(std::string_view name) noexcept {
"""


def main() -> None:
    folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = HEADER
    for name in sys.argv[3:]:
        lines = (folder / name).read_bytes().splitlines(keepends=True)
        joined = "\n            ".join(literal(line) for line in lines)
        text += f'    if (name == "{name}") {{\n        return {joined};\n    }}\n'
    text += "    return {};\n}\n\n}  // namespace jobforge::cli\n"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
