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
)


def migrate(db: sqlite3.Connection, path: Path, *, read_only: bool) -> None:
    """Bring a store up to date in one transaction; refuse one that a newer assay wrote."""
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    if version > len(STEPS):
        raise StoreError(
            f"the trial store {path.as_posix()} was written by a newer assay (schema {version}, this one"
            f" knows {len(STEPS)}): upgrade assay, or name another store with --store"
        )
    if version == len(STEPS):
        return
    if read_only:
        raise StoreError(
            f"the trial store {path.as_posix()} is empty or older: open it once with `assay run`"
        )
    script = "".join(STEPS[version:])
    db.executescript(f"BEGIN IMMEDIATE; {script} PRAGMA user_version = {len(STEPS)}; COMMIT;")
