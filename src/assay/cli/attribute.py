"""`assay attribute`: what the difference of two stored runs is due to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli.common import options_from, run_options
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.schemas.skill_eval import SkillEval
    from assay.store.trials import TrialStore


@click.command()
@click.argument("before", metavar="RUN")
@click.argument("now", metavar="RUN")
@click.option("--harness-before", metavar="NAME[:ARG]", help="What ran the first run, where it has an ARG.")
@run_options
def attribute(*, before: str, now: str, harness_before: str | None, **given: Any) -> int:
    """Split the difference of two stored RUNs of an item among the things in which they differ.

    Those are item, suite, model, harness and judge. Every mix of them is run with the item loaded, what the
    store holds excepted, under one ceiling. Versions of item and suite come from git by their digests.
    """
    from assay.cli.attributing import attribute as run_corners
    from assay.cli.output import write_out
    from assay.cli.stored import reading
    from assay.report.attribution_text import attribution_text

    options = options_from(**given)
    if options.model or options.judge_model:
        raise UsageError("--model and --judge-model are those of the two runs: leave them out")
    with reading(options.project.root, options.store) as trials:
        results = (_result(trials, before), _result(trials, now))
    if results[0].item != results[1].item:
        raise UsageError(f"{before} is of {results[0].item!r} and {now} of {results[1].item!r}")
    found = run_corners(options, results, (harness_before or options.harness, options.harness))
    write_out(options, found.to_document(), attribution_text(found))
    return 0


def _result(trials: TrialStore, name: str) -> SkillEval:
    from assay.cli.stored import find_run
    from assay.schemas.skill_eval import from_document

    run = find_run(trials, name)
    if run.kind != "ablation" or run.document is None:
        raise UsageError(f"{run.id} is no finished run of an item: only those can be split")
    result = from_document(run.document, run.id)
    if result.item_digest is None or result.suite_digest is None or result.harness is None:
        raise UsageError(f"{run.id} does not say what item, suite and harness it ran")
    return result
