#!/usr/bin/env python3
"""Writes files that include several sources each: the headers are parsed once for all of them.

usage: unity_groups.py FOLDER SOURCE...    writes FOLDER/group_<n>.cc and prints their paths

Two sources that declare the same name in an unnamed namespace, or define the same macro, never share a
group. Groups are filled in the order of the sources, so that an edit moves few of them. Paths in the
groups are relative: another clone of the repository writes the same bytes, and ccache knows them.
"""
import os
import pathlib
import re
import sys
from collections.abc import Iterator

# Large enough to share the headers, small enough for two processors to end at the same time.
MOST_BYTES = 60_000

# g++ takes what is included for a header, whose classes should not use what is unnamed; and a name inside a
# function may be one of another source's own. clang, which compiles each source alone, warns of the real ones.
QUIET = "".join(f'#pragma GCC diagnostic ignored "{name}"\n' for name in ("-Wsubobject-linkage", "-Wshadow"))

COMMENTS_AND_TEXTS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
TOKEN = re.compile(r"[A-Za-z_]\w*|::|[{}();=<>\[\],:~]|\S")
DEFINE = re.compile(r"^\s*#\s*define\s+(\w+)", re.M)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.M)
TEST_MACRO = re.compile(r"TEST(_[A-Z])?|RC_[A-Z_]+|[A-Z_]+_TEST_SUITE_P")
BRINGS_NAMES = re.compile(r"^using (enum|namespace (?!std::|test_support)) ?", re.M)  # whole sets of them
ALIASES = {"using", "namespace"}
TYPE_WORDS = {"class", "struct", "union", "enum", "concept"}
WORD = re.compile(r"[A-Za-z_]\w*")


def name_of(statement: list[str]) -> str | None:
    """The name that a declaration at namespace scope introduces; of an alias too."""
    if statement[0] in ALIASES:
        return statement[1] if "=" in statement else statement[-2]
    words = without_angles(statement)
    while words and words[0] in {"template", "extern", "inline", "static", "constexpr", "const", "[", "]"}:
        words = words[1:]
    if words and words[0] in TYPE_WORDS:
        return next((word for word in words[1:] if word not in TYPE_WORDS and WORD.fullmatch(word)), None)
    before = None
    for at, word in enumerate(words):
        if word in {"(", "=", "[", "{", ";"}:
            # A definition of something declared elsewhere, or a macro of the tests, introduces no name.
            qualified = "::" in words[max(0, at - 2):at]
            return None if qualified or (before and TEST_MACRO.fullmatch(before)) else before
        if WORD.fullmatch(word):
            before = word
    return before


def without_angles(words: list[str]) -> list[str]:
    """The words outside of template arguments."""
    out: list[str] = []
    depth = 0
    for word in words:
        if word == "<":
            depth += 1
        elif word == ">" and depth:
            depth -= 1
        elif depth == 0:
            out.append(word)
    return out


def declarations(text: str) -> Iterator[tuple[list[str], bool]]:
    """What stands in namespaces, each as its words up to { or ;, and whether for this source alone."""
    code = DIRECTIVE.sub("", COMMENTS_AND_TEXTS.sub(lambda match: '""' if match[0][0] == '"' else " ", text))
    unnamed: list[bool] = []  # of each enclosing namespace
    statement: list[str] = []
    skip = 0  # braces of what is not a namespace
    for token in TOKEN.findall(code):
        if skip:
            skip += (token == "{") - (token == "}")
            if skip == 0 and "(" in without_angles(statement):
                statement = []  # a function's body ends its declaration; a type's or value's ends at ;
        elif token == "{" and "namespace" in statement:
            unnamed.append(statement[-1] == "namespace")
            statement = []
        elif token == "{":
            yield [*statement, "{"], any(unnamed)
            skip = 1
        elif token == "}":
            unnamed = unnamed[:-1]
            statement = []
        elif token == ";":
            if statement:
                yield [*statement, ";"], any(unnamed) or statement[0] in ALIASES
            statement = []
        else:
            statement.append(token)


def meaning(words: list[str]) -> str:
    """The whole declaration of an alias, which may be repeated; nothing for all else, which may not."""
    return " ".join(words) if words[0] in ALIASES else ""


def local_names(text: str) -> dict[str, str]:
    """What a source declares for itself, with its meaning: names of unnamed namespaces, and macros."""
    return dict.fromkeys(DEFINE.findall(text), "") | {
        name: meaning(words) for words, local in declarations(text) if local and (name := name_of(words))}


def public_names(headers: list[pathlib.Path]) -> dict[str, str]:
    """What the headers declare: a source that uses such a name for itself fits nobody who includes them."""
    return {name: meaning(words) for header in headers
            for words, _ in declarations(header.read_text(encoding="utf-8")) if (name := name_of(words))}


def meet(names: dict[str, str], taken: dict[str, str]) -> bool:
    """Whether two sources declare the same name as different things."""
    return any(name in taken and not (alias and taken[name] == alias) for name, alias in names.items())


def groups(sources: list[pathlib.Path]) -> list[list[pathlib.Path]]:
    folders = {source.parent for source in sources}
    public = public_names([header for folder in folders for header in sorted(folder.glob("*.h"))])
    placed: list[tuple[dict[str, str], int, list[pathlib.Path]]] = []  # its names, its bytes, its sources
    for source in sources:
        text = source.read_text(encoding="utf-8")
        names = local_names(text)
        alone = BRINGS_NAMES.search(text) or meet(names, public)
        size = MOST_BYTES if alone else len(text)
        for at, (taken, used, members) in enumerate(placed):
            if used + size <= MOST_BYTES and not meet(names, taken):
                placed[at] = (taken | names, used + size, [*members, source])
                break
        else:
            placed.append((names, size, [source]))
    return [members for _, _, members in placed]


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {}
    for number, members in enumerate(groups([pathlib.Path(word) for word in sys.argv[2:]])):
        lines = [QUIET, *(f'#include "{os.path.relpath(member, folder)}"\n' for member in members)]
        wanted[folder / f"group_{number}.cc"] = "".join(lines)
    for path in set(folder.glob("group_*.cc")) - set(wanted):
        path.unlink()
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # what is the same is not compiled
            path.write_text(text, encoding="utf-8")
    print(";".join(map(str, wanted)), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
