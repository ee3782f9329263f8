"""Figures of a run for papers and slides, drawn by matplotlib: SVG or PNG."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from assay.errors import CannotRun, UsageError
from assay.model import WITH
from assay.report.numbers import money
from assay.report.printable import one_line
from assay.verdict.intervals import wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from assay.model import JSON
    from assay.report.history import RunPoint
    from assay.report.summary import CaseSummary, Summary
    from assay.schemas.triggers import SkillTriggers

Kind: TypeAlias = Literal["cases", "history", "triggers", "cost"]
KINDS: tuple[Kind, ...] = ("cases", "history", "triggers", "cost")
CASES_AT_MOST = 60
"""Cases in one figure; of more, the worst (or the dearest) are drawn, and the title says so."""
NAME_AT_MOST = 40
WIDTH = 8.0


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of the pages."""

    paper: str
    ink: str
    soft: str
    line: str
    with_: str
    reference: str
    fail: str
    good: str


LIGHT = Theme("#ffffff", "#1c1e21", "#5d636b", "#dcdcd6", "#1b62c4", "#8a5a00", "#b3261e", "#19704b")
DARK = Theme("#1d2024", "#e6e7e4", "#a1a7ae", "#373c42", "#7fb2ff", "#e3b557", "#ff8b7d", "#62c795")


def figure(
    kind: Kind,
    summary: Summary,
    points: Sequence[RunPoint],
    file: Literal["svg", "png"],
    *,
    dark: bool = False,
) -> bytes:
    """A figure as the bytes of a file; `points` are the runs of the same item, oldest first.

    Raises UsageError where the run has nothing of that kind, CannotRun where matplotlib is missing.
    """
    try:
        import matplotlib as mpl
    except ImportError:
        raise CannotRun("figures need matplotlib: pip install 'assay[plot]'") from None
    theme = DARK if dark else LIGHT
    with mpl.rc_context(_settings(theme)):
        drawn = _drawn(kind, summary, points, theme)
        stream = io.BytesIO()
        metadata = {"Date": None} if file == "svg" else {"Software": "assay"}
        drawn.savefig(stream, format=file, metadata=metadata, bbox_inches="tight", pad_inches=0.2)
    return stream.getvalue()


def _drawn(kind: Kind, summary: Summary, points: Sequence[RunPoint], theme: Theme) -> Figure:
    if kind == "history":
        return _history(summary, points, theme)
    draw: Mapping[Kind, Callable[[Summary, Theme], Figure]] = {
        "cases": _cases,
        "triggers": _triggers,
        "cost": _cost,
    }
    return draw[kind](summary, theme)


def _settings(theme: Theme) -> JSON:
    return {
        "text.parse_math": False,  # a name with dollars is a name
        "svg.fonttype": "none",
        "svg.hashsalt": "assay",
        "font.size": 9,
        "savefig.dpi": 160,
        "figure.facecolor": theme.paper,
        "savefig.facecolor": theme.paper,
        "axes.facecolor": theme.paper,
        "axes.edgecolor": theme.line,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlelocation": "left",
        "axes.titlesize": 11,
        "axes.labelcolor": theme.soft,
        "text.color": theme.ink,
        "xtick.color": theme.soft,
        "ytick.color": theme.line,
        "ytick.labelcolor": theme.ink,
        "grid.color": theme.line,
        "grid.linewidth": 0.6,
        "legend.frameon": False,
    }


def _empty(height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(WIDTH, height))
    return drawn, drawn.add_subplot()


# --- cases ---


def _cases(summary: Summary, theme: Theme) -> Figure:
    """A row a case: with the item a dot, what it is compared with a ring, 95 % Wilson intervals as bars."""
    shown = summary.cases[:CASES_AT_MOST]
    if not shown:
        raise UsageError(f"{summary.run} has no case to draw")
    drawn, axes = _empty(1.1 + 0.3 * len(shown))
    for place, case in enumerate(shown):
        _interval(axes, case, place, theme)
        if case.score is not None and case.reference is not None:
            way = theme.good if case.score > case.reference else theme.fail
            axes.plot([case.reference, case.score], [place, place], color=way, linewidth=1.6, alpha=0.6)
    _dots(axes, [case.reference for case in shown], theme.reference, theme.paper, summary.reference_name)
    label = WITH if summary.kind == "ablation" else "score"
    _dots(axes, [case.score for case in shown], theme.with_, theme.with_, label)
    _rows(axes, [case.id for case in shown])
    axes.set_xlim(-0.03, 1.03)
    axes.set_xlabel("score; bars: 95 % interval over the runs of the case (Wilson)")
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0)
    all_ = len(summary.cases)
    part = f"the worst {len(shown)} of {all_:,} cases"
    _title(axes, summary, "worst first" if len(shown) == all_ else part)
    return drawn


def _interval(axes: Axes, case: CaseSummary, place: int, theme: Theme) -> None:
    scores = [float(row.score) for row in case.trials if row.arm == WITH and row.score is not None]
    if scores:
        low, high = wilson(sum(scores), len(scores))
        axes.plot(
            [low, high], [place, place], color=theme.with_, linewidth=6, alpha=0.2, solid_capstyle="round"
        )


def _dots(axes: Axes, scores: Sequence[float | None], edge: str, face: str, label: str) -> None:
    """A ring is wider than a dot, so that it shows around a dot at the same place."""
    known = [(score, place) for place, score in enumerate(scores) if score is not None]
    if known:
        x, y = zip(*known, strict=True)
        size = 38 if face == edge else 80
        axes.scatter(x, y, s=size, facecolors=face, edgecolors=edge, linewidths=1.6, label=label, zorder=3)


def _rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), [_name(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)


# --- history ---


def _history(summary: Summary, points: Sequence[RunPoint], theme: Theme) -> Figure:
    """The scores of the item over its runs on this model, evenly spaced."""
    if not points:
        raise UsageError(f"{summary.run} is not finished: there is no history to draw")
    drawn, axes = _empty(3.2)
    series = (
        (summary.reference_name, [point.reference for point in points], theme.reference, theme.paper),
        (
            WITH if summary.kind == "ablation" else "score",
            [p.score for p in points],
            theme.with_,
            theme.with_,
        ),
    )
    for label, values, edge, face in series:
        known = [(place, value) for place, value in enumerate(values) if value is not None]
        if known:
            x, y = zip(*known, strict=True)
            axes.plot(
                x, y, color=edge, linewidth=1.6, marker="o", markersize=5, markerfacecolor=face, label=label
            )
    step = max(1, len(points) // 10)
    ticks = range(0, len(points), step)
    axes.set_xticks(ticks, [points[place].started[:10] for place in ticks], rotation=30, ha="right")
    axes.set_ylim(-0.03, 1.03)
    axes.grid(axis="y")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", labelcolor=theme.soft)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0)
    _title(axes, summary, f"{len(points)} runs on {one_line(summary.stamp.model)}")
    return drawn


# --- triggers ---


def _triggers(summary: Summary, theme: Theme) -> Figure:
    """A matrix a skill: what should happen by what did."""
    from matplotlib.figure import Figure

    skills = summary.triggers[:CASES_AT_MOST]
    if not skills:
        raise UsageError(f"{summary.run} asked no trigger questions")
    columns = min(3, len(skills))
    rows = -(-len(skills) // columns)
    drawn = Figure(figsize=(2.9 * columns, 2.5 * rows), layout="constrained")
    for axes, skill in zip(drawn.subplots(rows, columns, squeeze=False).flat, skills, strict=False):
        _matrix(axes, skill, theme)
    for axes in drawn.axes[len(skills) :]:
        axes.set_axis_off()
    return drawn


def _matrix(axes: Axes, skill: SkillTriggers, theme: Theme) -> None:
    for row, should in enumerate((True, False)):
        for column, fired in enumerate((True, False)):
            number = skill.count(should, fired)
            asked = skill.count(should, True) + skill.count(should, False)
            colour = theme.good if should is fired else theme.fail
            share = number / asked if asked else 0.0
            axes.barh(row, 0.94, left=column - 0.47, height=0.94, color=colour, alpha=0.05 + 0.5 * share)
            axes.text(column, row, str(number), ha="center", va="center", fontsize=15, color=theme.ink)
    axes.set_xticks((0, 1), ("fired", "kept quiet"))
    axes.set_yticks((0, 1), ("should fire", "should not"))
    axes.set_ylim(1.5, -0.5)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    errors = f", {skill.errors} without an answer" if skill.errors else ""
    axes.set_title(_name(skill.skill) + errors)


# --- cost ---


def _cost(summary: Summary, theme: Theme) -> Figure:
    """What each case cost, both arms and the judge; cases of unknown cost are left out and counted."""
    known = [(case.cost_usd, case) for case in summary.cases if case.cost_usd is not None]
    if not known:
        raise UsageError(f"{summary.run}: the cost of its cases is not known")
    known.sort(key=lambda row: (-row[0], row[1].id))
    shown = known[:CASES_AT_MOST]
    drawn, axes = _empty(1.1 + 0.3 * len(shown))
    bars = axes.barh(range(len(shown)), [cost for cost, _ in shown], height=0.6, color=theme.with_)
    axes.bar_label(bars, [money(cost) for cost, _ in shown], padding=4, color=theme.soft)
    _rows(axes, [case.id for _, case in shown])
    axes.set_xlabel("dollars, both arms and the judge")
    axes.margins(x=0.12)
    unknown = len(summary.cases) - len(known)
    notes = [f"{money(sum(cost for cost, _ in known))} in all"]
    notes += [f"the dearest {len(shown)} of {len(known)}"] if len(shown) < len(known) else []
    notes += [f"{unknown} of unknown cost left out"] if unknown else []
    _title(axes, summary, ", ".join(notes))
    return drawn


# --- words ---


def _title(axes: Axes, summary: Summary, note: str) -> None:
    axes.set_title(f"{_name(summary.name)}: {note}", pad=10)


def _name(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= NAME_AT_MOST else f"{text[: NAME_AT_MOST - 1]}…"
