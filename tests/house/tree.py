"""Rules about folders and names: how many files a folder holds, and that a name means one file."""
import collections
import pathlib

MAX_FILES = 45  # aim at 40: more have an unnamed subject among them

# Folder -> the most files it may hold, and why. The numbers only shrink.
LARGE_FOLDERS: dict[str, tuple[int, str]] = {
    "tests/sql": (64, "one room (the SQL functions) whose tests share its world files"),
    "tests/passport": (52, "rules and passports have one test program: they share the naive evaluator"),
}


def folder_faults(files: list[str]) -> list[str]:
    """Folders with too many files, and exceptions that are larger than they need to be."""
    held = collections.Counter(str(pathlib.PurePath(file).parent) for file in files
                               if not file.startswith("tests/fuzz/corpus/"))
    faults = []
    for folder, count in sorted(held.items()):
        most, _ = LARGE_FOLDERS.get(folder, (MAX_FILES, ""))
        if count > most:
            faults.append(f"{folder}: {count} files, over {most}: find its subjects")
    for folder, (most, _) in LARGE_FOLDERS.items():
        if held[folder] < most:
            faults.append(f"{folder}: {held[folder]} files: lower its number in tests/house/tree.py")
    return faults


def name_faults(files: list[str]) -> list[str]:
    """File names that occur twice in src/, sql/functions/ or sql/statements/.

    A statement may have the name of the function that it calls.
    """
    places = collections.defaultdict(list)
    for file in files:
        for tree in ("src/", "sql/functions/", "sql/statements/"):
            if file.startswith(tree):
                places[tree, pathlib.PurePath(file).name].append(file)
    return [f"{name} occurs {len(found)} times: {', '.join(sorted(found))}"
            for (_, name), found in sorted(places.items())
            if len(found) > 1]
