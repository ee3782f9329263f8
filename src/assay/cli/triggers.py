"""`assay triggers`: is a skill loaded for what it is for, and for nothing else?"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.common import json_option, options_from, project_option, store_option
from assay.cli.measure import say
from assay.cli.options import DEFAULT_JOBS
from assay.engine.budget import Budget
from assay.engine.retry import Retry
from assay.engine.routing import Query, Router
from assay.engine.stop import StopFlag
from assay.errors import CannotRun, SuiteError, UsageError
from assay.schemas.triggers import Choice, SkillTriggers, Triggers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.cli.harnesses import Chosen
    from assay.cli.options import RunOptions
    from assay.model import Item
    from assay.models import ChatModel
    from assay.suites.trigger_set import TriggerCase


@click.command()
@click.argument("skills", nargs=-1, metavar="[SKILL]...")
@click.option("--model", help="The model that is asked, and the client's where --harness is given.")
@click.option("--judge-model", help="The model that is asked, where it is not that of the client.")
@click.option("--harness", metavar="NAME[:ARG]", help="Ask a real client as well, such as claude.")
@click.option("--catalog", is_flag=True, help="Ask as well which of all skills is meant; print the matrix.")
@click.option("--runs", type=click.IntRange(1, 1000), help="Runs of each query in the client; 1 by itself.")
@click.option("-j", "--jobs", type=click.IntRange(1, 1024), help="Questions at once, at most.")
@click.option("--max-cost-usd", type=float, help="The ceiling; 2 dollars where nothing else is said.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the result: JSON for .json, else text.")
@click.option("--quiet", is_flag=True, help="No plan and no progress.")
@json_option
@store_option
@project_option
def triggers(skills: tuple[str, ...], catalog: bool, project: Path, **given: Any) -> int:
    """Ask the queries of evals/triggers.json: would each be routed to its skill, by its description alone?

    A query that fires where it should not fails, and so does one that does not fire where it should.
    """
    from assay.cli.output import write_out
    from assay.report.triggers_text import triggers_text

    options = options_from(project, None, **given)
    result = ask(options, skills, catalog=catalog)
    write_out(options, result.to_document(), triggers_text(result).rstrip("\n"))
    return result.exit_code


def ask(options: RunOptions, names: tuple[str, ...], *, catalog: bool) -> Triggers:
    """Ask a model, all skills' catalogue and the client, as far as they are asked for."""
    from assay.cli.trigger_client import ask_client

    sets, skills = _asked(options, names)
    started = datetime.now(UTC)
    chosen, model = _models(options)
    try:
        count = sum(map(len, sets.values()))
        say(f"Plan: {count} queries of {', '.join(sets)} to {model.name}", options)
        found, paid_usd = ask_each(options, model, sets, skills, options.ceiling_usd)
        choices: tuple[Choice, ...] = ()
        if catalog:
            choices, more_usd = _ask_catalog(options, model, sets, skills, options.ceiling_usd - paid_usd)
            paid_usd += more_usd
        left = replace(options, max_cost_usd=max(options.ceiling_usd - paid_usd, 1e-9))
        client = ask_client(left, chosen, sets, skills, started) if chosen else ()
    finally:
        model.close()
        if chosen:
            chosen.harness.close()
    return Triggers(
        run=f"triggers-{started:%Y%m%dT%H%M%SZ}",
        date=f"{started:%Y-%m-%d}",
        model=model.name,
        skills=found,
        catalog=choices,
        client=client,
        harness=chosen.harness.stamp if chosen else None,
        cost_usd=None if chosen else paid_usd,
    )


def ask_each(
    options: RunOptions,
    model: ChatModel,
    sets: Mapping[str, tuple[TriggerCase, ...]],
    skills: Mapping[str, Item],
    ceiling_usd: float,
) -> tuple[tuple[SkillTriggers, ...], float]:
    """Put every query beside its skill's description; the answers, and what they cost."""
    budget = Budget(ceiling_usd)
    router = Router(model, budget=budget, retry=Retry(), stop=StopFlag())
    descriptions = {name: skill.description or "" for name, skill in skills.items()}
    return router.each(_queries(sets), descriptions, _jobs(options)), budget.spent_usd


def _ask_catalog(
    options: RunOptions,
    model: ChatModel,
    sets: Mapping[str, tuple[TriggerCase, ...]],
    skills: Mapping[str, Item],
    ceiling_usd: float,
) -> tuple[tuple[Choice, ...], float]:
    budget = Budget(max(0.0, ceiling_usd))
    router = Router(model, budget=budget, retry=Retry(), stop=StopFlag())
    descriptions = _all_descriptions(options, skills)
    return router.catalog(_queries(sets), descriptions, _jobs(options)), budget.spent_usd


def _jobs(options: RunOptions) -> int:
    return options.jobs or options.project.config.jobs or DEFAULT_JOBS


def _queries(sets: Mapping[str, tuple[TriggerCase, ...]]) -> list[Query]:
    return [
        Query(name, case.query, case.should_trigger, case.note)
        for name, cases in sets.items()
        for case in cases
    ]


def _asked(
    options: RunOptions, names: tuple[str, ...]
) -> tuple[Mapping[str, tuple[TriggerCase, ...]], Mapping[str, Item]]:
    """The trigger cases that are meant, and the skills that they are about."""
    from assay.cli.golden_tasks import trigger_skills
    from assay.suites.triggers import load_triggers

    every = load_triggers(options.project.evals)
    if not every:
        raise CannotRun(
            f"there are no trigger cases: {options.project.evals.name}/triggers.json is not there"
        )
    unknown = [name for name in names if name not in every]
    if unknown:
        raise UsageError(f"no trigger cases for {', '.join(unknown)}; there are: {', '.join(sorted(every))}")
    sets = {name: cases for name, cases in every.items() if not names or name in names}
    skills, problems = trigger_skills(options.project, sets)
    if problems:
        raise SuiteError(problems)
    return sets, skills


def _models(options: RunOptions) -> tuple[Chosen | None, ChatModel]:
    """The client, where one is asked for, and the model that answers by descriptions."""
    from assay.cli.client_model import open_asked
    from assay.cli.golden_rig import chat_name
    from assay.cli.harnesses import choose_harness

    chosen = choose_harness(options, "skill") if options.harness else None
    config = options.project.config
    name = options.judge_model or (chat_name(chosen) if chosen else options.model or config.model)
    if name is None:
        if chosen:
            chosen.harness.close()
        raise UsageError("name the model that is asked: --model, or --judge-model beside a client")
    return chosen, open_asked(name, options, chosen)


def _all_descriptions(options: RunOptions, skills: Mapping[str, Item]) -> dict[str, str]:
    """Name and description of every skill of the project."""
    from assay.items import find_item

    root = options.project.root
    names = {
        path.parent.name for base in ("skills", "registry/skills") for path in root.glob(f"{base}/*/SKILL.md")
    }
    found = {name: find_item(root, f"skill:{name}") for name in sorted(names - set(skills))}
    every = {**found, **skills}
    return {name: every[name].description or "" for name in sorted(every)}
