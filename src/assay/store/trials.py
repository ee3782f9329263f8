"""The trial store: one SQLite file, every trial written as it ends, read while a run writes."""

from __future__ import annotations

import sqlite3
import threading
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from assay.errors import StoreError
from assay.model import Fault, Grade, Record, Transcript, Usage
from assay.store.migrations import migrate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from assay.model import JSON

COMPRESS_FROM = 512
"""Bytes from which a transcript is compressed; below it costs more than it saves."""

State = Literal["running", "done", "partial", "interrupted", "failed"]


@dataclass(frozen=True, slots=True)
class Run:
    """One call of `assay run`: what was asked for, and what came of it."""

    id: str
    kind: Literal["ablation", "golden"]
    name: str
    """The item, or the suites of a golden run."""
    started: str
    """ISO 8601, UTC."""
    harness: str
    model: str | None
    planned: int
    state: State = "running"
    ended: str | None = None
    info: dict[str, Any] = field(default_factory=dict)
    """Arms, digests, judge, settings: JSON-clean."""
    document: dict[str, Any] | None = None
    """The result document, once there is one."""


@dataclass(frozen=True, slots=True)
class _Rest:
    """The part of a record that is looked at one trial at a time."""

    grades: tuple[Grade, ...]
    fault: Fault | None
    usage: Usage
    attempts: int
    model_reported: str | None


_encode = msgspec.json.Encoder().encode
_decode_rest = msgspec.json.Decoder(_Rest).decode
_decode_transcript = msgspec.json.Decoder(Transcript).decode

_COLUMNS = (
    "run, case_id, arm, repeat, key, outcome, passed, scored, cost_usd, judge_cost_usd, duration_s, cached,"
    " transcript, rest"
)
_RUN_COLUMNS = "id, kind, name, started, harness, model, planned, state, ended, info, document"


class TrialStore:
    """Open it, begin a run, write records as they finish. Usable from any thread and beside other processes.

    Raises StoreError, with what to do, where the file cannot be opened, read or written.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._lock = threading.RLock()
        with self._told():
            if read_only:
                self._db = sqlite3.connect(
                    f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=30, check_same_thread=False
                )
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=NORMAL")
            migrate(self._db, path, read_only=read_only)

    def close(self) -> None:
        self._db.close()

    # --- writing ---

    def begin(self, run: Run) -> Run:
        """Write a run down before its first trial; gives it a free id where its own is taken."""
        number = 1
        while True:
            given = run if number == 1 else replace(run, id=f"{run.id}-{number}")
            try:
                self._write_run("INSERT", given)
            except sqlite3.IntegrityError:
                number += 1
            else:
                return given

    def finish(self, run: Run) -> None:
        """Write how a run ended, with its document."""
        self._write_run("REPLACE", run)

    def _write_run(self, verb: Literal["INSERT", "REPLACE"], run: Run) -> None:
        with self._told():
            self._db.execute(
                f"{verb} INTO runs ({_RUN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    run.id,
                    run.kind,
                    run.name,
                    run.started,
                    run.harness,
                    run.model,
                    run.planned,
                    run.state,
                    run.ended,
                    _encode(run.info),
                    None if run.document is None else _encode(run.document),
                ),
            )

    def write(self, finished: Sequence[tuple[Record, Transcript | None]]) -> None:
        """Write finished trials in one transaction: after it returns a kill loses none of them."""
        rows, bodies = [], []
        for record, transcript in finished:
            digest = record.transcript
            if transcript is not None:
                digest, body = _pack(transcript)
                bodies.append((bytes.fromhex(digest), body))
            rows.append(_row(record, digest))
        with self._told(), self._transaction():
            self._db.executemany("INSERT OR IGNORE INTO transcripts (digest, body) VALUES (?, ?)", bodies)
            self._db.executemany(
                f"INSERT OR REPLACE INTO trials ({_COLUMNS}) VALUES ({', '.join('?' * 14)})", rows
            )

    # --- reading ---

    def runs(self, limit: int | None = None) -> list[Run]:
        """All runs, newest first."""
        with self._told():
            query = f"SELECT {_RUN_COLUMNS} FROM runs ORDER BY started DESC, id DESC LIMIT ?"
            return [_run(row) for row in self._db.execute(query, (-1 if limit is None else limit,))]

    def run(self, run_id: str) -> Run | None:
        with self._told():
            row = self._db.execute(f"SELECT {_RUN_COLUMNS} FROM runs WHERE id = ?", (run_id,)).fetchone()
        return _run(row) if row else None

    def records(self, run_id: str) -> Iterator[Record]:
        """The trials of a run, by case, arm and repeat."""
        query = f"SELECT {_COLUMNS} FROM trials WHERE run = ? ORDER BY case_id, arm, repeat"
        with self._told():
            rows = self._db.execute(query, (run_id,))
        while batch := self._fetch(rows):
            yield from map(_record, batch)

    def _fetch(self, rows: sqlite3.Cursor) -> list[tuple[JSON, ...]]:
        with self._told():
            return rows.fetchmany(1000)

    def transcript(self, digest: str) -> Transcript | None:
        with self._told():
            row = self._db.execute(
                "SELECT body FROM transcripts WHERE digest = ?", (bytes.fromhex(digest),)
            ).fetchone()
        return _unpack(row[0]) if row else None

    def known(self, key: str) -> Record | None:
        """The newest trial of that key which was paid for and left a transcript; None if there is none."""
        query = (
            f"SELECT {_COLUMNS} FROM trials WHERE key = ? AND outcome = 'scored'"
            " AND transcript IS NOT NULL ORDER BY rowid DESC LIMIT 1"
        )
        with self._told():
            row = self._db.execute(query, (_binary(key),)).fetchone()
        return _record(row) if row else None

    @property
    def is_empty(self) -> bool:
        with self._told():
            return self._db.execute("SELECT 1 FROM trials LIMIT 1").fetchone() is None

    def typical_cost(self, harness: str, model: str | None) -> float | None:
        """What a paid trial of this harness and model cost on average so far, in dollars; None if unknown."""
        with self._told():
            row = self._db.execute(
                "SELECT avg(t.cost_usd + coalesce(t.judge_cost_usd, 0))"
                " FROM trials t JOIN runs r ON r.id = t.run"
                " WHERE r.harness = ? AND r.model IS ? AND t.cached = 0 AND t.cost_usd IS NOT NULL",
                (harness, model),
            ).fetchone()
        cost: float | None = row[0]
        return cost

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn SQLite's errors into one message that says which file and what to do."""
        try:
            with self._lock:
                yield
        except sqlite3.IntegrityError:
            raise
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"the trial store {self.path.as_posix()}: {error}{_advice(error)}") from error


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


def _binary(key: str) -> bytes:
    return bytes.fromhex(key.removeprefix("sha256:"))


def _pack(transcript: Transcript) -> tuple[str, bytes]:
    """A transcript as stored: its digest, and its JSON with a leading byte that says how it is packed."""
    body = _encode(transcript)
    digest = sha256(body).hexdigest()
    return digest, b"z" + zlib.compress(body, 1) if len(body) >= COMPRESS_FROM else b"j" + body


def _unpack(stored: bytes) -> Transcript:
    body = stored[1:]
    return _decode_transcript(zlib.decompress(body) if stored[:1] == b"z" else body)


def _row(record: Record, digest: str | None) -> tuple[JSON, ...]:
    return (
        record.run,
        record.case,
        record.arm,
        record.repeat,
        _binary(record.key),
        record.outcome,
        record.passed_weight,
        record.scored_weight,
        record.usage.cost_usd,
        record.judge_cost_usd,
        record.duration_s,
        record.cached,
        None if digest is None else bytes.fromhex(digest),
        _encode(_Rest(record.grades, record.fault, record.usage, record.attempts, record.model_reported)),
    )


def _record(row: tuple[JSON, ...]) -> Record:
    (
        run,
        case,
        arm,
        repeat,
        key,
        outcome,
        passed,
        scored,
        _,
        judge_cost,
        duration,
        cached,
        transcript,
        rest,
    ) = row
    more = _decode_rest(rest)
    return Record(
        run=run,
        key=f"sha256:{key.hex()}",
        case=case,
        arm=arm,
        repeat=repeat,
        outcome=outcome,
        passed_weight=passed,
        scored_weight=scored,
        grades=more.grades,
        fault=more.fault,
        usage=more.usage,
        judge_cost_usd=judge_cost,
        duration_s=duration,
        attempts=more.attempts,
        cached=bool(cached),
        model_reported=more.model_reported,
        transcript=None if transcript is None else transcript.hex(),
    )


def _run(row: tuple[JSON, ...]) -> Run:
    run_id, kind, name, started, harness, model, planned, state, ended, info, document = row
    return Run(
        id=run_id,
        kind=kind,
        name=name,
        started=started,
        harness=harness,
        model=model,
        planned=planned,
        state=state,
        ended=ended,
        info=msgspec.json.decode(info),
        document=None if document is None else msgspec.json.decode(document),
    )
