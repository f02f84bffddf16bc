#!/usr/bin/env python3
"""Writes the statements that C++ sends as C++ headers, one for each subject.

usage: embed_statements.py STATEMENTS_DIR OUTPUT_DIR

sql/statements/jobs/get_job.sql becomes jobforge::statements::jobs::kGetJob in statements/jobs.h: its name is
"get_job", its text the file without the comment at its beginning. Lines are joined with one blank, so that a
statement is one line in the server's log. A text with a dollar quote is sent as it is written.

A header is written only if it changes: only the sources that include its subject are compiled again.
"""
import pathlib
import re
import sys

from embed_sql import literal

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
LONGEST_NAME = 50  # of the 63 bytes of a prepared statement's name; a connection adds a number


def text_of(path: pathlib.Path) -> str:
    """What is sent. ValueError if it cannot be one line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    while lines and (lines[0].startswith("--") or not lines[0].strip()):
        lines.pop(0)
    text = "\n".join(lines).strip()
    if not text:
        raise ValueError(f"{path}: no statement")
    if text.endswith(";"):
        raise ValueError(f"{path}: ends with a semicolon, which is not part of a statement")
    if "$$" in text:
        return text
    if "--" in text or "/*" in text:
        raise ValueError(f"{path}: a comment after the beginning: its line would swallow the next")
    if any(line.count("'") % 2 or line.count('"') % 2 for line in lines):
        raise ValueError(f"{path}: a quoted text on two lines would be changed by joining them")
    return " ".join(line.strip() for line in text.split("\n"))


def constant(name: str) -> str:
    return "k" + "".join(word.capitalize() for word in name.split("_"))


def find(folder: pathlib.Path) -> dict[str, dict[str, str]]:
    """Subject -> name -> text. ValueError for what cannot be embedded."""
    subjects: dict[str, dict[str, str]] = {}
    seen: dict[str, pathlib.Path] = {}
    for path in sorted(folder.rglob("*.sql")):
        name, subject = path.stem, path.parent.name
        if path.parent.parent != folder or not NAME.fullmatch(subject):
            raise ValueError(f"{path}: a statement lies in sql/statements/<subject>/")
        if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
            raise ValueError(f"{path}: a name is snake_case and has at most {LONGEST_NAME} bytes")
        if name in seen:
            raise ValueError(f"{path}: {seen[name]} has the same name")
        seen[name] = path
        subjects.setdefault(subject, {})[name] = text_of(path)
    return subjects


def header(subject: str, statements: dict[str, str]) -> str:
    rows = []
    for name, text in statements.items():
        lines = "\n".join("    " + literal(line.encode()) for line in text.splitlines(keepends=True))
        rows.append(f'inline constexpr pg::Statement {constant(name)}{{\n    "{name}",\n{lines}}};\n')
    return (f"// Generated from sql/statements/{subject}/ by cmake/embed_statements.py.\n"
            "#pragma once\n\n"
            '#include "pg/statement.h"\n\n'
            f"namespace jobforge::statements::{subject} {{\n\n" + "\n".join(rows)
            + f"\n}}  // namespace jobforge::statements::{subject}\n")


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    try:
        subjects = find(folder)
    except ValueError as fault:
        print(fault, file=sys.stderr)
        return 1
    output.mkdir(parents=True, exist_ok=True)
    wanted = {output / f"{subject}.h": header(subject, texts) for subject, texts in subjects.items()}
    for path in set(output.glob("*.h")) - set(wanted):
        path.unlink()
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="ascii") != text:
            path.write_text(text, encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
