"""The trial store: one SQLite file, every trial written as it ends, read while a run writes."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.errors import StoreError
from assay.store.migrations import migrate
from assay.store.rows import (
    RUN_COLUMNS,
    TRIAL_COLUMNS,
    Run,
    State,
    binary,
    decode,
    pack,
    record_of,
    run_of,
    run_row,
    trial_row,
    unpack,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from assay.model import JSON, Outcome, Record, Transcript
    from assay.store.rows import Row

__all__ = ["Run", "State", "TrialStore"]

BUSY_S = 30.0
"""How long to wait for another process that writes."""
CHECKPOINT_PAGES = 4000
"""Pages of the write-ahead log (4 KiB each) before they go into the file: fewer, larger, cheaper."""


def _patiently(db: sqlite3.Connection, statement: str) -> None:
    """Run a statement that the time-out of SQLite does not cover: two processes may make a store at once."""
    deadline = time.monotonic() + BUSY_S
    while True:
        try:
            db.execute(statement)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() >= deadline:
                raise
            time.sleep(0.01)
        else:
            return


class TrialStore:
    """Open it, begin a run, write records as they finish. Usable from any thread and beside other processes.

    Raises StoreError, with what to do, where the file cannot be opened, read or written. `path` None is a
    store in memory, gone when it is closed.
    """

    def __init__(self, path: Path | None, *, read_only: bool = False) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._numbers: dict[str, int] = {}
        with self.told():
            self._db = _connect(path, read_only=read_only)
            try:
                if not read_only:
                    for pragma in (
                        "journal_mode=WAL",
                        "synchronous=NORMAL",
                        f"wal_autocheckpoint={CHECKPOINT_PAGES}",
                    ):
                        _patiently(self._db, f"PRAGMA {pragma}")
                migrate(self._db, path, read_only=read_only)
            except BaseException:
                self._db.close()
                raise

    def close(self) -> None:
        self._db.close()

    # --- writing ---

    def begin(self, run: Run) -> Run:
        """Write a run down before its first trial; gives it a free id where its own is taken."""
        number = 1
        while True:
            given = run if number == 1 else replace(run, id=f"{run.id}-{number}")
            try:
                with self.told():
                    self._db.execute(
                        f"INSERT INTO runs ({RUN_COLUMNS}) VALUES ({_marks(RUN_COLUMNS)})", run_row(given)
                    )
            except sqlite3.IntegrityError:
                number += 1
            else:
                return given

    def go_on(self, run_id: str) -> None:
        """A run that was ended goes on: it is at work again."""
        with self.told():
            self._db.execute("UPDATE runs SET state = 'running', ended = NULL WHERE id = ?", (run_id,))

    def finish(self, run: Run) -> None:
        """Write how a run ended, with its document; after it returns a power cut loses nothing of it."""
        changes = ", ".join(f"{name} = excluded.{name}" for name in RUN_COLUMNS.split(", ")[1:])
        with self.told():
            self._db.execute("PRAGMA synchronous=FULL")
            try:
                self._db.execute(
                    f"INSERT INTO runs ({RUN_COLUMNS}) VALUES ({_marks(RUN_COLUMNS)})"
                    f" ON CONFLICT (id) DO UPDATE SET {changes}",
                    run_row(run),
                )
            finally:
                self._db.execute("PRAGMA synchronous=NORMAL")

    def write(self, finished: Sequence[tuple[Record, Transcript | None]]) -> None:
        """Write finished trials in one transaction: after it returns a kill loses none of them."""
        rows, bodies, now = [], [], time.time()
        for record, transcript in finished:
            digest = record.transcript
            if transcript is not None:
                digest, body = pack(transcript)
                bodies.append((bytes.fromhex(digest), body))
            rows.append((self._number(record.run), now, *trial_row(record, digest)))
        with self.transaction() as db:
            add_transcripts(db, bodies)
            add_trials(db, rows)

    def _number(self, run_id: str) -> int:
        if run_id not in self._numbers:
            with self.told():
                row = self._db.execute("SELECT number FROM runs WHERE id = ?", (run_id,)).fetchone()
            if row is None:
                raise StoreError(f"the run {run_id!r} was not begun in the store {self._name}")
            self._numbers[run_id] = row[0]
        return self._numbers[run_id]

    # --- reading ---

    def runs(self, limit: int | None = None) -> list[Run]:
        """All runs, newest first."""
        query = f"SELECT {RUN_COLUMNS} FROM runs ORDER BY started DESC, number DESC LIMIT ?"
        return [run_of(row) for row in self.rows(query, -1 if limit is None else limit)]

    def run(self, run_id: str) -> Run | None:
        rows = self.rows(f"SELECT {RUN_COLUMNS} FROM runs WHERE id = ?", run_id)
        return run_of(rows[0]) if rows else None

    def counts(self, run_id: str) -> tuple[dict[str, int], int]:
        """How many trials of a run ended how, and how many came from the store."""
        rows = self.rows(
            "SELECT outcome, count(*), total(cached) FROM trials"
            " WHERE run = (SELECT number FROM runs WHERE id = ?) GROUP BY outcome",
            run_id,
        )
        return {row[0]: row[1] for row in rows}, int(sum(row[2] for row in rows))

    def records(self, run_id: str, outcome: Outcome | None = None) -> Iterator[Record]:
        """The trials of a run, or those that ended so, by case, arm and repeat."""
        query = (
            f"SELECT {TRIAL_COLUMNS} FROM trials WHERE run = (SELECT number FROM runs WHERE id = ?1)"
            " AND (?2 IS NULL OR outcome = ?2) ORDER BY case_id, arm, repeat"
        )
        with self.told():
            rows = self._db.execute(query, (run_id, outcome))
        while batch := self._fetch(rows):
            for row in batch:
                yield record_of(row, run_id)

    def _fetch(self, rows: sqlite3.Cursor) -> list[Row]:
        with self.told():
            return rows.fetchmany(1000)

    def transcript(self, digest: str) -> Transcript | None:
        wanted = bytes.fromhex(digest)
        rows = self.rows(
            "SELECT body FROM transcripts WHERE substr(digest, 1, 8) = ? AND digest = ?", wanted[:8], wanted
        )
        try:
            return unpack(rows[0][0]) if rows else None
        except ValueError as error:
            raise StoreError(f"the trial store {self._name}: {error}; see `assay store check`") from error

    def known(self, key: str) -> Record | None:
        """The newest trial of that key that left a transcript; None if there is none.

        Also one whose judge or grader failed: only that has to be done again.
        """
        wanted = binary(key)
        rows = self.rows(
            f"SELECT (SELECT id FROM runs WHERE number = trials.run), {TRIAL_COLUMNS} FROM trials"
            " WHERE substr(key, 1, 8) = ? AND key = ? AND transcript IS NOT NULL"
            " ORDER BY rowid DESC LIMIT 1",
            wanted[:8],
            wanted,
        )
        return record_of(rows[0][1:], rows[0][0]) if rows else None

    def finished(self, run_id: str, case: str, arm: str, repeat: int) -> Record | None:
        """What a run has written of one trial, if anything."""
        rows = self.rows(
            f"SELECT {TRIAL_COLUMNS} FROM trials WHERE run = (SELECT number FROM runs WHERE id = ?)"
            " AND case_id = ? AND arm = ? AND repeat = ?",
            run_id,
            case,
            arm,
            repeat,
        )
        return record_of(rows[0], run_id) if rows else None

    def latest(
        self, kind: str, name: str, case: str, arm: str, repeat: int
    ) -> tuple[Record, dict[str, JSON]] | None:
        """The newest trial of that place in the runs of one name, and what its run wrote down of itself."""
        rows = self.rows(
            f"SELECT r.id, r.info, {TRIAL_COLUMNS} FROM trials t JOIN runs r ON r.number = t.run WHERE"
            " r.kind = ? AND r.name = ? AND t.case_id = ? AND t.arm = ? AND t.repeat = ?"
            " ORDER BY r.number DESC LIMIT 1",
            kind,
            name,
            case,
            arm,
            repeat,
        )
        if not rows:
            return None
        run_id, info, *row = rows[0]
        return record_of(tuple(row), run_id), decode(info)

    def paid_after(self, row: int, since: float, but_run: str) -> tuple[int, float]:
        """What other runs paid in trials written after `row` and since a moment: (last row, dollars)."""
        found: tuple[int | None, float] = self.rows(
            "SELECT max(rowid), total(coalesce(cost_usd, 0) + coalesce(judge_cost_usd, 0)) FROM trials"
            " WHERE rowid > ?1 AND cached = 0 AND at >= ?2"
            " AND run != (SELECT number FROM runs WHERE id = ?3)",
            row,
            since,
            but_run,
        )[0]
        return found[0] or row, found[1]

    @property
    def is_empty(self) -> bool:
        return not self.rows("SELECT 1 FROM trials LIMIT 1")

    def typical_cost(self, harness: str, model: str | None) -> float | None:
        """What a paid trial of this harness and model cost on average so far, in dollars; None if unknown."""
        cost: float | None = self.rows(
            "SELECT avg(t.cost_usd + coalesce(t.judge_cost_usd, 0))"
            " FROM trials t JOIN runs r ON r.number = t.run"
            " WHERE r.harness = ? AND r.model IS ? AND t.cached = 0 AND t.cost_usd IS NOT NULL",
            harness,
            model,
        )[0][0]
        return cost

    def spent_usd(self, *, run_id: str | None = None, since: float = 0.0) -> float:
        """What was paid, agents and judges: by one run, or by all since a moment (seconds of the epoch)."""
        total: float = self.rows(
            "SELECT total(coalesce(cost_usd, 0) + coalesce(judge_cost_usd, 0)) FROM trials WHERE cached = 0"
            " AND at >= ?1 AND (?2 IS NULL OR run = (SELECT number FROM runs WHERE id = ?2))",
            since,
            run_id,
        )[0][0]
        return total

    # --- for the other modules of the store ---

    @property
    def _name(self) -> str:
        return self.path.as_posix() if self.path else "in memory"

    def rows(self, query: str, *values: JSON) -> list[Row]:
        """All rows that a statement gives."""
        with self.told():
            return self._db.execute(query, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The connection, inside one transaction that is taken back if anything is raised."""
        with self.told():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                self._db.rollback()
                raise

    @contextmanager
    def told(self) -> Iterator[None]:
        """Turn SQLite's errors into one message that says which file and what to do."""
        try:
            with self._lock:
                yield
        except sqlite3.IntegrityError:
            raise
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"the trial store {self._name}: {error}{_advice(error)}") from error


def add_transcripts(db: sqlite3.Connection, bodies: Sequence[tuple[bytes, bytes]]) -> None:
    """Insert those (digest, body) that are not there yet."""
    db.executemany(
        "INSERT INTO transcripts (digest, body) SELECT ?1, ?2 WHERE NOT EXISTS"
        " (SELECT 1 FROM transcripts WHERE substr(digest, 1, 8) = substr(?1, 1, 8) AND digest = ?1)",
        bodies,
    )


def add_trials(db: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Insert rows of (run number, time, *TRIAL_COLUMNS); the same trial of the same run is replaced.

    One that is only graded anew keeps the time at which it was paid for.
    """
    columns = f"run, at, {TRIAL_COLUMNS}"
    db.executemany(
        f"INSERT INTO trials ({columns}) VALUES ({_marks(columns)})"
        f" ON CONFLICT (run, case_id, arm, repeat) DO UPDATE SET {_UPDATES}",
        rows,
    )


_IS_SAME = "trials.key = excluded.key AND trials.transcript IS excluded.transcript"
_UPDATES = ", ".join(
    [f"at = iif({_IS_SAME}, trials.at, excluded.at)"]
    + [f"{name} = excluded.{name}" for name in TRIAL_COLUMNS.split(", ")]
)


def _connect(path: Path | None, *, read_only: bool) -> sqlite3.Connection:
    if path is None:
        return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    if read_only:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        return sqlite3.connect(uri, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    return sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)


def _marks(columns: str) -> str:
    return ", ".join("?" * (columns.count(",") + 1))


def _advice(error: Exception) -> str:
    text = str(error)
    for sign, advice in (
        ("disk is full", "; free some space and resume the run"),
        ("No space left", "; free some space and resume the run"),
        ("readonly", "; make the folder writable, or name another with --store"),
        ("Read-only", "; make the folder writable, or name another with --store"),
        ("unable to open", "; is its folder writable? Name another with --store"),
        ("Permission denied", "; make the folder writable, or name another with --store"),
        ("locked", "; another process holds it: wait for it, or name another with --store"),
        ("malformed", "; move it away and run again: results in git are not touched"),
        ("not a database", "; it is no store of assay: move it away, or name another with --store"),
    ):
        if sign in text:
            return advice
    return ""
