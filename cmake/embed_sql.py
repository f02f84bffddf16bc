#!/usr/bin/env python3
"""Writes the SQL files as a C++ source.

usage: embed_sql.py SQL_DIR OUTPUT

Every line of SQL becomes one short string literal and the compiler joins them: no single literal
reaches a compiler's limit, and the generated file can be read and diffed. Names are relative to
their folder with forward slashes, in byte order, so that the order does not depend on a locale.
"""
import pathlib
import sys

HEADER = """// Generated from sql/ by cmake/embed_sql.py.
#include "engine/schema/embedded_sql.h"

#include <array>

namespace jobforge::engine {
namespace {

"""


def literal(line: bytes) -> str:
    """A C++ literal of these bytes. Three octal digits end an escape, unlike \\x."""
    escapes = {0x22: '\\"', 0x5C: "\\\\", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t", 0x3F: "\\?"}
    return '"' + "".join(
        escapes.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}")
        for byte in line) + '"'


def find(folder: pathlib.Path) -> list[tuple[str, bytes]]:
    files = [(path.relative_to(folder).as_posix(), path.read_bytes())
             for path in folder.rglob("*.sql")]
    return sorted(files, key=lambda file: file[0].encode())


def table(kind: str, files: list[tuple[str, bytes]]) -> str:
    texts, rows = [], []
    for number, (name, text) in enumerate(files):
        text.decode("utf-8")  # a file that is not UTF-8 fails the build, not the migration
        lines = "\n".join("    " + literal(line) for line in text.splitlines(keepends=True))
        constant = f"k{kind.capitalize()}{number}"
        texts.append(f"constexpr char {constant}[] =\n" + (lines or '    ""') + ";\n")
        rows.append(f"    EmbeddedFile{{{literal(name.encode())}, "
                    f"std::string_view({constant}, sizeof({constant}) - 1)}},\n")
    return ("\n".join(texts)
            + f"\nconstexpr std::array<EmbeddedFile, {len(files)}> k{kind.capitalize()}{{\n"
            + "".join(rows) + "};\n\n")


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    sql, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = HEADER + table("migrations", find(sql / "migrations"))
    text += table("functions", find(sql / "functions"))
    text += "}  // namespace\n\n"
    for kind in ("migrations", "functions"):
        text += (f"std::span<const EmbeddedFile> embedded_{kind}() noexcept {{\n"
                 f"    return k{kind.capitalize()};\n}}\n\n")
    text += "}  // namespace jobforge::engine\n"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text, encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
