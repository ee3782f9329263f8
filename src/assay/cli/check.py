"""`assay check`: what is wrong with a suite, before anything is spent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.common import json_option, store_option
from assay.cli.output import print_result
from assay.report.printable import one_line

if TYPE_CHECKING:
    from assay.model import JSON
    from assay.suites.check_path import Checked
    from assay.suites.findings import Finding


@click.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path), default=".")
@click.option("--eval-dir", metavar="DIR", help="The one folder of the plugin that holds cases.")
@click.option("--strict", is_flag=True, help="Make every warning an error.")
@click.option(
    "--sarif", type=click.Path(path_type=Path), metavar="FILE", help="Also write the findings as SARIF 2.1.0."
)
@json_option
@store_option
def check(
    *, path: Path, eval_dir: str | None, strict: bool, sarif: Path | None, as_json: bool, store: Path | None
) -> int:
    """Find the traps of the suites at PATH: a plugin, a skill, an evals folder, a case or a JSON file.

    Nothing is run: files are read, patterns compiled, and every grader that needs no model is tried on an
    empty answer and on the suite's own samples. Exit code 0 without errors, 1 with, 2 where there is nothing
    to check.
    """
    from assay.suites.check_path import check_path

    checked = check_path(path, eval_dir)
    found = [*checked.findings, *_history(checked, path, store)]
    if strict:
        found = [replace(one, severity="error") if one.severity == "warning" else one for one in found]
    if sarif is not None:
        from assay.report import sarif as format_
        from assay.store.whole_file import write_whole

        write_whole(sarif, format_.sarif(found))
    print_result(_document(found), _text(found, checked), as_json=as_json)
    return 1 if any(one.severity == "error" for one in found) else 0


def _history(checked: Checked, path: Path, store: Path | None) -> list[Finding]:
    """What the stored runs say of the graders, where there is a store."""
    from assay.store.trials import TrialStore
    from assay.suites.lint_history import lint_history

    file = store or next((folder / ".assay/trials.sqlite" for folder in _upwards(path)), None)
    if file is None or not file.is_file() or not checked.cases:
        return []
    trials = TrialStore(file, read_only=True)
    try:
        records = [record for run in trials.runs(50) for record in trials.records(run.id)]
    finally:
        trials.close()
    return list(lint_history(checked.cases, records))


def _upwards(path: Path) -> list[Path]:
    start = path.absolute()
    return [folder for folder in (start, *start.parents) if (folder / ".assay/trials.sqlite").is_file()]


def _document(found: list[Finding]) -> JSON:
    return {"findings": [one.to_document() for one in found], **_counts(found)}


def _text(found: list[Finding], checked: Checked) -> str:
    lines = [one_line(str(one), 1000) for one in found]
    counts = ", ".join(
        f"{count} {word if count != 1 else word[:-1]}" for word, count in _counts(found).items()
    )
    return "\n".join([*lines, one_line(f"{', '.join(checked.looked_at)}: {counts}")])


def _counts(found: list[Finding]) -> dict[str, int]:
    kinds = ("error", "warning", "note")
    return {f"{kind}s": sum(one.severity == kind for one in found) for kind in kinds}
