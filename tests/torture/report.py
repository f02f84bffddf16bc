"""One scenario's numbers, counted from its history and final rows."""
import collections
from collections.abc import Iterator

from arena import Verdict

SHOWN_OF_A_KIND = 5


def of(verdict: Verdict, seconds: float) -> str:
    """A line for people: what was done, what was endured."""
    enqueues = collections.Counter[str]()
    for event in verdict.events:
        if event["event"] == "enqueue":
            enqueues[event["outcome"]] += len(event["jobs"])
    harm = collections.Counter[str](event["action"] for event in verdict.events
                                    if event["event"] == "nemesis")
    measured = [event for event in verdict.events if event["event"] == "measured"]
    statuses = collections.Counter[str](row.status for row in verdict.state.jobs)
    lines = [
        f"{verdict.scenario}: {'FAILED' if verdict.violations else 'passed'} in {seconds:.1f} s",
        f"  enqueued: {_list(enqueues)}",
        f"  jobs: {_list(statuses)}; effects {len(verdict.state.effects)}, "
        f"attempts {len(verdict.state.attempts)}",
        f"  nemesis: {_list(harm)}"]
    lines += [f"  {event['what']}: {event['seconds']:.2f} s"
              + (f" (starved for {event['starved']:.2f} s)" if event.get("goal") else "") for event in measured]
    return "\n".join(lines)


def violations(verdict: Verdict) -> Iterator[str]:
    """The first few of each kind: a kind is what a violation's sentence begins with."""
    kinds = collections.Counter[str]()
    for violation in verdict.violations:
        kind = violation.partition(":")[0]
        kinds[kind] += 1
        if kinds[kind] <= SHOWN_OF_A_KIND:
            yield violation
    for kind, count in kinds.items():
        if count > SHOWN_OF_A_KIND:
            yield f"{kind}: {count - SHOWN_OF_A_KIND} more of these"


def _list(counts: collections.Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"
