"""`assay run`: measure an item, or run golden tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.cli.common import options_from, run_options
from assay.cli.targets import is_golden


@click.command()
@click.argument("targets", nargs=-1, metavar="[ITEM | evals/ | SUITE | G-NNN]...")
@run_options
@click.option("--grep", multiple=True, metavar="WORD", help="Only golden tasks with this tag, id or slug.")
@click.option("--target", metavar="KIND:[NAME]", help="Only golden tasks with this target.")
@click.option("--accept", is_flag=True, help="Make a golden run that passed the accepted baseline.")
@click.option("--yes", is_flag=True, help="Answer yes to every question.")
def run(project: Path, votes: str | None, **given: Any) -> int:
    """Run a suite and print what came of it.

    An ITEM (a skill, command, agent, prompt or plugin) is run with it loaded and without it. With no
    argument, `evals/`, a suite or task ids, golden tasks are run against their targets and the accepted
    baseline.
    """
    options = options_from(project, votes, **given)
    if is_golden(options.project, options.targets):
        from assay.cli.run_golden import run_golden

        return run_golden(options)
    from assay.cli.run_ablation import run_ablation

    return run_ablation(options)
