"""Memory of attempts: every result judged against a record, so that trying until luck strikes shows."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from assay.model import JSON
    from assay.store.trials import TrialStore


@dataclass(frozen=True, slots=True)
class Attempt:
    """One result that was judged."""

    item: str
    model: str
    best: str
    """The run of the record it was judged against; empty where none was."""
    run: str
    accepted: bool
    by_luck: float | None
    """The chance that the rule accepts where nothing changed; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Attempts:
    """All results that were judged against one record, this one among them."""

    number: int
    by_luck: float
    """Accepts that luck alone is expected to have made among those whose chance is known."""
    unknown: int = 0
    """Those whose chance is not known."""

    def to_document(self) -> JSON:
        return {"number": self.number, "expected_by_luck": self.by_luck, "unknown": self.unknown}


def note(trials: TrialStore, attempt: Attempt) -> None:
    """Write an attempt down; one that is judged again counts once, with the larger chance."""
    with trials.transaction() as db:
        db.execute(
            "INSERT INTO judged (at, item, model, best, run, accepted, by_luck) VALUES (?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (item, model, best, run) DO UPDATE SET accepted = excluded.accepted,"
            " by_luck = max(coalesce(judged.by_luck, excluded.by_luck),"
            " coalesce(excluded.by_luck, judged.by_luck))",
            (
                time.time(),
                attempt.item,
                attempt.model,
                attempt.best,
                attempt.run,
                attempt.accepted,
                attempt.by_luck,
            ),
        )


def count(attempt: Attempt, trials: TrialStore | None, ledger: Iterable[str] = ()) -> Attempts:
    """This attempt with those before it: of the store, and the runs that the ledger holds since the record.

    A run of the ledger is left out where the store knows that it was of another model.
    """
    known: dict[str, float | None] = {}
    if trials is not None:
        query = "SELECT run, by_luck FROM judged WHERE item = ? AND model = ? AND best = ?"
        known = dict(trials.rows(query, attempt.item, attempt.model, attempt.best))
    for run in ledger:
        stored = trials.run(run) if trials is not None else None
        if run not in known and (stored is None or stored.model == attempt.model):
            known[run] = None
    known[attempt.run] = _larger(known.get(attempt.run), attempt.by_luck)
    chances = [chance for chance in known.values() if chance is not None]
    return Attempts(len(known), sum(chances), len(known) - len(chances))


def remember(path: Path | None, attempt: Attempt, ledger: Iterable[str] = ()) -> Attempts:
    """Note an attempt in the store, where there is one that can be written, and count."""
    from assay.errors import StoreError
    from assay.store.trials import TrialStore

    if path is not None and path.is_file():
        try:
            trials = TrialStore(path)
            try:
                note(trials, attempt)
                return count(attempt, trials, ledger)
            finally:
                trials.close()
        except StoreError:
            pass  # a decision does not hang on the store: what the ledger holds still counts
    return count(attempt, None, ledger)


def _larger(one: float | None, other: float | None) -> float | None:
    known = [chance for chance in (one, other) if chance is not None]
    return max(known, default=None)
