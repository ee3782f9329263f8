"""Runs one child process so that nothing of it outlives its trial: output capped, the whole tree killed."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, TypeAlias

import psutil

from assay.harnesses.guard import guard

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.harnesses import Stop

OUTPUT_CAP = 10 * 1024 * 1024
"""Bytes kept of each stream by default."""
GRACE_S = 2.0
"""How long a process tree may take to end after it was asked to."""
POLL_S = 0.1
KILLED_S = 1.0
"""How long to wait for killed processes to be gone."""
CHUNK = 1 << 16

End: TypeAlias = Literal["done", "timeout", "idle_timeout", "stopped"]


@dataclass(frozen=True, slots=True)
class Completed:
    """What a process left. `exit_code` is negative for a signal, None where it had to be killed."""

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    ended: End
    capped: bool
    """True where a stream was longer than the cap; the rest was read and dropped."""
    duration_s: float


def run_process(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes = b"",
    timeout_s: float,
    idle_timeout_s: float | None = None,
    output_cap: int = OUTPUT_CAP,
    grace_s: float = GRACE_S,
    stop: Stop | None = None,
) -> Completed:
    """Run `argv` in a process group of its own and wait for it.

    At a time-out (whole, or without any output for `idle_timeout_s`) and when the run stops, the whole
    tree is asked to end and after a grace killed. A grandchild that holds a pipe open does not keep us.
    Raises OSError where the program cannot be started.
    """
    started = time.monotonic()
    guard.ready()
    process = subprocess.Popen(
        list(argv),
        cwd=cwd,
        env={**env, **guard.env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    guard.watch(process.pid)
    pipes = _Pipes(process, stdin, output_cap)
    withdraw = stop.on_stop(lambda: end_tree(process, grace_s)) if stop else None
    try:
        ended: End = _wait(process, pipes, started + timeout_s, idle_timeout_s)
        if ended != "done":
            end_tree(process, grace_s)
        else:
            _kill_group(process.pid, signal.SIGKILL)  # what the process left running in its group
        pipes.drain()
    except BaseException:
        end_tree(process, 0)
        raise
    finally:
        if withdraw:
            withdraw()
        pipes.close()
        process.wait()
        guard.release(process.pid)
    if stop and stop.is_set():
        ended = "stopped"
    return Completed(
        exit_code=process.returncode if ended == "done" else None,
        stdout=bytes(pipes.kept["stdout"]),
        stderr=bytes(pipes.kept["stderr"]),
        ended=ended,
        capped=pipes.capped,
        duration_s=time.monotonic() - started,
    )


def _wait(process: subprocess.Popen[bytes], pipes: _Pipes, deadline: float, idle_s: float | None) -> End:
    """Feed and read until the process has ended or a time-out has passed."""
    last_output = time.monotonic()
    while pipes.open:
        now = time.monotonic()
        if now >= deadline:
            return "timeout"
        if idle_s is not None and now - last_output >= idle_s:
            return "idle_timeout"
        if pipes.pump(min(POLL_S, deadline - now)):
            last_output = time.monotonic()
        elif process.poll() is not None:
            return "done"
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return "timeout"
    return "done"


class _Pipes:
    """The three pipes of a process on one selector; keeps at most `cap` bytes of each output."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes, cap: int) -> None:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self._selector = selectors.DefaultSelector()
        self._cap = cap
        self._to_send = memoryview(stdin)
        self.kept: dict[str, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}
        self.capped = False
        self._files: tuple[IO[bytes], ...] = (process.stdin, process.stdout, process.stderr)
        for file, name in ((process.stdout, "stdout"), (process.stderr, "stderr")):
            os.set_blocking(file.fileno(), False)
            self._selector.register(file, selectors.EVENT_READ, name)
        if stdin:
            os.set_blocking(process.stdin.fileno(), False)
            self._selector.register(process.stdin, selectors.EVENT_WRITE, "stdin")
        else:
            process.stdin.close()

    @property
    def open(self) -> bool:
        return bool(self._selector.get_map())

    def pump(self, wait_s: float) -> bool:
        """Move what can be moved now; True if anything did."""
        moved = False
        for key, _ in self._selector.select(wait_s):
            file: IO[bytes] = key.fileobj  # type: ignore[assignment]  # registered as such above
            moved = (self._send(file) if key.data == "stdin" else self._receive(file, key.data)) or moved
        return moved

    def _send(self, file: IO[bytes]) -> bool:
        try:
            sent = os.write(file.fileno(), self._to_send[:CHUNK])
        except BlockingIOError:
            return False
        except OSError:  # the child does not read its input: its own choice
            sent = len(self._to_send)
        self._to_send = self._to_send[sent:]
        if not self._to_send:
            self._selector.unregister(file)
            with suppress(OSError):
                file.close()
        return True

    def _receive(self, file: IO[bytes], name: str) -> bool:
        try:
            chunk = os.read(file.fileno(), CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._selector.unregister(file)
            return True
        room = self._cap - len(self.kept[name])
        self.capped = self.capped or len(chunk) > room
        self.kept[name] += chunk[: max(0, room)]
        return True

    def drain(self) -> None:
        """Read what the ended process still left in the pipes, without waiting for other holders."""
        while self.open and self.pump(0):
            pass

    def close(self) -> None:
        self._selector.close()
        for file in self._files:
            with suppress(OSError):
                file.close()


def end_tree(process: subprocess.Popen[bytes], grace_s: float) -> None:
    """Ask a process, its group and all its descendants to end; kill what is left after the grace."""
    tree = _descendants(process.pid)
    _kill_group(process.pid, signal.SIGTERM)
    for child in tree:
        with suppress(psutil.Error):
            child.terminate()
    with suppress(subprocess.TimeoutExpired):
        if grace_s:
            process.wait(grace_s)
    tree += [child for child in _descendants(process.pid) if child not in tree]
    _kill_group(process.pid, signal.SIGKILL)
    for child in tree:
        with suppress(psutil.Error):
            child.kill()
    gone_by = time.monotonic() + KILLED_S
    while any(_lives(child) for child in tree) and time.monotonic() < gone_by:
        time.sleep(0.005)


def _lives(process: psutil.Process) -> bool:
    """Zombies do not: the reaper of an orphan is somebody else."""
    with suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _descendants(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []


def _kill_group(pid: int, signal_number: int) -> None:
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal_number)
    else:
        with suppress(psutil.Error):
            psutil.Process(pid).kill()
