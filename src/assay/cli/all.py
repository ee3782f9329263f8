"""`assay all`: every ablation suite once, cheaply: does it still run?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from assay.cli.common import options_from, run_options
from assay.cli.environment import smoke_test
from assay.errors import AssayError, CannotRun
from assay.report.claim import claim

if TYPE_CHECKING:
    from pathlib import Path

    from assay.cli.options import RunOptions
    from assay.model import JSON
    from assay.schemas.skill_eval import SkillEval

INTERRUPTED = 130
SMOKE_RUNS = 1


@dataclass(frozen=True, slots=True)
class Smoke:
    """What came of one suite: a result, or why it could not run."""

    item: str
    result: SkillEval | None
    problem: str | None = None

    def to_document(self) -> JSON:
        result = self.result.to_document() if self.result else None
        return {"item": self.item, "result": result, "problem": self.problem}


@click.command("all")
@run_options
def run_all(**given: Any) -> int:
    """Run every suite of the project once: a smoke test that fails only where a suite could not run.

    Nothing runs unless EVALS=1 is set. Each suite has a ceiling of 0.50 dollars; EVALS_MODEL and
    EVALS_MAX_COST_USD change model and ceiling, and the options win over both.
    """
    wanted = smoke_test()
    if not wanted.is_on:
        return _skipped(as_json=given["as_json"])
    given["model"] = given["model"] or wanted.model
    if given["max_cost_usd"] is None:
        given["max_cost_usd"] = wanted.max_cost_usd
    options = options_from(**{**given, "runs": given["runs"] or SMOKE_RUNS})
    names = suite_names(options.project.root)
    if not names:
        raise CannotRun(f"there is no ablation suite under {options.project.evals.as_posix()}/")
    done: list[Smoke] = []
    for name in names:
        done.append(_smoke(options, name))
        if _is_interrupted(done[-1]):
            break
    _print(options, done)
    if _is_interrupted(done[-1]):
        return INTERRUPTED
    return CannotRun.exit_code if any(one.problem for one in done) else 0


def suite_names(project: Path) -> list[str]:
    """The items that have a suite: folders of cases in `evals/`, and skills and plugins with their own."""
    from assay.items import item_at

    evals = project / "evals"
    folders = sorted(path for path in evals.iterdir() if path.is_dir()) if evals.is_dir() else []
    names = [folder.name for folder in folders if _is_suite(folder)]
    if any(_is_case(folder) for folder in folders):
        names.append(item_at(project).name)
    owned = sorted(path.parent.name for path in project.glob("skills/*/evals") if _is_suite(path))
    return [*names, *(name for name in owned if name not in names)]


def _is_case(folder: Path) -> bool:
    return (folder / "prompt.md").is_file() or (folder / "case.yaml").is_file()


def _is_suite(folder: Path) -> bool:
    from assay.suites.golden import is_suite

    if _is_case(folder) or is_suite(folder):
        return False
    files = (path for name in ("prompt.md", "case.yaml") for path in folder.rglob(name))
    return (folder / "baseline.json").is_file() or any(files)


def _smoke(options: RunOptions, name: str) -> Smoke:
    from assay.cli.run_ablation import measure_item, suite_of
    from assay.items import find_item

    try:
        item = find_item(options.project.root, name)
        result = measure_item(replace(options, targets=(name,)), item, suite_of(options, item)).result
    except AssayError as error:
        return Smoke(name, None, str(error))
    if result.with_score is None and result.partial_reason == "errors":
        return Smoke(name, result, "no case has a score on both arms: the trials died of errors")
    return Smoke(name, result)


def _is_interrupted(one: Smoke) -> bool:
    return one.result is not None and one.result.partial_reason == "interrupted"


def _skipped(*, as_json: bool) -> int:
    document = {"schema": "eval-all/1", "skipped": True, "runs": None, "suites": []}
    told = "assay all: skipped, since it costs money: set EVALS=1 to run every suite"
    click.echo(json.dumps(document, indent=2) if as_json else told)
    return 0


def _print(options: RunOptions, done: Sequence[Smoke]) -> None:
    from assay.cli.output import write_out
    from assay.schemas import validate

    suites = [one.to_document() for one in done]
    document = {"schema": "eval-all/1", "skipped": False, "runs": options.runs, "suites": suites}
    validate(document, "eval-all-1", "the summary")
    write_out(options, document, "\n".join(_lines(options, done)))


def _lines(options: RunOptions, done: Sequence[Smoke]) -> Iterator[str]:
    if options.runs == SMOKE_RUNS:
        yield "smoke test (--runs 1): shows that suites run, not whether items help"
    for one in done:
        yield f"{one.item:<24} {_told(one)}"


def _told(one: Smoke) -> str:
    if one.problem or one.result is None:
        first, *more = (one.problem or "").splitlines()
        return f"COULD NOT RUN: {first}{f' (and {len(more)} more)' if more else ''}"
    result = one.result
    cost = "cost unknown" if result.cost_usd is None else f"${result.cost_usd:.2f}"
    partial = f", partial ({result.partial_reason})" if result.partial else ""
    if result.with_score is None or result.without_score is None:
        return f"no verdict{partial}, {cost}"
    word = claim(result.verdict)
    return f"{word}: with {result.with_score:.2f}, without {result.without_score:.2f}{partial}, {cost}"
