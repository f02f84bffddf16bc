"""Clients that enqueue in every way there is, and write down what they were told.

Every job carries a `ref` in its payload that its client chose: so a job whose answer was lost can still
be recognised, and one that must not exist as well.
"""
import dataclasses
import json
import random
import threading
from typing import Any

import psycopg2

from checker import HEALTHY_ATTEMPTS
from history import History
from sql_client import Addresses, close_quietly, server_lost

# How often the network loses an answer; only who has a key may ask again.
LOST_ANSWERS = 0.1
SINGLE = "select job_id::text from jobforge.enqueue_job(p_type => %s, p_payload => %s, " \
    "p_priority => %s, p_scheduled_at => clock_timestamp() + make_interval(secs => %s), " \
    "p_idempotency_key => %s, p_max_attempts => %s)"
BATCH = "select job_id::text from jobforge.enqueue_jobs(p_types => %s, p_payloads => %s::jsonb[], " \
    "p_priorities => %s::integer[], p_max_attempts => %s::integer[]) order by ordinal"


@dataclasses.dataclass(frozen=True)
class Load:
    """What the jobs of a scenario are like."""

    longest_ms: int = 200
    typical_ms: int = 0
    long_share: float = 0.0  # of jobs that take long_ms at least, and up to twice that
    long_ms: int = 1500
    longest_open_ms: int = 60
    poison: bool = False
    pause_seconds: float = 0.08


@dataclasses.dataclass(frozen=True)
class NewJob:
    ref: str
    type: str
    payload: str
    priority: int
    due_in_seconds: float
    max_attempts: int
    key: str | None


class Enqueuer(threading.Thread):
    """One client of one tenant. `hold` stops it for a while, `stop` for good."""

    def __init__(self, name: str, tenant_id: str, addresses: Addresses, history: History, seed: str,
                 load: Load) -> None:
        super().__init__(name=name)
        self._tenant_id = tenant_id
        self._addresses = addresses
        self._history = history
        self._random = random.Random(seed)
        self._load = load
        self._made = 0
        self._keyed: list[NewJob] = []
        self._connection: Any = None
        self.hold = threading.Event()
        self.stop = threading.Event()

    def run(self) -> None:
        ways = [self._single, self._batch, self._transaction, self._with_key]
        while not self.stop.wait(self._random.uniform(0, 2 * self._load.pause_seconds)):
            if not self.hold.is_set():
                self._random.choice(ways)()
        close_quietly(self._connection)

    # --- jobs ---

    def _job(self, keyed: bool = False) -> NewJob:
        rng, load = self._random, self._load
        self._made += 1
        ref = f"{self.name}-{self._made}"
        kinds = {"effect": 70, "plain": 29, "poison": 1 if load.poison else 0}
        kind = rng.choices(list(kinds), list(kinds.values()))[0]
        milliseconds = int(rng.triangular(0, load.longest_ms, load.typical_ms))
        if rng.random() < load.long_share:
            milliseconds = rng.randint(load.long_ms, 2 * load.long_ms)
        payload = {"ref": ref, "ms": milliseconds,
                   "open_ms": rng.choice([0, 0, rng.randint(0, load.longest_open_ms)]),
                   "stubborn": rng.choice([0, 1])}
        # Now, back-dated (a claim's floor must not hide it), or soon.
        due = rng.choice([0.0, 0.0, -rng.uniform(1, 3600), rng.uniform(0, 1.5)])
        attempts = 2 if rng.random() < 0.05 else HEALTHY_ATTEMPTS
        if kind == "poison":
            attempts = rng.choice([2, 4])  # the third and fourth are what quarantine is for
        return NewJob(ref, kind, json.dumps(payload), rng.randint(0, 3), due, attempts,
                      f"key-{ref}" if keyed else None)

    # --- ways to enqueue ---

    def _single(self) -> None:
        job = self._job()
        self._record([job], *self._attempt([job], "commit"))

    def _batch(self) -> None:
        jobs = [self._job() for _ in range(self._random.randint(2, 12))]
        self._record(jobs, *self._attempt(jobs, "batch"))

    def _transaction(self) -> None:
        jobs = [self._job() for _ in range(self._random.randint(1, 4))]
        end = "rollback" if self._random.random() < 0.3 else "commit"
        self._record(jobs, *self._attempt(jobs, end))

    def _with_key(self) -> None:
        """Repeats until it is answered, as a caller may who has a key; now and then an old key."""
        if self._keyed and self._random.random() < 0.3:
            job = self._random.choice(self._keyed)
        else:
            job = self._job(keyed=True)
            self._keyed.append(job)
        while True:
            outcome, ids = self._attempt([job], "commit")
            if self._random.random() < LOST_ANSWERS:
                outcome, ids = "unknown", [None]
            self._record([job], outcome, ids)
            if outcome == "acknowledged" or self.stop.wait(0.1):
                return

    def _attempt(self, jobs: list[NewJob], end: str) -> tuple[str, list[str | None]]:
        """One transaction: its outcome as far as this client can know, and the ids it was told."""
        ids: list[str | None] = [None] * len(jobs)
        outcome = "rolled_back"
        try:
            connection = self._open()
            with connection.cursor() as cursor:
                if end == "batch":
                    ids = self._enqueue_batch(cursor, jobs)
                else:
                    ids = [self._enqueue(cursor, job) for job in jobs]
            if end == "rollback":
                connection.rollback()
                return "rolled_back", ids
            outcome = "unknown"
            connection.commit()
            return "acknowledged", ids
        except psycopg2.Error as error:
            if not server_lost(error):
                self._history.write("finding", text=f"{self.name} was refused: {error.pgcode} {error}")
            close_quietly(self._connection)
            self._connection = None
            return outcome, ids

    def _enqueue(self, cursor: Any, job: NewJob) -> str:
        cursor.execute(SINGLE, (job.type, job.payload, job.priority, job.due_in_seconds, job.key,
                                job.max_attempts))
        return str(cursor.fetchone()[0])

    def _enqueue_batch(self, cursor: Any, jobs: list[NewJob]) -> list[str | None]:
        cursor.execute(BATCH, ([job.type for job in jobs], [job.payload for job in jobs],
                               [job.priority for job in jobs], [job.max_attempts for job in jobs]))
        return [str(row[0]) for row in cursor.fetchall()]

    def _open(self) -> Any:
        if self._connection is None:
            self._connection = self._addresses.connect("torture_gateway")
            with self._connection, self._connection.cursor() as cursor:
                cursor.execute("select set_config('app.tenant_id', %s, false)", (self._tenant_id,))
        return self._connection

    def _record(self, jobs: list[NewJob], outcome: str, ids: list[str | None]) -> None:
        self._history.write("enqueue", outcome=outcome, jobs=[
            {"ref": job.ref, "type": job.type, "key": job.key, "job_id": job_id}
            for job, job_id in zip(jobs, ids, strict=True)])
