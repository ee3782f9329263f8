"""How an item scored over time, one line of runs for each model and harness: table and sparkline."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from assay.report.numbers import UNKNOWN, money, plural, score
from assay.report.printable import one_line

if TYPE_CHECKING:
    from assay.model import JSON
    from assay.report.history import RunPoint, Track

BARS = "▁▂▃▄▅▆▇█"
COLUMNS = 80


def sparkline(scores: Sequence[float | None]) -> str:
    """A bar a score, from 0 to 1 so that heights compare between lines; a gap where there is none."""
    return "".join(
        " " if value is None else BARS[min(int(max(value, 0.0) * len(BARS)), len(BARS) - 1)]
        for value in scores
    )


def history_text(name: str, tracks: Sequence[Track]) -> str:
    """Every line of runs, newest line first, its runs oldest first."""
    return "\n".join(_lines(name, tracks))


def _lines(name: str, tracks: Sequence[Track]) -> Iterator[str]:
    counted = plural(sum(len(track.points) for track in tracks), "run")
    yield f"{one_line(name)}: {counted} on {plural(len(tracks), 'line')} of model and harness"
    for track in tracks:
        yield ""
        yield from textwrap.wrap(
            one_line(f"{track.model or 'default'} on {track.harness}"), COLUMNS, subsequent_indent="  "
        )
        scores = [point.score for point in track.points]
        yield f"  {sparkline(scores)}  {score(scores[0])} → {score(scores[-1])}"
        yield f"  {'started':<20}  {'score':>5}  {track.reference:>8}  {'cost':>8}  run"
        yield from (_row(point) for point in track.points)


def _row(point: RunPoint) -> str:
    cost = UNKNOWN if point.cost_usd is None else money(point.cost_usd)
    started = point.started.replace("T", " ").removesuffix("Z")
    return f"  {started:<20}  {score(point.score):>5}  {score(point.reference):>8}  {cost:>8}  {point.run}"


def history_document(tracks: Sequence[Track]) -> JSON:
    """The same as JSON."""
    return [
        {
            "model": track.model,
            "harness": track.harness,
            "runs": [
                {
                    "run": point.run,
                    "started": point.started,
                    "score": point.score,
                    track.reference: point.reference,
                    "cost_usd": point.cost_usd,
                    "cases": {name: case.score for name, case in point.cases.items()},
                }
                for point in track.points
            ],
        }
        for track in tracks
    ]
