"""`assay report`: a stored run in any format; `assay ci`: what pipelines show of it."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.common import project_option, store_option
from assay.cli.stored import find_run, reading
from assay.errors import UsageError
from assay.report.formats import NAMES, render
from assay.report.summary import Summary, summarise
from assay.store.whole_file import write_whole

out_option = click.option("--out", type=click.Path(path_type=Path), help="Write to a file instead.")
run_argument = click.argument("run_id", default="latest", metavar="[RUN | latest]")


@click.command()
@run_argument
@click.option("--format", "name", default="markdown", show_default=True, help=f"One of {', '.join(NAMES)}.")
@out_option
@store_option
@project_option
def report(run_id: str, name: str, out: Path | None, store: Path | None, project: Path) -> int:
    """Render a stored run. Nothing is run, and the exit code does not depend on the verdict."""
    from assay.cli.material import material_of

    with reading(project, store) as trials:
        run = find_run(trials, run_id)
        summary = summarise(run, trials.records(run.id))
        content = render(name, summary, material_of(trials, run, project))
    _put(content, out)
    return 0


@click.group()
def ci() -> None:
    """What a pipeline needs: a comment, annotations, a job summary."""


@ci.command()
@run_argument
@out_option
@store_option
@project_option
def comment(run_id: str, out: Path | None, store: Path | None, project: Path) -> int:
    """The comment for a pull request, in Markdown, under GitHub's limit."""
    _put(render("markdown", summary_of(run_id, store, project)), out)
    return 0


@ci.command("summary")
@run_argument
@out_option
@store_option
@project_option
def job_summary(run_id: str, out: Path | None, store: Path | None, project: Path) -> int:
    """What goes into the summary of a job: >> "$GITHUB_STEP_SUMMARY"."""
    from assay.report import markdown

    _put(markdown.job_summary(summary_of(run_id, store, project)), out)
    return 0


@ci.command()
@run_argument
@store_option
@project_option
def annotate(run_id: str, store: Path | None, project: Path) -> int:
    """Workflow commands that mark the failing tasks in a pull request on GitHub."""
    from assay.cli.places import places_of
    from assay.report import github

    summary = summary_of(run_id, store, project)
    click.echo(github.annotate(summary, places_of(summary, project)), nl=False)
    return 0


@ci.command()
@run_argument
@click.option(
    "--endpoint",
    default="http://127.0.0.1:4318/v1/traces",
    show_default=True,
    metavar="URL",
    help="Where the collector takes OTLP over HTTP.",
)
@store_option
@project_option
def trace(run_id: str, endpoint: str, store: Path | None, project: Path) -> int:
    """Send a stored run to an OpenTelemetry collector: numbers and names, no prompt and no output."""
    from assay.report import tracing
    from assay.store.look import written_at

    with reading(project, store) as trials:
        run = find_run(trials, run_id)
        found = tracing.spans(run, trials.records(run.id), written_at(trials, run.id))
    tracing.send(found, tracing.exporter(endpoint), endpoint)
    click.echo(f"sent {len(found):,} spans of {run.id} to {endpoint}", err=True)
    return 0


def summary_of(run_id: str, store: Path | None, project: Path) -> Summary:
    """The view model of a stored run."""
    with reading(project, store) as trials:
        run = find_run(trials, run_id)
        return summarise(run, trials.records(run.id))


def _put(content: str | bytes, out: Path | None) -> None:
    if out is not None:
        write_whole(out, content)
    elif isinstance(content, bytes):
        raise UsageError("this format is not text: say where to with --out FILE")
    else:
        click.echo(content, nl=not content.endswith("\n"))
