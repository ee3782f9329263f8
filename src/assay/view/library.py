"""What the pages read: the store, opened for each request, and the runs that were last looked at."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from assay.errors import UsageError
from assay.report.caps import Caps
from assay.report.history import RunPoint, history
from assay.report.html import Material
from assay.report.summary import CaseSummary, Summary, summarise
from assay.store.look import runs_of
from assay.store.trials import TrialStore

if TYPE_CHECKING:
    from assay.model import Case
    from assay.store.rows import Run

SourcesOf: TypeAlias = "Callable[[Run], Mapping[str, Case]]"

KEPT = 4
"""Finished runs that stay in memory: opening their cases reads the store for transcripts only."""
POINTS = 30


@dataclass(frozen=True, slots=True)
class Book:
    """A run as its page needs it."""

    run: Run
    summary: Summary
    sources: Mapping[str, Case]
    points: tuple[RunPoint, ...]
    caps: Caps = field(default_factory=Caps)

    def case(self, name: str) -> CaseSummary:
        """Raises UsageError where the run has no such case."""
        for case in self.summary.cases:
            if case.id == name:
                return case
        raise UsageError(f"{self.run.id} has no case {name!r}")

    def material(self, trials: TrialStore) -> Material:
        return Material(trials.transcript, self.sources, self.points)


class Library:
    """Opens the store read only, once a request. `sources_of` finds the cases as their authors wrote them."""

    def __init__(self, path: Path, sources_of: SourcesOf) -> None:
        self.path = path
        self._sources_of = sources_of
        self._kept: OrderedDict[tuple[str, str | None], Book] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[TrialStore | None]:
        """The store; None where there is none yet."""
        if not self.path.is_file():
            yield None
            return
        trials = TrialStore(self.path, read_only=True)
        try:
            yield trials
        finally:
            trials.close()

    @contextmanager
    def opened(self, run_id: str) -> Iterator[tuple[TrialStore, Book]]:
        """The store and a run of it. Raises UsageError where there is no such run."""
        with self.reading() as trials:
            run = trials.run(run_id) if trials else None
            if trials is None or run is None:
                raise UsageError(f"no stored run is called {run_id!r}")
            yield trials, self._book(trials, run)

    def _book(self, trials: TrialStore, run: Run) -> Book:
        name = (run.id, run.ended)
        with self._lock:
            if name in self._kept:
                self._kept.move_to_end(name)
                return self._kept[name]
        points = history(run, runs_of(trials, run.name, POINTS * 4), POINTS)
        book = Book(run, summarise(run, trials.records(run.id)), self._sources_of(run), points)
        if run.state != "running":
            with self._lock:
                self._kept[name] = book
                while len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
        return book
