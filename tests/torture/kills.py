"""Scenario `kills`: one server, many workers and clients, and everything dies now and then."""
import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg2

from arena import TENANTS, Arena, Verdict
from enqueuers import Load
from sql_client import close_quietly

MOST_WAITING = 300
CRASH_EVERY_SECONDS = 5.0
PAUSE_SECONDS = (0.1, 0.7)
LOAD = Load(poison=True, long_share=0.04)

# Sessions of workers and clients; the suite's own superuser is left alone.
TERMINATE = """
    select pg_terminate_backend(a.pid) from (
        select s.pid from pg_stat_activity s
        where s.datname = 'jobforge' and s.usename in ('torture_worker', 'torture_gateway')
        order by hashtext(s.pid::text || %s) limit %s) a"""
# How many of the jobs that a worker held run for somebody else now.
INHERITED = """
    select count(*) from jobforge.jobs j
    where j.job_id = any(%s::uuid[]) and j.status = 'RUNNING' and j.lease_owner <> %s"""
HELD = """
    select coalesce(array_agg(j.job_id::text), '{}') from jobforge.jobs j
    where j.status = 'RUNNING' and j.lease_owner = %s"""
BUSY_OWNERS = """
    select coalesce(array_agg(distinct j.lease_owner), '{}') from jobforge.jobs j
    where j.status = 'RUNNING' and (j.payload ->> 'ms')::integer >= %s"""
SOME_JOBS = """
    select j.job_id::text from jobforge.jobs j where j.tenant_id = %s
    order by hashtext(j.job_id::text || %s) limit %s"""


class Nemesis:
    """Chooses and does harm; every choice comes from the arena's seeded generator."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._crashed_at = time.monotonic()
        self._zombies: dict[str, list[str]] = {}  # frozen worker -> the jobs it holds
        self._actions: list[tuple[int, Callable[[], None]]] = [
            (30, self.kill_worker), (20, self.freeze_worker), (20, self.terminate_backends),
            (20, self.cancel_jobs), (20, self.crash_server), (10, self.hold_cancel), (10, self.switch_quota),
            (10, self.change_lease)]
        self._held: list[tuple[float, Any]] = []  # open transactions, and when to commit them

    def act(self) -> None:
        weights = [weight for weight, _ in self._actions]
        action = self._arena.rng.choices([action for _, action in self._actions], weights)[0]
        # A server that is just being restarted refuses; the next turn comes soon.
        with contextlib.suppress(psycopg2.Error):
            action()

    def kill_worker(self) -> None:
        if worker := self._arena.fleet.pick(self._arena.rng):
            self._arena.fleet.kill(worker)

    def freeze_worker(self) -> None:
        """Longer than its lease: others take its jobs, and it wakes as a zombie that knows nothing."""
        fleet = self._arena.fleet
        frozen = [worker for worker in fleet.workers if worker.frozen_until is not None]
        busy = self._arena.primary.one(BUSY_OWNERS, LOAD.long_ms)  # their heirs will be busy, too
        worker = fleet.pick(self._arena.rng, among=busy)
        if worker is not None and len(frozen) < 2:
            fleet.freeze(worker, fleet.lease_seconds * 2)
            self._zombies[worker.worker_id] = self._arena.primary.one(HELD, worker.worker_id)

    def wake_zombies(self) -> None:
        """A frozen worker whose job has an heir at work wakes now: a fence that holds only after the
        heir is done would go unnoticed. Others wake when their time is over."""
        for worker in self._arena.fleet.workers:
            held = self._zombies.get(worker.worker_id, [])
            if worker.frozen_until is not None and held:
                if self._arena.primary.one(INHERITED, held, worker.worker_id):
                    worker.frozen_until = 0.0

    def terminate_backends(self) -> None:
        rng = self._arena.rng
        self._arena.primary.one(f"select count(*) from ({TERMINATE}) t", str(rng.random()), rng.randint(1, 6))
        self._arena.history.write("nemesis", action="terminate_backends", target="primary")

    def crash_server(self) -> None:
        if time.monotonic() - self._crashed_at < CRASH_EVERY_SECONDS:
            return
        arena = self._arena
        whole_tree = arena.rng.random() < 0.5
        arena.history.write("nemesis", action="crash_server", target="primary", whole_tree=whole_tree)
        arena.primary.kill(whole_tree)
        arena.primary.start()
        self._crashed_at = time.monotonic()
        arena.history.write("nemesis", action="server_back", target="primary")

    def hold_cancel(self) -> None:
        """A cancel in a transaction that stays open: its rows are locked, and nothing else may wait."""
        arena = self._arena
        tenant = arena.rng.choice(TENANTS)
        ids = arena.primary.one(f"select array_agg(job_id) from ({SOME_JOBS}) j", tenant,
                                str(arena.rng.random()), arena.rng.randint(5, 30))
        connection = arena.addresses.connect("torture_gateway")
        with connection.cursor() as cursor:
            cursor.execute("select set_config('app.tenant_id', %s, true)", (tenant,))
            cursor.execute("select * from jobforge.cancel_jobs(%s::uuid[])", (ids or [],))
        self._held.append((time.monotonic() + arena.rng.uniform(0.5, 2 * arena.fleet.lease_seconds), connection))
        arena.history.write("nemesis", action="hold_cancel", target=tenant)

    def end_held(self, at_once: bool = False) -> None:
        """Commits what has been open for its time."""
        for due, connection in list(self._held):
            if at_once or time.monotonic() >= due:
                self._held.remove((due, connection))
                with contextlib.suppress(psycopg2.Error):
                    connection.commit()
                close_quietly(connection)

    def switch_quota(self) -> None:
        """A quota that is never met, on and off: the counters must be exact all the time."""
        arena = self._arena
        quota = arena.rng.choice(["null", "1000000"])
        arena.primary.one("select jobforge.set_tenant(%s, %s::jsonb)::text", arena.rng.choice(TENANTS),
                          f'{{"max_waiting_jobs": {quota}}}')
        arena.history.write("nemesis", action="switch_quota", target=quota)

    def change_lease(self) -> None:
        """A new lease length of a type under load holds from the next claim on."""
        arena = self._arena
        lease = arena.rng.choice(["null", "2", "8"])
        arena.primary.one("select jobforge.set_job_type('effect', %s::jsonb)::text",
                          f'{{"lease_seconds": {lease}}}')
        arena.history.write("nemesis", action="change_lease", target=lease)

    def cancel_jobs(self) -> None:
        arena = self._arena
        tenant = arena.rng.choice(TENANTS)
        connection = arena.addresses.connect("torture_gateway")
        try:
            with arena.primary.connect() as admin, admin.cursor() as cursor:
                cursor.execute(SOME_JOBS, (tenant, str(arena.rng.random()), arena.rng.randint(1, 4)))
                ids = [row[0] for row in cursor.fetchall()]
            admin.close()
            with connection, connection.cursor() as cursor:
                cursor.execute("select set_config('app.tenant_id', %s, true)", (tenant,))
                cursor.execute("select * from jobforge.cancel_jobs(%s::uuid[])", (ids,))
            arena.history.write("nemesis", action="cancel_jobs", target=ids)
        finally:
            close_quietly(connection)


def kills(arena: Arena, seconds: float) -> Verdict:
    """Nothing acknowledged is lost and nothing happens twice, whatever dies when."""
    for _ in range(4):
        arena.fleet.add_native()
    for number in range(2):
        arena.fleet.add_sql(f"{arena.seed}/sql{number}")
    arena.start_load(4, LOAD)
    nemesis = Nemesis(arena)
    pause = threading.Event()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        pause.wait(arena.rng.uniform(*PAUSE_SECONDS))
        nemesis.act()
        with contextlib.suppress(psycopg2.Error):
            nemesis.wake_zombies()
            arena.hold_load(arena.unfinished(arena.primary) > MOST_WAITING)
        nemesis.end_held()
        arena.fleet.tend()
    nemesis.end_held(at_once=True)
    return arena.finish(arena.primary)
