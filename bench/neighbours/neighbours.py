#!/usr/bin/env python3
"""Nine honest tenants and a hostile one: what its attacks cost the others.

Quiet and attacked phases alternate. In every attacked phase the honest p99 start delay must stay under
three times the quiet one plus 100 ms, and no honest job may be lost, retried or dead-lettered, and no
honest call refused. Exit code 1 when a phase fails.

usage: neighbours.py --build DIR [--seconds N] [--attack NAME]... [--rate-limit] [--json] [--logs DIR]
"""
import argparse
import dataclasses
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from attack import ATTACKS
from bench_system import HONEST, System, send, spawn, wait_until
from honest_clients import CONNECTIONS_EACH_WAY
from verdict import (ALLOWANCE_SECONDS, FACTOR, Phase, Row, caught_up, kinds_of, read_calls, row, table)

HERE = pathlib.Path(__file__).resolve().parent
FINISH_SECONDS = 60.0
SETTLE_SECONDS = 2.0
CATCH_UP_SECONDS = 30.0
CLIENTS = HONEST * 2 * CONNECTIONS_EACH_WAY


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Attack the system as a tenant; measure the other tenants.")
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the directory with jobforge")
    parser.add_argument("--seconds", type=float, default=12, help="of each phase (12)")
    parser.add_argument("--attack", action="append", choices=list(ATTACKS), help="only this one")
    parser.add_argument("--rate-limit", action="store_true", help="with BPC_RATE_LIMIT_ENABLED")
    parser.add_argument("--json", action="store_true", help="the report as JSON, the table on stderr")
    parser.add_argument("--logs", type=pathlib.Path, help="keep logs and records in this new directory")
    return parser.parse_args()


class Bench:
    def __init__(self, options: argparse.Namespace, system: System, logs: pathlib.Path,
                 say: Callable[[str], None]) -> None:
        self._seconds = options.seconds
        self._system = system
        self._logs = logs
        self._say = say
        self._target = logs / "target.json"
        self._record = logs / "honest.jsonl"
        self.phases: list[Phase] = []
        self.quiet_p99s: list[float] = []
        system.target.save(self._target)

    def run(self, names: list[str]) -> None:
        honest = self._spawn("honest_clients.py", self._target, self._record)
        try:
            self._phase("between", 3.0)  # connections, caches, first plans
            for name in names:
                self._phase("quiet", self._seconds)
                self._attack(name)
            self._phase("quiet", self._seconds)
            self._settle(Phase("between", self.phases[-1].end))
            if honest.poll() is not None:
                raise RuntimeError("the honest clients have died")
        finally:
            send(honest.pid, signal.SIGTERM)
            wait_until(lambda: honest.poll() is not None, 20)
            send(honest.pid, signal.SIGKILL)
            honest.wait()

    def rows(self) -> list[Row]:
        """After the run: waits until the honest jobs have ended, then reads them."""
        tenants = [tenant.tenant_id for tenant in self._system.target.tenants]
        waiting = "select count(*) from jobforge.jobs where tenant_id = any(%s::uuid[])"
        wait_until(lambda: self._system.rows(waiting, tenants)[0][0] == 0, FINISH_SECONDS, every=0.5)
        found = self._system.rows(
            "select job_id::text, status, attempts, date_part('epoch', started_at), "
            "date_part('epoch', scheduled_at) from jobforge.all_jobs where tenant_id = any(%s::uuid[])",
            tenants)
        # scheduled_at of the stored job, not of the client's record: what the database was told counts.
        jobs = {job_id: (status, attempts, started, scheduled)
                for job_id, status, attempts, started, scheduled in found}
        (self._logs / "jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
        calls = read_calls(self._record)
        names = ["quiet", *(phase.name for phase in self.phases if phase.attacked), "between"]
        self.quiet_p99s = [row("quiet", [phase], calls, jobs).p99
                           for phase in self.phases if phase.name == "quiet"]
        return [row(name, [phase for phase in self.phases if phase.name == name], calls, jobs)
                for name in names]

    # --- phases ---

    def _phase(self, name: str, seconds: float) -> Phase:
        phase = Phase(name, time.time())
        self.phases.append(phase)
        wait_until(lambda: time.time() >= phase.start + seconds, seconds + 1, every=0.05)
        phase.end = time.time()
        phase.trouble = self._system.dead_programs()
        return phase

    def _attack(self, name: str) -> None:
        outcome = self._logs / f"{name}.json"
        process = self._spawn("attack.py", self._target, name, self._seconds, outcome)
        phase = self._phase(name, self._seconds)
        if not wait_until(lambda: process.poll() is not None, 15):
            phase.trouble.append("the attacker does not end")
        send(process.pid, signal.SIGKILL)
        process.wait()
        if outcome.exists():
            phase.did = json.loads(outcome.read_text(encoding="utf-8"))
        else:
            phase.trouble.append("the attacker has died: " + (self._logs / "clients.log").read_text()[-500:])
        self._say(f"{name}: {phase.did} {phase.trouble or ''}")
        self._system.cancel_hostile_jobs()
        self._settle(Phase("between", phase.end))

    def _settle(self, between: Phase) -> None:
        """Until the honest clients are in time again, so that the next phase does not pay for the last."""
        self.phases.append(between)
        wait_until(lambda: time.time() > between.start + SETTLE_SECONDS, 2 * SETTLE_SECONDS)
        wait_until(lambda: caught_up(self._record, CLIENTS), CATCH_UP_SECONDS, every=0.2)
        between.end = time.time()

    def _spawn(self, script: str, *words: object) -> subprocess.Popen[bytes]:
        return spawn([sys.executable, "-B", HERE / script, *words], self._logs / "clients.log")


def judge(rows: list[Row], phases: list[Phase], quiet_p99s: list[float]) -> list[dict[str, object]]:
    # The median of the quiet phases: a disturbance from outside in one of them must not raise the limit.
    limit = FACTOR * statistics.median(quiet_p99s) + ALLOWANCE_SECONDS
    verdicts = []
    for one in rows:
        mine = [phase for phase in phases if phase.name == one.name]
        attacked = any(phase.attacked for phase in mine)
        faults = one.faults(limit if attacked else None)
        faults += [text for phase in mine for text in phase.trouble]
        verdicts.append({"phase": one.name, "limit_ms": round(1000 * limit, 1) if attacked else None,
                         "passed": not faults, "faults": faults})
    return verdicts


def report(rows: list[Row], run: Bench, verdicts: list[dict[str, object]],
           system: System, load: float) -> dict[str, object]:
    return {"rows": [dataclasses.asdict(one) for one in rows], "verdicts": verdicts,
            "attacks": {phase.name: phase.did for phase in run.phases if phase.attacked},
            "quiet_p99s": run.quiet_p99s,
            "passed": all(verdict["passed"] for verdict in verdicts),
            "peak_megabytes": {name: system.peak_megabytes(name) for name in ("worker", "api")},
            "processors": os.cpu_count(), "load_before": load}


def bench(options: argparse.Namespace, logs: pathlib.Path) -> int:
    def say(text: str) -> None:
        print(text, file=sys.stderr if options.json else sys.stdout, flush=True)

    names = options.attack or list(ATTACKS)
    load = os.getloadavg()[0]
    say(f"neighbours: {2 * len(names) + 1} phases of {options.seconds:g} s; {os.cpu_count()} processors, "
        f"load {load:.1f} before the run")
    with System(options.build.resolve(), logs, options.rate_limit) as system:
        run = Bench(options, system, logs, say)
        run.run(names)
        rows = run.rows()
        verdicts = judge(rows, run.phases, run.quiet_p99s)
        quiet_p99s = run.quiet_p99s
        whole = report(rows, run, verdicts, system, load)
    for line in table(rows):
        say(line)
    each = ", ".join(f"{1000 * p99:.0f}" for p99 in quiet_p99s)
    say(f"p99 of the quiet phases in ms: {each}; the limit is 3 x their median + 100 ms")
    if max(quiet_p99s) > FACTOR * min(quiet_p99s) + ALLOWANCE_SECONDS:
        say("The quiet phases differ by more than an attack may cost: the machine has other work. "
            "Run it again on an idle one before you believe a verdict.")
    for verdict, one in zip(verdicts, rows, strict=True):
        limit = f" (limit {verdict['limit_ms']:.0f} ms)" if verdict["limit_ms"] else ""
        say(f"{verdict['phase']}: {'passed' if verdict['passed'] else 'FAILED: '}"
            + "; ".join(verdict["faults"]) + limit)  # type: ignore[arg-type]
        for text, number in kinds_of(one.http_errors + one.sql_errors).most_common(5):
            say(f"    {number} x {text}")
    if options.json:
        print(json.dumps(whole, indent=1))
    return 0 if whole["passed"] else 1


def interrupted(*_signal: object) -> None:
    """SIGTERM as Ctrl-C: servers and processes are cleaned up on the way out."""
    raise KeyboardInterrupt


def main() -> int:
    options = arguments()
    signal.signal(signal.SIGTERM, interrupted)
    if options.logs is not None:
        options.logs.mkdir(parents=True)
        return bench(options, options.logs.resolve())
    with tempfile.TemporaryDirectory(prefix="jobforge-neighbours-") as logs:
        return bench(options, pathlib.Path(logs))


if __name__ == "__main__":
    sys.exit(main())
