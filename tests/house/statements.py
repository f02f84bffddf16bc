"""The text of what is sent to Postgres lies in sql/, not in C++.

`violations(path, name)` finds string literals of one file in src/ or include/ that begin like a statement. A text
in sql/statements/<subject>/<name>.sql has one name in logs and errors, is found by a search for the function
it calls, and can be read as SQL.
"""
import pathlib
import re

# File -> why it may hold SQL.
EXCEPTIONS: dict[str, str] = {
    "src/pg/connect.cc": "asks a second connection for a sign of life, with libpq alone",
    "src/pg/connection.cc": "a ping is sent without waiting, with libpq alone",
    "src/pg/listener.cc": "LISTEN takes a channel's name, which cannot be a parameter",
    "src/pg/session_settings.cc": "put together from what the server's version and the URL allow",
    "src/engine/database/admin.cc": "GRANT takes a role's name, which cannot be a parameter",
    "src/engine/database/admin_doctor.cc": "the hints of findings are statements for an administrator",
    "src/connect/cache/cache.cc": "SQLite, not Postgres",
}

STATEMENT = re.compile(
    r"\s*(select(\s+(?!the\b|a\b)\S|\s*$)|with\s+(recursive\s+)?\w+\s+as\b|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s"
    r"|begin(\s+(isolation|read|transaction|work)\b|;|$)|commit(;|\s+prepared\b)|rollback(;|\s+to\b|$)|savepoint\s+\w+$"
    r"|release\s+savepoint\s|(un)?listen\s|notify\s+\w+(,|$)|truncate\s|copy\s+\S+\s+(from|to)\b|lock\s+table\s"
    r"|set\s+(local|session|transaction|role|search_path|\w+\s*(=|to)\s)|reset\s+all|discard\s+all|do\s+\$|explain\s+select"
    r"|(create|alter|drop)\s+(or\s+replace\s+)?(database|role|table|schema|function|index|view|type|policy)\s"
    r"|grant\s.*\sto\s|revoke\s.*\sfrom\s|merge\s+into\s|call\s+\w+\.\w+\(|fetch\s+(all|forward)\b)", re.I | re.S)
SENTENCE = re.compile(r"\s*[A-Z][a-z]")  # "Set DATABASE_URL to ..." is for people
# A comment, a raw text, or plain texts side by side, which are one.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\((?P<raw>.*?)\)(?P=mark)"'
                   r'|(?P<plain>"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*)'
                   r"|'(?:\\.|[^'\\\n])+'|^\s*#\s*include[^\n]*", re.S | re.M)
PIECE = re.compile(r'"((?:\\.|[^"\\\n])*)"')


def texts(code: str) -> list[tuple[int, str]]:
    """(line, text) of each string literal."""
    found = []
    for match in TOKEN.finditer(code):
        text = match["raw"]
        if match["plain"] is not None:
            text = "".join(PIECE.findall(match["plain"]))
        if text is not None:
            found.append((code.count("\n", 0, match.start()) + 1, text))
    return found


def violations(path: pathlib.Path, name: str) -> list[str]:
    if path.suffix not in {".h", ".cc", ".def"} or not name.startswith(("src/", "include/")) or name in EXCEPTIONS:
        return []
    return [f"{name}:{line}: a statement's text belongs into sql/statements/: {text[:50]!r}"
            for line, text in texts(path.read_text(encoding="utf-8"))
            if not SENTENCE.match(text) and STATEMENT.match(text)]
