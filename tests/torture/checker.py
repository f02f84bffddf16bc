#!/usr/bin/env python3
"""Judges a written history and the final rows of the database: which promise was broken, in words.

usage: checker.py HISTORY STATE

Pure: `judge` sees events and rows, no server and no clock, so it can be tested with histories made by
hand, and a history kept from a failed run can be judged again.
"""
import collections
import itertools
import pathlib
import sys
from collections.abc import Iterator

from history import Event, read
from state import FinalState, JobRow

# What jobs get that do not kill their worker (enqueuers.py): far more than one can lose to the nemesis.
HEALTHY_ATTEMPTS = 25
# Of a round of a failover, for each second that the suite itself waited for a processor: several processes
# have their part in it one after the other.
STARVED_FACTOR = 3.0
MOST_LOST_TO_POISON = 2
TERMINAL = {"SUCCEEDED", "FAILED", "CANCELLED", "DEAD_LETTER"}


class Evidence:
    """The history and the rows, indexed once for all checks."""

    def __init__(self, history: list[Event], state: FinalState) -> None:
        self.history = history
        self.state = state
        self.rows: dict[str, list[JobRow]] = collections.defaultdict(list)
        self.refs: dict[str, list[JobRow]] = collections.defaultdict(list)
        for row in state.jobs:
            self.rows[row.job_id].append(row)
            if row.ref is not None:
                self.refs[row.ref].append(row)
        cuts = [event["durable_until"] for event in self.events("nemesis") if event.get("durable_until")]
        # What was acknowledged later may be lost: the standby that was promoted had not received it.
        self.durable_until = min(cuts, default=float("inf"))

    def events(self, kind: str) -> list[Event]:
        return [event for event in self.history if event["event"] == kind]

    def must_survive(self, event: Event) -> bool:
        return float(event["at"]) <= self.durable_until


def findings(evidence: Evidence) -> Iterator[str]:
    for event in evidence.events("finding"):
        yield event["text"]


def lost_enqueues(evidence: Evidence) -> Iterator[str]:
    """Promise 1: an acknowledged enqueue is never lost."""
    for event in evidence.events("enqueue"):
        if event["outcome"] != "acknowledged" or not evidence.must_survive(event):
            continue
        for job in event["jobs"]:
            if job["job_id"] not in evidence.rows:
                yield f"lost: job {job['job_id']} ({job['ref']}) was acknowledged and does not exist"


def rolled_back_enqueues(evidence: Evidence) -> Iterator[str]:
    """An enqueue inside the caller's transaction goes with it, unless the caller then repeated it."""
    outcomes: dict[str, set[str]] = collections.defaultdict(set)
    for event in evidence.events("enqueue"):
        for job in event["jobs"]:
            outcomes[job["ref"]].add(event["outcome"])
    for ref, known in sorted(outcomes.items()):
        if known == {"rolled_back"} and ref in evidence.refs:
            yield f"phantom: {ref} was rolled back, and its job exists"


def doubled_enqueues(evidence: Evidence) -> Iterator[str]:
    """Nobody enqueued a ref twice, except under one idempotency key, which gives one job."""
    for ref, rows in sorted(evidence.refs.items()):
        ids = sorted({row.job_id for row in rows})
        if len(ids) > 1:
            yield f"enqueued twice: {ref} exists as jobs {', '.join(ids)}"
    answers: dict[tuple[str, str], set[str]] = collections.defaultdict(set)
    for event in evidence.events("enqueue"):
        if event["outcome"] == "acknowledged" and evidence.must_survive(event):
            for job in event["jobs"]:
                if job["key"] is not None:
                    answers[(job["type"], job["key"])].add(job["job_id"])
    for (_, key), found in sorted(answers.items()):
        if len(found) > 1:
            yield f"idempotency: key {key} was answered with jobs {', '.join(sorted(found))}"


def doubled_rows(evidence: Evidence) -> Iterator[str]:
    """Moving a job to finished_jobs is one step: it is always in exactly one of the two tables."""
    for job_id, rows in sorted(evidence.rows.items()):
        if len(rows) > 1:
            yield f"two rows: job {job_id} is in {' and '.join(sorted(row.table for row in rows))}"


def unfinished_jobs(evidence: Evidence) -> Iterator[str]:
    """Promise 4: work resumes without a human. The suite waits for the end before it judges."""
    for row in evidence.state.jobs:
        if row.status not in TERMINAL or row.table != "finished_jobs":
            yield f"unfinished: job {row.job_id} ({row.type}) is {row.status} in {row.table} at the end"


def excess_attempts(evidence: Evidence) -> Iterator[str]:
    for row in evidence.state.jobs:
        if row.attempts > row.max_attempts:
            yield (f"attempts: job {row.job_id} has {row.attempts} attempts, "
                   f"over its maximum of {row.max_attempts}")


def wrong_effects(evidence: Evidence) -> Iterator[str]:
    """Promise 2: what a handler writes in its completion transaction takes effect exactly once."""
    effects = collections.defaultdict(list)
    for effect in evidence.state.effects:
        effects[effect.job_id].append(effect)
    for row in evidence.state.jobs:
        found = effects.get(row.job_id, [])
        wanted = 1 if row.type == "effect" and row.status == "SUCCEEDED" else 0
        if len(found) != wanted:
            by = ", ".join(f"{effect.worker} under token {effect.lease_token}" for effect in found)
            yield (f"effects: job {row.job_id} ({row.type}) is {row.status} and has {len(found)} "
                   f"effects instead of {wanted}" + (f": {by}" if by else ""))
        elif wanted and found[0].lease_token != row.lease_token:
            yield (f"effects: job {row.job_id} was completed under token {row.lease_token}, its effect "
                   f"written under {found[0].lease_token}")
    for job_id in sorted(set(effects) - set(evidence.rows)):
        yield f"effects: job {job_id} does not exist and has {len(effects[job_id])} effects"


def shrinking_tokens(evidence: Evidence) -> Iterator[str]:
    """Promise 3 rests on this: every claim of a job has a token above all earlier ones."""
    attempts = collections.defaultdict(list)
    for attempt in evidence.state.attempts:
        attempts[attempt.job_id].append(attempt)
    for job_id, rows in sorted(attempts.items()):
        rows.sort(key=lambda row: row.started_at)
        for before, after in itertools.pairwise(rows):
            if after.lease_token <= before.lease_token:
                yield (f"tokens: job {job_id} was claimed under token {before.lease_token} and later "
                       f"under {after.lease_token}")
        for job in evidence.rows.get(job_id, []):
            if job.lease_token < max(row.lease_token for row in rows):
                yield f"tokens: job {job_id} ended below the token of an attempt"


def doubled_claims(evidence: Evidence) -> Iterator[str]:
    """No claim identity is given out twice, neither claim_id nor token, also across a failover that lost
    the first claim: a new timeline begins above all tokens of the old one."""
    seen: dict[tuple[str, str], str] = {}
    claims = evidence.events("claim")
    for event in claims:
        if event["claim_id"] is None and any(other["claim_id"] is not None for other in claims):
            yield f"claims: {event['worker']} has job {event['job_id']} without a claim id, others have one"
        names = [f"token {event['lease_token']}"]
        if event["claim_id"] is not None:
            names.append(f"claim id {event['claim_id']}")
        for identity in [(event["job_id"], name) for name in names]:
            if identity in seen:
                yield (f"claims: job {identity[0]} was given to {seen[identity]} and to {event['worker']} "
                       f"under the same {identity[1]}")
            seen[identity] = event["worker"]


def healthy_dead_letters(evidence: Evidence) -> Iterator[str]:
    """A job that harms nobody does not run out of attempts, whatever dies around it."""
    for row in evidence.state.jobs:
        if row.status == "DEAD_LETTER" and row.type != "poison" and row.max_attempts >= HEALTHY_ATTEMPTS:
            yield f"dead letter: job {row.job_id} ({row.type}) is healthy and lost {row.attempts} attempts"


def poison(evidence: Evidence) -> Iterator[str]:
    """A job that always kills its worker ends as a dead letter, and no neighbour loses more than two
    attempts because of it: those that its worker held when the job killed it."""
    for row in evidence.state.jobs:
        if row.type == "poison" and row.status in TERMINAL - {"DEAD_LETTER", "CANCELLED"}:
            yield f"poison: job {row.job_id} always kills its worker, and is {row.status}"
    harmful = {row.job_id for row in evidence.state.jobs if row.type == "poison"}
    lost = collections.Counter[tuple[str, str]]()
    for event in evidence.events("poison"):
        for attempt in evidence.state.attempts:
            if (attempt.worker == event["worker"] and attempt.outcome == "CRASHED"
                    and attempt.job_id not in harmful and attempt.ended_at is not None
                    and attempt.started_at <= event["at"] < attempt.ended_at):
                lost[(event["job_id"], attempt.job_id)] += 1
    for (job_id, neighbour), attempts in sorted(lost.items()):
        if attempts > MOST_LOST_TO_POISON:
            yield f"poison: job {job_id} cost its neighbour {neighbour} {attempts} attempts"


def missed_goals(evidence: Evidence) -> Iterator[str]:
    """What is measured against a goal keeps it in every round. A machine that is starved of processors has
    more time, by as much as the suite itself lost meanwhile."""
    for event in evidence.events("measured"):
        if event.get("goal") is None:
            continue
        allowed = event["goal"] + STARVED_FACTOR * event["starved"]
        if event["seconds"] > allowed:
            yield (f"goal: {event['what']} took {event['seconds']:.2f} s, and {event['goal']:g} s was the goal "
                   f"({allowed:.2f} s on this machine)")


def lost_settlements(evidence: Evidence) -> Iterator[str]:
    """A completion that a SQL worker was told of is there, under the token it had."""
    for event in evidence.events("settle"):
        # SETTLED says that an earlier COMMIT of this worker happened.
        told = event["answer"] in ("acknowledged", "settled")
        if event["verb"] != "complete" or not told or not evidence.must_survive(event):
            continue
        rows = evidence.rows.get(event["job_id"], [])
        if not any(row.status == "SUCCEEDED" and row.lease_token == event["lease_token"] for row in rows):
            now = ", ".join(f"{row.status} under token {row.lease_token}" for row in rows) or "gone"
            yield (f"completion lost: {event['worker']} was told that job {event['job_id']} is complete "
                   f"under token {event['lease_token']} ({event['answer']}); it is {now}")


def wrong_counters(evidence: Evidence) -> Iterator[str]:
    for row in evidence.state.waiting:
        if row.stored != row.counted:
            yield (f"counters: tenant {row.tenant_id} has {row.counted} waiting jobs, "
                   f"its counter says {row.stored}")


CHECKS = (findings, lost_enqueues, rolled_back_enqueues, doubled_enqueues, doubled_rows, unfinished_jobs,
          excess_attempts, healthy_dead_letters, wrong_effects, shrinking_tokens, doubled_claims, poison,
          missed_goals, lost_settlements, wrong_counters)


def judge(history: list[Event], state: FinalState) -> list[str]:
    """Every broken promise as a sentence; empty when all were kept."""
    evidence = Evidence(history, state)
    return [violation for check in CHECKS for violation in check(evidence)]


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    violations = judge(read(pathlib.Path(sys.argv[1])), FinalState.load(pathlib.Path(sys.argv[2])))
    print("\n".join(violations) if violations else "no violation")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
