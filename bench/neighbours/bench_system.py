"""The system that is attacked: its own durable Postgres, one worker process, one API process, tenants.

Servers and processes are those of tests/torture: they are killed by the kernel when the bench dies.
"""
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "torture"))

from cluster import Cluster, Server  # noqa: E402
from processes import send, spawn, wait_until  # noqa: E402

HONEST = 9
SLOTS = 16
START_SECONDS = 60.0
# No name below it gets an answer in the worker, as of a domain whose name server stalls.
HANGING_NAMES = "hangs.example"

# docs/sql.md: one login for each purpose. The hostile tenant's own login has jobforge_tenant alone.
LOGINS = """
    create role bench_worker login in role jobforge_worker;
    create role bench_api login in role jobforge_gateway;
    create role bench_admin login in role jobforge_owner;
    create role hostile login in role jobforge_tenant;
"""


@dataclasses.dataclass(frozen=True)
class Tenant:
    name: str
    tenant_id: str
    key: str
    address: str  # of its HTTP clients: limits of the API are per address, too


@dataclasses.dataclass(frozen=True)
class Target:
    """What the clients are told; passed to their processes as JSON."""

    postgres_port: int
    api_port: int
    tenants: list[Tenant]
    hostile: Tenant
    hostile_spare_keys: list[str]

    def save(self, path: pathlib.Path) -> None:
        path.write_text(json.dumps(dataclasses.asdict(self)), encoding="utf-8")

    @staticmethod
    def load(path: pathlib.Path) -> "Target":
        read = json.loads(path.read_text(encoding="utf-8"))
        return Target(read["postgres_port"], read["api_port"], [Tenant(**one) for one in read["tenants"]],
                      Tenant(**read["hostile"]), read["hostile_spare_keys"])


class System:
    """`with` starts all of it and leaves no process and no file."""

    def __init__(self, build: pathlib.Path, logs: pathlib.Path, rate_limit: bool) -> None:
        self._program = build / "jobforge"
        self._preload = build / "tests" / "libjobforge_hanging_names.so"
        self._logs = logs
        self._rate_limit = rate_limit
        self._stack = contextlib.ExitStack()
        self._programs: dict[str, subprocess.Popen[bytes]] = {}
        self.server: Server

    def __enter__(self) -> "System":
        with contextlib.ExitStack() as stack:
            cluster = stack.enter_context(Cluster(self._logs))
            self.server = cluster.fresh("postgres", self._prepare)
            self.server.start()
            self._data = cluster.folder / "data"
            self._data.mkdir()
            stack.callback(self._stop_programs)
            self.target = self._target()
            self._start("worker", "worker", "--id", "bench-worker", "--slots", SLOTS, "--drain", 2)
            self._await_log("worker", '"worker started"')
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._stack.close()

    # --- what the bench may see ---

    def rows(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        """As a superuser, who sees all tenants."""
        with contextlib.closing(self.server.connect()) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(sql, parameters or None)
                return list(cursor.fetchall())

    def dead_programs(self) -> list[str]:
        return [f"{name} ended with {process.returncode}" for name, process in self._programs.items()
                if process.poll() is not None]

    def peak_megabytes(self, name: str) -> int:
        status = pathlib.Path(f"/proc/{self._programs[name].pid}/status").read_text(encoding="ascii")
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        return int(found[1]) // 1000 if found else 0

    def cancel_hostile_jobs(self) -> None:
        """Ends what an attack has left, some at a time, as its own tenant."""
        tenant = self.target.hostile.tenant_id
        with contextlib.closing(self.server.connect()) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute("select set_config('app.tenant_id', %s, false)", (tenant,))
                while True:
                    cursor.execute("select array(select j.job_id from jobforge.jobs j "
                                   "where j.tenant_id = %s limit 500)", (tenant,))
                    found = cursor.fetchone()[0]
                    if not found or found == "{}":
                        return
                    cursor.execute("select count(*) from jobforge.cancel_jobs(%s::uuid[])", (found,))

    # --- set-up ---

    def _prepare(self, server: Server) -> None:
        url = f"postgresql:///jobforge?host={server.folder}&port={server.port}&user=postgres"
        self._run({"DATABASE_URL": url}, "migrate")
        self._run({"DATABASE_URL": url}, "types", "set", "bench.nobody")  # no worker has a handler for it
        with contextlib.closing(server.connect()) as connection, connection, connection.cursor() as cursor:
            cursor.execute(LOGINS)

    def _target(self) -> Target:
        tenants = [self._tenant(f"honest-{number}", f"127.0.0.{10 + number}")
                   for number in range(1, HONEST + 1)]
        hostile = self._tenant("hostile", "127.0.0.66")
        self.rows("select jobforge.bind_login(%s, 'hostile')", hostile.tenant_id)
        # Small enough to be exact: its enqueues take turns at a row that each one locks.
        self._run({"DATABASE_URL": self._url("bench_admin")}, "tenants", "set", "hostile",
                  "max_waiting_jobs=100000")
        spare = [self._key(hostile.tenant_id) for _ in range(4)]
        self._start("api", "api", "--port", 0)
        text = self._await_log("api", '"api started"')
        found = re.search(r'"url":"http://[0-9.]+:(\d+)', text)
        if found is None:
            raise RuntimeError(f"the API does not say its port: {text}")
        return Target(self.server.port, int(found[1]), tenants, hostile, spare)

    def _tenant(self, name: str, address: str) -> Tenant:
        tenant_id = str(self.rows("select jobforge.create_tenant(%s)", name)[0][0])
        return Tenant(name, tenant_id, self._key(tenant_id), address)

    def _key(self, tenant_id: str) -> str:
        made = self._run({"DATABASE_URL": self._url("bench_api"), "JOBFORGE_TENANT": tenant_id},
                         "keys", "create", "bench", "--role", "Admin", "--json")
        return str(json.loads(made)["key"])

    def _url(self, login: str) -> str:
        return f"postgresql://{login}@127.0.0.1:{self.server.port}/jobforge"

    # --- programs ---

    def _environment(self, more: dict[str, str]) -> dict[str, str]:
        # dev: in production there are no test.* types, and no calls to loopback. test.crash is not among the
        # attacks: it ends the one worker there is, which stands for a handler's bug and not for a tenant's right.
        plain = {name: value for name, value in os.environ.items()
                 if not name.startswith(("BPC_", "JOBFORGE_", "PG", "DATABASE_"))}
        data = str(getattr(self, "_data", "/nonexistent"))
        return {**plain, "BPC_ENV": "dev", "JOBFORGE_DATA": data, "JOBFORGE_ALLOW_NETWORKS": "127.0.0.0/8",
                "BPC_LOG_JSON": "true", "BPC_RATE_LIMIT_ENABLED": str(self._rate_limit).lower(), **more}

    def _run(self, environment: dict[str, str], *words: object) -> str:
        done = subprocess.run([self._program, *map(str, words)], env=self._environment(environment),
                              capture_output=True, text=True, cwd="/", check=False)
        if done.returncode != 0:
            raise RuntimeError(f"jobforge {words} failed: {done.stdout}{done.stderr}")
        return done.stdout

    def _start(self, name: str, *words: object) -> None:
        login = "bench_worker" if name == "worker" else "bench_api"
        names = {"LD_PRELOAD": str(self._preload), "JOBFORGE_TEST_NAMES_HANG": "/",
                 "JOBFORGE_TEST_NAMES_HANG_BELOW": HANGING_NAMES}
        environment = self._environment({"DATABASE_URL": self._url(login), **names})
        pairs = [f"{key}={value}" for key, value in environment.items()]
        self._programs[name] = spawn(["env", "-i", *pairs, self._program, *words], self._log(name))

    def _log(self, name: str) -> pathlib.Path:
        return self._logs / f"{name}.log"

    def _await_log(self, name: str, words: str) -> str:
        def read() -> str:
            return self._log(name).read_text(encoding="utf-8", errors="replace")

        if not wait_until(lambda: words in read() or bool(self.dead_programs()), START_SECONDS) \
                or words not in read():
            raise RuntimeError(f"{name} does not start: {read()}")
        return read()

    def _stop_programs(self) -> None:
        for process in self._programs.values():
            send(process.pid, signal.SIGTERM)
        wait_until(lambda: all(process.poll() is not None for process in self._programs.values()), 10)
        for process in self._programs.values():
            send(process.pid, signal.SIGKILL)
            process.wait()
