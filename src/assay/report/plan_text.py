"""What will be run and what it may cost, before anything is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.engine.plan import Plan
    from assay.harnesses import Harness


def plan_text(plan: Plan, harness: Harness, model: str, ceiling_usd: float) -> str:
    """What will be run and what it may cost, before anything is spent."""
    cases = f"{len(plan.cases)} cases" if len(plan.cases) != 1 else "1 case"
    arms = f", arms {' and '.join(plan.arms)}" if len(plan.arms) > 1 else ""
    cost = "nothing" if harness.is_free else f"at most ${ceiling_usd:.2f}"
    return (
        f"Plan: {cases}{arms}: {plan.size} {'trial' if plan.size == 1 else 'trials'}"
        f"\n  harness {harness.stamp}\n  model   {model}\n  cost    {cost}"
    )
