#!/usr/bin/env python3
"""One attack of the hostile tenant, as a process of its own.

usage: attack.py TARGET NAME SECONDS OUTCOME
"""
import json
import os
import pathlib
import sys
from collections.abc import Callable

from attacker import Attacker
from attacks_on_api import api_flood
from attacks_on_jobs import (back_dated, hanging_calls, internal_types, large_payloads, large_results,
                             long_jobs, lost_leases, numbers, priorities, turns_long)
from attacks_on_locks import locks, open_transactions
from bench_system import Target

ATTACKS: dict[str, Callable[[Attacker], None]] = {
    "numbers": numbers,
    "large_payloads": large_payloads,
    "large_results": large_results,
    "priorities": priorities,
    "long_jobs": long_jobs,
    "turns_long": turns_long,
    "internal_types": internal_types,
    "lost_leases": lost_leases,
    "back_dated": back_dated,
    "open_transactions": open_transactions,
    "locks": locks,
    "hanging_calls": hanging_calls,
    "api_flood": api_flood,
}


def main() -> int:
    # The attacker's own use of the processors is not what is measured: elsewhere it is another machine.
    os.nice(10)
    target = Target.load(pathlib.Path(sys.argv[1]))
    attacker = Attacker(target, float(sys.argv[3]))
    ATTACKS[sys.argv[2]](attacker)
    pathlib.Path(sys.argv[4]).write_text(json.dumps(attacker.counts()), encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)  # threads that wait for an answer end with it


if __name__ == "__main__":
    sys.exit(main())
