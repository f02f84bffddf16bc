"""The worker processes of a scenario: C++ ones of the library and plain-SQL ones in Python."""
import dataclasses
import pathlib
import random
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator

from history import History
from processes import send, spawn, wait_until
from sql_client import Addresses

# kDrainGrace of torture_worker_main.cc, and what starting and ending a process may add on a loaded machine.
DRAIN_GRACE_SECONDS = 5.0
DRAIN_MARGIN_SECONDS = 1.0
# A process that has just been started does not handle SIGTERM yet.
STARTUP_SECONDS = 2.0


@dataclasses.dataclass
class Worker:
    """One worker id and the process that runs under it now."""

    worker_id: str
    kind: str
    command: list[object]
    process: subprocess.Popen[bytes]
    started_at: float
    frozen_until: float | None = None

    def running(self) -> bool:
        return self.process.poll() is None


class Fleet:
    """Starts workers, and starts them again under the same id as a supervisor does."""

    def __init__(self, program: pathlib.Path, addresses: Addresses, history: History,
                 logs: pathlib.Path, lease_seconds: int) -> None:
        self._program = program
        self._addresses = addresses
        self._history = history
        self._logs = logs
        self.lease_seconds = lease_seconds
        self.workers: list[Worker] = []
        self._added = 0

    def add_native(self, slots: int = 4, addresses: Addresses | None = None) -> Worker:
        worker_id = self._next_id("native")
        url = (addresses or self._addresses).url("torture_worker")
        return self._add(worker_id, "native", [self._program, url, worker_id, self.lease_seconds, slots,
                                               self._history.path])

    def add_sql(self, seed: str, slots: int = 2) -> Worker:
        worker_id = self._next_id("sql")
        script = pathlib.Path(__file__).parent / "sql_worker.py"
        ports = ",".join(str(port) for port in self._addresses.ports)
        return self._add(worker_id, "sql", [sys.executable, "-B", script, ports, worker_id,
                                            self.lease_seconds, slots, self._history.path, seed])

    def _next_id(self, kind: str) -> str:
        self._added += 1
        return f"{kind}-{self._added}"

    def _add(self, worker_id: str, kind: str, command: list[object]) -> Worker:
        process = spawn(command, self._logs / f"{worker_id}.log")
        worker = Worker(worker_id, kind, command, process, time.monotonic())
        self.workers.append(worker)
        return worker

    def kill(self, worker: Worker) -> None:
        send(worker.process.pid, signal.SIGKILL)
        worker.process.wait()
        worker.frozen_until = None
        self._history.write("nemesis", action="kill_worker", target=worker.worker_id)

    def freeze(self, worker: Worker, seconds: float) -> None:
        send(worker.process.pid, signal.SIGSTOP)
        worker.frozen_until = time.monotonic() + seconds
        self._history.write("nemesis", action="freeze_worker", target=worker.worker_id, seconds=seconds)

    def tend(self, thaw_all: bool = False) -> None:
        """Thaws whom it is time for and starts again who died."""
        for worker in self.workers:
            if worker.frozen_until is not None and (thaw_all or time.monotonic() >= worker.frozen_until):
                send(worker.process.pid, signal.SIGCONT)
                worker.frozen_until = None
                self._history.write("nemesis", action="thaw_worker", target=worker.worker_id)
            if not worker.running():
                self._restart(worker)

    def _restart(self, worker: Worker) -> None:
        """Kills by the nemesis and by poison, and ends for want of a server, are expected."""
        if worker.process.returncode in (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS):
            self._history.write("finding", text=f"crash: {worker.worker_id} died of signal "
                                                f"{-worker.process.returncode}")
        worker.process = spawn(worker.command, self._logs / f"{worker.worker_id}.log")
        worker.started_at = time.monotonic()

    def pick(self, rng: random.Random, among: Collection[str] = ()) -> Worker | None:
        """A worker that runs and is not frozen, one of `among` if there is any of them."""
        able = [worker for worker in self.workers if worker.running() and worker.frozen_until is None]
        chosen = [worker for worker in able if worker.worker_id in among] or able
        return rng.choice(chosen) if chosen else None

    def drain(self) -> Iterator[str]:
        """Asks all to end; answers, in words, who did not within its grace."""
        self.tend(thaw_all=True)
        youngest = max(worker.started_at for worker in self.workers)
        wait_until(lambda: time.monotonic() > youngest + STARTUP_SECONDS, 2 * STARTUP_SECONDS)
        for worker in self.workers:
            send(worker.process.pid, signal.SIGTERM)
        limit = DRAIN_GRACE_SECONDS + DRAIN_MARGIN_SECONDS
        wait_until(lambda: not any(worker.running() for worker in self.workers), limit)
        for worker in self.workers:
            if worker.running():
                yield f"drain: {worker.worker_id} does not end within {limit} s of SIGTERM"
            elif worker.process.returncode != 0:
                yield f"drain: {worker.worker_id} ends with {worker.process.returncode} after SIGTERM"

    def retire(self, worker: Worker) -> None:
        """Ends a worker that the scenario has judged itself."""
        send(worker.process.pid, signal.SIGKILL)
        worker.process.wait()
        self.workers.remove(worker)

    def close(self) -> None:
        for worker in list(self.workers):
            self.retire(worker)
