"""Watches over the processes of this run, so that none outlives it even where it is killed itself."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import uuid
from contextlib import suppress
from pathlib import Path

MARK = "ASSAY_RUN"
"""The variable that every process of a run inherits, so that an escaped one can be found."""


class Guard:
    """One small process that lives as long as this one and then kills what this one left. Thread-safe.

    It is started with the first process that it has to watch, and costs one write for each after that.
    """

    def __init__(self) -> None:
        self._mark = uuid.uuid4().hex
        self._lock = threading.Lock()
        self._owner: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._watched: set[int] = set()

    @property
    def env(self) -> dict[str, str]:
        """What a process must have in its environment to be found whatever it does."""
        return {MARK: self._mark}

    def ready(self) -> None:
        """Start watching, before the first process is started."""
        with self._lock:
            if self._owner != os.getpid():
                self._owner = os.getpid()
                self._watched = set()
                self._process = self._start()

    def watch(self, pid: int) -> None:
        """Kill the group `pid` and all its descendants if this process dies."""
        with self._lock:
            self._watched.add(pid)
            self._tell(f"+{pid}\n")

    def release(self, pid: int) -> None:
        """The group is gone."""
        with self._lock:
            self._watched.discard(pid)
            self._tell(f"-{pid}\n")

    def end_escaped(self) -> int:
        """Kill processes that outlived their trial, where none is running; how many there were."""
        if self._owner != os.getpid() or self._watched:
            return 0
        from assay.harnesses import orphans

        mark = f"{MARK}={self._mark}".encode()
        found = orphans.of_run(set(), mark)
        if found:
            orphans.end_all(set(), mark)
        return len(found)

    def _start(self) -> subprocess.Popen[bytes] | None:
        if os.name != "posix":
            return None
        script = Path(__file__).with_name("orphans.py")
        return subprocess.Popen(
            [sys.executable, "-I", "-S", str(script), f"{MARK}={self._mark}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
            bufsize=0,
        )

    def _tell(self, line: str) -> None:
        if self._process and self._process.stdin:
            with suppress(OSError):
                self._process.stdin.write(line.encode())


guard = Guard()
"""The guard of this process."""
