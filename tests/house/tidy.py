#!/usr/bin/env python3
"""Runs clang-tidy over the files named on standard input and remembers which were clean.

usage: tidy.py BUILD_DIR JOBS < files

A file is clean for as long as nothing that it is compiled from changes, so BUILD_DIR/tidy keeps one
empty file per clean result, named by the hash of the preprocessed text with its comments (NOLINT is
one), the compiler's arguments, the checks and clang-tidy's version.

own_code_only.cc makes it several times faster. It needs clang's headers; without them clang-tidy
runs as it is, with the same result.
"""
import concurrent.futures
import hashlib
import json
import pathlib
import shlex
import subprocess
import sys
import time

TIDY, CLANG = "clang-tidy-19", "clang++-19"
# What clang does not need to preprocess a file that g++ compiles.
QUIET = ["-w", "-Wno-unknown-warning-option"]
PLUGIN = pathlib.Path(__file__).with_name("own_code_only.cc")
LLVM = pathlib.Path("/usr/lib/llvm-19")


def built_plugin(folder: pathlib.Path) -> pathlib.Path | None:
    """The plugin's library, built if it is not up to date; None where clang has no headers."""
    library = folder / "own_code_only.so"
    if library.exists() and library.stat().st_mtime > PLUGIN.stat().st_mtime:
        return library
    if not (LLVM / "include/clang/AST/ASTConsumer.h").exists():
        print("clang-tidy: slow, because libclang-19-dev and llvm-19-dev are not installed")
        return None
    # -fno-rtti: as LLVM itself is built.
    subprocess.run(["g++", "-std=c++20", "-fPIC", "-shared", "-fno-rtti", "-isystem",
                    str(LLVM / "include"), str(PLUGIN), "-o", str(library), f"-L{LLVM / 'lib'}",
                    "-l:libclang-cpp.so.19.1"], check=True)
    return library


def arguments_by_file(build: pathlib.Path) -> dict[pathlib.Path, list[str]]:
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    return {pathlib.Path(entry["file"]): shlex.split(entry["command"]) for entry in entries}


def checks_for(source: pathlib.Path, root: pathlib.Path) -> bytes:
    """Every .clang-tidy from the root down to the file's folder."""
    folders = [folder for folder in source.parents if folder == root or root in folder.parents]
    return b"".join((folder / ".clang-tidy").read_bytes() for folder in folders
                    if (folder / ".clang-tidy").exists())


def preprocessed(command: list[str], build: pathlib.Path) -> bytes:
    """Raises CalledProcessError for a file that does not preprocess; it cannot be known then."""
    arguments = command[1:]
    at = arguments.index("-o")
    del arguments[at:at + 2]
    return subprocess.run([CLANG, "-E", "-C", *arguments, *QUIET], cwd=build, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def key_of(source: pathlib.Path, root: pathlib.Path, build: pathlib.Path, command: list[str],
           version: bytes) -> str:
    parts = [version, checks_for(source, root), shlex.join(command).encode(),
             preprocessed(command, build)]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


class Linter:
    def __init__(self, root: pathlib.Path, build: pathlib.Path):
        self.root, self.build, self.clean = root, build, build / "tidy"
        self.clean.mkdir(parents=True, exist_ok=True)
        self.commands = arguments_by_file(build)
        plugin = built_plugin(self.clean)
        self.tidy = [TIDY, "--quiet", "-p", str(build), *([f"--load={plugin}"] if plugin else [])]
        self.version = subprocess.run([TIDY, "--version"], check=True,
                                      stdout=subprocess.PIPE).stdout

    def lint(self, name: str) -> tuple[str, str, str]:
        """(file, "known" | "clean" | "found", what clang-tidy said)."""
        source = self.root / name
        command = self.commands.get(source)
        if command is None:
            return name, "found", f"{name} is not compiled by any target: configure again\n"
        try:
            mark = self.clean / key_of(source, self.root, self.build, command, self.version)
        except subprocess.CalledProcessError:
            mark = None  # clang-tidy will say why
        if mark is not None and mark.exists():
            return name, "known", ""
        # In the root: clang-tidy takes the header filter of the folder that it runs in.
        done = subprocess.run([*self.tidy, str(source)], check=False, cwd=self.root,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode == 0:
            if mark is not None:
                mark.touch()
            return name, "clean", ""
        return name, "found", done.stdout or done.stderr


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    started = time.monotonic()
    linter = Linter(pathlib.Path.cwd(), pathlib.Path(sys.argv[1]).resolve())
    counts = {"known": 0, "clean": 0, "found": 0}
    with concurrent.futures.ThreadPoolExecutor(int(sys.argv[2])) as pool:
        for name, verdict, said in pool.map(linter.lint, sys.stdin.read().split()):
            counts[verdict] += 1
            if verdict == "found":
                print(f"{name}:\n{said}", flush=True)
    print(f"clang-tidy: {sum(counts.values())} files, {counts['known']} clean before, "
          f"{counts['clean']} clean now, {counts['found']} with findings, "
          f"{time.monotonic() - started:.0f} s")
    return 1 if counts["found"] else 0


if __name__ == "__main__":
    sys.exit(main())
