"""How long this machine makes a thread wait for a processor: what a measured time may be excused with."""
import hashlib
import threading
import time

EVERY_SECONDS = 0.05
# About a millisecond of work; what a quiet machine adds to it is below the tolerance.
ROUNDS = 1000
TOLERATED_SECONDS = 0.01


class Pulse(threading.Thread):
    """Wants a millisecond of a processor twenty times a second, and writes down how late it gets it."""

    def __init__(self) -> None:
        super().__init__(name="pulse", daemon=True)
        self._stop_event = threading.Event()
        self._lost: list[tuple[float, float]] = []  # when, and how much

    def run(self) -> None:
        while True:
            due = time.monotonic() + EVERY_SECONDS
            if self._stop_event.wait(EVERY_SECONDS):
                return
            worked = time.thread_time()
            hashlib.pbkdf2_hmac("sha256", b"pulse", b"pulse", ROUNDS)  # releases the interpreter's lock
            worked = time.thread_time() - worked
            lost = time.monotonic() - due - worked
            if lost > TOLERATED_SECONDS:
                self._lost.append((time.time(), lost))

    def starved(self, since: float, until: float) -> float:
        """The seconds that were lost between these times."""
        return sum(lost for at, lost in list(self._lost) if since <= at <= until + EVERY_SECONDS)

    def close(self) -> None:
        self._stop_event.set()
        self.join()
