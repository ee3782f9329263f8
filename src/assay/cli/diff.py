"""`assay diff`: two stored runs beside each other, and the outputs of one case side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.common import json_option, project_option, store_option
from assay.cli.output import print_result
from assay.cli.stored import find_case, find_run, reading
from assay.errors import UsageError
from assay.model import WITH

if TYPE_CHECKING:
    from assay.model import JSON
    from assay.store.rows import Run
    from assay.store.trials import TrialStore


@click.command()
@click.argument("before", metavar="RUN")
@click.argument("now", metavar="RUN")
@click.argument("case", required=False)
@click.option("--arm", default=WITH, show_default=True, help="The arm that is compared.")
@json_option
@store_option
@project_option
def diff(
    *,
    before: str,
    now: str,
    case: str | None,
    arm: str,
    as_json: bool,
    store: Path | None,
    project: Path,
) -> int:
    """Compare two stored runs: what was different about them, and which cases came out differently.

    The first RUN is the one before, `latest` the newest. With a CASE, its outputs are printed side by side.
    Nothing is run, and the exit code does not depend on what changed.
    """
    with reading(project, store) as trials:
        runs = find_run(trials, before), find_run(trials, now)
        document, text = _case(trials, runs, case, arm) if case else _runs(trials, runs, arm)
    print_result(document, text, as_json=as_json)
    return 0


def _runs(trials: TrialStore, runs: tuple[Run, Run], arm: str) -> tuple[JSON, str]:
    from assay.report.run_diff import run_diff
    from assay.report.run_diff_text import run_diff_text

    old, new = ((run, tuple(trials.records(run.id))) for run in runs)
    for run, records in (old, new):
        arms = sorted({record.arm for record in records})
        if arms and arm not in arms:
            raise UsageError(f"{run.id} has no arm {arm!r}; it has: {', '.join(arms)}")
    found = run_diff(old, new, arm)
    return found.to_document(), run_diff_text(found)


def _case(trials: TrialStore, runs: tuple[Run, Run], name: str, arm: str) -> tuple[JSON, str]:
    from assay.report.run_diff import BEFORE, NOW
    from assay.report.run_diff_text import side_by_side

    outputs: dict[int, dict[str, str | None]] = {}
    for side, run in zip((BEFORE, NOW), runs, strict=True):
        for record in find_case(trials, run, name).trials:
            if record.arm == arm:
                left = trials.transcript(record.transcript) if record.transcript else None
                outputs.setdefault(record.repeat, {})[side] = left.output if left else None
    if not outputs:
        raise UsageError(f"{name!r} has no trial on the arm {arm!r}")
    document = [{"repeat": repeat, **texts} for repeat, texts in sorted(outputs.items())]
    return document, side_by_side(sorted(outputs.items()))
