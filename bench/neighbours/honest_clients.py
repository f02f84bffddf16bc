#!/usr/bin/env python3
"""The honest tenants: 20 jobs a second each, half by SQL and half by HTTP, at fixed times.

Open loop: a job's scheduled_at is the time at which it should have been enqueued, so that an enqueue
which had to wait counts as start delay. A process of its own: the attacker must not slow it down by
sharing an interpreter.

usage: honest_clients.py TARGET RECORD, until SIGTERM
"""
import dataclasses
import datetime
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

    def enqueue(self, planned: float) -> str:
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

    def enqueue(self, planned: float) -> str:
        at = datetime.datetime.fromtimestamp(planned, datetime.timezone.utc)
        body = {"type": "test.echo", "payload": {"at": planned},
                "scheduled_at": at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
        status, answer = self._caller.call("POST", "/v1/jobs", body)
        if status not in (200, 201, 202):
            raise OSError(f"HTTP {status}: {answer[:200]!r}")
        return str(json.loads(answer)["job_id"])

    def close(self) -> None:
        self._caller.close()


@dataclasses.dataclass(eq=False)
class Client(threading.Thread):
    """One tenant by one way."""

    tenant: Tenant
    way: str
    make: Callable[[], "SqlWay | HttpWay"]
    record: Record
    first: float
    stop: threading.Event

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    def run(self) -> None:
        door = self.make()
        number = 0
        while True:
            planned = self.first + number * CONNECTIONS_EACH_WAY / EACH_WAY_PER_SECOND
            number += 1
            if self.stop.wait(max(0.0, planned - time.time())):
                break
            began = time.time()
            job_id, error = None, None
            try:
                job_id = door.enqueue(planned)
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
        ways: list[tuple[str, Callable[[], SqlWay | HttpWay]]] = [
            ("sql", lambda tenant=tenant: SqlWay(target, tenant)),
            ("http", lambda tenant=tenant: HttpWay(target, tenant))]
        for way, make in ways * CONNECTIONS_EACH_WAY:
            # Spread over the period: clients that all fire at once would be a load of their own.
            offset = len(clients) / len(target.tenants) / 2 / EACH_WAY_PER_SECOND
            clients.append(Client(tenant, way, make, record, start + offset, stop))
    for client in clients:
        client.start()
    stop.wait()
    for client in clients:
        client.join(PATIENCE_SECONDS + 2)
    record.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
