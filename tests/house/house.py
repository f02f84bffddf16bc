"""What the house checks share: where the tree is and which files belong to it."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("JOBFORGE_BUILD_DIR", ROOT / "build"))


def project_files(root: pathlib.Path = ROOT) -> list[pathlib.Path]:
    """Files of the project: those git tracks or would add. Fails when there are none."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, check=True, capture_output=True).stdout.decode()
    files = [root / name for name in listing.split("\0") if name]
    files = [path for path in files if path.is_file()]
    assert files, f"git knows no files in {root}"
    return files


def relative(path: pathlib.Path, root: pathlib.Path = ROOT) -> str:
    return path.relative_to(root).as_posix()
