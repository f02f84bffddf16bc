"""What the honest tenants saw in each phase, and whether that is what was promised."""
import collections
import dataclasses
import json
import pathlib
import re
import statistics
from typing import Any

FACTOR = 3.0
ALLOWANCE_SECONDS = 0.1
CAUGHT_UP_SECONDS = 0.3


@dataclasses.dataclass
class Phase:
    """A window of time; an attack's name, "quiet", or "between" (clean-up, not judged by delay)."""

    name: str
    start: float
    end: float = 0.0
    did: dict[str, int] = dataclasses.field(default_factory=dict)
    trouble: list[str] = dataclasses.field(default_factory=list)

    @property
    def attacked(self) -> bool:
        return self.name not in ("quiet", "between")


@dataclasses.dataclass
class Row:
    """What the honest tenants saw in a phase, or in several of the same name."""

    name: str
    jobs: int
    p50: float
    p99: float
    longest: float
    enqueue_p99: float  # the part until the enqueue was answered
    http_errors: list[str]
    sql_errors: list[str]
    not_first: int  # ended, but not SUCCEEDED at the first attempt
    lost: int       # acknowledged, and not finished at the end
    slowest_call: float

    def faults(self, limit: float | None) -> list[str]:
        found = []
        if limit is not None and self.jobs == 0:
            found.append("no honest job has started")
        if limit is not None and self.p99 > limit:
            found.append(f"p99 {1000 * self.p99:.0f} ms over {1000 * limit:.0f} ms")
        for number, what in ((len(self.http_errors), "HTTP errors"), (len(self.sql_errors), "SQL errors"),
                             (self.not_first, "jobs not SUCCEEDED at the first attempt"),
                             (self.lost, "jobs lost")):
            if number:
                found.append(f"{number} {what}")
        return found


def percentile(values: list[float], share: float) -> float:
    if not values:
        return float("nan")
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def caught_up(path: pathlib.Path, clients: int) -> bool:
    """Whether the last call of each client, about, was made and answered in time."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 300 * clients))
        lines = file.read().split(b"\n")[1:-1]
    calls = [json.loads(line) for line in lines]
    return bool(calls) and all(call["late"] + call["took"] < CAUGHT_UP_SECONDS for call in calls)


def read_calls(path: pathlib.Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def row(name: str, phases: list[Phase], calls: list[dict[str, Any]],
        jobs: dict[str, tuple[str, int, float | None, float]]) -> Row:
    """`jobs`: id -> status, attempts, started_at, scheduled_at. A job belongs to the phase it was planned in."""
    mine = [call for call in calls
            if any(phase.start <= call["planned"] < phase.end for phase in phases)]
    known = [(call, jobs[call["job_id"]]) for call in mine if call["job_id"] in jobs]
    delays = [started - scheduled for _, (_, _, started, scheduled) in known if started is not None]
    ended = [job for _, job in known if job[0] not in ("QUEUED", "RUNNING")]
    return Row(name, len(delays), statistics.median(delays) if delays else float("nan"),
               percentile(delays, 0.99), max(delays, default=float("nan")),
               percentile([call["late"] + call["took"] for call in mine if call["way"] != "read"], 0.99),
               [call["error"] for call in mine if call["error"] and call["way"] != "sql"],
               [call["error"] for call in mine if call["error"] and call["way"] == "sql"],
               sum(1 for status, attempts, _, _ in ended if status != "SUCCEEDED" or attempts != 1),
               sum(1 for call in mine if call["job_id"] and
                   jobs.get(call["job_id"], ("", 0, None, 0.0))[0] in ("", "QUEUED", "RUNNING")),
               max((call["took"] for call in mine), default=0.0))


def kinds_of(errors: list[str]) -> collections.Counter[str]:
    """Errors without what differs in each: ids."""
    return collections.Counter(re.sub(r'"correlation_id":"[^"]*",?', "", text)[:200] for text in errors)


def table(rows: list[Row]) -> list[str]:
    lines = [f"{'phase':<18}{'honest jobs':>12}{'p50 ms':>9}{'p99 ms':>9}{'max ms':>9}{'enqueue p99':>13}"
             f"{'HTTP errors':>13}{'SQL errors':>12}{'not at first':>14}{'lost':>6}"]
    for one in rows:
        lines.append(f"{one.name:<18}{one.jobs:>12}{1000 * one.p50:>9.1f}{1000 * one.p99:>9.1f}"
                     f"{1000 * one.longest:>9.0f}{1000 * one.enqueue_p99:>13.1f}"
                     f"{len(one.http_errors):>13}{len(one.sql_errors):>12}{one.not_first:>14}{one.lost:>6}")
    return lines
