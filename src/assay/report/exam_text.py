"""The answer of an exam as text of at most 80 columns."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.schemas.skill_eval import SkillEval
    from assay.verdict.exam import Exam

COLUMNS = 80


def exam_text(exam: Exam, result: SkillEval) -> str:
    """The answer and why, then the numbers, then what more runs would take."""
    lines = textwrap.wrap(f"{exam.answer}: {exam.item}: {exam.why}", COLUMNS, subsequent_indent="  ")
    if exam.delta is not None:
        lines.append(
            f"  with {result.with_score:.2f}, without {result.without_score:.2f}, {exam.runs} runs a case"
        )
    if result.trigger_rate is not None:
        lines.append(f"  trigger rate {result.trigger_rate:.2f}")
    if exam.answer == "undecided" and exam.delta is not None:
        lines += textwrap.wrap(_more(exam), COLUMNS, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(lines)


def _more(exam: Exam) -> str:
    if exam.runs_needed is None:
        return "no number of runs up to 1000 a case would decide: add cases"
    cost = (
        "at a cost that is not known"
        if exam.more_cost_usd is None
        else f"for about ${exam.more_cost_usd:.2f}"
    )
    return f"--runs {exam.runs_needed} would decide four times in five, {cost} more"
