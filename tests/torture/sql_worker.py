#!/usr/bin/env python3
"""A worker in plain SQL, as docs/sql.md describes one: claim, work, settle in the handler's transaction.

usage: sql_worker.py PORTS WORKER_ID LEASE_SECONDS SLOTS HISTORY SEED

Handles `effect` and `plain`. Now and then it fails or snoozes a job instead. It never looks whether it
still holds a lease: the fence has to refuse it.
"""
import dataclasses
import json
import os
import pathlib
import random
import signal
import socket
import sys
import threading
from typing import Any

import psycopg2

from history import History
from sql_client import Addresses, close_quietly, install_deadlines, server_lost

TYPES = ["effect", "plain"]
# How often a network loses a COMMIT, and how often its answer: too rare to wait for.
LOST_COMMITS = 0.02
LOST_ANSWERS = 0.03
LEASE_LOST = "JF012"
SETTLED = "JF056"


@dataclasses.dataclass(frozen=True)
class Claim:
    tenant_id: str
    job_id: str
    type: str
    payload: dict[str, Any]
    attempts: int
    lease_token: int
    claim_id: str | None  # None on a schema that has no claim ids


class Session:
    """A connection that is made again when it is lost."""

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses
        self._connection: Any = None
        self.has_claim_ids = False

    def open(self) -> Any:
        if self._connection is None:
            self._connection = self._addresses.connect("torture_worker")
            with self._connection, self._connection.cursor() as cursor:
                cursor.execute("select coalesce(bool_or('p_claim_id' = any(p.proargnames)), false) "
                               "from pg_proc p where p.pronamespace = 'jobforge'::regnamespace "
                               "and p.proname = 'complete_job'")
                self.has_claim_ids = cursor.fetchone()[0]
        return self._connection

    def drop(self) -> None:
        close_quietly(self._connection)
        self._connection = None


class SqlWorker:
    """Slots that share a worker id, each with its own session, and one renewal for all they hold."""

    def __init__(self, addresses: Addresses, worker_id: str, lease: int, history: History) -> None:
        self.addresses = addresses
        self.worker_id = worker_id
        self.lease = lease
        self.history = history
        self.stopping = threading.Event()
        self._held: dict[str, Claim] = {}
        self._lock = threading.Lock()

    def register(self, slots: int) -> None:
        session = Session(self.addresses)
        while not self.stopping.is_set():
            try:
                with session.open() as connection, connection.cursor() as cursor:
                    cursor.execute("select jobforge.register_worker(%s, %s, %s, %s, %s, %s)",
                                   (self.worker_id, socket.gethostname(), os.getpid(), "1", TYPES, slots))
                session.drop()
                return
            except psycopg2.Error:
                session.drop()
                self.stopping.wait(0.2)

    def renew(self) -> None:
        """Every third of the lease, until the last slot has ended."""
        session = Session(self.addresses)
        while True:
            if self.stopping.wait(self.lease / 3) and not self._held:
                return
            with self._lock:
                held = list(self._held.values())
            if not held:
                continue
            try:
                with session.open() as connection, connection.cursor() as cursor:
                    claims = ", p_claim_ids => %s::uuid[]" if session.has_claim_ids else ""
                    parameters: list[Any] = [
                        self.worker_id, [claim.tenant_id for claim in held],
                        [claim.job_id for claim in held], [claim.lease_token for claim in held], self.lease]
                    if session.has_claim_ids:
                        parameters.append([claim.claim_id for claim in held])
                    cursor.execute("select * from jobforge.heartbeat_jobs(p_worker => %s, "
                                   "p_tenants => %s::uuid[], p_job_ids => %s::uuid[], "
                                   f"p_tokens => %s::bigint[], p_lease_seconds => %s{claims})", parameters)
            except psycopg2.Error:
                session.drop()

    def surprised_by(self, error: psycopg2.Error) -> None:
        """An error other than a lost server is one that no worker should meet."""
        if not server_lost(error):
            self.history.write("finding", text=f"{self.worker_id} was refused: {error.pgcode} {error}")

    def hold(self, claim: Claim) -> None:
        with self._lock:
            self._held[claim.job_id] = claim

    def let_go(self, claim: Claim) -> None:
        with self._lock:
            self._held.pop(claim.job_id, None)


class Slot:
    """One job after the other, until the worker stops."""

    def __init__(self, worker: SqlWorker, seed: str) -> None:
        self._worker = worker
        self._session = Session(worker.addresses)
        self._random = random.Random(seed)

    def run(self) -> None:
        while not self._worker.stopping.is_set():
            try:
                claim = self._claim()
            except psycopg2.Error as error:
                self._worker.surprised_by(error)
                self._session.drop()
                claim = None
            if claim is None:
                self._worker.stopping.wait(self._random.uniform(0.05, 0.3))
                continue
            self._worker.hold(claim)
            threading.Event().wait(claim.payload.get("ms", 0) / 1000)  # the work
            self._settle(claim)
            self._worker.let_go(claim)
        self._session.drop()

    def _claim(self) -> Claim | None:
        worker = self._worker
        with self._session.open() as connection, connection.cursor() as cursor:
            cursor.execute("select to_jsonb(c) from jobforge.claim_jobs(%s, 1, %s, p_lease_seconds => %s) c",
                           (worker.worker_id, TYPES, worker.lease))
            rows = cursor.fetchall()
        if not rows:
            return None
        row = rows[0][0]
        claim = Claim(row["tenant_id"], row["job_id"], row["type"], row["payload"], row["attempts"],
                      row["lease_token"], row.get("claim_id"))
        worker.history.write("claim", worker=worker.worker_id, job_id=claim.job_id,
                             lease_token=claim.lease_token, claim_id=claim.claim_id)
        return claim

    def _settle(self, claim: Claim) -> None:
        """Repeats the transaction until it is answered. After a COMMIT whose answer was lost, SETTLED
        says that it had happened, LEASE_LOST that it had not and somebody else has the job."""
        verb = self._random.choices(["complete", "fail", "snooze"], [86, 6, 8])[0]
        if claim.attempts > 2:
            verb = "complete"  # backoffs grow, and the suite waits for the last job
        repeated = False
        while True:
            answer = self._try_to_settle(claim, verb)
            if answer != "not_sent":
                self._worker.history.write(
                    "settle", worker=self._worker.worker_id, job_id=claim.job_id, verb=verb,
                    lease_token=claim.lease_token, answer=answer, repeated=repeated)
            if answer not in ("not_sent", "unknown") or self._worker.stopping.wait(0.1):
                return
            repeated = repeated or answer == "unknown"

    def _try_to_settle(self, claim: Claim, verb: str) -> str:
        answer = "not_sent"
        try:
            connection = self._session.open()
            with connection.cursor() as cursor:
                if verb == "complete" and claim.type == "effect":
                    cursor.execute("insert into public.effects (job_id, lease_token, worker, attempt) "
                                   "values (%s, %s, %s, %s)", (claim.job_id, claim.lease_token,
                                                               self._worker.worker_id, claim.attempts))
                threading.Event().wait(claim.payload.get("open_ms", 0) / 1000)
                self._call(cursor, claim, verb)
            answer = "unknown"
            return self._commit(connection)
        except psycopg2.Error as error:
            if error.pgcode in (LEASE_LOST, SETTLED):
                connection.rollback()
                return "lease_lost" if error.pgcode == LEASE_LOST else "settled"
            self._worker.surprised_by(error)
            self._session.drop()
            return answer

    def _commit(self, connection: Any) -> str:
        """Commits, or behaves as if the network had lost the COMMIT or its answer: this worker cannot
        tell the two apart."""
        chance = self._random.random()
        if chance >= LOST_COMMITS:
            connection.commit()
        if chance >= LOST_COMMITS + LOST_ANSWERS:
            return "acknowledged"
        self._session.drop()
        return "unknown"

    def _call(self, cursor: Any, claim: Claim, verb: str) -> None:
        """complete_job, fail_job or snooze_job with its own argument."""
        more = {"complete": ("p_result => %s::jsonb", json.dumps({"by": "sql"})),
                "fail": ("p_error => %s::jsonb", json.dumps({"code": "TORTURE", "message": "on purpose"})),
                "snooze": ("p_seconds => %s", self._random.uniform(0.1, 1.0))}[verb]
        named = f"p_worker => %s, p_tenant_id => %s, p_job_id => %s, p_token => %s, {more[0]}"
        parameters = [self._worker.worker_id, claim.tenant_id, claim.job_id, claim.lease_token, more[1]]
        if self._session.has_claim_ids:
            named += ", p_claim_id => %s"
            parameters.append(claim.claim_id)
        cursor.execute(f"select jobforge.{verb}_job({named})", parameters)


def main() -> int:
    if len(sys.argv) != 7:
        print(__doc__, file=sys.stderr)
        return 2
    ports, worker_id, lease, slots, path, seed = sys.argv[1:]
    install_deadlines()
    addresses = Addresses(tuple(int(port) for port in ports.split(",")))
    worker = SqlWorker(addresses, worker_id, int(lease), History(pathlib.Path(path)))
    signal.signal(signal.SIGTERM, lambda *_: worker.stopping.set())
    worker.register(int(slots))
    threads = [threading.Thread(target=Slot(worker, f"{seed}/{number}").run) for number in range(int(slots))]
    threads.append(threading.Thread(target=worker.renew))
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.2)  # Python runs signal handlers between waits of the main thread
    return 0


if __name__ == "__main__":
    sys.exit(main())
