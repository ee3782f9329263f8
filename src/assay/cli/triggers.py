"""`assay triggers`: is a skill loaded for what it is for, and for nothing else?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.cli.measure import DEFAULT_JOBS
from assay.engine.budget import Budget
from assay.engine.retry import Retry
from assay.engine.routing import Query, Router
from assay.engine.stop import StopFlag

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.cli.options import RunOptions
    from assay.model import Item
    from assay.models import ChatModel
    from assay.schemas.triggers import SkillTriggers
    from assay.suites.trigger_set import TriggerCase


def ask_each(
    options: RunOptions,
    model: ChatModel,
    triggers: Mapping[str, tuple[TriggerCase, ...]],
    skills: Mapping[str, Item],
    ceiling_usd: float,
) -> tuple[tuple[SkillTriggers, ...], float]:
    """Put every query beside its skill's description; the answers, and what they cost."""
    budget = Budget(ceiling_usd)
    router = Router(model, budget=budget, retry=Retry(), stop=StopFlag())
    jobs = options.jobs or options.project.config.jobs or DEFAULT_JOBS
    descriptions = {name: skill.description or "" for name, skill in skills.items()}
    return router.each(queries(triggers), descriptions, jobs), budget.spent_usd


def queries(triggers: Mapping[str, tuple[TriggerCase, ...]]) -> list[Query]:
    """The trigger cases as questions."""
    return [
        Query(name, case.query, case.should_trigger, case.note)
        for name, cases in triggers.items()
        for case in cases
    ]
