"""A result of another tool for people: its arms side by side, and what to know of how it was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.printable import one_line

if TYPE_CHECKING:
    from fractions import Fraction

    from assay.suites.foreign_result import ForeignCase, ForeignResult

NAME_WIDTH = 40
ARM_WIDTH = 14


def foreign_text(result: ForeignResult) -> str:
    """The report of a result of another tool; nothing of it is rounded away silently: a dash is unknown."""
    arms = result.arms
    lines = [one_line(f"{result.title} ({result.format}{_made_by(result)})"), ""]
    lines.append(_row("case", list(arms)))
    lines += [_row(case.name, [_cell(case, arm) for arm in arms]) for case in result.cases]
    lines.append("─" * (NAME_WIDTH + (ARM_WIDTH + 2) * len(arms)))
    lines.append(_row("all", [_score(result.score(arm)) for arm in arms]))
    if result.delta is not None:
        lines.append(f"with the item against without: {float(result.delta):+.2f}")
    if result.is_partial:
        lines.append("PARTIAL: planned runs are missing")
    lines += [one_line(f"note: {remark}") for remark in result.remarks]
    return "\n".join(lines)


def _made_by(result: ForeignResult) -> str:
    parts = [result.tool, result.model and f"model {result.model}", result.started]
    return "".join(f", {part}" for part in parts if part)


def _cell(case: ForeignCase, arm: str) -> str:
    runs = case.arms.get(arm, ())
    count = f" ×{len(runs)}" if len(runs) > 1 else ""
    return _score(case.score(arm)) + count


def _row(name: str, cells: list[str]) -> str:
    line = " ".join(one_line(name).split())
    short = line if len(line) <= NAME_WIDTH else f"{line[: NAME_WIDTH - 1]}…"
    return f"{short:<{NAME_WIDTH}}" + "".join(f"  {cell:>{ARM_WIDTH}}" for cell in cells)


def _score(score: Fraction | None) -> str:
    return "-" if score is None else f"{float(score):.2f}"
