"""How many methods each class declares.

`methods_of(text)` reads C++ without a compiler: comments, texts and template arguments are taken out,
nested bodies are skipped, and what is left of a class and looks like a function is a method.
Constructors, destructors and operators are not counted.
"""
import pathlib
import re
from collections.abc import Iterator

MAX_METHODS = 25

# Class -> how many methods it has, and why that is one class. The numbers only shrink: the check
# fails when a class has more, and when it has fewer than its number says.
LARGE_CLASSES: dict[str, tuple[int, str]] = {
    "Session": (48, "one connection's states; body, admission and answer are parts to be named"),
    "Params": (44, "a value: one method per SQL type, with its optional and its array form"),
    "Comparison": (32, "one overload per kind of syntax node"),
    "Json": (31, "a value: one method per kind of JSON value, to ask, to read and to change"),
    "Rows": (28, "a value: one method per SQL type, with its optional form"),
    "Type": (27, "a value: one maker and one question per kind of type"),
}

CLASS = re.compile(r"\b(?:class|struct)\s+([\w:]+)(?:\s+final)?\s*(?::[^;{()]*)?\{")
NOISE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)'", re.S)
ATTRIBUTE = re.compile(r"\[\[[^\]]*\]\]")
ARGUMENTS = re.compile(r"<[^<>;{}]*>")
ACCESS = re.compile(r"\b(?:public|private|protected)\s*:")
FUNCTION = re.compile(r"(~?\w+)\s*\(")
NOT_METHODS = ("using ", "friend ", "typedef ", "static_assert", "class ", "struct ", "enum ", "#")


def body_at(text: str, start: int) -> str:
    """What stands between the brace before `start` and the one that closes it."""
    depth, end = 1, start
    while depth and end < len(text):
        depth += (text[end] == "{") - (text[end] == "}")
        end += 1
    return text[start:end - 1]


def without_bodies(body: str) -> str:
    """The declarations of a class: nested braces end a declaration."""
    kept, depth = [], 0
    for char in body:
        if char == "{":
            kept.append(";" if depth == 0 else "")
            depth += 1
        elif char == "}":
            depth -= 1
        elif depth == 0:
            kept.append(char)
    return "".join(kept)


def methods_in(body: str, name: str) -> Iterator[str]:
    declarations = without_bodies(body)
    while ARGUMENTS.search(declarations):
        declarations = ARGUMENTS.sub("", declarations)
    for declaration in ACCESS.sub("", declarations).split(";"):
        declaration = declaration.strip()
        if declaration.startswith(NOT_METHODS) or "operator" in declaration:
            continue
        found = FUNCTION.search(declaration)
        if found and "=" not in declaration[:found.start()] and found[1].lstrip("~") != name:
            yield found[1]


def methods_of(text: str) -> dict[str, list[str]]:
    """Class -> its methods, for every class that is defined in this text."""
    text = ATTRIBUTE.sub("", NOISE.sub("", text))
    found: dict[str, list[str]] = {}
    for match in CLASS.finditer(text):
        found[match[1]] = list(methods_in(body_at(text, match.end()), match[1].split("::")[-1]))
    return found


def violations(counts: dict[str, int]) -> list[str]:
    """`counts`: class -> number of its methods."""
    faults = []
    for name, count in sorted(counts.items()):
        most, _ = LARGE_CLASSES.get(name, (MAX_METHODS, ""))
        if count > most:
            faults.append(f"{name} has {count} methods, over {most}: find its parts and name each")
    for name, (most, _) in LARGE_CLASSES.items():
        if counts.get(name, 0) < most:
            faults.append(f"{name} has {counts.get(name, 0)} methods: lower its number, or take it out "
                          "of tests/house/classes.py")
    return faults


def count(root: pathlib.Path) -> dict[str, int]:
    counts: dict[str, int] = {}
    for folder in ("include", "src"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cc"):
                for name, methods in methods_of(path.read_text(encoding="utf-8")).items():
                    counts[name] = max(counts.get(name, 0), len(methods))
    return counts
