"""Worker processes shared by threads: started when there is more to do than the started ones can bear."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assay.errors import TrialFailed
from assay.model import Fault
from assay.models.worker_process import Setup, Worker

if TYPE_CHECKING:
    from collections.abc import Iterator


class Pool:
    """At most `size` workers. The one used last is lent first, so that a lone caller starts only one."""

    def __init__(self, setup: Setup, size: int) -> None:
        self._setup = setup
        self._size = size
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._starting = 0
        self._closed = False
        self._changed = threading.Condition()

    @contextmanager
    def worker(self) -> Iterator[Worker]:
        """A worker of one's own for the block; where the block raises, the worker is ended and replaced.

        Raises `WorkerDied` where none can be started, `TrialFailed` once the pool is closed.
        """
        worker = self._take() or self._start()
        try:
            yield worker
        except BaseException:
            self._discard(worker)
            raise
        with self._changed:
            self._idle.append(worker)
            self._changed.notify()

    def close(self) -> None:
        """End every worker, also those at work; whoever waits gets `TrialFailed`."""
        with self._changed:
            self._closed = True
            workers, self._all, self._idle = list(self._all), set(), []
            self._changed.notify_all()
        for worker in workers:
            worker.close()

    def _take(self) -> Worker | None:
        """An idle worker, or None where the caller is to start one."""
        with self._changed:
            while not self._closed:
                if self._idle:
                    return self._idle.pop()
                if len(self._all) + self._starting < self._size:
                    self._starting += 1
                    return None
                self._changed.wait()
        raise TrialFailed(Fault("interrupted", "the model was closed"))

    def _start(self) -> Worker:
        try:
            worker = Worker(self._setup)
        finally:
            with self._changed:
                self._starting -= 1
                self._changed.notify()
        with self._changed:
            if not self._closed:
                self._all.add(worker)
                return worker
        worker.close()
        raise TrialFailed(Fault("interrupted", "the model was closed"))

    def _discard(self, worker: Worker) -> None:
        with self._changed:
            self._all.discard(worker)
            self._changed.notify()
        worker.close()
