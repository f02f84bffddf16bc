"""The judge on histories made by hand: each kind of broken promise is found, a good history passes."""
import dataclasses
import pathlib
import tempfile
import unittest
from typing import Any

import checker
import history
from history import Event
from state import AttemptRow, EffectRow, FinalState, JobRow, WaitingRow

GOOD_JOB = JobRow("finished_jobs", "tenant", "a", "effect", "SUCCEEDED", 2, 5, 2, "ref-a")


def enqueue(outcome: str = "acknowledged", at: float = 1.0, job_id: str | None = "a",
            ref: str = "ref-a", key: str | None = None) -> Event:
    job = {"ref": ref, "type": "effect", "key": key, "job_id": job_id}
    return {"event": "enqueue", "at": at, "outcome": outcome, "jobs": [job]}


def claim(worker: str = "w1", lease_token: int = 1, claim_id: str | None = None) -> Event:
    return {"event": "claim", "at": 2.0, "worker": worker, "job_id": "a", "lease_token": lease_token,
            "claim_id": claim_id}


def settle(answer: str, lease_token: int = 2, at: float = 3.0, repeated: bool = False) -> Event:
    return {"event": "settle", "at": at, "worker": "w1", "job_id": "a", "lease_token": lease_token,
            "verb": "complete", "answer": answer, "repeated": repeated}


def failover(durable_until: float) -> Event:
    return {"event": "nemesis", "at": 4.0, "action": "failover", "durable_until": durable_until}


def state(jobs: list[JobRow] | None = None, **changes: Any) -> FinalState:
    good = FinalState([GOOD_JOB], [EffectRow("a", 2, "w1", 2)],
                      [AttemptRow("a", 1, 1, 10.0), AttemptRow("a", 2, 2, 20.0)], [WaitingRow("tenant", 0, 0)])
    return dataclasses.replace(good, jobs=[GOOD_JOB] if jobs is None else jobs, **changes)


def job(**changes: Any) -> JobRow:
    return dataclasses.replace(GOOD_JOB, **changes)


class CheckerTest(unittest.TestCase):
    def found(self, kind: str, events: list[Event], rows: FinalState) -> None:
        """Exactly one violation, and of this kind."""
        violations = checker.judge(events, rows)
        self.assertEqual(1, len(violations), violations)
        self.assertTrue(violations[0].startswith(kind), violations)

    def passes(self, events: list[Event], rows: FinalState) -> None:
        self.assertEqual([], checker.judge(events, rows))

    def test_a_good_history_passes(self) -> None:
        self.passes([enqueue(), claim("w1", 1), claim("w2", 2), settle("acknowledged"),
                     {"event": "nemesis", "at": 1.5, "action": "kill", "target": "w1"}], state())

    def test_an_acknowledged_enqueue_that_does_not_exist_is_lost(self) -> None:
        self.found("lost:", [enqueue(), enqueue(job_id="b", ref="ref-b")], state())

    def test_an_unknown_enqueue_may_exist_or_not(self) -> None:
        self.passes([enqueue("unknown", job_id=None), enqueue("unknown", job_id=None, ref="ref-b")], state())

    def test_a_rolled_back_enqueue_that_exists_is_found(self) -> None:
        self.found("phantom:", [enqueue("rolled_back")], state())

    def test_an_enqueue_that_was_rolled_back_and_repeated_may_exist(self) -> None:
        self.passes([enqueue("rolled_back", key="k"), enqueue(key="k")], state())

    def test_one_ref_as_two_jobs_is_found(self) -> None:
        other = job(job_id="b", status="CANCELLED", lease_token=1)
        self.found("enqueued twice:", [enqueue()], state([GOOD_JOB, other]))

    def test_one_key_with_two_answers_is_found(self) -> None:
        other = job(job_id="b", ref="ref-b", status="CANCELLED", lease_token=1)
        events = [enqueue(key="k"), enqueue(key="k", job_id="b", ref="ref-b")]
        self.found("idempotency:", events, state([GOOD_JOB, other]))

    def test_a_job_in_both_tables_is_found(self) -> None:
        finished = job(type="plain")
        violations = checker.judge([], state([finished, dataclasses.replace(finished, table="jobs")],
                                             effects=[]))
        self.assertTrue(any(text.startswith("two rows:") for text in violations), violations)

    def test_jobs_left_running_or_waiting_are_found(self) -> None:
        for status in ("RUNNING", "QUEUED"):
            with self.subTest(status):
                self.found("unfinished:", [enqueue()], state([job(table="jobs", status=status)], effects=[]))

    def test_more_attempts_than_allowed_are_found(self) -> None:
        self.found("attempts:", [], state([job(attempts=6)]))

    def test_a_second_effect_is_found(self) -> None:
        twice = [EffectRow("a", 2, "w1", 2), EffectRow("a", 2, "w1", 2)]
        self.found("effects:", [], state(effects=twice))

    def test_a_missing_effect_is_found(self) -> None:
        self.found("effects:", [], state(effects=[]))

    def test_an_effect_of_a_job_that_did_not_succeed_is_found(self) -> None:
        for status in ("CANCELLED", "FAILED", "DEAD_LETTER"):
            with self.subTest(status):
                self.found("effects:", [], state([job(status=status)]))

    def test_an_effect_of_another_type_is_found(self) -> None:
        self.found("effects:", [], state([job(type="plain")]))

    def test_an_effect_without_its_job_is_found(self) -> None:
        effects = [EffectRow("a", 2, "w1", 2), EffectRow("gone", 1, "w1", 1)]
        self.found("effects:", [], state(effects=effects))

    def test_an_effect_under_another_token_than_the_completion_is_found(self) -> None:
        self.found("effects:", [], state(effects=[EffectRow("a", 1, "w1", 1)]))

    def test_a_token_that_does_not_grow_is_found(self) -> None:
        for token in (1, 2):
            with self.subTest(token):
                attempts = [AttemptRow("a", 2, 1, 10.0), AttemptRow("a", token, 2, 20.0)]
                self.found("tokens:", [], state(attempts=attempts))

    def test_a_job_below_the_token_of_its_attempt_is_found(self) -> None:
        self.found("tokens:", [], state(attempts=[AttemptRow("a", 3, 1, 10.0)]))

    def test_a_claim_given_to_two_workers_is_found(self) -> None:
        self.found("claims:", [claim("w1"), claim("w2")], state())
        self.found("claims:", [claim("w1", 1, "c"), claim("w2", 2, "c"), failover(0.5)], state())

    def test_a_token_does_not_repeat_although_its_first_claim_was_lost(self) -> None:
        self.found("claims:", [claim("w1"), claim("w1"), failover(0.5)], state())
        self.found("claims:", [claim("w1", 1, "c"), claim("w2", 1, "d"), failover(0.5)], state())
        self.passes([claim("w1", 1, "c"), claim("w1", 2**32, "d"), failover(0.5)], state())

    def test_a_healthy_job_in_the_dead_letter_is_found(self) -> None:
        dead = job(type="plain", status="DEAD_LETTER", max_attempts=checker.HEALTHY_ATTEMPTS)
        self.found("dead letter:", [], state([dead], effects=[]))
        for excused in (dataclasses.replace(dead, type="poison"), dataclasses.replace(dead, max_attempts=2)):
            self.passes([], state([excused], effects=[]))

    def test_a_claim_without_its_claim_id_among_others_is_found(self) -> None:
        self.found("claims:", [claim("w1", 1, "c"), claim("w2", 2)], state())

    def test_every_measured_time_keeps_its_goal(self) -> None:
        def measured(seconds: float, starved: float = 0.0, goal: float | None = 2.0) -> Event:
            return {"event": "measured", "at": 1.0, "what": "it", "seconds": seconds, "goal": goal,
                    "starved": starved}

        self.found("goal:", [measured(1.0), measured(2.1)], state())
        self.passes([measured(2.0), measured(9.0, goal=None)], state())

    def test_a_starved_machine_has_a_bounded_excuse(self) -> None:
        def measured(seconds: float) -> Event:
            return {"event": "measured", "at": 1.0, "what": "it", "seconds": seconds, "goal": 2.0, "starved": 0.5}

        self.passes([measured(2.0 + 0.5 * checker.STARVED_FACTOR)], state())
        self.found("goal:", [measured(2.1 + 0.5 * checker.STARVED_FACTOR)], state())

    def test_poison_that_does_not_end_as_a_dead_letter_is_found(self) -> None:
        for status in ("SUCCEEDED", "FAILED"):
            self.found("poison:", [], state([job(type="poison", status=status)], effects=[]))
        for status in ("DEAD_LETTER", "CANCELLED"):
            self.passes([], state([job(type="poison", status=status)], effects=[]))

    def test_a_third_attempt_lost_to_one_poisonous_job_is_found(self) -> None:
        def kill(at: float, job_id: str = "p") -> Event:
            return {"event": "poison", "at": at, "worker": "w1", "job_id": job_id, "lease_token": 1,
                    "claim_id": "c"}

        def lost(token: int, **changes: Any) -> AttemptRow:
            row = AttemptRow("a", token, token, 10.0 * token, "w1", "CRASHED", 10.0 * token + 5)
            return dataclasses.replace(row, **changes)

        rows = [job(lease_token=4),
                job(job_id="p", type="poison", status="DEAD_LETTER", ref="p", lease_token=4)]
        effects = [EffectRow("a", 4, "w1", 4)]
        three = state(rows, effects=effects, attempts=[lost(1), lost(2), lost(3)])
        self.found("poison:", [kill(11.0), kill(21.0), kill(31.0)], three)
        self.passes([kill(11.0), kill(21.0), kill(31.0, "q")], three)
        self.passes([kill(11.0), kill(21.0), kill(29.0)], three)
        for other in (lost(3, worker="w2"), lost(3, outcome="RETRY"), lost(3, job_id="p")):
            self.passes([kill(11.0), kill(21.0), kill(31.0)],
                        state(rows, effects=effects, attempts=[lost(1), lost(2), other]))

    def test_an_acknowledged_completion_that_is_not_there_is_found(self) -> None:
        self.found("completion lost:", [settle("acknowledged", lease_token=1)], state())
        self.found("completion lost:", [settle("settled", lease_token=1)], state())
        self.found("completion lost:", [settle("settled", lease_token=1, repeated=True)], state())

    def test_a_refused_or_unknown_completion_proves_nothing(self) -> None:
        for answer in ("unknown", "lease_lost"):
            with self.subTest(answer):
                self.passes([settle(answer, lease_token=1)], state())

    def test_a_lossy_failover_excuses_only_what_came_after_the_cut(self) -> None:
        early, late = enqueue(at=1.0, job_id="b", ref="b"), enqueue(at=3.0, job_id="c", ref="c")
        self.found("lost:", [early, late, failover(2.0)], state())
        self.passes([late, settle("acknowledged", 1, at=3.0), failover(2.0)], state())

    def test_a_wrong_counter_is_found(self) -> None:
        self.found("counters:", [], state(waiting=[WaitingRow("tenant", 3, 0)]))

    def test_what_a_scenario_saw_is_a_violation(self) -> None:
        finding = {"event": "finding", "at": 1.0, "text": "no completion within 10 s"}
        self.found("no completion", [finding], state())


class FilesTest(unittest.TestCase):
    def test_a_written_history_and_state_are_read_back(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            writer = history.History(path / "history.jsonl")
            writer.write("claim", worker="w1", job_id="a", lease_token=1, claim_id=None)
            writer.close()
            state().save(path / "state.json")
            self.assertEqual("w1", history.read(path / "history.jsonl")[0]["worker"])
            self.assertEqual(state(), FinalState.load(path / "state.json"))


if __name__ == "__main__":
    unittest.main()
