"""Processes of a torture run: started so that they cannot outlive it, signalled with their children."""
import os
import pathlib
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence


def wait_until(condition: Callable[[], bool], seconds: float, every: float = 0.05) -> bool:
    """Whether the condition came true in time. It is asked once more at the end."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        if time.monotonic() > deadline:
            return condition()
        pause.wait(every)
    return True


def lowered(command: Sequence[object], lower: bool = True) -> list[str]:
    """The command, killed by the kernel when this process dies. `lower`: as user postgres, if root.

    The kernel means the thread that starts the process: start processes in the main thread only.
    """
    words = ["setpriv", "--pdeathsig", "KILL"]
    if lower and os.getuid() == 0:
        words += ["--reuid=postgres", "--regid=postgres", "--init-groups"]
    return words + [str(word) for word in command]


def spawn(command: Sequence[object], log: pathlib.Path, lower: bool = False) -> subprocess.Popen[bytes]:
    """A process in a session of its own (a Ctrl-C is for the suite alone), its output in `log`."""
    with log.open("ab") as output:
        return subprocess.Popen(lowered(command, lower), stdin=subprocess.DEVNULL, stdout=output,
                                stderr=output, cwd="/", start_new_session=True)


def run(*command: object) -> None:
    """Runs a command as user postgres to its end. Its output is part of the error."""
    done = subprocess.run(lowered(command), capture_output=True, text=True, cwd="/", check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{[str(word) for word in command]} failed:\n{done.stdout}{done.stderr}")


def _parent_and_state(pid: int) -> tuple[int, str] | None:
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(")")[2].split()  # the name before it may have blanks
    return int(fields[1]), fields[0]


def descendants(pid: int) -> list[int]:
    """The processes below this one, children before their own children."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and (found := _parent_and_state(int(entry.name))):
            parents[int(entry.name)] = found[0]
    tree = [pid]
    for known in tree:
        tree += [child for child, parent in parents.items() if parent == known]
    return tree[1:]


def gone(pid: int) -> bool:
    """Whether a process has ended; a zombie that nobody has waited for yet has."""
    found = _parent_and_state(pid)
    return found is None or found[1] in "ZX"


def send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def send_tree(pid: int, number: signal.Signals) -> list[int]:
    """Signals a process and all below it, and answers the latter.

    The parent first, and once more what it started until the signal reached it.
    """
    reached: list[int] = []
    send(pid, number)
    while fresh := [child for child in descendants(pid) if child not in reached]:
        for child in fresh:
            send(child, number)
        reached += fresh
    return reached
