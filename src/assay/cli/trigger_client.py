"""Trigger queries through the real client: did it load the skill?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.cli.golden_tasks import TOOLS
from assay.cli.harnesses import Chosen, Rig
from assay.cli.measure import measure, record_end
from assay.engine.plan import Plan
from assay.model import WITH, Case, GraderSpec, Location, Settings
from assay.schemas.triggers import SkillTriggers, TriggerAnswer
from assay.store.rows import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from assay.cli.options import RunOptions
    from assay.model import Item, Record
    from assay.suites.trigger_set import TriggerCase

DEFAULT_RUNS = 1


def ask_client(
    options: RunOptions,
    chosen: Chosen,
    triggers: Mapping[str, tuple[TriggerCase, ...]],
    skills: Mapping[str, Item],
    started: datetime,
) -> tuple[SkillTriggers, ...]:
    """Run each query with its skill loaded; a skill fired where it was called in half of the runs or more."""
    cases = {
        f"{name}/{number}": (case, _case(f"{name}/{number}", name, case))
        for name, rows in triggers.items()
        for number, case in enumerate(rows, 1)
    }
    plan = Plan(
        tuple(case for _, case in cases.values()),
        {WITH: lambda case: skills[case.name]},
        options.runs,
        options.model,
        default_runs=DEFAULT_RUNS,
    )
    run = Run(
        id=f"triggers-{started:%Y%m%dT%H%M%SZ}",
        kind="triggers",
        name=", ".join(triggers),
        started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        harness=chosen.harness.stamp,
        model=chosen.model,
        planned=plan.size,
    )
    measured = measure(options, Rig(chosen.harness, chosen.model, None), plan, run)
    record_end(options, measured.run, measured.finish, None)
    answers: dict[str, list[TriggerAnswer]] = {name: [] for name in triggers}
    for key, (trigger, case) in cases.items():
        records = [record for record in measured.records if record.case == key]
        answers[case.name].append(_answer(trigger, records))
    return tuple(SkillTriggers(name, tuple(rows)) for name, rows in answers.items())


def _case(key: str, skill: str, trigger: TriggerCase) -> Case:
    wanted = {"tool": "Skill", "input_match": rf'"skill":"(?:[^":]*:)?{re.escape(skill)}"'}
    fires = GraderSpec("fires", "tool_used", config=wanted)
    source = trigger.source or Location("evals/triggers.json")
    return Case(key, skill, trigger.query, (fires,), source, settings=Settings(allowed_tools=TOOLS))


def _answer(trigger: TriggerCase, records: Sequence[Record]) -> TriggerAnswer:
    fired = [passed for record in records if (passed := _fired(record.grades)) is not None]
    fault = next((f"{record.fault.kind}: {record.fault.message}" for record in records if record.fault), None)
    if fault or not fired:
        return TriggerAnswer(trigger.query, trigger.should_trigger, None, trigger.note, fault or "not run")
    return TriggerAnswer(trigger.query, trigger.should_trigger, sum(fired) * 2 >= len(fired), trigger.note)


def _fired(grades: Iterable[object]) -> bool | None:
    return next((getattr(grade, "passed", None) for grade in grades), None)
