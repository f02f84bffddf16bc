"""Scenarios with a primary that goes away in different ways and a standby that takes its place."""
import dataclasses
import signal
import time

from arena import Arena, Verdict
from cluster import Server
from enqueuers import Load
from fleet import DRAIN_GRACE_SECONDS, DRAIN_MARGIN_SECONDS, Worker
from processes import send, wait_until
from sql_client import Addresses

BUSY_SECONDS = 60.0
# The goal of the workers' part of a failover from a primary that is gone: connecting, claiming, completing. Each
# round is judged (checker.missed_goals), with more time on a machine that is starved, up to the bound.
GOAL_SECONDS = 2.0
FIRST_COMPLETION_SECONDS = 10.0
LONGEST_OUTAGE_SECONDS = 12.0
# A hang is only found out by a deadline, so this takes longer than a broken connection.
MOVE_SECONDS = 15.0


def pair(arena: Arena, synchronous: bool) -> None:
    arena.primary.make_standby(arena.standby)
    if synchronous:
        arena.primary.require_standby()


def first_effects(server: Server, since: float) -> dict[str, float]:
    """Worker -> when it first completed an `effect` job on this server after `since`."""
    rows = server.one("select coalesce(jsonb_object_agg(w.worker, w.first), '{}') from ("
                      "select e.worker, extract(epoch from min(e.written_at)) as first from public.effects e "
                      "where e.written_at > to_timestamp(%s) group by e.worker) w", since)
    return {worker: float(first) for worker, first in rows.items()}


def ids(workers: list[Worker]) -> set[str]:
    return {worker.worker_id for worker in workers}


def all_busy(arena: Arena, workers: list[Worker]) -> None:
    """Until every worker has completed something: from here a fault hits all of them at work."""
    if not wait_until(lambda: ids(workers) <= set(first_effects(arena.primary, 0)), BUSY_SECONDS):
        arena.finding("start: not every worker completes jobs before the fault")


def under_load(arena: Arena, seconds: float) -> None:
    """Goes on for a while, so that the fault comes at no special moment."""
    deadline = time.monotonic() + arena.rng.uniform(0.2, 0.5) * seconds
    wait_until(lambda: time.monotonic() > deadline, seconds)


def outage(arena: Arena) -> None:
    """Nobody takes over for a while, as it is in practice: clients' waits between tries have grown."""
    ends = time.monotonic() + arena.rng.uniform(0, LONGEST_OUTAGE_SECONDS)
    wait_until(lambda: time.monotonic() > ends, LONGEST_OUTAGE_SECONDS)


def promote(arena: Arena, durable_until: float | None = None) -> float:
    """The standby takes over. Answers when it had committed something: up to there is the server's part."""
    arena.history.write("nemesis", action="failover", target="standby", durable_until=durable_until)
    began = time.time()
    arena.standby.promote()
    arena.standby.one("select pg_logical_emit_message(true, 'torture', 'promoted')::text")
    promoted_at = time.time()
    arena.history.write("nemesis", action="promoted", target="standby")
    arena.measured("promotion, up to a first commit", promoted_at - began)
    return promoted_at


def expect_first_completion(arena: Arena, promoted_at: float, limit: float, goal: float | None = None) -> None:
    """Of a worker of the library: the suite's own SQL worker proves nothing about reconnecting."""
    def first() -> float | None:
        found = arena.standby.one("select extract(epoch from min(f.completed_at))::float8 "
                                  "from jobforge.finished_jobs f where f.lease_owner like 'native-%%' "
                                  "and f.status = 'SUCCEEDED' and f.completed_at > to_timestamp(%s)",
                                  promoted_at)
        return None if found is None else float(found)

    if wait_until(lambda: first() is not None, promoted_at + limit - time.time(), every=0.02):
        what, at = "first completion after the promotion", first() or promoted_at
        if goal is None:
            arena.measured(what, at - promoted_at)
        else:
            arena.measured_by_goal(what, promoted_at, at, goal)
    else:
        arena.finding(f"failover: no worker of the library completed a job within {limit} s of the promotion")


def expect_all_moved(arena: Arena, workers: list[Worker], promoted_at: float) -> None:
    """Every worker of the library has completed a job on the new primary in time."""
    wanted = {worker.worker_id for worker in workers if worker.kind == "native"}

    def missing() -> set[str]:
        return wanted - set(first_effects(arena.standby, promoted_at))

    wait_until(lambda: not missing(), promoted_at + MOVE_SECONDS - time.time())
    moved = first_effects(arena.standby, promoted_at)
    late = sorted(worker for worker in wanted
                  if moved.get(worker, float("inf")) > promoted_at + MOVE_SECONDS)
    if late:
        arena.finding(f"failover: {', '.join(late)} completed nothing on the new primary within "
                      f"{MOVE_SECONDS} s of the promotion")
    else:
        arena.measured("every worker has completed a job on the new primary",
                       max(moved[worker] for worker in wanted) - promoted_at)


def mixed_workers(arena: Arena, native: int, slots: int = 4) -> list[Worker]:
    workers = [arena.fleet.add_native(slots) for _ in range(native)]
    return [*workers, arena.fleet.add_sql(f"{arena.seed}/sql")]


def sync_failover(arena: Arena, seconds: float) -> Verdict:
    """The primary dies with all its processes. Every acknowledged commit is on the standby."""
    pair(arena, synchronous=True)
    workers = mixed_workers(arena, 3)
    arena.start_load(3, Load())
    all_busy(arena, workers)
    under_load(arena, seconds)
    arena.primary.kill()
    outage(arena)
    promoted_at = promote(arena)
    expect_first_completion(arena, promoted_at, FIRST_COMPLETION_SECONDS, GOAL_SECONDS)
    expect_all_moved(arena, workers, promoted_at)
    return arena.finish(arena.standby)


def async_failover(arena: Arena, seconds: float) -> Verdict:
    """The standby lacks the last claims, completions and enqueues when it takes over.

    Long handlers run across the failover: the new primary gives their jobs out again, often to the same
    worker (more slots than jobs: one is free at once) and under the same token, while the first run still
    works. Only one of the two may commit.
    """
    pair(arena, synchronous=False)
    # Renewals are rare, as they are with the default lease of a minute: a renewal that comes before the
    # job is claimed again would stop the first run.
    arena.fleet.lease_seconds = 12
    arena.start_load(2, Load(longest_ms=4500, typical_ms=2500, longest_open_ms=100))
    if not wait_until(lambda: arena.unfinished(arena.primary) >= 30, BUSY_SECONDS):
        arena.finding("start: the clients do not enqueue")
    durable_until = time.time()
    arena.primary.wait_for_replay(arena.standby)
    arena.standby.stop_receiving()
    arena.history.write("nemesis", action="cut_standby", target="standby")
    mixed_workers(arena, 2, slots=30)
    lost = "select count(*) from public.effects"
    running = "select count(*) from jobforge.jobs where status = 'RUNNING'"
    if not wait_until(lambda: arena.primary.one(lost) >= 3 and arena.primary.one(running) >= 15,
                      BUSY_SECONDS):
        arena.finding("start: no completions and running jobs to be lost")
    arena.primary.kill()
    promoted_at = promote(arena, durable_until)
    expect_first_completion(arena, promoted_at, FIRST_COMPLETION_SECONDS)
    arena.stop_load()
    return arena.finish(arena.standby)


@dataclasses.dataclass
class Stopping:
    """A worker that was sent SIGTERM, and when."""

    worker: Worker
    sent_at: float

    @staticmethod
    def send(worker: Worker) -> "Stopping":
        send(worker.process.pid, signal.SIGTERM)
        return Stopping(worker, time.monotonic())

    def expect_end(self, arena: Arena) -> None:
        left = self.sent_at + DRAIN_GRACE_SECONDS + DRAIN_MARGIN_SECONDS - time.monotonic()
        if wait_until(lambda: not self.worker.running(), left):
            arena.measured("SIGTERM of a worker of the hung primary", time.monotonic() - self.sent_at)
        else:
            arena.finding(f"drain: {self.worker.worker_id} faces a hung primary and does not end within "
                          f"its grace of {DRAIN_GRACE_SECONDS} s")
        arena.fleet.retire(self.worker)


def hung_primary(arena: Arena, seconds: float) -> Verdict:
    """The primary stops answering and breaks no connection. Nobody but the clients' deadlines can tell."""
    pair(arena, synchronous=True)
    workers = mixed_workers(arena, 2)
    stuck = arena.fleet.add_native(addresses=Addresses((arena.primary.port,)))
    arena.start_load(3, Load())
    all_busy(arena, [*workers, stuck])
    under_load(arena, seconds)
    arena.history.write("nemesis", action="freeze_server", target="primary")
    arena.primary.freeze()
    stopping = Stopping.send(stuck)
    promoted_at = promote(arena)
    stopping.expect_end(arena)
    expect_first_completion(arena, promoted_at, MOVE_SECONDS)
    expect_all_moved(arena, workers, promoted_at)
    return arena.finish(arena.standby)


def fenced_primary(arena: Arena, seconds: float) -> Verdict:
    """The old primary stays up and refuses writes: its sessions work on and can commit nothing."""
    pair(arena, synchronous=True)
    workers = mixed_workers(arena, 3)
    arena.start_load(3, Load())
    all_busy(arena, workers)
    under_load(arena, seconds)
    arena.history.write("nemesis", action="fence_server", target="primary")
    arena.primary.fence()
    arena.primary.wait_for_replay(arena.standby)
    promoted_at = promote(arena)
    expect_first_completion(arena, promoted_at, MOVE_SECONDS)
    expect_all_moved(arena, workers, promoted_at)
    return arena.finish(arena.standby)
