"""Trials from one store to another: two machines, the shards of a pipeline, a copy to send."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import StoreError
from assay.store.rows import TRIAL_COLUMNS
from assay.store.trials import TrialStore, add_transcripts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.store.rows import Row, Run

BATCH = 500


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge took over; what was there before is not counted."""

    runs: int
    trials: int


def merge(into: TrialStore, path: Path) -> Merged:
    """Take every run of the store at `path` over; doing so again changes nothing.

    A run that is there already gets the trials it lacks; another run under a taken id gets a free one. The
    store at `path` is only read, whatever its schema. Raises StoreError for what is none.
    """
    runs = trials = 0
    with _copy_of(path) as other:
        for run in reversed(other.runs()):
            given, is_new = _place(into, run)
            runs += is_new
            trials += _take(into, other, run, given)
    return Merged(runs, trials)


def export(store: TrialStore, runs: Sequence[Run], target: Path) -> Merged:
    """Write some runs to a new store, whole or not at all. Raises StoreError where the file is there."""
    if target.exists():
        raise StoreError(f"{target.as_posix()} is there already: name another file")
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with closing(TrialStore(half)) as made:
            done = Merged(len(runs), sum(_take(made, store, run, made.begin(run)) for run in runs))
            made.rows("PRAGMA journal_mode=DELETE")
        half.rename(target)
        return done
    except OSError as error:
        raise StoreError(f"{target.as_posix()} could not be written: {error.strerror or error}") from error
    finally:
        half.unlink(missing_ok=True)


@contextmanager
def _copy_of(path: Path) -> Iterator[TrialStore]:
    """A store of today's schema with the same content, in a temporary file."""
    if not path.is_file():
        raise StoreError(f"there is no store at {path.as_posix()}")
    with tempfile.TemporaryDirectory(prefix="assay-import-") as folder:
        copy = Path(folder) / "trials.sqlite"
        try:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as source:
                with closing(sqlite3.connect(copy)) as target:
                    source.backup(target)
                if source.execute("PRAGMA user_version").fetchone()[0] == 0:
                    raise StoreError(f"{path.as_posix()} is no trial store of assay")
        except sqlite3.Error as error:
            raise StoreError(f"{path.as_posix()} cannot be read as a trial store: {error}") from error
        with closing(TrialStore(copy)) as other:
            yield other


def _place(into: TrialStore, run: Run) -> tuple[Run, bool]:
    """The run as it is, or is to be, in the other store; and whether it is new there."""
    known = [other for other in into.runs() if other.id == run.id or other.id.startswith(f"{run.id}-")]
    for other in known:
        if (other.started, other.harness, other.info) == (run.started, run.harness, run.info):
            return other, False
    return into.begin(run), True


def _take(into: TrialStore, other: TrialStore, run: Run, given: Run) -> int:
    """Copy a run's trials with their transcripts; how many were new or newer."""
    taken, last = 0, 0
    while rows := other.rows(
        f"SELECT rowid, at, {TRIAL_COLUMNS} FROM trials WHERE run = (SELECT number FROM runs WHERE id = ?)"
        " AND rowid > ? ORDER BY rowid LIMIT ?",
        run.id,
        last,
        BATCH,
    ):
        last = rows[-1][0]
        digests = {row[-2] for row in rows if row[-2] is not None}
        marks = ", ".join("?" * len(digests))
        bodies = other.rows(f"SELECT digest, body FROM transcripts WHERE digest IN ({marks})", *digests)
        taken += _insert(into, given, [row[1:] for row in rows], bodies)
    return taken


def _insert(into: TrialStore, run: Run, rows: Sequence[Row], bodies: Sequence[Row]) -> int:
    columns = f"run, at, {TRIAL_COLUMNS}"
    updates = ", ".join(f"{name} = excluded.{name}" for name in columns.split(", ")[1:])
    marks = ", ".join("?" * len(columns.split(", ")[1:]))
    with into.transaction() as db:
        add_transcripts(db, [(digest, body) for digest, body in bodies])
        before = db.total_changes
        db.executemany(
            f"INSERT INTO trials ({columns}) VALUES ((SELECT number FROM runs WHERE id = ?), {marks})"
            f" ON CONFLICT (run, case_id, arm, repeat) DO UPDATE SET {updates} WHERE excluded.at > trials.at",
            [(run.id, *row) for row in rows],
        )
        return db.total_changes - before
