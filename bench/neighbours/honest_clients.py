#!/usr/bin/env python3
"""The honest tenants: 20 jobs a second each, half by SQL and half by HTTP, at fixed times.

A tenth of the jobs by HTTP are calls of connector.http.request to a server here. Beside them each tenant
reads twice a second: a job, a list, and whether the API is ready.

Open loop: a job's scheduled_at is the time at which it should have been enqueued, so that an enqueue
which had to wait counts as start delay. A process of its own: the attacker must not slow it down by
sharing an interpreter.

usage: honest_clients.py TARGET RECORD, until SIGTERM
"""
import dataclasses
import datetime
import http.server
import json
import pathlib
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg2

from bench_system import Target, Tenant
from http_caller import HttpCaller

EACH_WAY_PER_SECOND = 10.0
# Each with half of a way's jobs: a call may take 200 ms before the next one is late.
CONNECTIONS_EACH_WAY = 2
PATIENCE_SECONDS = 10.0
READS_PER_SECOND = 2.0
# The API opens its connections for the first requests, and refuses a tenant's third one meanwhile.
WARM_UP_SECONDS = 1.5
CALL_EACH = 10  # jobs of a client by HTTP
ENQUEUE = "select job_id::text from jobforge.enqueue_job('test.echo', %s, p_scheduled_at => to_timestamp(%s))"


class Record:
    """What each call was answered, a line each."""

    def __init__(self, path: pathlib.Path) -> None:
        self._file = path.open("a", encoding="utf-8")
        self._lock = threading.Lock()

    def write(self, **members: object) -> None:
        with self._lock:
            self._file.write(json.dumps(members) + "\n")
            self._file.flush()  # the bench reads it to see whether the clients have caught up

    def close(self) -> None:
        with self._lock:
            self._file.close()


class SqlWay:
    """A gateway's login that acts for the tenant."""

    def __init__(self, target: Target, tenant: Tenant) -> None:
        self._port = target.postgres_port
        self._tenant_id = tenant.tenant_id
        self._connection: Any = None

    def act(self, planned: float) -> str:
        try:
            if self._connection is None:
                self._connection = psycopg2.connect(
                    host="127.0.0.1", port=self._port, user="bench_api", dbname="jobforge",
                    options=f"-c statement_timeout={int(PATIENCE_SECONDS * 1000)}")
                self._connection.autocommit = True
                with self._connection.cursor() as cursor:
                    cursor.execute("select set_config('app.tenant_id', %s, false)", (self._tenant_id,))
            with self._connection.cursor() as cursor:
                cursor.execute(ENQUEUE, (json.dumps({"at": planned}), planned))
                return str(cursor.fetchone()[0])
        except psycopg2.Error:
            self.close()
            raise

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class HttpWay:
    """The tenant's own key."""

    def __init__(self, target: Target, tenant: Tenant) -> None:
        self._caller = HttpCaller(target.api_port, tenant.key, tenant.address, PATIENCE_SECONDS)
        self._number = 0

    def act(self, planned: float) -> str:
        at = datetime.datetime.fromtimestamp(planned, datetime.timezone.utc)
        self._number += 1
        call = self._number % CALL_EACH == 0
        body = {"type": "connector.http.request" if call else "test.echo",
                "payload": {"url": SERVER.url} if call else {"at": planned},
                "scheduled_at": at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
        status, answer = self._caller.call("POST", "/v1/jobs", body)
        if status not in (200, 201, 202):
            raise OSError(f"HTTP {status}: {answer[:200]!r}")
        return str(json.loads(answer)["job_id"])

    def close(self) -> None:
        self._caller.close()


class ReadWay:
    """The tenant's own key, which changes nothing."""

    def __init__(self, target: Target, tenant: Tenant) -> None:
        self._caller = HttpCaller(target.api_port, tenant.key, tenant.address, PATIENCE_SECONDS)
        self._paths = ["/v1/jobs?limit=20", "/v1/health/ready", "/v1/jobs?limit=1"]
        self._number = 0

    def act(self, _planned: float) -> None:
        path = self._paths[self._number % len(self._paths)]
        self._number += 1
        status, answer = self._caller.call("GET", path)
        if status != 200:
            raise OSError(f"HTTP {status} of {path}: {answer[:200]!r}")
        if path == "/v1/jobs?limit=1" and (items := json.loads(answer)["items"]):
            status, answer = self._caller.call("GET", f"/v1/jobs/{items[0]['job_id']}")
            if status != 200:
                raise OSError(f"HTTP {status} of a job: {answer[:200]!r}")

    def close(self) -> None:
        self._caller.close()


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:  # noqa: N802 - the library's name
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_words: object) -> None:
        """Nothing."""


class Server:
    """What the connector calls of the honest tenants reach; by name, so that each is looked up."""

    def __init__(self) -> None:
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.url = f"http://localhost:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()


SERVER = Server()


@dataclasses.dataclass(eq=False)
class Client(threading.Thread):
    """One tenant by one way."""

    tenant: Tenant
    way: str
    make: Callable[[], "SqlWay | HttpWay | ReadWay"]
    record: Record
    first: float
    every: float
    stop: threading.Event

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    def run(self) -> None:
        door = self.make()
        number = 0
        while True:
            planned = self.first + number * self.every
            number += 1
            if self.stop.wait(max(0.0, planned - time.time())):
                break
            began = time.time()
            job_id, error = None, None
            try:
                job_id = door.act(planned)
            except (psycopg2.Error, OSError, ValueError, KeyError) as problem:
                error = f"{type(problem).__name__}: {problem}".strip()
            self.record.write(tenant=self.tenant.name, way=self.way, planned=planned, job_id=job_id,
                              error=error, late=began - planned, took=time.time() - began)
        door.close()


def main() -> int:
    target = Target.load(pathlib.Path(sys.argv[1]))
    record = Record(pathlib.Path(sys.argv[2]))
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_signal: stop.set())
    start = time.time() + 0.5
    clients = []
    for tenant in target.tenants:
        ways: list[tuple[str, Callable[[], SqlWay | HttpWay | ReadWay]]] = [
            ("sql", lambda tenant=tenant: SqlWay(target, tenant)),
            ("http", lambda tenant=tenant: HttpWay(target, tenant))] * CONNECTIONS_EACH_WAY
        ways.append(("read", lambda tenant=tenant: ReadWay(target, tenant)))
        for way, make in ways:
            # Spread over the period: clients that all fire at once would be a load of their own.
            offset = len(clients) / len(target.tenants) / 2 / EACH_WAY_PER_SECOND
            if way == "read":
                offset += WARM_UP_SECONDS
            every = 1 / READS_PER_SECOND if way == "read" else CONNECTIONS_EACH_WAY / EACH_WAY_PER_SECOND
            clients.append(Client(tenant, way, make, record, start + offset, every, stop))
    for client in clients:
        client.start()
    stop.wait()
    for client in clients:
        client.join(PATIENCE_SECONDS + 2)
    record.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
