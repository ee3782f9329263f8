"""`assay exam`: does an item still earn its place?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from assay.cli.common import options_from, run_options
from assay.errors import CannotRun, UsageError

EXIT_CODES = {"keep": 0, "disposable": 1, "undecided": 4}


@click.command()
@click.argument("item")
@click.option(
    "--source",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Another checkout that item and suite are taken from.",
)
@click.option("--worth", type=float, help="The effect worth keeping the item for, of the mean score (0.20).")
@run_options
def exam(*, item: str, source: Path | None, worth: float | None, **given: Any) -> int:
    """Run the suite of ITEM and say whether it still earns its place here.

    Exit code 0 keeps it (it helps), 1 says that it is disposable (no help or harm, with enough trials to say
    so), 4 that the trials do not decide, with what more would cost; 2 and 3 as everywhere.
    """
    from assay.cli.output import write_out
    from assay.cli.run_ablation import measure_item, suite_of
    from assay.items import find_item
    from assay.report.exam_text import exam_text
    from assay.verdict.exam import WORTH, examine

    effect = WORTH if worth is None else worth
    if not 0 < effect <= 1:
        raise UsageError(f"--worth {effect:g}: an effect on the mean score is more than 0 and at most 1")
    options = options_from(**given)
    origin = replace(options, project=replace(options.project, root=source or options.project.root))
    found = find_item(origin.project.root, item)
    ablation = measure_item(options, found, suite_of(origin, found))
    result, finish = ablation.result, ablation.measured.finish
    if result.partial_reason == "interrupted":
        raise KeyboardInterrupt
    if result.with_score is None and result.partial:
        raise CannotRun(f"no case of {found.name} has a score on both arms ({result.partial_reason})")
    paid = None if result.cost_usd is None else finish.spent_usd + finish.saved_usd
    answer = examine(result, effect, paid)
    write_out(options, answer.to_document(result), exam_text(answer, result))
    return EXIT_CODES[answer.answer]
