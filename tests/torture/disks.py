"""A small disk for one server's data, to be filled and freed again.

A tmpfs with a size limit. Postgres gets ENOSPC from it as from any full file system. Its fsync does nothing,
which is enough here: the processes die, the machine does not.
"""
import ctypes
import errno
import os
import pathlib
import shutil
import subprocess

CLONE_NEWNS = 0x00020000
CHUNKS = (1 << 20, 1 << 12)


def private_mounts() -> bool:
    """Puts this thread and all that it starts from now on into a mount namespace of their own.

    The kernel unmounts what they mount when the last of them has ended, also after kill -9. Called before
    the first thread is started. False without the right to it, as in most containers.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if os.getuid() != 0 or libc.unshare(CLONE_NEWNS) != 0:
        return False
    return subprocess.run(["mount", "--make-rprivate", "/"], check=False).returncode == 0


class Disk:
    """A file system of `megabytes` at `folder`, which belongs to the server's user."""

    def __init__(self, folder: pathlib.Path, megabytes: int) -> None:
        self._folder = folder
        self._megabytes = megabytes
        self._ballast = folder / "ballast"

    def mount(self) -> None:
        self._folder.mkdir()
        options = f"size={self._megabytes}m,mode=0700"
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "jobforge-torture", self._folder],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"a disk that can be full needs root and the right to mount: {done.stderr}")
        shutil.chown(self._folder, "postgres", "postgres")

    def unmount(self) -> None:
        """Nothing if it is not mounted."""
        if self._folder.is_mount():
            subprocess.run(["umount", self._folder], check=True)

    def fill(self) -> None:
        """Takes all that is left, to the last page."""
        file = os.open(self._ballast, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            for size in CHUNKS:
                self._append(file, bytes(size))
        finally:
            os.close(file)

    @staticmethod
    def _append(file: int, chunk: bytes) -> None:
        try:
            while os.write(file, chunk) > 0:
                pass
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise

    def free(self) -> None:
        self._ballast.unlink()
