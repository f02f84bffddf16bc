"""What the documents promise, found in their text: links, commands, quoted files."""
import dataclasses
import pathlib
import re

FENCE = re.compile(r"^(```+|~~~+)(.*)$")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
SPAN = re.compile(r"`([^`]+)`")
QUOTED_FILE = re.compile(r"^<!-- file: (\S+) -->$")
SHELL = {"", "sh", "bash", "shell", "console", "text"}


@dataclasses.dataclass
class Document:
    """A Markdown file taken apart."""

    prose: list[str]                     # lines outside fenced blocks
    code: list[tuple[str, str]]          # (language, text) of the fenced blocks
    quotes: list[tuple[str, str]]        # (file, text) of blocks after <!-- file: NAME -->


def read(path: pathlib.Path) -> Document:
    document = Document([], [], [])
    fence, language, block, quoted = "", "", [], ""
    for line in path.read_text(encoding="utf-8").splitlines():
        match = FENCE.match(line)
        if fence and match and match[1] == fence:
            text = "\n".join(block) + "\n"
            document.code.append((language, text))
            if quoted:
                document.quotes.append((quoted, text))
            fence, quoted = "", ""
        elif fence:
            block.append(line)
        elif match:
            fence, language, block = match[1], match[2].strip(), []
        else:
            document.prose.append(line)
            named = QUOTED_FILE.match(line)
            quoted = named[1] if named else quoted if not line.strip() else ""
    if fence:
        raise ValueError(f"{path}: a code block is never closed")
    return document


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip()).lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors(document: Document) -> set[str]:
    return {slug(line.lstrip("#")) for line in document.prose if re.match(r"#{1,6} ", line)}


def broken_links(path: pathlib.Path) -> list[str]:
    """Relative links of this file that lead nowhere."""
    broken = []
    for line in read(path).prose:
        for match in LINK.finditer(SPAN.sub("", line)):
            target, _, anchor = (match[1] or match[2]).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            file = (path.parent / target) if target else path
            if not file.exists():
                broken.append(f"{path.name}: {target} does not exist")
            elif anchor and file.suffix == ".md" and anchor not in anchors(read(file)):
                broken.append(f"{path.name}: {target}#{anchor}: there is no such heading")
    return broken


def shell_texts(document: Document) -> list[str]:
    """Code spans, and the lines of shell blocks."""
    spans = [span for line in document.prose for span in SPAN.findall(line)]
    blocks = [line for language, text in document.code if language.split(" ")[0] in SHELL
              for line in text.splitlines()]
    return spans + blocks


def commands(path: pathlib.Path, program: str) -> set[str]:
    """The verbs this file calls `program` with: program "./dev" in "./dev test" gives "test"."""
    pattern = re.compile(rf"(?:^|[\s/;|&(]){re.escape(program)} +([a-z][a-z-]*)\b(?![.:/(])")
    return {verb for text in shell_texts(read(path)) for verb in pattern.findall(text)}
