"""Scenario `frozen_claims`: a worker is frozen while large payloads of its claim are being sent to it."""
import contextlib
import dataclasses
import json
import pathlib
import time

from arena import TENANTS, Arena, Verdict
from checker import HEALTHY_ATTEMPTS
from enqueuers import Load
from fleet import Worker
from processes import wait_until
from sql_client import Addresses

JOBS = 8
# More than the kernel buffers for a client that does not read (4 MB over TCP). Payloads over 256 KiB are
# artifacts, so a lock on that table holds up whoever reads them, and nobody else.
PAYLOAD_BYTES = 6_000_000
VICTIM_SLOTS = 16  # a tenant gets 0.8 of them: JOBS fit in
REACH_SECONDS = 30.0
# What a shared machine adds: two processes start, and interrupted jobs run few at a time.
MARGIN_SECONDS = 12.0

# Small payloads come with the claim; each large one is read by the thread that runs its job.
SESSIONS = """select count(*) from pg_stat_activity a where a.datname = 'jobforge'
    and a.application_name in ('jobforge worker dispatcher', 'jobforge worker handler')"""
WAITS_FOR_LOCK = f"{SESSIONS} and a.wait_event_type = 'Lock'"
SENDING = f"{SESSIONS} and a.wait_event = 'ClientWrite'"
# A claim that has not committed has a transaction id, and its rows are locked by it.
UNCOMMITTED = f"{SENDING} and a.backend_xid is not null"
OPEN_JOBS = "select count(*) from jobforge.jobs j where j.job_id = any(%s::uuid[])"
BY_OTHERS = """
    select count(*) from jobforge.finished_jobs f
    where f.job_id = any(%s::uuid[]) and f.status = 'SUCCEEDED' and f.lease_owner <> %s"""
# The jobs of the victim take JOBS places of the limit; the rest is for everybody else.
LIMITED = json.dumps({"concurrency_limit": JOBS + 4})


@dataclasses.dataclass(frozen=True)
class SocketAddress(Addresses):
    """The server's Unix socket. The server cannot tell a frozen client there from a slow one: other workers
    end its session (end_frozen_sessions), not tcp_user_timeout."""

    folder: pathlib.Path

    def url(self, user: str) -> str:
        return f"postgresql:///jobforge?host={self.folder}&port={self.ports[0]}&user={user}"


def enqueue_large(arena: Arena, name: str) -> list[str]:
    """JOBS acknowledged jobs of one tenant, in one transaction. Answers their ids."""
    ids: list[str] = []
    jobs = []
    with contextlib.closing(arena.addresses.connect("torture_gateway")) as connection:
        with connection, connection.cursor() as cursor:
            cursor.execute("select set_config('app.tenant_id', %s, true)", (TENANTS[0],))
            for number in range(JOBS):
                ref = f"{name}-{number}"
                payload = {"ref": ref, "ms": 10, "filler": ref + "x" * PAYLOAD_BYTES}
                cursor.execute("select job_id::text from jobforge.enqueue_job(p_type => 'effect', "
                               "p_payload => %s, p_max_attempts => %s)",
                               (json.dumps(payload), HEALTHY_ATTEMPTS))
                ids.append(cursor.fetchone()[0])
                jobs.append({"ref": ref, "type": "effect", "key": None, "job_id": ids[-1]})
    arena.history.write("enqueue", outcome="acknowledged", jobs=jobs)
    return ids


def freeze_while_sending(arena: Arena, addresses: Addresses) -> Worker:
    """A worker alone with the jobs, frozen before it reads their payloads; then the server sends them."""
    server = arena.primary
    with contextlib.closing(server.connect()) as lock:
        with lock.cursor() as cursor:
            cursor.execute("lock table jobforge.artifacts in access exclusive mode")
        victim = arena.fleet.add_native(VICTIM_SLOTS, addresses)
        if not wait_until(lambda: server.one(WAITS_FOR_LOCK) > 0, REACH_SECONDS, every=0.02):
            arena.finding("start: no worker reads the payloads of a claim")
        arena.fleet.freeze(victim, 2 * REACH_SECONDS + MARGIN_SECONDS)
        lock.rollback()
    sending_at = time.monotonic()
    if not wait_until(lambda: server.one(SENDING) > 0, arena.fleet.lease_seconds / 2, every=0.01):
        arena.finding("start: no payload is being sent to the frozen worker")
    arena.measured("a payload waits for the frozen worker after", time.monotonic() - sending_at)
    return victim


def expect_nothing_held(arena: Arena) -> None:
    """The claim has committed before its payloads are sent: no job and no type is locked by it."""
    if arena.primary.one(UNCOMMITTED):
        arena.finding("claim: a transaction is open while a payload is sent to a frozen worker")
    with contextlib.closing(arena.primary.connect()) as connection, connection.cursor() as cursor:
        cursor.execute("select 1 from jobforge.job_types t where t.type = 'effect' "
                       "for no key update skip locked")
        if cursor.fetchone() is None:
            arena.finding("claim: the type is locked while a payload is sent to a frozen worker")


def expect_heirs(arena: Arena, victim: Worker, ids: list[str], frozen_at: float) -> None:
    """Others complete the jobs after one lease, while the victim is still frozen."""
    limit = arena.fleet.lease_seconds + MARGIN_SECONDS
    done = wait_until(lambda: arena.primary.one(BY_OTHERS, ids, victim.worker_id) == len(ids),
                      frozen_at + limit - time.monotonic())
    if done:
        arena.measured("others have completed the frozen worker's jobs", time.monotonic() - frozen_at)
    else:
        arena.finding(f"frozen: {arena.primary.one(OPEN_JOBS, ids)} of {len(ids)} jobs of a frozen worker "
                      f"are not completed by others within {limit} s, its lease being "
                      f"{arena.fleet.lease_seconds} s")


def expect_type_runs(arena: Arena, since: float) -> None:
    """Small jobs of the same limited type run before the lease of the large ones is over."""
    small = "select count(*) from public.effects e where e.written_at > to_timestamp(%s)"
    if wait_until(lambda: arena.primary.one(small, since) > 0, arena.fleet.lease_seconds, every=0.02):
        arena.measured("the limited type runs beside the frozen claim", time.time() - since)
    else:
        arena.finding("frozen: nobody runs a job of the limited type while a claim of it is frozen")


def freeze_one_claim(arena: Arena, name: str, addresses: Addresses) -> None:
    ids = enqueue_large(arena, name)
    victim = freeze_while_sending(arena, addresses)
    frozen_at, since = time.monotonic(), time.time()
    expect_nothing_held(arena)
    for _ in range(2):
        arena.fleet.add_native()
    arena.hold_load(False)
    expect_type_runs(arena, since)
    expect_heirs(arena, victim, ids, frozen_at)
    arena.fleet.tend(thaw_all=True)  # the zombie wakes beside its heirs, under load


def leave_nobody(arena: Arena) -> None:
    """The next victim must be alone with its jobs."""
    arena.hold_load(True)
    if not wait_until(lambda: arena.unfinished(arena.primary) == 0, REACH_SECONDS):
        arena.finding("frozen: the jobs are not all done after the frozen worker woke")
    for worker in list(arena.fleet.workers):
        arena.fleet.retire(worker)


def frozen_claims(arena: Arena, seconds: float) -> Verdict:
    """A frozen worker keeps its jobs for one lease at most, and a limited type runs on for all others."""
    arena.primary.one("select jobforge.set_job_type('effect', %s::jsonb)::text", LIMITED)
    arena.start_load(2, Load(longest_ms=50), held=True)
    ways = [("tcp", arena.addresses), ("socket", SocketAddress((arena.primary.port,), arena.primary.folder))]
    arena.rng.shuffle(ways)
    deadline = time.monotonic() + seconds
    for number, (name, addresses) in enumerate(ways):
        if number > 0:
            leave_nobody(arena)
        freeze_one_claim(arena, name, addresses)
    wait_until(lambda: time.monotonic() > deadline, seconds)
    return arena.finish(arena.primary)
