"""One process of the embedded model as its parent sees it: started, asked, and ended."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING

from assay.model import JSON
from assay.models.frames import read_frame, write_frame

if TYPE_CHECKING:
    from collections.abc import Callable

LOAD_TIMEOUT_S = 120.0
END_TIMEOUT_S = 5.0
KEPT_LINES = 20
"""How much of the runtime's last words is kept for messages."""


class WorkerDied(Exception):
    """The process ended, or could not load the model."""


class WorkerTimeout(Exception):
    """The process did not answer in time; it must be ended, since it is still computing."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What decides how a worker answers."""

    path: Path
    context: int
    """Tokens of prompt and answer together."""
    threads: int


class Worker:
    """A started process with the model loaded, for one call at a time. Raises `WorkerDied`."""

    def __init__(self, setup: Setup) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "assay.models.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._replies: SimpleQueue[JSON | None] = SimpleQueue()
        self._last_words: deque[str] = deque(maxlen=KEPT_LINES)
        self._readers = [self._start_reader(self._read_replies), self._start_reader(self._read_stderr)]
        try:
            ready = self._exchange(
                {"path": str(setup.path), "context": setup.context, "threads": setup.threads}, LOAD_TIMEOUT_S
            )
        except BaseException:
            self.close()
            raise
        if "error" in ready:
            self.close()
            raise WorkerDied(f"{setup.path.name} could not be loaded: {ready['error']}")
        self.system: str = ready["system"]
        """The CPU features that the runtime uses."""

    @property
    def pid(self) -> int:
        return self._process.pid

    def call(self, request: JSON, timeout_s: float) -> JSON:
        """The worker's reply. Raises `WorkerDied` or `WorkerTimeout`; after either it must be closed."""
        return self._exchange(request, timeout_s)

    def close(self) -> None:
        """End the process at once, whatever it does."""
        self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_TIMEOUT_S)
        for thread in self._readers:
            thread.join(END_TIMEOUT_S)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                with suppress(OSError):
                    stream.close()

    def _exchange(self, frame: JSON, timeout_s: float) -> JSON:
        with suppress(OSError):  # a dead worker is seen at its reply
            write_frame(_there(self._process.stdin), frame)
        try:
            reply = self._replies.get(timeout=timeout_s)
        except Empty:
            raise WorkerTimeout(f"no answer within {timeout_s:g} s") from None
        if reply is None:
            raise WorkerDied(self._obituary())
        return reply

    def _obituary(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_TIMEOUT_S)
        self._readers[1].join(END_TIMEOUT_S)
        said = f": {' | '.join(self._last_words)}" if self._last_words else ""
        return f"the embedded model's process ended with exit code {self._process.returncode}{said}"

    def _start_reader(self, read: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread

    def _read_replies(self) -> None:
        stream = _there(self._process.stdout)
        while (reply := read_frame(stream)) is not None:
            self._replies.put(reply)
        self._replies.put(None)

    def _read_stderr(self) -> None:
        for line in _there(self._process.stderr):
            if text := line.decode("utf-8", "replace").strip():
                self._last_words.append(text)


def _there(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None, "every stream of a worker is a pipe"
    return stream
