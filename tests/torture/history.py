"""What clients and the nemesis did, one JSON object a line, written as it happens.

Several processes append to the same file: each line is one write to a file opened with O_APPEND, so
lines never mix, and what was written survives the writer's kill -9.

Every event has `event` and `at` (seconds since the epoch: one machine, one clock). Kinds:
    enqueue  outcome (acknowledged, unknown, rolled_back), jobs: list of ref, type, key, job_id
    claim    worker, job_id, lease_token, claim_id (None on a schema without claim ids)
    settle   worker, job_id, lease_token, verb (complete, fail, snooze),
             answer (acknowledged, unknown, settled, lease_lost), repeated (after an unknown one)
    nemesis  action, target; a failover that may lose commits also says durable_until
    poison   worker, job_id, lease_token, claim_id: the job ends this worker's process now
    measured what, seconds: for the report; judged only with a `goal`, which then comes with `starved`,
             the seconds that the suite's own pulse had to wait for a processor meanwhile
    finding  text: a broken promise that a scenario saw with its own eyes
"""
import json
import os
import pathlib
import time
from typing import Any

Event = dict[str, Any]


class History:
    """Appends events. Usable from several threads: one event is one write."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def write(self, event: str, **fields: Any) -> None:
        line = json.dumps({"event": event, "at": time.time(), **fields})
        os.write(self._file, line.encode() + b"\n")

    def close(self) -> None:
        os.close(self._file)


def read(path: pathlib.Path) -> list[Event]:
    """All complete lines. A kill can cut only the last line of a writer, and a write is one line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
