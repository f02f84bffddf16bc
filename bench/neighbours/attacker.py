"""What every attack needs: the hostile tenant's login and keys, threads that end, and counts.

An attack that was refused is as good as one that was let in, but one that did nothing proves nothing:
each counts what it was answered.
"""
import collections
import contextlib
import json
import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg2

from bench_system import Target
from http_caller import HttpCaller

SECONDS_FOR_AN_ANSWER = 20.0

Step = Callable[[], object]   # what a thread repeats
Make = Callable[[], Step]     # makes it, with a connection of its own


class Attacker:
    def __init__(self, target: Target, seconds: float) -> None:
        self.target = target
        self.hostile = target.hostile
        self._deadline = time.monotonic() + seconds
        self._counts: collections.Counter[str] = collections.Counter()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []

    # --- time and counts ---

    def over(self) -> bool:
        return time.monotonic() >= self._deadline

    def pause(self, seconds: float) -> bool:
        """Waits, at most to the end of the attack; whether it goes on."""
        left = self._deadline - time.monotonic()
        threading.Event().wait(max(0.0, min(seconds, left)))
        return not self.over()

    def hold(self) -> None:
        self.pause(self._deadline - time.monotonic())

    def count(self, what: str, number: int = 1) -> None:
        with self._lock:
            self._counts[what] += number

    def counts(self) -> dict[str, int]:
        with self._lock:
            return dict(sorted(self._counts.items()))

    # --- doors ---

    def connect(self) -> Any:
        """The tenant's own database login."""
        connection = psycopg2.connect(host="127.0.0.1", port=self.target.postgres_port, user="hostile",
                                      dbname="jobforge")
        connection.autocommit = True
        return connection

    def caller(self, key: str | None = None, address: str | None = None) -> HttpCaller:
        return HttpCaller(self.target.api_port, key or self.hostile.key, address or self.hostile.address,
                          SECONDS_FOR_AN_ANSWER)

    def sql(self, connection: Any, what: str, statement: str, *parameters: object) -> list[Any]:
        """Runs a statement and counts its outcome."""
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement, parameters or None)
                rows = list(cursor.fetchall()) if cursor.description else []
            self.count(f"{what}: done")
            return rows
        except psycopg2.Error as error:
            self.count(f"{what}: {_code(error)}")
            if not connection.autocommit:
                connection.rollback()
            return []

    def http(self, caller: HttpCaller, what: str, method: str, path: str, body: object = None) -> bytes:
        try:
            status, answer = caller.call(method, path, body)
            self.count(f"{what}: {status}")
            return answer if status < 300 else b""
        except OSError as error:
            self.count(f"{what}: {type(error).__name__}")
            return b""

    # --- threads ---

    def run(self, number: int, work: Callable[[], None]) -> None:
        """So many threads, which must look at over()."""
        for _ in range(number):
            thread = threading.Thread(target=self._guarded, args=(work,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (psycopg2.Error, OSError) as error:
            self.count(f"gave up: {type(error).__name__} {error}"[:120])

    def repeat(self, number: int, make: Make, pause: float = 0.0) -> None:
        """So many threads; each makes its step once and repeats it to the end of the attack."""
        def work() -> None:
            step = make()
            while not self.over():
                step()
                if pause:
                    self.pause(pause)
        self.run(number, work)

    def finish(self) -> None:
        """Waits for the end of the attack and, a little, for its threads."""
        self.hold()
        for thread in self._threads:
            thread.join(0.1)
        if waiting := sum(thread.is_alive() for thread in self._threads):
            self.count("not answered at the end", waiting)


def _code(error: psycopg2.Error) -> str:
    detail = error.diag.message_detail if error.diag is not None else None
    with contextlib.suppress(ValueError, TypeError, KeyError):
        return str(json.loads(detail or "")["code"])
    return str(error.pgcode)
