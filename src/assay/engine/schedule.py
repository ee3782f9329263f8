"""The only scheduler: a fixed number of threads that pull trials from one iterator."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.engine.stop import StopFlag

Task = TypeVar("Task")
Result = TypeVar("Result")


PENDING = 64
"""How many results may wait to be taken, beside those of the workers at work."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """A worker has no more to do; `error` is the bug that ended it, if one did."""

    error: BaseException | None


class Workers(Generic[Task, Result]):
    """Runs `work` on each task in `count` threads and hands the results out as they come, unordered.

    A task is taken only when a worker is free, so neither tasks nor results pile up. `work` turns what may
    go wrong into a result; what it raises all the same is a bug, stops the run and is raised by `results`.
    """

    def __init__(
        self, tasks: Iterator[Task], work: Callable[[Task], Result | None], count: int, stop: StopFlag
    ) -> None:
        self._halted = False
        self._error: BaseException | None = None
        self._tasks = tasks
        self._work = work
        self._stop = stop
        self._lock = threading.Lock()
        self._done: SimpleQueue[Result | _Ended] = SimpleQueue()
        self._running = count
        self._room = threading.Semaphore(PENDING + count)
        self._threads = [
            threading.Thread(target=self._pull, name=f"trial-{n}", daemon=True) for n in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def halt(self) -> None:
        """Take no more tasks; what is running ends as it would."""
        self._halted = True

    def results(self, most: int = 256) -> Iterator[list[Result]]:
        """Batches of what has finished since the last one; ends when every worker has."""
        while self._running:
            batch: list[Result] = []
            self._take(self._done.get(), batch)
            while len(batch) < most and not self._done.empty():
                self._take(self._done.get(), batch)
            if batch:
                yield batch
                self._room.release(len(batch))
        if self._error is not None:
            raise self._error

    def _take(self, entry: Result | _Ended, batch: list[Result]) -> None:
        if not isinstance(entry, _Ended):
            batch.append(entry)
            return
        self._running -= 1
        if entry.error is not None:
            self._error = entry.error
            self._stop.set()

    def _pull(self) -> None:
        error: BaseException | None = None
        try:
            while not (self._halted or self._stop.is_set()):
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
            error = bug
        finally:
            self._done.put(_Ended(error))
