"""The store's schema as an ordered list of steps; the number of steps done is the file's version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import StoreError

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

STEPS: tuple[str, ...] = (
    """
    CREATE TABLE runs (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, started TEXT NOT NULL,
        harness TEXT NOT NULL, model TEXT, planned INTEGER NOT NULL, state TEXT NOT NULL, ended TEXT,
        info TEXT NOT NULL, document TEXT
    );
    CREATE TABLE trials (
        run TEXT NOT NULL, case_id TEXT NOT NULL, arm TEXT NOT NULL, repeat INTEGER NOT NULL,
        key BLOB NOT NULL, outcome TEXT NOT NULL, passed REAL NOT NULL, scored REAL NOT NULL,
        cost_usd REAL, judge_cost_usd REAL, duration_s REAL, cached INTEGER NOT NULL,
        transcript BLOB, rest BLOB NOT NULL,
        UNIQUE (run, case_id, arm, repeat)
    );
    CREATE INDEX trials_by_key ON trials (key);
    CREATE TABLE transcripts (digest BLOB PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
    """,
    # Trials name their run by a number and transcripts lie in the order of writing, so that a batch touches
    # few pages; `inputs` says what each trial of a run stood on, `at` when it was paid for.
    """
    ALTER TABLE runs RENAME TO old_runs;
    ALTER TABLE trials RENAME TO old_trials;
    ALTER TABLE transcripts RENAME TO old_transcripts;
    DROP INDEX trials_by_key;
    CREATE TABLE runs (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, name TEXT NOT NULL,
        started TEXT NOT NULL, harness TEXT NOT NULL, model TEXT, planned INTEGER NOT NULL,
        state TEXT NOT NULL, ended TEXT, info BLOB NOT NULL, document BLOB, inputs BLOB
    );
    CREATE TABLE trials (
        run INTEGER NOT NULL, case_id TEXT NOT NULL, arm TEXT NOT NULL, repeat INTEGER NOT NULL,
        key BLOB NOT NULL, outcome TEXT NOT NULL, passed REAL NOT NULL, scored REAL NOT NULL,
        cost_usd REAL, judge_cost_usd REAL, duration_s REAL, cached INTEGER NOT NULL, at REAL NOT NULL,
        transcript BLOB, rest BLOB NOT NULL,
        UNIQUE (run, case_id, arm, repeat)
    );
    CREATE TABLE transcripts (number INTEGER PRIMARY KEY, digest BLOB NOT NULL, body BLOB NOT NULL);
    INSERT INTO runs (id, kind, name, started, harness, model, planned, state, ended, info, document)
        SELECT id, kind, name, started, harness, model, planned, state, ended, info, document
        FROM old_runs ORDER BY rowid;
    INSERT INTO trials
        SELECT r.number, case_id, arm, repeat, key, outcome, passed, scored, cost_usd, judge_cost_usd,
            duration_s, cached, coalesce(unixepoch(r.started), 0), transcript, rest
        FROM old_trials t JOIN runs r ON r.id = t.run ORDER BY t.rowid;
    INSERT INTO transcripts (digest, body) SELECT digest, body FROM old_transcripts;
    DROP TABLE old_runs;
    DROP TABLE old_trials;
    DROP TABLE old_transcripts;
    CREATE INDEX trials_by_key ON trials (substr(key, 1, 8));
    CREATE INDEX transcripts_by_digest ON transcripts (substr(digest, 1, 8));
    """,
    """
    CREATE TABLE judged (
        at REAL NOT NULL, item TEXT NOT NULL, model TEXT NOT NULL, best TEXT NOT NULL, run TEXT NOT NULL,
        accepted INTEGER NOT NULL, by_luck REAL, UNIQUE (item, model, best, run)
    );
    """,
)


def migrate(db: sqlite3.Connection, path: Path | None, *, read_only: bool) -> None:
    """Bring a store up to date in one transaction; refuse one that a newer assay wrote."""
    version = _version(db)
    if version > len(STEPS):
        raise StoreError(
            f"the trial store {path} was written by a newer assay (schema {version}, this one"
            f" knows {len(STEPS)}): upgrade assay, or name another store with --store"
        )
    if version == len(STEPS):
        return
    if read_only:
        raise StoreError(f"the trial store {path} is empty or older: open it once with `assay run`")
    db.execute("BEGIN IMMEDIATE")
    try:
        for step in STEPS[_version(db) :]:  # read again: another process may have done it meanwhile
            for statement in filter(str.strip, step.split(";")):
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {len(STEPS)}")
        db.execute("COMMIT")
    except BaseException:
        db.rollback()
        raise


def _version(db: sqlite3.Connection) -> int:
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    return version
