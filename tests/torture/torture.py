#!/usr/bin/env python3
"""Random faults and failovers against the engine, and a judge that reads the history afterwards.

usage: torture.py --build DIR [--seconds N] [--seed S] [--scenario NAME]... [--keep] [--patch FILE]
"""
import argparse
import pathlib
import secrets
import shutil
import signal
import sys
import time
from collections.abc import Callable

import report
from arena import Arena, Settings, Verdict, template_server
from cluster import Server
from disks import private_mounts
from failovers import async_failover, fenced_primary, hung_primary, sync_failover
from frozen_claims import frozen_claims
from full_disk import full_disk
from kills import kills
from sql_client import install_deadlines

Scenario = Callable[[Arena, float], Verdict]

# Each with its share of the time. A failover happens once on a pair of servers: with more time, again on
# a new pair, every ROUND_SECONDS. A full disk and frozen claims have rounds, too, on one server.
SCENARIOS: dict[str, tuple[Scenario, float]] = {
    "kills": (kills, 0.30),
    "sync_failover": (sync_failover, 0.135),
    "async_failover": (async_failover, 0.135),
    "hung_primary": (hung_primary, 0.135),
    "fenced_primary": (fenced_primary, 0.135),
    "full_disk": (full_disk, 0.08),
    "frozen_claims": (frozen_claims, 0.08),
}
ROUND_SECONDS = 8.0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Torture the engine and judge what it promised.")
    parser.add_argument("--build", type=pathlib.Path, required=True,
                        help="the build directory: jobforge, tests/jobforge_torture_worker")
    parser.add_argument("--seconds", type=float, default=120, help="how long to do harm, in all (120)")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="what a failed run printed")
    parser.add_argument("--scenario", action="append", choices=list(SCENARIOS), help="only this one")
    parser.add_argument("--keep", action="store_true", help="keep history and logs of what passed, too")
    parser.add_argument("--patch", type=pathlib.Path,
                        help="SQL for the fresh schema, to see that a broken engine is found out")
    return parser.parse_args()


def run_rounds(settings: Settings, template: Server, name: str, seed: str, seconds: float) -> list[Verdict]:
    """The rounds of one scenario that fit into its time, at least one; the first that fails is the last."""
    rounds = 1 if name == "kills" else max(1, int(seconds / ROUND_SECONDS))
    verdicts: list[Verdict] = []
    while len(verdicts) < rounds and not (verdicts and verdicts[-1].violations):
        round_seed = seed if not verdicts else f"{seed}.{len(verdicts)}"
        verdicts.append(run_scenario(settings, template, name, round_seed, seconds / rounds))
    return verdicts


def run_scenario(settings: Settings, template: Server, name: str, seed: str, seconds: float) -> Verdict:
    started = time.monotonic()
    with Arena(settings, template, name, seed) as arena:
        verdict = SCENARIOS[name][0](arena, seconds)
    print(report.of(verdict, time.monotonic() - started), flush=True)
    for line in report.violations(verdict):
        print(f"    {line}")
    if verdict.violations:
        print(f"    {len(verdict.violations)} violations; seed {seed}; history and logs: {verdict.folder}",
              flush=True)
    elif not settings.keep:
        shutil.rmtree(verdict.folder)
    return verdict


def interrupted(*_signal: object) -> None:
    """SIGTERM as Ctrl-C: servers and processes are cleaned up on the way out."""
    raise KeyboardInterrupt


def main() -> int:
    options = arguments()
    signal.signal(signal.SIGTERM, interrupted)
    install_deadlines()
    settings = Settings(options.build.resolve(), options.patch, options.keep)
    names = options.scenario or list(SCENARIOS)
    if "full_disk" in names and not private_mounts() and not options.scenario:
        names.remove("full_disk")
        print("torture: full_disk is NOT run: it needs root and the right to mount", flush=True)
    shares = sum(SCENARIOS[name][1] for name in names)
    print(f"torture: seed {options.seed}, {options.seconds:g} s: {', '.join(names)}", flush=True)
    with template_server(settings) as template:
        verdicts = [verdict for name in names for verdict in run_rounds(
            settings, template, name, options.seed, options.seconds * SCENARIOS[name][1] / shares)]
    failed = [verdict.scenario for verdict in verdicts if verdict.violations]
    if failed:
        print(f"torture: FAILED: {', '.join(failed)}; again with --seed {options.seed}")
        return 1
    print(f"torture: {len(names)} scenarios passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
