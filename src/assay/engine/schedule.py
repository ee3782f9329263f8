"""The only scheduler: threads that pull trials from one iterator, started as they are needed."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.engine.stop import StopFlag

Task = TypeVar("Task")
Result = TypeVar("Result")

PENDING = 512
"""How many results may wait to be taken, beside those of the workers at work."""
QUIET_S = 0.002
"""Without a result for so long, the workers are waiting for something: more of them are started."""
CROWD = 128
"""With so many results at once, one worker is enough: threads that never wait get in each other's way."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """A worker has no more to do, or is not needed now; `error` is the bug that ended it, if one did."""

    error: BaseException | None = None
    is_spare: bool = False


class Workers(Generic[Task, Result]):
    """Runs `work` on each task in up to `count` threads and hands the results out as they come, unordered.

    A task is taken only when a worker is free, so neither tasks nor results pile up. `work` turns what may
    go wrong into a result; what it raises all the same is a bug, stops the run and is raised by `results`.
    """

    def __init__(
        self, tasks: Iterator[Task], work: Callable[[Task], Result | None], count: int, stop: StopFlag
    ) -> None:
        self._tasks = tasks
        self._work = work
        self._stop = stop
        self._halted = False
        self._error: BaseException | None = None
        self._lock = threading.Lock()
        self._done: SimpleQueue[Result | _Ended] = SimpleQueue()
        self._room = threading.Semaphore(PENDING + count)
        self._to_start = count
        self._running = 0
        self._spare = 0
        self._over = False

    def halt(self) -> None:
        """Take no more tasks; what is running ends as it would."""
        self._halted = True

    def results(self, most: int = PENDING) -> Iterator[list[Result]]:
        """Batches of what has finished since the last one; ends when every worker has."""
        while self._running or not self._over:
            if not self._running:
                self._start(1)
            batch: list[Result] = []
            self._take(self._next(), batch)
            while len(batch) < most and not self._done.empty():
                self._take(self._done.get(), batch)
            if len(batch) >= CROWD:
                self._spare = self._running - 1
            if batch:
                yield batch
                self._room.release(len(batch))
        if self._error is not None:
            raise self._error

    def _next(self) -> Result | _Ended:
        if self._to_start:
            try:
                return self._done.get(timeout=QUIET_S)
            except Empty:
                self._spare = 0
                self._start(self._to_start)
        return self._done.get()

    def _start(self, count: int) -> None:
        self._to_start -= count
        self._running += count
        for _ in range(count):
            threading.Thread(target=self._pull, name="trial", daemon=True).start()

    def _take(self, entry: Result | _Ended, batch: list[Result]) -> None:
        if not isinstance(entry, _Ended):
            batch.append(entry)
            return
        self._running -= 1
        self._to_start += entry.is_spare
        self._over = self._over or not entry.is_spare
        if entry.error is not None:
            self._error = entry.error
            self._stop.set()

    def _pull(self) -> None:
        ended = _Ended()
        try:
            while not (self._halted or self._stop.is_set()):
                if self._is_spare():
                    ended = _Ended(is_spare=True)
                    break
                self._room.acquire()
                with self._lock:
                    task = None if self._halted else next(self._tasks, None)
                if task is None:
                    break
                result = self._work(task)
                if result is None:
                    self._room.release()
                else:
                    self._done.put(result)
        except BaseException as bug:  # noqa: BLE001  # handed to the main thread, raised there
            ended = _Ended(bug)
        finally:
            self._done.put(ended)

    def _is_spare(self) -> bool:
        if not self._spare:
            return False
        with self._lock:
            self._spare, spare = max(0, self._spare - 1), self._spare
        return spare > 0
