"""What each page shows, as values that its template fills in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from assay.model import WITH, WITHOUT
from assay.report import numbers
from assay.report.caps import Caps, shorten
from assay.report.differ import Piece, difference, whole
from assay.report.history import CasePoint, RunPoint, Track
from assay.report.html import Live
from assay.report.pages import asset, kind_of, policy, rendered
from assay.report.plots import Position, track, trend
from assay.verdict.evidence_document import sentence
from assay.version import __version__

if TYPE_CHECKING:
    from markupsafe import Markup

    from assay.report.run_diff import CaseDiff, RunDiff
    from assay.store.look import Progress
    from assay.store.rows import Run

SHOWN_RUNS = 12
"""Runs in the table of cases over time."""


def page(template: str, section: str, store: str, **view: object) -> str:
    """A page around a template, in the look of the others."""
    script, style = asset("page.js"), asset("page.css")
    frame = {
        "section": section,
        "store": store,
        "script": script,
        "style": style,
        "policy": policy(script, style, is_served=True),
        "version": __version__,
    }
    return rendered(template, {**frame, **view})


# --- a run that goes on ---


def live(run: Run, now: Progress) -> Live:
    """The progress of a run in words, and where to ask again."""
    return Live(f"/runs/{quote(run.id, safe='')}/live", now.done, max(now.planned, now.done), told(now))


def told(now: Progress) -> str:
    """`12 of 40 trials, 1 error, $0.31`."""
    parts = [f"{now.done:,} of {now.planned:,} trials"]
    if now.errors:
        parts.append(numbers.plural(now.errors, "error"))
    if now.done and now.cost_usd is not None:
        parts.append(numbers.money(now.cost_usd))
    return ", ".join(parts)


# --- an item over time ---


@dataclass(frozen=True, slots=True)
class Cell:
    """A score in the table of cases over time; `way` is how it moved since the run before."""

    score: float | None
    way: str


@dataclass(frozen=True, slots=True)
class TrackView:
    """One line of runs as it is drawn."""

    model: str | None
    harness: str
    reference: str
    points: Sequence[RunPoint]
    trend: Markup
    has_reference: bool
    rows: Sequence[tuple[RunPoint, str | None]]
    """Newest first, each with the id of the run before."""
    shown: Sequence[RunPoint]
    cases: Sequence[tuple[str, Sequence[Cell]]]


def track_view(line: Track) -> TrackView:
    """A track with its picture and the table of its cases."""
    points = line.points
    references = [point.reference for point in points]
    before = [None, *(point.run for point in points)]
    shown = points[-SHOWN_RUNS:]
    names = dict.fromkeys(name for point in reversed(shown) for name in point.cases)
    return TrackView(
        line.model,
        line.harness,
        line.reference,
        points,
        trend([(kind_of(WITHOUT), references), (kind_of(WITH), [point.score for point in points])]),
        any(value is not None for value in references),
        tuple(reversed(list(zip(points, before, strict=False)))),
        shown,
        [(name, list(_cells([point.cases.get(name) for point in shown]))) for name in sorted(names)],
    )


def _cells(points: Sequence[CasePoint | None]) -> Iterator[Cell]:
    last: float | None = None
    for point in points:
        score = point.score if point else None
        way = "" if score is None or last is None or score == last else "gain" if score > last else "loss"
        yield Cell(score, way)
        last = last if score is None else score


# --- two runs ---


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A case of a comparison as it is drawn."""

    case: CaseDiff
    track: Markup
    word: str
    kind: str
    way: str
    flags: tuple[str, ...]


def diff_page(diff: RunDiff, store: str, most: int) -> str:
    """The comparison of two runs, changed cases first, at most `most` of them."""
    cases = sorted(diff.cases, key=lambda case: not case.is_changed)
    rows = [_diff_row(case) for case in cases[:most]]
    labels = (("all", "All"), ("changed", "Changed"), ("worse", "Worse"), ("better", "Better"))
    filters = [
        (name, label, sum(name in row.flags for row in rows) if name != "all" else len(rows))
        for name, label in labels
    ]
    told = (
        sentence(diff.evidence)
        if diff.evidence
        else "No verdict: the two runs have no scored case in common."
    )
    view = {"diff": diff, "rows": rows, "filters": filters, "sentence": told}
    return page("compare.html", "compare", store, **view, left_out=len(cases) - len(rows))


def _diff_row(case: CaseDiff) -> DiffRow:
    delta = case.delta or 0.0
    way, word = ("gain", "better") if delta > 0 else ("loss", "worse") if delta < 0 else ("", "same")
    kind = {"gain": "passed", "loss": "failed", "": "plain"}[way]
    if case.delta is None:
        kind, word = "error", "error"
    flags = [word, *(["changed"] if case.is_changed else [])]
    positions = [Position(kind_of(WITH), case.now), Position("k-reference", case.before)]
    return DiffRow(case, track(positions), word, kind, way, tuple(flags))


@dataclass(frozen=True, slots=True)
class PairShown:
    """The outputs of one repeat in two runs: (label, kind, pieces or None, characters left out)."""

    repeat: int
    compared: str
    sides: Sequence[tuple[str, str, Sequence[Piece] | None, int]]


def diff_case(case: CaseDiff | None, outputs: Mapping[int, Mapping[str, str | None]]) -> str:
    """The checks that changed, and the outputs side by side with their difference marked."""
    rounds = [_pair(repeat, texts) for repeat, texts in sorted(outputs.items())]
    return rendered("compare_case.html", {"checks": case.checks if case else (), "rounds": rounds})


def _pair(repeat: int, texts: Mapping[str, str | None]) -> PairShown:
    most = Caps().output
    cut = {side: shorten(texts.get(side) or "", most) for side in ("before", "now")}
    joined = {
        side: f"{text.head}\n[…]\n{text.tail}" if text.left_out else text.head for side, text in cut.items()
    }
    found = difference(joined["before"], joined["now"])
    both = all(texts.get(side) is not None for side in cut)
    pieces = {"before": found.one, "now": found.other}
    compared = ""
    if both:
        compared = (
            "the same output" if found.is_same else f"what only one run wrote is marked, by {found.unit}"
        )
        compared = compared if found.unit else "outputs too long to compare"
    sides = [
        (
            side,
            kind,
            None if texts.get(side) is None else pieces[side] if both else whole(joined[side]),
            cut[side].left_out,
        )
        for side, kind in (("before", "k-without"), ("now", "k-with"))
    ]
    return PairShown(repeat, compared, sides)
