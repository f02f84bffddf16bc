"""What every scenario needs: servers, worker processes, clients, a history, and the judge at the end."""
import contextlib
import dataclasses
import os
import pathlib
import random
import shutil
import subprocess
from collections.abc import Iterator

import psycopg2

import checker
import history
from cluster import Cluster, Server
from disks import Disk
from enqueuers import Enqueuer, Load
from fleet import Fleet
from history import History
from processes import wait_until
from pulse import Pulse
from sql_client import Addresses
from state import FinalState, read_state

TENANTS = ("aaaaaaaa-0000-4000-8000-000000000001", "aaaaaaaa-0000-4000-8000-000000000002")
LEASE_SECONDS = 3
FINISH_SECONDS = 60.0

# The second tenant has a quota it never meets, so its waiting jobs are counted. No unique constraint on
# effects: a job's second effect must be stored, so that it can be seen.
FIXTURES = """
    create role torture_worker login in role jobforge_worker;
    create role torture_gateway login in role jobforge_gateway;
    create table public.effects (effect_id bigint generated always as identity primary key,
        job_id uuid not null, lease_token bigint not null, worker text not null, attempt integer not null,
        written_at timestamptz not null default clock_timestamp());
    grant insert on public.effects to jobforge_worker;
    select jobforge.create_tenant('unlimited', %s);
    select jobforge.create_tenant('counted', %s);
    select jobforge.set_tenant(%s, '{"max_waiting_jobs": 1000000}');
    select jobforge.set_job_type(t, '{"backoff_jitter": 0}') from unnest(array['effect', 'plain', 'poison']) t;
"""


@dataclasses.dataclass(frozen=True)
class Settings:
    """What is the same for all scenarios of a run."""

    build: pathlib.Path
    patch: pathlib.Path | None  # SQL for the fresh schema: breaks it on purpose
    keep: bool

    @property
    def kept(self) -> pathlib.Path:
        """Where histories and logs are; a scenario that passed leaves nothing unless `keep`."""
        return self.build / "torture"


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What came of one scenario."""

    scenario: str
    violations: list[str]
    events: list[history.Event]
    state: FinalState
    folder: pathlib.Path


def prepare(settings: Settings, server: Server) -> None:
    """The schema, as `jobforge migrate` makes it, and the suite's own rows."""
    url = f"postgresql:///jobforge?host={server.folder}&port={server.port}&user=postgres"
    subprocess.run([settings.build / "jobforge", "migrate"], env=dict(os.environ, DATABASE_URL=url),
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with contextlib.closing(server.connect()) as connection, connection, connection.cursor() as cursor:
        cursor.execute(FIXTURES, (TENANTS[0], TENANTS[1], TENANTS[1]))
        if settings.patch is not None:
            cursor.execute(settings.patch.read_text(encoding="utf-8"))


class Arena:
    """One run of one scenario."""

    def __init__(self, settings: Settings, template: Server, scenario: str, seed: str) -> None:
        self.scenario = scenario
        self.rng = random.Random(f"{seed}/{scenario}")
        self.seed = f"{seed}/{scenario}"
        self.folder = settings.kept / scenario
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.history = History(self.folder / "history.jsonl")
        self._settings = settings
        self._template = template
        self._enqueuers: list[Enqueuer] = []
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> "Arena":
        with contextlib.ExitStack() as stack:
            stack.callback(self.history.close)
            self.pulse = Pulse()
            self.pulse.start()
            stack.callback(self.pulse.close)
            self.cluster = stack.enter_context(Cluster(self.folder))
            self.primary = self.cluster.copy(self._template, "primary")
            self.standby = self.cluster.server("standby")
            self.addresses = Addresses((self.primary.port, self.standby.port))
            program = self._settings.build / "tests" / "jobforge_torture_worker"
            self.fleet = Fleet(program, self.addresses, self.history, self.folder, LEASE_SECONDS)
            stack.callback(self.fleet.close)
            stack.callback(self.stop_load)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._stack.close()

    def move_primary_to_disk(self, megabytes: int) -> Disk:
        return self.cluster.move_to_disk(self.primary, megabytes)

    # --- load ---

    def start_load(self, clients: int, load: Load, held: bool = False) -> None:
        for number in range(clients):
            name = f"client{len(self._enqueuers) + 1}"
            enqueuer = Enqueuer(name, TENANTS[number % len(TENANTS)], self.addresses, self.history,
                                f"{self.seed}/{name}", load)
            self._enqueuers.append(enqueuer)
            if held:
                enqueuer.hold.set()
            enqueuer.start()

    def hold_load(self, hold: bool) -> None:
        for enqueuer in self._enqueuers:
            (enqueuer.hold.set if hold else enqueuer.hold.clear)()

    def stop_load(self) -> None:
        """Ends the clients; each writes down the outcome of what it has under way."""
        for enqueuer in self._enqueuers:
            enqueuer.stop.set()
        for enqueuer in self._enqueuers:
            enqueuer.join()
        self._enqueuers.clear()

    # --- what a scenario sees ---

    def finding(self, text: str) -> None:
        self.history.write("finding", text=text)

    def measured(self, what: str, seconds: float) -> None:
        self.history.write("measured", what=what, seconds=seconds)

    def measured_by_goal(self, what: str, since: float, until: float, goal: float) -> None:
        """The checker judges it."""
        self.history.write("measured", what=what, seconds=max(0.0, until - since), goal=goal,
                           starved=self.pulse.starved(since, until))

    def unfinished(self, server: Server) -> int:
        return int(server.one("select count(*) from jobforge.jobs"))

    # --- the end ---

    def finish(self, server: Server, seconds: float = FINISH_SECONDS) -> Verdict:
        """Waits until the survivor has no job left, ends the workers, and judges."""
        def all_done() -> bool:
            self.fleet.tend(thaw_all=True)  # poison still kills
            with contextlib.suppress(psycopg2.Error):
                return self.unfinished(server) == 0
            return False

        self.stop_load()
        wait_until(all_done, seconds, every=0.2)
        for text in self.fleet.drain():
            self.finding(text)
        with contextlib.closing(server.connect()) as connection:
            state = read_state(connection)
        state.save(self.folder / "state.json")
        events = history.read(self.history.path)
        return Verdict(self.scenario, checker.judge(events, state), events, state, self.folder)


@contextlib.contextmanager
def template_server(settings: Settings) -> Iterator[Server]:
    """A stopped server with the schema, to be copied by every scenario."""
    logs = settings.kept / "template"
    logs.mkdir(parents=True, exist_ok=True)
    with Cluster(logs) as cluster:
        yield cluster.fresh("template", lambda server: prepare(settings, server))
    shutil.rmtree(logs)
