"""The rows that the checker judges by: read from the server that survived, or from a file."""
import dataclasses
import json
import pathlib
from typing import Any


@dataclasses.dataclass(frozen=True)
class JobRow:
    """A row of jobs or finished_jobs. `ref` is the name its enqueuer chose for it, in the payload."""

    table: str
    tenant_id: str
    job_id: str
    type: str
    status: str
    attempts: int
    max_attempts: int
    lease_token: int
    ref: str | None = None
    idempotency_key: str | None = None


@dataclasses.dataclass(frozen=True)
class EffectRow:
    job_id: str
    lease_token: int
    worker: str
    attempt: int


@dataclasses.dataclass(frozen=True)
class AttemptRow:
    job_id: str
    lease_token: int
    attempt_no: int
    started_at: float
    worker: str = ""
    outcome: str = ""
    ended_at: float | None = None  # None: it runs


@dataclasses.dataclass(frozen=True)
class WaitingRow:
    """What the engine counts as a tenant's waiting jobs, and what there is."""

    tenant_id: str
    stored: int
    counted: int


@dataclasses.dataclass(frozen=True)
class FinalState:
    jobs: list[JobRow]
    effects: list[EffectRow]
    attempts: list[AttemptRow]
    waiting: list[WaitingRow]

    def save(self, path: pathlib.Path) -> None:
        path.write_text(json.dumps(dataclasses.asdict(self), indent=1) + "\n", encoding="utf-8")

    @staticmethod
    def load(path: pathlib.Path) -> "FinalState":
        data = json.loads(path.read_text(encoding="utf-8"))
        return FinalState([JobRow(**row) for row in data["jobs"]],
                          [EffectRow(**row) for row in data["effects"]],
                          [AttemptRow(**row) for row in data["attempts"]],
                          [WaitingRow(**row) for row in data["waiting"]])


# The two tables and not the view all_jobs: a job that is in both must be seen in both.
JOBS = """
    select {table!r}, t.tenant_id::text, t.job_id::text, t.type, t.status, t.attempts, t.max_attempts,
        t.lease_token, t.payload ->> 'ref', t.idempotency_key
    from jobforge.{table} t"""
EFFECTS = "select e.job_id::text, e.lease_token, e.worker, e.attempt from public.effects e"
ATTEMPTS = """
    select a.job_id::text, a.lease_token, a.attempt_no, extract(epoch from a.started_at)::float8,
        a.worker_id, a.outcome, extract(epoch from a.ended_at)::float8
    from jobforge.job_attempts a where a.started_at is not null"""
# What the engine believes a tenant has waiting, beside what there is: once a sum of differences, before
# that a column of tenant_usage.
COUNTED = "(select count(*) from jobforge.jobs j where j.tenant_id = t.tenant_id and j.status = 'QUEUED')"
HAS_SUMS = "select to_regprocedure('jobforge.tenant_waiting(uuid)') is not null"
WAITING_BY_SUMS = f"""
    select t.tenant_id::text, w.jobs, {COUNTED}
    from jobforge.tenants t cross join lateral jobforge.tenant_waiting(t.tenant_id) w"""
WAITING_BY_COLUMN = f"select t.tenant_id::text, t.waiting_jobs, {COUNTED} from jobforge.tenant_usage t"


def read_state(connection: Any) -> FinalState:
    """One snapshot of everything, by a superuser's connection (it sees all tenants)."""
    def rows(sql: str) -> list[tuple[Any, ...]]:
        cursor.execute(sql)
        return list(cursor.fetchall())

    with connection, connection.cursor() as cursor:
        cursor.execute("set transaction isolation level repeatable read")
        waiting = WAITING_BY_SUMS if rows(HAS_SUMS)[0][0] else WAITING_BY_COLUMN
        jobs = rows(JOBS.format(table="jobs")) + rows(JOBS.format(table="finished_jobs"))
        return FinalState([JobRow(*row) for row in jobs],
                          [EffectRow(*row) for row in rows(EFFECTS)],
                          [AttemptRow(*row) for row in rows(ATTEMPTS)],
                          [WaitingRow(*row) for row in rows(waiting)])
