"""`assay regrade`: today's graders on the transcripts of a stored run. Nothing is run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.common import json_option, project_option, store_option
from assay.cli.options import RunOptions, Source
from assay.cli.stored import find_run, reading
from assay.errors import CannotRun, TrialFailed, UsageError
from assay.model import Fault

if TYPE_CHECKING:
    from assay.harnesses import Room
    from assay.model import Transcript, Trial
    from assay.store.rows import Run
    from assay.store.trials import TrialStore


@click.command()
@click.argument("run_id", default="latest", metavar="[RUN | latest]")
@click.option("--judge-model", help="The model that llm and rubric graders ask.")
@click.option("--allow-weaker-judge", is_flag=True, help="Accept a judge below the model that is judged.")
@click.option("--votes", type=click.Choice(["1", "3", "5"]), help="The judge's votes on an expectation.")
@click.option("-j", "--jobs", type=click.IntRange(1, 1024), help="Transcripts graded at once, at most.")
@click.option("--max-cost-usd", type=float, help="The ceiling, for judges; 2 dollars by default.")
@click.option("--scaffold", is_flag=True, help="Allow the suite's own grading commands to run.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the result: JSON for .json, else text.")
@click.option("--yes", is_flag=True, help="Answer yes to every question.")
@click.option("--quiet", is_flag=True, help="No plan and no progress.")
@json_option
@store_option
@project_option
def regrade(run_id: str, project: Path, votes: str | None, **given: Any) -> int:
    """Grade the stored transcripts of a run with the graders as they are now; no trial is run.

    Unchanged checks are taken over, so that only changed ones ask a judge. The result is a run of its own.
    Cases that were added since have no transcript and are left out.
    """
    from assay.cli.project import open_project
    from assay.cli.run_ablation import run_ablation
    from assay.cli.run_golden import run_golden

    with reading(project, given["store"]) as trials:
        run = find_run(trials, run_id)
        source = _source(trials, run)
    targets = tuple(name for name in run.name.split(", ") if name)
    options = RunOptions(
        open_project(project),
        targets=targets if run.kind == "golden" else (run.name,),
        model=source.ground.get("model") or None,
        votes=int(votes) if votes else None,
        source=source,
        **given,
    )
    return run_golden(options) if run.kind == "golden" else run_ablation(options)


def _source(trials: TrialStore, run: Run) -> Source:
    """What is kept of a run. Raises UsageError for a run of triggers, CannotRun without transcripts."""
    if run.kind == "triggers":
        raise UsageError(f"{run.id} asked trigger questions: there is nothing to grade again")
    repeats: dict[str, int] = {}
    kept = 0
    for record in trials.records(run.id):
        repeats[record.case] = max(record.repeat, repeats.get(record.case, 0))
        kept += record.transcript is not None
    if not kept:
        raise CannotRun(f"no transcript of {run.id} is kept: there is nothing to grade again")
    digest = run.info.get("item_digest")
    return Source(run.id, run.harness, run.model, digest, run.info.get("ground") or {}, repeats)


@dataclass(slots=True)
class StoredHarness:
    """The harness of a run whose transcripts are graded again: it runs nothing."""

    source: Source
    name: str
    concurrency: int | None = None
    reports_cost: bool = True
    is_free: bool = True

    @property
    def stamp(self) -> str:
        return self.source.harness

    def settings(self) -> dict[str, Any]:
        return dict(self.source.ground.get("settings") or {})

    def run(self, trial: Trial, _room: Room) -> Transcript:
        raise TrialFailed(Fault("setup", f"no transcript of {trial.case.id} is kept"))

    def close(self) -> None:
        """Nothing is open."""


def stored_harness(source: Source) -> StoredHarness:
    """The harness that a run had, without what it ran."""
    return StoredHarness(source, source.harness.partition("@")[0])


def of_source(options: RunOptions, run: Run) -> Run:
    """The run as it is stored: on the ground of the one whose transcripts it graded."""
    if options.source is None:
        return run
    info = {**run.info, "ground": options.source.ground, "regraded": options.source.run}
    return replace(run, info=info)
