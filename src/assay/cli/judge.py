"""`assay judge calibrate`: a judge beside the labels of people."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.common import json_option, options_from, project_option
from assay.cli.measure import say
from assay.cli.options import DEFAULT_JOBS
from assay.errors import CannotRun, UsageError
from assay.graders.judge_prompts import PROMPT_VERSIONS
from assay.model import WITH, Case, GraderSpec, Location, Transcript
from assay.schemas.judge_calibration import JudgeCalibration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.cli.options import RunOptions
    from assay.engine.grading import Graded
    from assay.models import ChatModel
    from assay.suites.judge_labels import Label, Labels

LABELS = ("judge-labels.jsonl", "judge-labels.json", "judge-labels.yml")
UNFIT = 1


@click.group()
def judge() -> None:
    """How far the judge of rubrics is to be trusted."""


@judge.command()
@click.argument("labels", required=False, type=click.Path(path_type=Path), metavar="[LABELS]")
@click.option("--judge-model", help="The judge; `judge_model` of the project where it is left out.")
@click.option("--votes", type=click.Choice(["1", "3", "5"]), help="The judge's votes on an expectation.")
@click.option("--repeats", type=click.IntRange(1, 50), default=3, show_default=True, help="Asked how often.")
@click.option("--record", is_flag=True, help="Write the outcome to evals/judge.json, for reports to name.")
@click.option("-j", "--jobs", type=click.IntRange(1, 1024), help="Questions at once, at most.")
@click.option("--max-cost-usd", type=float, help="The ceiling; 2 dollars where nothing else is said.")
@click.option("--quiet", is_flag=True, help="No plan.")
@json_option
@project_option
def calibrate(
    labels: Path | None, repeats: int, record: bool, project: Path, votes: str | None, **given: Any
) -> int:
    """Put human labels to the judge: agreement, kappa, both error rates with intervals, and flips.

    LABELS is a list of expectation, output and met; evals/judge-labels.jsonl where it is left out.
    """
    from assay.cli.output import print_result
    from assay.report.judge_text import judge_text
    from assay.store.judge_calibration import record_calibration
    from assay.suites.judge_labels import read_labels

    options = options_from(project, votes, **given)
    read = read_labels(labels or _default_labels(options))
    verdicts, name = _verdicts(options, read.labels, repeats)
    result = _result(options, read, verdicts, name)
    wrong = [
        (label.expectation, label.met)
        for label, said in zip(read.labels, verdicts, strict=True)
        if said[0] != label.met
    ]
    print_result(result.to_json(), judge_text(result, wrong), as_json=options.as_json)
    if record:
        record_calibration(options.project.evals, result)
        say("recorded: evals/judge.json", options)
    return UNFIT if result.word == "unfit" else 0


def _default_labels(options: RunOptions) -> Path:
    found = next((path for name in LABELS if (path := options.project.evals / name).is_file()), None)
    if found is None:
        raise UsageError(
            f"there are no labels: write {options.project.evals.name}/{LABELS[0]}, or name a file"
        )
    return found


def _verdicts(options: RunOptions, labels: Sequence[Label], repeats: int) -> tuple[list[list[bool]], str]:
    """What the judge says of each label, `repeats` times. Raises CannotRun where a verdict is missing."""
    model = _open_judge(options)
    try:
        say(f"Plan: {len(labels)} labels, {repeats} times, to {model.name}", options)
        graded = _grade(options, model, labels, repeats)
    finally:
        model.close()
    lost = [one for one in graded if one is None or one.fault]
    if lost:
        first = next((one.fault for one in lost if one and one.fault), None)
        told = f"{first.kind}: {first.message}" if first else "the ceiling left no money for them"
        raise CannotRun(f"{len(lost)} of {len(graded)} verdicts are missing, so nothing is said: {told}")
    said = [bool(one.grades[0].passed) for one in graded if one]
    return [said[number :: len(labels)] for number in range(len(labels))], model.name


def _open_judge(options: RunOptions) -> ChatModel:
    from assay.cli.client_model import open_asked

    name = options.judge_model or options.project.config.judge_model
    if name is None:
        raise UsageError("name the judge: --judge-model, or `judge_model` in the project's settings")
    return open_asked(name, options)


def _grade(
    options: RunOptions, model: ChatModel, labels: Sequence[Label], repeats: int
) -> list[Graded | None]:
    from assay.engine.budget import Budget
    from assay.engine.grading import Grading
    from assay.engine.retry import Retry
    from assay.engine.schedule import Workers
    from assay.engine.signals import stopping
    from assay.engine.stop import StopFlag
    from assay.graders import Bench

    stop, budget = StopFlag(), Budget(options.ceiling_usd)
    grading = Grading(Bench(judge=model, votes=options.votes), (WITH,), Retry(), stop)
    cases = [_case(number, label) for number, label in enumerate(labels)]

    def work(task: tuple[int, int]) -> tuple[int, Graded | None]:
        place, number = task
        if not budget.reserve():
            return place, None
        graded = grading.grade(cases[number], WITH, Transcript(labels[number].output))
        budget.settle(graded.judge_cost_usd or 0.0)
        return place, graded

    tasks = [
        (repeat * len(labels) + number, number) for repeat in range(repeats) for number in range(len(labels))
    ]
    graded: list[Graded | None] = [None] * len(tasks)
    jobs = options.jobs or options.project.config.jobs or DEFAULT_JOBS
    count = max(1, min(jobs, len(tasks), model.concurrency or jobs))
    with stopping(stop):
        for batch in Workers(iter(tasks), work, count, stop).results():
            for place, one in batch:
                graded[place] = one
    if stop.is_set():
        raise KeyboardInterrupt
    return graded


def _case(number: int, label: Label) -> Case:
    spec = GraderSpec("label", "rubric", config={"criteria": label.expectation})
    return Case(f"label-{number}", "label", "", (spec,), Location("labels"))


def _result(
    options: RunOptions, labels: Labels, verdicts: Sequence[Sequence[bool]], name: str
) -> JudgeCalibration:
    from assay.verdict.agreement import calibrate as count
    from assay.verdict.agreement import cohen_kappa, flip_rate
    from assay.verdict.judge_word import judge_word

    human = [label.met for label in labels.labels]
    first = [said[0] for said in verdicts]
    counts = count(first, human)
    return JudgeCalibration(
        judge=name,
        prompt=PROMPT_VERSIONS["rubric"],
        votes=options.votes or 1,
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        labels=labels.digest,
        met=counts.passes,
        met_found=counts.passes_found,
        unmet=counts.fails,
        unmet_found=counts.fails_found,
        kappa=cohen_kappa(first, human),
        flip_rate=flip_rate(verdicts),
        repeats=len(verdicts[0]),
        word=judge_word(counts),
    )
