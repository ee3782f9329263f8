"""`assay export`: a suite or a result in the format of another tool."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.common import project_option, store_option
from assay.errors import Unusable, UsageError
from assay.report.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.model import Case, Record
    from assay.schemas.skill_eval import SkillEval

SUITES = ("plugin-eval", "skill-creator")
RESULTS = ("aggregate-result", "benchmark")


@click.command()
@click.argument("source", metavar="PATH | RESULT.json | RUN")
@click.option(
    "--to", "form", type=click.Choice([*SUITES, *RESULTS]), required=True, help="The format to write."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="The file to write; for plugin-eval, the folder.",
)
@store_option
@project_option
def export(source: str, form: str, out: Path, store: Path | None, project: Path) -> int:
    """Write a suite, or a result, as another tool reads it; what does not fit is listed.

    A suite is a folder of cases, an `evals` folder with golden tasks, or an evals.json; a result is a
    skill-eval/1 file, a stored run's id, or `latest`. Nothing that is there is overwritten.
    """
    if out.exists():
        raise UsageError(f"{out.as_posix()} is there already: name what does not exist yet")
    if form in SUITES:
        _suite(Path(source), form, out)
    else:
        _result(source, form, out, store, project)
    return 0


def _suite(path: Path, form: str, out: Path) -> None:
    from assay.store.whole_file import write_json

    cases = _cases(path)
    if form == "plugin-eval":
        _write_folder(cases, out)
        return
    from assay.suites.export_skill_creator import export_skill_creator

    name = path.resolve().name if path.is_dir() else path.resolve().parent.name
    done = export_skill_creator(cases, name)
    write_json(out, done.document)
    _tell(done.lost, done.adapted)
    click.echo(f"{len(cases)} cases written to {out.as_posix()}")


def _write_folder(cases: tuple[Case, ...], out: Path) -> None:
    """Write all files beside the folder first, and give it its name last: whole, or not there."""
    from assay.suites.export_plugin_eval import export_plugin_eval

    done = export_plugin_eval(cases)
    if not done.files:
        _tell(done.lost, done.adapted)
        raise UsageError("no case has a grader that the platform knows: nothing is written")
    draft = out.with_name(f".{out.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        for name, text in done.files.items():
            (draft / name).parent.mkdir(parents=True, exist_ok=True)
            (draft / name).write_text(text, "utf-8", newline="")
        for case, name, target in done.copies:
            _copy(case, name, draft / target, done.lost)
        draft.rename(out)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    _tell(done.lost, done.adapted)
    written = sum(name.endswith("/prompt.md") for name in done.files)
    click.echo(f"{written} cases written to {out.as_posix()}")


def _copy(case: Case, name: str, target: Path, lost: list[str]) -> None:
    source = case.folder / name if case.folder else None
    inside = (
        source is not None
        and case.folder is not None
        and source.resolve().is_relative_to(case.folder.resolve())
    )
    if source is None or not inside or not source.is_file():
        lost.append(f"{case.id}: its file {name} is not in the case's folder")
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _cases(path: Path) -> tuple[Case, ...]:
    """The cases at a path, whatever format they are in."""
    from assay.suites import load_suite
    from assay.suites.golden import is_suite, load_golden

    if not path.exists():
        raise UsageError(f"{path.as_posix()} does not exist")
    if path.is_dir():
        golden = load_golden(path.parent if is_suite(path) else path)
        named = [suite for suite in golden if not is_suite(path) or suite.root.name == path.name]
        if named:
            return tuple(case for suite in named for case in suite.cases)
    return load_suite(path, name=path.name).cases


def _result(source: str, form: str, out: Path, store: Path | None, project: Path) -> None:
    from assay.report.foreign_documents import aggregate_result, benchmark
    from assay.store.whole_file import write_json

    result, records = _measured(source, store, project)
    done = (aggregate_result if form == "aggregate-result" else benchmark)(result, records)
    write_json(out, done.document)
    _tell(done.lost, ())
    click.echo(f"{len(result.cases)} cases written to {out.as_posix()}")


def _measured(source: str, store: Path | None, project: Path) -> tuple[SkillEval, tuple[Record, ...]]:
    from assay.cli.project import open_project
    from assay.report.foreign_documents import records_of_document
    from assay.schemas.skill_eval import from_document
    from assay.store.results import read_skill_eval
    from assay.store.trials import TrialStore

    if Path(source).is_file():
        result = read_skill_eval(Path(source))
        return result, records_of_document(result)
    path = store or open_project(project).store
    if not path.is_file():
        raise UsageError(f"no file is called {source!r}, and nothing is stored here")
    trials = TrialStore(path, read_only=True)
    try:
        run = next(iter(trials.runs(1)), None) if source == "latest" else trials.run(source)
        if run is None:
            raise UsageError(f"no file and no stored run is called {source!r}; `assay show` lists runs")
        if run.kind != "ablation" or run.document is None:
            raise Unusable(f"run {run.id} holds no skill-eval/1 result: it is {run.kind}, {run.state}")
        return from_document(json.loads(json.dumps(run.document)), run.id), tuple(trials.records(run.id))
    finally:
        trials.close()


def _tell(lost: Iterable[str], adapted: Iterable[str]) -> None:
    for line in adapted:
        click.echo(one_line(f"adapted: {line}", 1000), err=True)
    for line in lost:
        click.echo(one_line(f"left out: {line}", 1000), err=True)
