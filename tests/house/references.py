"""Comments and pages name files that exist.

`missing(name, text, tree)` finds references to paths from the root of the tree (src/..., docs/...) and
to bare source names (pool.cc, claim_jobs.sql) in the comments of one file, or in all of a page.
"""
import fnmatch
import pathlib
import re

# Per ending: what of a line is a comment. A page is one comment.
COMMENTS = {
    **dict.fromkeys((".cc", ".h", ".def"), re.compile(r"//.*")),
    ".sql": re.compile(r"--.*"),
    ".md": re.compile(r".*"),
    **dict.fromkeys((".py", ".cmake", ".txt", ".sh", ""), re.compile(r"#.*")),
}
ROOTED = re.compile(r"(?<![\w./<-])((?:src|tests|docs|sql|include|tools|examples|bench|cmake)/[\w./*-]*\w)")
BARE = re.compile(r"(?<![\w./<>*-])([A-Za-z]\w*\.(?:cc|h|sql|def))(?![\w(])")

# Beginning of a name -> why its comments are not checked.
EXEMPT: dict[str, str] = {
    "CHANGELOG.md": "names files of the past",
    "sql/migrations/": "a released migration never changes",
    "tests/house/": "these checks name bad examples",
}
# Names that no file has, and why they are named.
NOT_FILES: dict[str, str] = {
    "test_paths.h": "written by CMake (tests/CMakeLists.txt)",
    "tests/ROOM": "the parameter of a function (tests/CMakeLists.txt)",
}


class Tree:
    """What references may name: files and folders by path, and files by name."""

    def __init__(self, files: list[str]) -> None:
        self.names = {pathlib.PurePath(file).name for file in files}
        self.paths = set(files)
        for file in files:
            self.paths.update(str(folder) for folder in pathlib.PurePath(file).parents)


def exists(reference: str, paths: set[str]) -> bool:
    if "*" in reference:
        return any(fnmatch.fnmatch(path, reference) for path in paths)
    return reference in paths


def missing(name: str, text: str, tree: Tree) -> list[str]:
    """One sentence per reference in `text`, the content of the file `name`, that leads nowhere."""
    suffix = pathlib.PurePath(name).suffix
    if suffix not in COMMENTS or name.startswith(tuple(EXEMPT)):
        return []
    faults = []
    for number, line in enumerate(text.splitlines(), 1):
        comment = COMMENTS[suffix].search(line)
        if not comment or line.lstrip().startswith("#include"):
            continue
        wrong = [found for found in ROOTED.findall(comment[0]) if not exists(found, tree.paths)]
        wrong += [found for found in BARE.findall(comment[0]) if found not in tree.names]
        faults += [f"{name}:{number}: {found} does not exist" for found in wrong
                   if found not in NOT_FILES]
    return faults
