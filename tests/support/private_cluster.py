#!/usr/bin/env python3
"""A Postgres of one's own for the length of a script.

usage: private_cluster.py COMMAND [ARGUMENT...]

Runs the command with DATABASE_URL pointing at a fresh cluster (unix socket only, fsync on, empty
database `jobforge`, superuser `postgres`) and removes the cluster afterwards. Exits with the
command's code. Postgres refuses to run as root, so root lends the directory to `postgres`.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BIN = pathlib.Path(os.environ.get("JOBFORGE_PG_BIN", "/usr/lib/postgresql/15/bin"))


class PrivateCluster:
    """`with PrivateCluster() as cluster:` gives a running server; `cluster.url` reaches it."""

    def __init__(self) -> None:
        # Short and in /tmp: a socket's path may have 107 bytes.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="jobforge-pg-", dir="/tmp"))
        self.data = self.folder / "data"
        self.url = f"postgresql:///jobforge?host={self.folder}&user=postgres"

    def __enter__(self) -> "PrivateCluster":
        try:
            if os.getuid() == 0:
                shutil.chown(self.folder, "postgres", "postgres")
            self._run(BIN / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust",
                      "-E", "UTF8", "--locale=C.UTF-8")
            self._run(BIN / "pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log", "-o",
                      f"-c listen_addresses= -c unix_socket_directories={self.folder}", "start")
            self._run(BIN / "createdb", "-h", self.folder, "-U", "postgres", "jobforge")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_exception: object) -> None:
        if (self.data / "postmaster.pid").exists():
            self._run(BIN / "pg_ctl", "-D", self.data, "-m", "fast", "-w", "stop")
        shutil.rmtree(self.folder)

    def query(self, sql: str) -> str:
        """The first column of the answer, one row a line."""
        return subprocess.run([BIN / "psql", "-X", "-At", "-v", "ON_ERROR_STOP=1", "-c", sql, self.url],
                              check=True, capture_output=True, text=True).stdout.strip()

    @staticmethod
    def _run(*command: object) -> None:
        lower = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
        words = (lower if os.getuid() == 0 else []) + [str(word) for word in command]
        # pg_ctl's server inherits stdout: a file, since waiting for a pipe to close would hang.
        with tempfile.TemporaryFile() as output:
            code = subprocess.run(words, stdout=output, stderr=output, cwd="/", check=False).returncode
            if code != 0:
                output.seek(0)
                raise RuntimeError(f"{words} failed:\n{output.read().decode(errors='replace')}")


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    with PrivateCluster() as cluster:
        environment = dict(os.environ, DATABASE_URL=cluster.url)
        return subprocess.run(sys.argv[1:], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
