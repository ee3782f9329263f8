"""Kills a run's processes when the run itself was killed. Run as a script, with the bare standard library.

Standard input is a pipe whose other end only the run holds: `+PID` and `-PID` lines say which process groups
are alive, and the pipe's end says that the run is gone. What carries the run's mark in its environment is
found even where it has left its group and its parents.
"""

from __future__ import annotations

import os
import signal
import sys
import time

GRACE_S = 0.3
ROUNDS = 20


def main(mark: bytes) -> None:
    """Watch until the run is gone, then end what it left."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    watched: set[int] = set()
    for line in sys.stdin:
        change = watched.add if line[0] == "+" else watched.discard
        change(int(line[1:]))
    end_all(watched, mark)


def end_all(watched: set[int], mark: bytes) -> None:
    """Ask everything that belongs to the run to end, then kill what is left."""
    asked: set[int] = set()
    for turn in range(ROUNDS):
        found = of_run(watched, mark)
        if not found:
            return
        for pid in found:
            _send(pid, signal.SIGKILL if pid in asked else signal.SIGTERM)
        asked |= found
        time.sleep(GRACE_S if turn == 0 else 0.02)


def of_run(watched: set[int], mark: bytes) -> set[int]:
    """Living processes of the watched groups, their descendants, and all that carry the mark."""
    processes = _table()
    found = {pid for pid, (_, group) in processes.items() if group in watched or _has_mark(pid, mark)}
    more = found
    while more:
        more = {pid for pid, (parent, _) in processes.items() if parent in found} - found
        found |= more
    return found - {os.getpid()}


def _table() -> dict[int, tuple[int, int]]:
    """Living processes: pid to (parent, group)."""
    found = {}
    for name, line in _lines():
        state, parent, group = line.split()[:3]
        if state[0] not in "ZX":
            found[int(name)] = (int(parent), int(group))
    return found


def _lines() -> list[tuple[str, str]]:
    """(pid, "state parent group …") of every process."""
    if not os.path.isdir("/proc/self"):  # noqa: PTH112  # pathlib costs more than all else here
        import subprocess

        command = ["ps", "-A", "-o", "pid=", "-o", "stat=", "-o", "ppid=", "-o", "pgid="]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        return [(row.split()[0], row.split(None, 1)[1]) for row in said.splitlines() if row.strip()]
    lines = []
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
        if stat := _read(f"/proc/{name}/stat"):
            lines.append((name, stat.rpartition(b")")[2].decode()))
    return lines


def _has_mark(pid: int, mark: bytes) -> bool:
    return mark in _read(f"/proc/{pid}/environ").split(b"\0")


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError:  # it has ended meanwhile, or is somebody else's
        return b""


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        return


if __name__ == "__main__":
    main(os.fsencode(sys.argv[1]))
