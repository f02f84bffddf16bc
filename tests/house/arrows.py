"""Which room may know which, and what the pure rooms may not touch.

`violations(root)` reads every #include below src/ and include/ and the jobforge_room() calls of
CMakeLists.txt, and returns one sentence per arrow that goes the wrong way.
"""
import pathlib
import re

# Room -> the rooms it may include. app sees all.
ARROWS: dict[str, set[str]] = {
    "base": set(),
    "values": {"base"},
    "audit": {"base"},
    "verify": {"base", "values"},  # the proof checker of a stranger: nothing of the rules' evaluator
    "rules": {"base", "values"},
    "passport": {"base", "values", "verify", "rules"},
    "prices": {"base", "values"},
    "pg": {"base"},
    "localpg": {"base", "pg"},
    "engine": {"base", "pg"},
    "http": {"base"},
    "connect": {"base"},
    "services": {"base", "values", "audit", "verify", "rules", "passport", "prices", "pg", "engine", "connect"},
    "api": {"base", "pg", "engine", "http", "services"},
    "cli": {"base", "values", "audit", "verify", "rules", "passport", "prices", "pg", "localpg", "engine",
            "connect", "services"},
}
ARROWS["app"] = set(ARROWS)

# Libraries that belong to one kind of room, or to one file: who may include the header.
OWNED_HEADERS = {
    # engine: a handler's own statements run as text on the connection it may also use itself.
    r"libpq-fe\.h|libpq/.*|postgres_ext\.h": {"pg", "engine"},
    r"amqp.*|rabbitmq-c/.*": {"connect"},
    r"curl/.*": {"connect"},
    r"sqlite3\.h": {"connect"},
    r"zlib\.h": {"connect", "http"},
    r"boost/.*": {"http"},
    r"qrencode\.h|png\.h": {"services"},
    r"CLI/.*": {"src/cli/command_line.cc"},  # ten seconds to compile: once, not per command
    r"re2/.*": {"values"},
}

# The pure rooms: same inputs, same bytes, with no machine below them.
PURE = {"base", "values", "audit", "verify", "rules", "passport", "prices"}
IMPURE_HEADERS = re.compile(
    r"thread|mutex|shared_mutex|condition_variable|future|stop_token|semaphore|latch|barrier"
    r"|fstream|filesystem|iostream|random|unistd\.h|fcntl\.h|poll\.h|netdb\.h|pthread\.h|signal\.h"
    r"|csignal|time\.h|sys/.*|netinet/.*|arpa/.*|boost/asio.*")
IMPURE_WORDS = re.compile(
    r"_clock::now|\bclock_gettime\b|\bgettimeofday\b|\bgetenv\b|\bfopen\b|\bstd::time\(|\brandom_device\b")

# File of a pure room -> why it may touch the machine after all.
PURE_EXCEPTIONS: dict[str, str] = {
    "src/base/log_line_sink.cc": "a log line has a time, and goes to a file descriptor",
}

STANDARD_HEADER = re.compile(r"[a-z_0-9]+")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
ROOM_CALL = re.compile(r"jobforge_room\(\s*(\w+)\s+LINKS\s+([^)]*)\)")


def includes(path: pathlib.Path) -> list[tuple[int, str, str]]:
    """(line, '<' or '"', header) of every include."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            found.append((number, match[1], match[2]))
    return found


def without_comments(text: str) -> str:
    """The code with its comments blanked; line numbers stay."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda match: "\n" * match[0].count("\n"), text, flags=re.S)


def sources(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for ending in ("*.h", "*.cc", "*.def") for path in folder.rglob(ending))


def include_faults(root: pathlib.Path, path: pathlib.Path) -> list[str]:
    """Faults of one file in src/."""
    name = path.relative_to(root).as_posix()
    room = path.relative_to(root / "src").parts[0]
    if room not in ARROWS:
        return [f"{name}: there is no room '{room}'"]
    faults = []
    for line, kind, header in includes(path):
        place = f"{name}:{line}"
        if kind == '"':
            target = header.split("/")[0]
            if target == "statements" and (root / "sql" / header.removesuffix(".h")).is_dir():
                if "pg" not in ARROWS[room] | {room}:
                    faults.append(f"{place}: {room} sends no statements ({header})")
            elif "/" not in header or not (root / "src" / header).exists():
                faults.append(f'{place}: "{header}" is no file below src/: include by room path')
            elif target != room and target not in ARROWS[room]:
                faults.append(f"{place}: {room} may not know {target} ({header})")
            continue
        if header.startswith("jobforge/") and not (root / "include" / header).exists():
            faults.append(f"{place}: <{header}> is no public header")
        if header.split("/")[0] in ARROWS and (root / "src" / header).exists():
            faults.append(f'{place}: rooms are included with quotes: "{header}"')
        for pattern, owners in OWNED_HEADERS.items():
            if re.fullmatch(pattern, header) and not owners & {room, name}:
                faults.append(f"{place}: <{header}> belongs to {', '.join(sorted(owners))}")
        if room in PURE and IMPURE_HEADERS.fullmatch(header) and name not in PURE_EXCEPTIONS:
            faults.append(f"{place}: {room} is pure: no <{header}>")
    if room in PURE and name not in PURE_EXCEPTIONS:
        code = without_comments(path.read_text(encoding="utf-8"))
        for number, text in enumerate(code.splitlines(), 1):
            word = IMPURE_WORDS.search(text)
            if word:
                faults.append(f"{name}:{number}: {room} is pure: no {word[0]}")
    return faults


def public_faults(root: pathlib.Path, path: pathlib.Path) -> list[str]:
    """Faults of one public header: it may know its neighbours and the standard library only."""
    name = path.relative_to(root).as_posix()
    faults = []
    for line, kind, header in includes(path):
        own = kind == "<" and header.startswith("jobforge/") and (root / "include" / header).exists()
        standard = kind == "<" and STANDARD_HEADER.fullmatch(header)
        if not own and not standard:
            faults.append(f"{name}:{line}: a public header may not include {header}")
    return faults


def link_faults(root: pathlib.Path) -> list[str]:
    """Links of CMakeLists.txt that are no arrows."""
    calls = ROOM_CALL.findall((root / "CMakeLists.txt").read_text(encoding="utf-8"))
    faults = []
    for room, links in calls:
        rooms = {link.removeprefix("jobforge_") for link in links.split()
                 if link.startswith("jobforge_")}
        for target in sorted(rooms - ARROWS.get(room, set())):
            faults.append(f"CMakeLists.txt: {room} may not link {target}")
    declared = {room for room, _ in calls} | {"app"}
    for folder in sorted((root / "src").iterdir()):
        if sources(folder) and folder.name not in declared:
            faults.append(f"CMakeLists.txt: src/{folder.name} has no jobforge_room()")
    return faults


def violations(root: pathlib.Path) -> list[str]:
    faults = link_faults(root)
    for path in sources(root / "src"):
        faults += include_faults(root, path)
    for path in sources(root / "include"):
        faults += public_faults(root, path)
    return faults
