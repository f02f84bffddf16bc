"""Connections of the suite's own clients: to whichever server takes writes, with a deadline for all.

libpq waits without end for a server that is frozen, and psycopg2 with it. A wait callback gives every
statement a deadline; the connection is closed when it passes, the outcome unknown.
"""
import dataclasses
import select
import time
from typing import Any

import psycopg2
import psycopg2.extensions

CONNECT_SECONDS = 2.0
STATEMENT_SECONDS = 5.0


def _wait(connection: Any) -> None:
    connecting = connection.status == psycopg2.extensions.STATUS_SETUP
    deadline = time.monotonic() + (CONNECT_SECONDS if connecting else STATEMENT_SECONDS)
    while (state := connection.poll()) != psycopg2.extensions.POLL_OK:
        left = deadline - time.monotonic()
        if left <= 0:
            raise psycopg2.OperationalError("no answer from the server within the deadline")
        reading = [connection] if state == psycopg2.extensions.POLL_READ else []
        writing = [connection] if state == psycopg2.extensions.POLL_WRITE else []
        select.select(reading, writing, [], left)


def install_deadlines() -> None:
    """Called once by each program of the suite: psycopg2 has one such hook a process."""
    psycopg2.extensions.set_wait_callback(_wait)


@dataclasses.dataclass(frozen=True)
class Addresses:
    """Where a server that takes writes may be, in the order to ask: ports on 127.0.0.1."""

    ports: tuple[int, ...]

    def url(self, user: str) -> str:
        """As an operator gives it to a worker. Says nothing about read-write: the engine must know."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in self.ports)
        return f"postgresql://{user}@{hosts}/jobforge"

    def connect(self, user: str) -> Any:
        """A connection to the first that takes writes. One by one: libpq goes from a frozen host to
        the next only when it waits itself."""
        problem: psycopg2.Error | None = None
        for port in self.ports:
            try:
                return psycopg2.connect(host="127.0.0.1", port=port, user=user, dbname="jobforge",
                                        target_session_attrs="read-write")
            except psycopg2.Error as error:
                problem = error
        raise problem or psycopg2.OperationalError("no addresses")


def server_lost(error: psycopg2.Error) -> bool:
    """Whether another server, or the same later, may still take the statement."""
    state = error.pgcode
    if state is None:
        return True  # no answer at all
    return state[:2] in ("08", "40", "53", "57") or state in ("25006", "55P03")


def close_quietly(connection: Any) -> None:
    if connection is not None:
        try:
            connection.close()
        except psycopg2.Error:
            pass
