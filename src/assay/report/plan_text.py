"""What will be run and what it may cost, before anything is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.graders import JUDGED
from assay.report.numbers import plural

if TYPE_CHECKING:
    from assay.engine.plan import Plan
    from assay.harnesses import Harness
    from assay.models import ChatModel


def plan_text(
    plan: Plan, harness: Harness, model: str, ceiling_usd: float, judge: ChatModel | None = None
) -> str:
    """The trials, on what they run, who judges how much of them, and the most that all of it may cost."""
    arms = f", arms {' and '.join(plan.arms)}" if len(plan.arms) > 1 else ""
    is_free = harness.is_free and (judge is None or judge.is_free)
    lines = [
        f"Plan: {plural(len(plan.cases), 'case')}{arms}: {plural(plan.size, 'trial')}",
        f"  harness {harness.stamp}",
        f"  model   {model}",
    ]
    if judge is not None:
        lines.append(f"  judge   {judge.name}: {plural(judgements(plan), 'judgement')} at most")
    return "\n".join([*lines, f"  cost    {'nothing' if is_free else f'at most ${ceiling_usd:.2f}'}"])


def judgements(plan: Plan) -> int:
    """How many checks of all trials a judge may be asked about; its votes on each not counted."""
    asked = (plan.runs_of(case) * sum(spec.type in JUDGED for spec in case.graders) for case in plan.cases)
    return len(plan.arms) * sum(asked)
