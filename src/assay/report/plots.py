"""Small pictures in SVG that stretch to their room: no text in them, no scripts, no styles of their own.

Lines do not stretch with the picture, and a dot is a line of no length with round ends, so it stays round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

_SVG = Markup(
    '<svg class="{}" viewBox="0 0 100 {}" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
    "{}</svg>"
)
_LINE = Markup('<path class="{}" d="M{} {}H{}" vector-effect="non-scaling-stroke"/>')
_DOT = Markup('<path class="dot {}" d="M{} {}h0" vector-effect="non-scaling-stroke"/>')
_HOLE = Markup('<path class="hole" d="M{} {}h0" vector-effect="non-scaling-stroke"/>')
_POLYLINE = Markup('<polyline class="{}" points="{}" vector-effect="non-scaling-stroke"/>')


HOLLOW = ("k-without", "k-reference")
"""Kinds drawn as rings, so that they are told apart without their colour."""


@dataclass(frozen=True, slots=True)
class Position:
    """A score on a scale from 0 to 1, drawn in the colour of `kind`, with its interval where known."""

    kind: str
    score: float | None
    interval: tuple[float, float] | None = None


def track(positions: Sequence[Position], height: int = 10) -> Markup:
    """Scores on one line from 0 to 1; the first is the one that matters and lies on top."""
    middle = height / 2
    parts = [_LINE.format("axis", 0, _round(middle), 100)]
    known = [position for position in positions if position.score is not None]
    if len(known) == 2 and not any(position.interval for position in known):
        one, other = (position.score or 0.0 for position in known)
        way = "gain" if one > other else "loss" if one < other else "same"
        parts.append(_LINE.format(f"between {way}", _x(other), _round(middle), _x(one)))
    for position in reversed(known):
        if position.interval:
            low, high = position.interval
            parts.append(_LINE.format(f"interval {position.kind}", _x(low), _round(middle), _x(high)))
        place = (_x(position.score or 0.0), _round(middle))
        parts.append(_DOT.format(position.kind, *place))
        if position.kind in HOLLOW:
            parts.append(_HOLE.format(*place))
    return _SVG.format("track", height, Markup("").join(parts))


def trend(series: Iterable[tuple[str, Sequence[float | None]]], height: int = 40) -> Markup:
    """Scores over runs, one line a series given as (kind, values); an unknown value is a gap."""
    parts = [_LINE.format("grid", 0, _round(_y(level, height)), 100) for level in (0.0, 0.5, 1.0)]
    for kind, values in series:
        step = 100 / max(len(values) - 1, 1)
        points = [(place * step, value) for place, value in enumerate(values)]
        for stretch in _stretches(points):
            line = " ".join(f"{_round(_inset(x))},{_round(_y(value, height))}" for x, value in stretch)
            parts.append(_POLYLINE.format(f"line {kind}", line))
            parts += [_DOT.format(kind, _round(_inset(x)), _round(_y(value, height))) for x, value in stretch]
    return _SVG.format("trend", height, Markup("").join(parts))


def _stretches(points: Sequence[tuple[float, float | None]]) -> Iterable[list[tuple[float, float]]]:
    stretch: list[tuple[float, float]] = []
    for x, value in points:
        if value is not None:
            stretch.append((x, value))
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def _x(share: float) -> str:
    return _round(_inset(100 * min(1.0, max(0.0, share))))


def _inset(x: float) -> float:
    """Room for half a dot at both ends."""
    return 2 + x * 0.96


def _y(share: float, height: int) -> float:
    return height * (0.92 - 0.84 * min(1.0, max(0.0, share)))


def _round(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")
