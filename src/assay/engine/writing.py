"""Writes finished trials as they come, and holds them where the store fails, so that no result is lost."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from assay.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.model import Record, Transcript

AGAIN_S = 5.0
"""After a failure the store is tried again no sooner than this."""


class Sink(Protocol):
    """Where finished trials go."""

    def write(self, finished: Sequence[tuple[Record, Transcript | None]]) -> None: ...


class Writer:
    """Hands batches to a sink. What it refuses is kept and tried again, at the latest in `close`."""

    def __init__(self, sink: Sink, clock: Callable[[], float] = time.monotonic) -> None:
        self.problem: str | None = None
        """Why the last attempt failed; None where everything is written."""
        self._sink = sink
        self._clock = clock
        self._held: list[tuple[Record, Transcript | None]] = []
        self._not_before = 0.0

    def write(self, batch: Sequence[tuple[Record, Transcript | None]]) -> None:
        """Write a batch, with what was held before; never raises for a store that fails."""
        if not self._held and self.problem is None:
            self._attempt(batch)
        else:
            self._held.extend(batch)
            if self._clock() >= self._not_before:
                self._attempt(())

    def close(self) -> None:
        """The last attempt for what is still held."""
        if self._held:
            self._attempt(())

    def _attempt(self, batch: Sequence[tuple[Record, Transcript | None]]) -> None:
        rows = [*self._held, *batch] if self._held else batch
        try:
            self._sink.write(rows)
        except StoreError as error:
            self._held = list(rows)
            self.problem = str(error)
            self._not_before = self._clock() + AGAIN_S
        else:
            self._held = []
            self.problem = None
