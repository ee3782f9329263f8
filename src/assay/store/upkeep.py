"""What a trial store holds, whether it is sound, and what of it may go."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from assay.errors import StoreError
from assay.store.migrations import STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.store.trials import TrialStore

PROBLEMS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Contents:
    """What a store holds; sizes in bytes, money in US dollars."""

    schema: int
    size: int
    runs: int
    trials: int
    scored: int
    errors: int
    cached: int
    transcripts: int
    transcripts_size: int
    paid_usd: float
    saved_usd: float
    first: str | None
    last: str | None


@dataclass(frozen=True, slots=True)
class Freed:
    """What `collect` removed, or would."""

    runs: int
    trials: int
    transcripts: int
    size: int
    """Bytes of the file; of what only would be removed, those of the transcripts."""


def contents(store: TrialStore) -> Contents:
    """Count everything."""
    runs, first, last = store.rows("SELECT count(*), min(started), max(started) FROM runs")[0]
    trials, scored, errors, cached, paid, saved = store.rows(
        "SELECT count(*), total(outcome = 'scored'), total(outcome = 'error'), total(cached),"
        " total(iif(cached, 0, coalesce(cost_usd, 0) + coalesce(judge_cost_usd, 0))),"
        " total(iif(cached, coalesce(cost_usd, 0), 0)) FROM trials"
    )[0]
    count, size = store.rows("SELECT count(*), total(length(body)) FROM transcripts")[0]
    return Contents(
        len(STEPS),
        _size(store),
        runs,
        trials,
        int(scored),
        int(errors),
        int(cached),
        count,
        int(size),
        paid,
        saved,
        first,
        last,
    )


def problems(store: TrialStore) -> Iterator[str]:
    """Every way in which the store is not sound; reads all of it."""
    try:
        for (told,) in store.rows("PRAGMA integrity_check"):
            if told != "ok":
                yield f"SQLite: {told}"
        for (number,) in store.rows(
            "SELECT DISTINCT run FROM trials WHERE run NOT IN (SELECT number FROM runs)"
        ):
            yield f"trials of run number {number}, which is not there"
        lost = store.rows(
            "SELECT count(*) FROM trials t WHERE transcript IS NOT NULL AND NOT EXISTS (SELECT 1 FROM"
            " transcripts s WHERE substr(s.digest, 1, 8) = substr(t.transcript, 1, 8)"
            " AND s.digest = t.transcript)"
        )[0][0]
        if lost:
            yield f"{lost} trials whose transcript is not kept: they would be run again"
        yield from _damaged(store)
    except StoreError as error:
        yield str(error)


def _damaged(store: TrialStore) -> Iterator[str]:
    last = 0
    while rows := store.rows(
        "SELECT number, digest, body FROM transcripts WHERE number > ? ORDER BY number LIMIT 500", last
    ):
        for number, digest, body in rows:
            if not _is_whole(digest, body):
                yield f"transcript {digest.hex()[:16]} is damaged"
            last = number


def _is_whole(digest: bytes, body: bytes) -> bool:
    try:
        text = zlib.decompress(body[1:]) if body[:1] == b"z" else body[1:]
    except zlib.error:
        return False
    return sha256(text).digest() == digest


def collect(store: TrialStore, before: str | None = None, *, dry: bool = False) -> Freed:
    """Remove runs started before a moment (ISO 8601), and transcripts that no trial names; shrink the file.

    With `dry` nothing is removed. A run that is at work keeps all it has.
    """
    old = "SELECT number FROM runs WHERE started < ? AND state != 'running'"
    moment = before or ""
    runs = store.rows(f"SELECT count(*) FROM ({old})", moment)[0][0]
    trials = store.rows(f"SELECT count(*) FROM trials WHERE run IN ({old})", moment)[0][0]
    unnamed = (
        f"digest NOT IN (SELECT transcript FROM trials WHERE transcript IS NOT NULL AND run NOT IN ({old}))"
    )
    count, size = store.rows(
        f"SELECT count(*), total(length(body)) FROM transcripts WHERE {unnamed}", moment
    )[0]
    if dry:
        return Freed(runs, trials, count, int(size))
    was = _size(store)
    with store.transaction() as db:
        db.execute(f"DELETE FROM transcripts WHERE {unnamed}", (moment,))
        db.execute(f"DELETE FROM trials WHERE run IN ({old})", (moment,))
        db.execute("DELETE FROM runs WHERE started < ? AND state != 'running'", (moment,))
    store.rows("VACUUM")
    store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return Freed(runs, trials, count, was - _size(store))


def _size(store: TrialStore) -> int:
    pages, page = store.rows("PRAGMA page_count")[0][0], store.rows("PRAGMA page_size")[0][0]
    return int(pages * page)
