"""`assay run`: measure an item, or run golden tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.common import options_from, run_options
from assay.cli.targets import is_golden
from assay.errors import UsageError
from assay.model import WITH, WITHOUT

if TYPE_CHECKING:
    from assay.cli.options import Shard

ARMS = (WITH, WITHOUT)


def _shard(_context: click.Context, _param: click.Parameter, value: str | None) -> Shard | None:
    from assay.cli.options import Shard

    if value is None:
        return None
    number, _, of = value.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise click.BadParameter(f"{value!r}: expected I/N with I from 1 to N, as in 2/3")
    return Shard(int(number), int(of))


@click.command()
@click.argument("targets", nargs=-1, metavar="[ITEM | evals/ | SUITE | G-NNN]...")
@run_options
@click.option("--grep", multiple=True, metavar="WORD", help="Only golden tasks with this tag, id or slug.")
@click.option("--target", metavar="KIND:[NAME]", help="Only golden tasks with this target.")
@click.option("--confirm", is_flag=True, help="Let fresh runs decide whether a drop of a task is one.")
@click.option("--curtail", is_flag=True, help="Stop an item's run once the strict gate's reject is certain.")
@click.option("--accept", is_flag=True, help="Make a golden run that passed the accepted baseline.")
@click.option("--resume", is_flag=True, help="Go on with the newest run of this that was not finished.")
@click.option("--explain", is_flag=True, help="Say which trials would run and why each; run nothing.")
@click.option("--fresh-arm", "fresh_arms", multiple=True, metavar="ARM", help="Run this arm anew.")
@click.option("--fail-fast", is_flag=True, help="Start nothing more after an error or a failed check.")
@click.option("--shard", callback=_shard, metavar="I/N", help="Only the I-th of N shares of the cases.")
def run(project: Path, votes: str | None, **given: Any) -> int:
    """Run a suite and print what came of it.

    An ITEM (a skill, command, agent, prompt or plugin) is run with it loaded and without it. With no
    argument, `evals/`, a suite or task ids, golden tasks are run against their targets and the accepted
    baseline.
    """
    options = options_from(project, votes, **given)
    unknown = [arm for arm in options.fresh_arms if arm not in ARMS]
    if unknown:
        raise UsageError(f"--fresh-arm {unknown[0]}: the arms are {' and '.join(ARMS)}")
    if is_golden(options.project, options.targets):
        from assay.cli.run_golden import run_golden

        if options.curtail:
            raise UsageError("--curtail is for an item: of golden tasks every one is told")
        return run_golden(options)
    from assay.cli.run_ablation import run_ablation

    return run_ablation(options)
