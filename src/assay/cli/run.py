"""`assay run`: measure an item, or run golden tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.cli.common import json_option, project_option, store_option
from assay.cli.options import RunOptions
from assay.cli.project import open_project
from assay.cli.targets import is_golden
from assay.errors import UsageError


@click.command()
@click.argument("targets", nargs=-1, metavar="[ITEM | evals/ | SUITE | G-NNN]...")
@click.option("--harness", metavar="NAME[:ARG]", help="What runs the agent or model.")
@click.option("--model", help="The model, as the harness knows it; `local` is the embedded one.")
@click.option("--judge-model", help="The model that llm and rubric graders ask.")
@click.option("--allow-weaker-judge", is_flag=True, help="Accept a judge below the model that is judged.")
@click.option("--votes", type=click.Choice(["1", "3", "5"]), help="The judge's votes on an expectation.")
@click.option("--runs", type=click.IntRange(1, 1000), help="Trials of each case on each arm.")
@click.option("-j", "--jobs", type=click.IntRange(1, 1024), help="Trials at once, at most.")
@click.option("--max-cost-usd", type=float, help="The ceiling; 2 dollars where nothing else is said.")
@click.option("--fresh", is_flag=True, help="Run every trial anew, whatever is stored.")
@click.option("--keep", is_flag=True, help="Keep the trials' temporary folders.")
@click.option("--scaffold", is_flag=True, help="Allow the suite's scaffold scripts to run.")
@click.option("--allow-tools", multiple=True, metavar="TOOL", help="Grant a tool to cases that list it.")
@click.option("--grep", multiple=True, metavar="WORD", help="Only golden tasks with this tag, id or slug.")
@click.option("--target", metavar="KIND:[NAME]", help="Only golden tasks with this target.")
@click.option("--accept", is_flag=True, help="Make a golden run that passed the accepted baseline.")
@click.option("--yes", is_flag=True, help="Answer yes to every question.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the result: JSON for .json, else text.")
@click.option("--quiet", is_flag=True, help="No plan and no progress.")
@json_option
@store_option
@project_option
def run(project: Path, votes: str | None, **given: Any) -> int:
    """Run a suite and print what came of it.

    An ITEM (a skill, command, agent, prompt or plugin) is run with it loaded and without it. With no
    argument, `evals/`, a suite or task ids, golden tasks are run against their targets and the accepted
    baseline.
    """
    options = RunOptions(open_project(project), votes=int(votes) if votes else None, **given)
    if options.ceiling_usd <= 0:
        raise UsageError(f"--max-cost-usd {options.ceiling_usd:g}: a ceiling must be more than 0 dollars")
    if is_golden(options.project, options.targets):
        from assay.cli.run_golden import run_golden

        return run_golden(options)
    from assay.cli.run_ablation import run_ablation

    return run_ablation(options)
