"""Scenario `full_disk`: the server's disk has no space left while everybody works."""
import contextlib
import time

import psycopg2

from arena import Arena, Verdict
from enqueuers import Load
from failovers import all_busy, first_effects, mixed_workers, under_load
from processes import wait_until

DISK_MEGABYTES = 384
FULL_SECONDS = 30.0
# Recovery, a session that is made again, and the backoff of a job that was refused.
RESUME_SECONDS = 20.0
NO_SPACE = "No space left on device"


def refused(arena: Arena, level: str) -> bool:
    """Whether the server's log has a line of this level about the full disk."""
    return any(f"{level}:" in line and NO_SPACE in line for line in arena.primary.log_lines())


def expect_refusals(arena: Arena) -> None:
    """Tables cannot grow: statements fail with 53100, and their sessions live on."""
    if not wait_until(lambda: refused(arena, "ERROR") or refused(arena, "PANIC"), FULL_SECONDS):
        arena.finding("full disk: the server refuses nothing")


def exhaust_wal(arena: Arena) -> None:
    """Uses up the segments that were there before. The one that cannot be made is a PANIC: all sessions
    end, and the server recovers by itself or, if recovery needs a segment too, goes down."""
    def panicked() -> bool:
        with contextlib.suppress(psycopg2.Error):
            arena.primary.one("select pg_switch_wal()::text")
        return refused(arena, "PANIC")

    arena.history.write("nemesis", action="exhaust_wal", target="primary")
    if not wait_until(panicked, FULL_SECONDS):
        arena.finding("full disk: the server makes WAL without space")


def expect_all_resumed(arena: Arena, freed_at: float) -> None:
    """Every worker completes a job again, without anybody's help."""
    wanted = {worker.worker_id for worker in arena.fleet.workers}

    def resumed() -> dict[str, float]:
        with contextlib.suppress(psycopg2.Error):
            return first_effects(arena.primary, freed_at)
        return {}

    wait_until(lambda: wanted <= set(resumed()), freed_at + RESUME_SECONDS - time.time())
    found = resumed()
    if missing := sorted(wanted - set(found)):
        arena.finding(f"full disk: {', '.join(missing)} completed nothing within {RESUME_SECONDS} s after "
                      "there was space and a server again")
    else:
        arena.measured("every worker has completed a job after the disk was full",
                       max(found[worker] for worker in wanted) - freed_at)


def full_disk(arena: Arena, seconds: float) -> Verdict:
    """Tables cannot grow, then WAL cannot. What was acknowledged before and between is there afterwards."""
    disk = arena.move_primary_to_disk(DISK_MEGABYTES)
    workers = mixed_workers(arena, 3)
    arena.start_load(3, Load())
    all_busy(arena, workers)
    under_load(arena, seconds)
    processes = [worker.process for worker in workers]
    arena.history.write("nemesis", action="fill_disk", target="primary")
    disk.fill()
    expect_refusals(arena)
    under_load(arena, seconds / 2)
    exhaust_wal(arena)
    under_load(arena, seconds / 2)
    disk.free()
    arena.history.write("nemesis", action="free_disk", target="primary")
    arena.primary.revive()
    expect_all_resumed(arena, time.time())
    if ended := [worker.worker_id for worker, process in zip(workers, processes, strict=True)
                 if process.poll() is not None]:
        arena.finding(f"full disk: {', '.join(ended)} ended instead of waiting for space")
    return arena.finish(arena.primary)
