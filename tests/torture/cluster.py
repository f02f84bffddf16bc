"""Private Postgres servers to be killed, frozen, fenced and replaced by their standby.

Durable as in production: fsync and synchronous_commit stay on. Everything lives below one folder
and ends with it, whatever happened to the scenario.
"""
import contextlib
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable
from typing import Any

import psycopg2

from disks import Disk
from processes import descendants, gone, run, send, send_tree, spawn, wait_until

BIN = pathlib.Path(os.environ.get("JOBFORGE_PG_BIN", "/usr/lib/postgresql/15/bin"))
START_SECONDS = 60.0


def free_port() -> int:
    """A port below the kernel's own choices: no outgoing connection takes it while a server is down."""
    while True:
        port = random.SystemRandom().randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


class Server:
    """One Postgres server on a data directory; reached by TCP, by superusers through its socket."""

    def __init__(self, folder: pathlib.Path, logs: pathlib.Path, name: str) -> None:
        self.name = name
        self.folder = folder
        self.data = folder / name
        self.port = free_port()
        self._log = logs / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None

    # --- life and death ---

    def start(self) -> None:
        """Starts it and waits until it answers."""
        options = {"listen_addresses": "127.0.0.1", "port": self.port,
                   "unix_socket_directories": self.folder, "max_connections": 150,
                   "shared_buffers": "64MB", "wal_keep_size": "512MB", "max_wal_senders": 4}
        words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        self._process = spawn([BIN / "postgres", "-D", self.data, *words], self._log, lower=True)
        if not wait_until(self.answers, START_SECONDS):
            raise RuntimeError(f"{self.name} does not start: see {self._log}")

    def answers(self) -> bool:
        if self._process is None or self._process.poll() is not None:
            return False
        try:
            self.connect("postgres").close()
        except psycopg2.Error:
            return False
        return True

    def stop(self) -> None:
        """An orderly end."""
        if self._process is not None:
            send(self._process.pid, signal.SIGINT)
            self._process.wait(START_SECONDS)
            self._process = None

    def kill(self, whole_tree: bool = True) -> None:
        """kill -9 of the postmaster, or of it and all its backends at the same moment."""
        if self._process is None:
            return
        pid = self._process.pid
        send(pid, signal.SIGSTOP)  # so that it starts nothing more
        below = descendants(pid)
        for process in [pid, *below] if whole_tree else [pid]:
            send(process, signal.SIGKILL)
        self._process.wait()
        self._process = None
        # Backends that outlive their postmaster hold its shared memory: no start before they ended.
        if not wait_until(lambda: all(gone(child) for child in below), START_SECONDS):
            raise RuntimeError(f"backends of {self.name} outlive its postmaster")

    def revive(self) -> None:
        """Until it answers: it recovers from a crash by itself, or has gone down and is started."""
        def up() -> bool:
            return self.answers() or self._process is None or self._process.poll() is not None

        if not wait_until(up, START_SECONDS):
            raise RuntimeError(f"{self.name} does not recover: see {self._log}")
        if not self.answers():
            self.kill()
            self.start()

    def log_lines(self) -> list[str]:
        return self._log.read_text(encoding="utf-8", errors="replace").splitlines()

    def freeze(self) -> None:
        if self._process is not None:
            send_tree(self._process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        if self._process is not None:
            send_tree(self._process.pid, signal.SIGCONT)

    # --- replication ---

    def make_standby(self, standby: "Server") -> None:
        """Copies this server into `standby` by pg_basebackup and starts it there, streaming."""
        source = f"host={self.folder} port={self.port} user=postgres"
        run(BIN / "pg_basebackup", "-d", source, "-D", standby.data, "-X", "stream", "-c", "fast", "-R")
        standby.start()
        self.wait_for_replay(standby)

    def require_standby(self) -> None:
        """From here a commit is acknowledged only when the standby has it on disk."""
        self.configure("synchronous_standby_names", "*")
        if not wait_until(lambda: self.one("select count(*) from pg_stat_replication "
                                           "where sync_state in ('sync', 'quorum')") > 0, START_SECONDS):
            raise RuntimeError("the standby does not become synchronous")

    def wait_for_replay(self, standby: "Server") -> None:
        """Until the standby has applied everything that is committed here now."""
        position = self.one("select pg_current_wal_flush_lsn()::text")
        caught_up = "select coalesce(pg_last_wal_replay_lsn() >= %s::pg_lsn, false)"
        if not wait_until(lambda: bool(standby.one(caught_up, position)), START_SECONDS):
            raise RuntimeError("the standby does not catch up")

    def stop_receiving(self) -> None:
        """A standby cut off from its primary: what is committed there from now on does not reach it."""
        self.configure("primary_conninfo", "")
        if not wait_until(lambda: self.one("select count(*) from pg_stat_wal_receiver") == 0, START_SECONDS):
            raise RuntimeError("the standby does not stop receiving")

    def promote(self) -> None:
        """Makes this standby a primary; returns when it takes writes."""
        self.one("select pg_promote(false)")
        if not wait_until(lambda: not self.one("select pg_is_in_recovery()"), START_SECONDS, every=0.01):
            raise RuntimeError("the standby is not promoted")

    def fence(self) -> None:
        """Makes new transactions read-only, in open sessions too; ends none of them."""
        self.configure("default_transaction_read_only", "on")

    # --- questions ---

    def configure(self, setting: str, value: str) -> None:
        connection = self.connect()
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(f"alter system set {setting} = %s", (value,))
            cursor.execute("select pg_reload_conf()")
        connection.close()

    def connect(self, database: str = "jobforge") -> Any:
        """A superuser's connection."""
        return psycopg2.connect(host=str(self.folder), port=self.port, user="postgres", dbname=database)

    def one(self, sql: str, *parameters: object) -> Any:
        """The first column of the first row."""
        connection = self.connect()
        try:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(sql, parameters)
                return cursor.fetchone()[0]
        finally:
            connection.close()


class Cluster:
    """The servers of one scenario. `with` ends all of them and removes their files."""

    def __init__(self, logs: pathlib.Path) -> None:
        # Short and in /tmp: a socket's path may have 107 bytes, and the server's user must enter.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="jobforge-torture-", dir="/tmp"))
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        self._logs = logs
        self._servers: list[Server] = []
        self._disks: list[Disk] = []

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_exception: object) -> None:
        with contextlib.ExitStack() as stack:  # each step also when another failed
            stack.callback(shutil.rmtree, self.folder)
            for disk in self._disks:
                stack.callback(disk.unmount)
            for server in self._servers:
                stack.callback(server.kill)

    def server(self, name: str) -> Server:
        """A server that has no data yet."""
        server = Server(self.folder, self._logs, name)
        self._servers.append(server)
        return server

    def fresh(self, name: str, prepare: Callable[[Server], None]) -> Server:
        """A server on a new data directory with an empty database `jobforge`, prepared, stopped."""
        server = self.server(name)
        run(BIN / "initdb", "-D", server.data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
            "--locale=C.UTF-8")
        server.start()
        connection = server.connect("postgres")
        connection.autocommit = True
        connection.cursor().execute("create database jobforge")
        connection.close()
        prepare(server)
        server.stop()
        return server

    def copy(self, template: Server, name: str) -> Server:
        """A started server on a copy of a stopped one's data: no migration for every scenario."""
        server = self.server(name)
        run("cp", "-a", template.data, server.data)
        server.start()
        return server

    def move_to_disk(self, server: Server, megabytes: int) -> Disk:
        """Puts the data of a server on a small disk of its own, and starts it there."""
        server.stop()
        full = server.data.with_name(f"{server.name}-disk")
        disk = Disk(full, megabytes)
        self._disks.append(disk)
        disk.mount()
        run("cp", "-a", server.data, full / "data")
        shutil.rmtree(server.data)
        server.data = full / "data"
        server.start()
        return disk
