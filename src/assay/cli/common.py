"""Options that many commands share, spelled once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.cli.options import RunOptions

Command = TypeVar("Command", bound=Callable[..., object])

project_option = click.option(
    "--project",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=".",
    help="The project's folder.",
)
store_option = click.option(
    "--store", type=click.Path(path_type=Path), help="The trial store, instead of .assay/trials.sqlite."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print a document instead of text.")

_RUN_OPTIONS = (
    click.option("--harness", metavar="NAME[:ARG]", help="What runs the agent or model."),
    click.option("--model", help="The model, as the harness knows it; `local` is the embedded one."),
    click.option("--judge-model", help="The model that llm and rubric graders ask."),
    click.option("--allow-weaker-judge", is_flag=True, help="Accept a judge below the model that is judged."),
    click.option("--votes", type=click.Choice(["1", "3", "5"]), help="The judge's votes on an expectation."),
    click.option("--runs", type=click.IntRange(1, 1000), help="Trials of each case on each arm."),
    click.option("-j", "--jobs", type=click.IntRange(1, 1024), help="Trials at once, at most."),
    click.option("--max-cost-usd", type=float, help="The ceiling; 2 dollars where nothing else is said."),
    click.option(
        "--max-trials", type=click.IntRange(1), help="Trials that may start: a ceiling where no price is."
    ),
    click.option("--fresh", is_flag=True, help="Run every trial anew, whatever is stored."),
    click.option("--yes", is_flag=True, help="Answer yes to every question."),
    click.option(
        "--idle-timeout",
        type=click.FloatRange(0, min_open=True),
        metavar="SECONDS",
        help="End a trial whose process says nothing for so long.",
    ),
    click.option("--keep", is_flag=True, help="Keep the trials' temporary folders."),
    click.option(
        "--scaffold", is_flag=True, help="Allow the suite's own scripts and grading commands to run."
    ),
    click.option("--allow-tools", multiple=True, metavar="TOOL", help="Grant a tool to cases that list it."),
    click.option(
        "--out", type=click.Path(path_type=Path), help="Write the result: JSON for .json, else text."
    ),
    click.option("--quiet", is_flag=True, help="No plan and no progress."),
    json_option,
    store_option,
    project_option,
)


def run_options(command: Command) -> Command:
    """What every command takes that runs trials; `options_from` makes `RunOptions` of it."""
    for option in reversed(_RUN_OPTIONS):
        command = option(command)
    return command


def options_from(project: Path, votes: str | None, **given: Any) -> RunOptions:
    """The options of a run as click hands them over. Raises UsageError for a ceiling that allows nothing."""
    from assay.cli.options import RunOptions
    from assay.cli.project import open_project

    options = RunOptions(open_project(project), votes=int(votes) if votes else None, **given)
    if options.ceiling_usd <= 0:
        raise UsageError(f"--max-cost-usd {options.ceiling_usd:g}: a ceiling must be more than 0 dollars")
    return options


def agrees(question: str, *, yes: bool) -> bool:
    """Whether the user agrees; where nobody can be asked the answer is no, and `--yes` is named."""
    if yes:
        return True
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        click.echo("\nnobody could be asked: --yes answers", err=True)
        return False
