"""Short looks at a large store: lists, sums and progress by SQL, without reading trials one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.store.rows import RUN_COLUMNS, Run, run_of

if TYPE_CHECKING:
    from assay.store.trials import TrialStore

_DOCUMENT = "CAST(document AS TEXT)"
_SCORE = (
    f"coalesce(json_extract({_DOCUMENT}, '$.with'),"
    f" (SELECT avg(json_extract(value, '$.score')) FROM json_each({_DOCUMENT}, '$.suites')))"
)
_WORD = (
    f"coalesce(json_extract({_DOCUMENT}, '$.evidence.verdict'), CASE json_extract({_DOCUMENT}, '$.verdict')"
    " WHEN 'improved' THEN 'higher' WHEN 'regressed' THEN 'lower'"
    f" ELSE json_extract({_DOCUMENT}, '$.verdict') END)"
)
_LINE = (
    "id, kind, name, started, harness, model, planned, state,"
    f" {_WORD}, {_SCORE}, json_extract({_DOCUMENT}, '$.without'),"
    f" json_extract({_DOCUMENT}, '$.cost_usd')"
)
_IS_OF = "(name = ?1 OR (kind = 'golden' AND instr(', ' || name || ', ', ', ' || ?1 || ', ')))"


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in a list. `score` is 0 to 1: with the item, or the mean over golden suites; None if unknown."""

    id: str
    kind: str
    name: str
    started: str
    harness: str
    model: str | None
    planned: int
    state: str
    verdict: str | None
    """The word of the evidence; without one `higher` or `lower`, which claim nothing."""
    score: float | None
    reference: float | None
    cost_usd: float | None
    done: int
    """Trials written so far."""


@dataclass(frozen=True, slots=True)
class ItemLine:
    """An item, or the suites of golden runs, with its newest run."""

    runs: int
    newest: RunLine


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. `last` is the second of the epoch at which its newest trial was written."""

    state: str
    planned: int
    done: int
    scored: int
    errors: int
    cost_usd: float | None
    last: float | None


def run_lines(trials: TrialStore, limit: int, offset: int = 0) -> list[RunLine]:
    """A page of the list of runs, newest first."""
    rows = trials.rows(
        f"SELECT {_LINE}, (SELECT count(*) FROM trials WHERE run = runs.number) FROM runs"
        " ORDER BY started DESC, number DESC LIMIT ? OFFSET ?",
        limit,
        offset,
    )
    return [RunLine(*row) for row in rows]


def run_line(trials: TrialStore, run_id: str) -> RunLine | None:
    """One run as in the list; the newest for `latest`. None where there is none."""
    which = (
        "number = (SELECT number FROM runs ORDER BY started DESC, number DESC LIMIT 1)"
        if run_id == "latest"
        else "id = ?1"
    )
    rows = trials.rows(
        f"SELECT {_LINE}, (SELECT count(*) FROM trials WHERE run = runs.number) FROM runs"
        f" WHERE ?1 IS NOT NULL AND {which}",
        run_id,
    )
    return RunLine(*rows[0]) if rows else None


def run_count(trials: TrialStore) -> int:
    """How many runs are stored."""
    number: int = trials.rows("SELECT count(*) FROM runs")[0][0]
    return number


def item_lines(trials: TrialStore) -> list[ItemLine]:
    """Every item that was ever run, the one with the newest run first."""
    rows = trials.rows(
        f"SELECT number_of, {_LINE}, 0 FROM (SELECT *, count(*) OVER same AS number_of,"
        " row_number() OVER (same ORDER BY started DESC, number DESC) AS place FROM runs"
        " WINDOW same AS (PARTITION BY kind, name)) WHERE place = 1 ORDER BY started DESC"
    )
    return [ItemLine(row[0], RunLine(*row[1:])) for row in rows]


def runs_of(trials: TrialStore, name: str, limit: int) -> list[Run]:
    """The newest finished runs of an item, or those golden runs that had a suite of that name."""
    rows = trials.rows(
        f"SELECT {RUN_COLUMNS} FROM runs WHERE {_IS_OF} AND document IS NOT NULL"
        " ORDER BY started DESC, number DESC LIMIT ?2",
        name,
        limit,
    )
    return [run_of(row) for row in rows]


def runs_with_triggers(trials: TrialStore, limit: int) -> list[Run]:
    """The newest runs whose document holds answers to trigger questions."""
    rows = trials.rows(
        f"SELECT {RUN_COLUMNS} FROM runs WHERE json_array_length({_DOCUMENT}, '$.triggers') > 0"
        " ORDER BY started DESC, number DESC LIMIT ?",
        limit,
    )
    return [run_of(row) for row in rows]


def progress(trials: TrialStore, run: Run) -> Progress:
    """What a run has written by now. The cost is None where the cost of a paid trial is unknown."""
    done, scored, errors, cost, unpriced, last = trials.rows(
        "SELECT count(*), total(outcome = 'scored'), total(outcome = 'error'),"
        " total((coalesce(cost_usd, 0) + coalesce(judge_cost_usd, 0)) * (cached = 0)),"
        " total(cached = 0 AND cost_usd IS NULL AND outcome = 'scored'), max(at)"
        " FROM trials WHERE run = (SELECT number FROM runs WHERE id = ?)",
        run.id,
    )[0]
    return Progress(run.state, run.planned, done, int(scored), int(errors), None if unpriced else cost, last)


def written_at(trials: TrialStore, run_id: str) -> dict[tuple[str, str, int], float]:
    """When each trial of a run was written: (case, arm, repeat) → seconds of the epoch."""
    rows = trials.rows(
        "SELECT case_id, arm, repeat, at FROM trials WHERE run = (SELECT number FROM runs WHERE id = ?)",
        run_id,
    )
    return {(case, arm, repeat): at for case, arm, repeat, at in rows}
