"""`assay cases`: the cases of a plugin-eval suite, as assay reads them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.report.printable import one_line

if TYPE_CHECKING:
    from assay.suites.plugin_eval import Loaded


@click.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path), default=".")
@click.option("--eval-dir", metavar="DIR", help="The one folder of the plugin that holds cases.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, in the platform's own words.")
def cases(path: Path, eval_dir: str | None, as_json: bool) -> None:
    """List the cases at PATH: a plugin, a suite, a case's folder or its prompt.md.

    The files are read as `claude plugin eval` reads them. Nothing is run. Exit code 2 where a case cannot be
    loaded, or where there is none.
    """
    from assay.suites.cases_document import cases_document

    loaded = _load(path, eval_dir)
    if as_json:
        click.echo(json.dumps(cases_document(loaded), indent=2))
    else:
        _print(loaded)
    if loaded.problems or not loaded.cases:
        sys.exit(2)


def _load(path: Path, eval_dir: str | None) -> Loaded:
    from assay.suites.plugin_eval import load_cases
    from assay.suites.target import is_plugin, searched

    where = searched(path, eval_dir)
    if where.ignored:
        click.echo(one_line(f"{path}: {where.ignored}", 1000), err=True)
    loaded = load_cases(where.start, where.root, only_under=where.only_under, shown="")
    if loaded.cases or loaded.problems or is_plugin(where.root):
        return loaded
    return load_cases(where.start, where.root, shown="")


def _print(loaded: Loaded) -> None:
    width = max((len(one_line(case.id)) for case in loaded.cases), default=0)
    for case in loaded.cases:
        kinds = ", ".join(spec.type for spec in case.graders)
        click.echo(f"{one_line(case.id):{width}}  {one_line(kinds)}")
    for problem in loaded.problems:
        click.echo(one_line(str(problem), 1000), err=True)
    if not loaded.cases and not loaded.problems:
        click.echo("no case here: no folder under `evals` holds a prompt.md or case.yaml", err=True)
    click.echo(f"{len(loaded.cases)} cases, {len(loaded.refused)} refused", err=True)
