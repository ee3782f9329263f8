"""Markdown for a pull request: verdict, table, what it cost; under GitHub's limit whatever the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.junit import headline
from assay.report.printable import one_line

if TYPE_CHECKING:
    from assay.report.summary import CaseSummary, Summary

LIMIT = 65_536
"""Characters of a comment that GitHub takes."""
ROOM_FOR_END = 600
MARKER = "<!-- assay -->"
"""By which a bot finds its own comment again."""
SIGNS = {True: "✅ passed", False: "❌ failed", None: "ℹ️ measured"}


def markdown(summary: Summary) -> str:
    """The comment: worst cases first, and as many rows as there is room for."""
    head = [
        MARKER,
        f"### assay: {_text(summary.name)} — {SIGNS[summary.passed]}",
        "",
        _text(summary.sentence),
        *(["", _text(summary.bearing.sentence)] if summary.bearing and summary.bearing.sentence else []),
        "",
        f"| case | score | {summary.reference_name} | difference | |",
        "|---|--:|--:|--:|---|",
    ]
    rows, left = _fitting([_row(case) for case in summary.cases], LIMIT - ROOM_FOR_END - _size(head))
    end = [f"\n… and {left} more cases."] if left else []
    details, _ = _fitting(_details(summary), LIMIT - ROOM_FOR_END - _size(head + rows + end))
    if details:
        end += ["", "<details><summary>Why</summary>", "", *details, "", "</details>"]
    return "\n".join([*head, *rows, *end, "", _stamp(summary)])[:LIMIT]


def job_summary(summary: Summary) -> str:
    """The same for the page of a job: without the mark by which a bot finds its comment."""
    return markdown(summary).removeprefix(f"{MARKER}\n")


def _row(case: CaseSummary) -> str:
    notes = ", ".join(sorted(case.flags - {"changed"})) or "ok"
    return (
        f"| {_text(case.id)} | {_number(case.score)} | {_number(case.reference)}"
        f" | {_signed(case.delta)} | {notes} |"
    )


def _details(summary: Summary) -> list[str]:
    rows = []
    for case in summary.cases:
        if case.status != "passed":
            rows.append(f"- **{_text(case.id)}**: {_text(headline(summary, case))}")
            rows += [f"  - {_text(reason)}" for reason in case.reasons[:3]]
    return rows


def _stamp(summary: Summary) -> str:
    cost = "cost unknown" if summary.cost_usd is None else f"${summary.cost_usd:.2f}"
    partial = f" · partial: {summary.partial_reason}" if summary.partial_reason else ""
    stamp = summary.stamp
    return (
        f"<sub>{summary.run} · model {_text(stamp.model)} · harness {_text(stamp.harness)} · {cost}"
        f" · {stamp.planned} trials, {stamp.cached} from the store{partial}</sub>"
    )


def _fitting(rows: list[str], room: int) -> tuple[list[str], int]:
    """As many rows as fit into `room` characters, and how many do not."""
    kept: list[str] = []
    for row in rows:
        room -= len(row) + 1
        if room < 0:
            break
        kept.append(row)
    return kept, len(rows) - len(kept)


def _size(rows: list[str]) -> int:
    return sum(len(row) + 1 for row in rows)


def _text(text: str) -> str:
    """What an agent wrote, on one line and without markup."""
    shown = one_line(text)
    for sign in "\\`*_{}[]<>#|~":
        shown = shown.replace(sign, f"\\{sign}")
    return shown.replace("@", "@\u200b")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}"
