"""Rules of the house that a line of text can break. `violations(path, name)` checks one file."""
import pathlib
import re

# --- sizes ---------------------------------------------------------------------------------------

MAX_LINES = 500
MAX_COLUMNS = 100

# File -> why it may be longer. A reason, not a number: if it does not convince, split the file.
LONG_FILES: dict[str, str] = {
    "sql/schema.sql": "dumped by ./dev schema, not written",
    "LICENSE": "the text of the Apache License",
}

# --- words ---------------------------------------------------------------------------------------

# The rules' own words are put together, so that this file passes its own check.
UNFINISHED = re.compile(r"\b(" + "|".join(("TO" "DO", "FIX" "ME", "XX" "X", "HA" "CK")) + r")\b")
MACHINE_PATH = re.compile(r"(?<![\w.])/(work|farm|root|home/\w+)/")
OFF = r"\s*(=|to)?\s*'?(off|local|false)\b"
UNSAFE = re.compile(rf"\b(synchronous_commit|fsync|full_page_writes){OFF}|\bun[l]ogged\b", re.I)
SKIPPED = re.compile(r"\bGTEST_[S]KIP\b|\bDISABLED[_]\w")
SLEEP = re.compile(r"\bsleep_(for|until)\b|\busleep\(|\bnanosleep\b|(?<![\w.\"])sleep\(\d|time\.sleep")
# C's names for C++ headers (clang-tidy's modernize-deprecated-headers; see own_code_only.cc).
C_HEADER = re.compile(r"#include <(assert|ctype|errno|fenv|float|inttypes|limits|locale|math|setjmp|"
                      r"signal|stdarg|stddef|stdint|stdio|stdlib|string|time|uchar|wchar|wctype)\.h>")

# --- voice (docs/style.md) ------------------------------------------------------------------------

# Where comments, messages and pages are checked: what operators and contributors read.
VOICED = ("src/", "include/", "sql/functions/", "docs/", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md")
# File -> why it may use these words.
UNVOICED: dict[str, str] = {"docs/style.md": "names the words that are not used"}
# What is not written -> what is. `nobody` in quotes is a Unix user.
VOICE = {
    re.compile(r"(?<=[\w`\"'})*] )(?<!here )(?:is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|other\b)"):
        "'is not a ...' or 'there is no ...'",
    re.compile(r"\b(?:whoever|whomever)\b", re.I): "the client, login or worker that acts",
    re.compile(r"(?<![`\"])\b(?:nobody|somebody)\b(?![`\"])", re.I): "'no ...', 'another ...'",
    re.compile(r"\bperhaps\b", re.I): "'may', 'possibly'",
    re.compile(r"\b(?:he|him|his|himself)\b", re.I): "'it', or the noun",
}

# Sessions that are ended by a search, up to the end of the statement.
ENDED_SESSIONS = re.compile(r"pg_[t]erminate_backend\(pid\b.*?;", re.S)

# File -> why its tests may sleep. Waiting for a condition is not a reason: wait for the condition.
SLEEPERS: dict[str, str] = {
    "tests/engine/frozen_sessions_test.cc": "a slow client is slow: it reads every 20 ms",
    "tests/support/http_attack.cc": "an attack has a rate: it waits for the time of its next blow",
}

TEXT = {".h", ".cc", ".def", ".py", ".sh", ".sql", ".cmake", ".md", ".txt", ".json", ".in", ""}
CODE = {".h", ".cc", ".def"}
SIZED = {".h", ".cc", ".py", ".sh", ".sql", ".cmake", ""}


def voice_faults(name: str, line: str) -> list[str]:
    """Words that this project's pages, messages and comments do without."""
    if not name.startswith(VOICED) or name in UNVOICED:
        return []
    return [f"'{match[0].strip()}': write {better}"
            for word, better in VOICE.items() if (match := word.search(line))]


def line_faults(name: str, suffix: str, line: str) -> list[str]:
    """What is wrong with one line of the file called `name`."""
    faults = []
    durable = name.startswith(("sql/", "src/"))
    test = name.startswith("tests/")
    if "\t" in line:
        faults.append("a tab")
    if line != line.rstrip():
        faults.append("blanks at the end")
    if suffix in CODE and not test and len(line) > MAX_COLUMNS:  # tests quote long texts
        faults.append(f"{len(line)} columns, over {MAX_COLUMNS}")
    if suffix in CODE and (header := C_HEADER.match(line)):
        faults.append(f"C's header: #include <c{header[1]}>")
    if UNFINISHED.search(line):
        faults.append("an unfinished word: finish it or open an issue")
    if MACHINE_PATH.search(line):
        faults.append("a path of somebody's machine")
    if durable and UNSAFE.search(line.split("--" if suffix == ".sql" else "//")[0]):
        faults.append("switches durability off")
    if test and suffix == ".cc" and SKIPPED.search(line):
        faults.append("a skipped test: a silent skip is a defect")
    if test and suffix == ".cc" and name not in SLEEPERS and SLEEP.search(line):
        faults.append("a sleep in a test: wait for the condition")
    return faults + voice_faults(name, line)


def violations(path: pathlib.Path, name: str) -> list[str]:
    suffix = path.suffix
    if suffix not in TEXT or name == "LICENSE" or name.startswith("tests/fuzz/corpus/"):
        return []
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    faults = []
    for number, line in enumerate(lines, 1):
        faults += [f"{name}:{number}: {fault}" for fault in line_faults(name, suffix, line)]
    if text and not text.endswith("\n"):
        faults.append(f"{name}: no newline at the end")
    if suffix in SIZED and len(lines) - 1 > MAX_LINES and name not in LONG_FILES:
        faults.append(f"{name}: {len(lines) - 1} lines, over {MAX_LINES}: split it, or give the "
                      "reason in tests/house/style.py")
    if name.startswith("tests/") and suffix == ".cc":
        faults += [f"{name}: ends sessions of other tests: say which datname"
                   for found in ENDED_SESSIONS.findall(text) if "datname" not in found]
    if suffix == ".h" and "#pragma once" not in text:
        faults.append(f"{name}: no #pragma once")
    if suffix == ".h" and not text.startswith("//"):
        faults.append(f"{name}: a header starts with what it is for")
    return faults
