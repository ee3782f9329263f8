"""How an item, and each of its cases, scored in the runs before: read from stored result documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.model import JSON
    from assay.store.rows import Run


@dataclass(frozen=True, slots=True)
class CasePoint:
    """One run's score of a case. `reference` is the arm without the item, or the accepted baseline."""

    run: str
    started: str
    score: float | None
    reference: float | None


@dataclass(frozen=True, slots=True)
class RunPoint:
    """One run of the same item or suites."""

    run: str
    started: str
    model: str | None
    score: float | None
    reference: float | None
    cost_usd: float | None
    cases: Mapping[str, CasePoint]


@dataclass(frozen=True, slots=True)
class Track:
    """The runs of one thing on one model and harness, oldest first: those that compare."""

    model: str | None
    harness: str
    reference: str
    """What scores are compared with: `without` or `baseline`."""
    points: tuple[RunPoint, ...]


def history(run: Run, runs: Iterable[Run], most: int = 30) -> tuple[RunPoint, ...]:
    """The last finished runs of what `run` ran, on its model and up to itself, oldest first."""
    same = [
        other
        for other in runs
        if (other.kind, other.name, other.model) == (run.kind, run.name, run.model)
        and (other.started, other.id) <= (run.started, run.id)
        and other.document is not None
    ]
    same.sort(key=lambda other: (other.started, other.id))
    return tuple(_point(other) for other in same[-most:])


def tracks(name: str, runs: Iterable[Run]) -> tuple[Track, ...]:
    """The finished runs of an item, or of golden suites, by model and harness; the newest track first."""
    found: dict[tuple[str, str | None, str], list[Run]] = {}
    for run in sorted(runs, key=lambda run: (run.started, run.id)):
        if run.document is not None and name in (run.name, *run.name.split(", ")):
            found.setdefault((run.kind, run.model, run.harness), []).append(run)
    newest_first = sorted(found.items(), key=lambda entry: entry[1][-1].started, reverse=True)
    return tuple(
        Track(model, harness, "without" if kind == "ablation" else "baseline", tuple(map(_point, same)))
        for (kind, model, harness), same in newest_first
        if kind != "triggers"
    )


def case_history(points: Iterable[RunPoint], case: str) -> tuple[CasePoint, ...]:
    """The points of one case, oldest first."""
    return tuple(point.cases[case] for point in points if case in point.cases)


def _point(run: Run) -> RunPoint:
    document: JSON = run.document or {}
    cases = {
        name: CasePoint(run.id, run.started, score, reference) for name, score, reference in _rows(document)
    }
    score, reference = document.get("with"), document.get("without")
    if run.kind == "golden":
        suites = [suite["score"] for suite in document.get("suites", ()) if suite.get("score") is not None]
        score, reference = (sum(suites) / len(suites) if suites else None), None
    return RunPoint(run.id, run.started, run.model, score, reference, document.get("cost_usd"), cases)


def _rows(document: JSON) -> Iterable[tuple[str, float | None, float | None]]:
    for case in document.get("cases", ()):
        yield case["name"], case["with"], case["without"]
    for suite in document.get("suites", ()):
        for task in suite["tasks"]:
            yield f"{suite['suite']}/{task['id']}", task["score"], task["baseline"]
