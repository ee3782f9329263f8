"""assay from Python: what the commands do, as functions that return values and print nothing.

They read the project's settings and the environment as the commands do, and write each trial to its store.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.cli.options import RunOptions
    from assay.model import Suite
    from assay.schemas.golden_eval import GoldenEval
    from assay.schemas.skill_eval import SkillEval
    from assay.verdict.gate import Decision


class RunSettings(TypedDict, total=False):
    """What a run may be told; the project's settings hold where a key is left out."""

    harness: str
    """What runs the agent or model: `claude`, `model`, `command:ARGV`, `scripted:FILE`, …"""
    model: str
    judge_model: str
    votes: int
    """The judge's votes on an expectation: 1, 3 or 5."""
    runs: int
    """Trials of each case on each arm, 1 or more."""
    jobs: int
    """Trials at once, at most."""
    max_cost_usd: float
    """The ceiling in dollars, more than 0."""
    fresh: bool
    """Run every trial anew, whatever is stored."""
    scaffold: bool
    """Allow the suite's own scripts and grading commands to run."""
    store: Path
    """The trial store, instead of `.assay/trials.sqlite`."""


def load(path: str | Path) -> Suite:
    """The suite in a folder or file: golden tasks, cases of `claude plugin eval`, or an `evals.json`.

    Raises SuiteError with every problem of every file, and where nothing there is a suite.
    """
    from assay.suites import load_suite
    from assay.suites.golden import is_suite, load_golden_suite

    root = Path(path)
    if root.is_dir() and is_suite(root):
        return load_golden_suite(root)
    return load_suite(root, name=(root.parent if root.is_file() else root).resolve().name)


def run(item: str, *, project: str | Path = ".", **settings: Unpack[RunSettings]) -> SkillEval:
    """Run the suite of an item with it and without it, and reduce what came back.

    A stop by the ceiling or by Ctrl-C gives a result that is `partial`. Raises UsageError for wrong input and
    CannotRun for what is missing here, both before anything is spent.
    """
    from assay.cli.run_ablation import measure_item, suite_of
    from assay.items import find_item

    options = _options(project, (item,), settings)
    found = find_item(options.project.root, item)
    return measure_item(options, found, suite_of(options, found)).result


def run_tasks(*names: str, project: str | Path = ".", **settings: Unpack[RunSettings]) -> GoldenEval:
    """Run golden tasks (suites, `G-NNN`, none for all) against their targets and the accepted baseline.

    Raises as `run` does.
    """
    from assay.cli.golden_tasks import load_tasks
    from assay.cli.run_golden import measure_tasks

    options = _options(project, names, settings)
    return measure_tasks(options, load_tasks(options))


def read_result(path: str | Path, item: str) -> SkillEval:
    """A result of `item` from a file: of `assay run --out`, `claude plugin eval --json` or skill-creator.

    Raises Unusable for a file that holds no such result.
    """
    from assay.foreign import read_result as read

    return read(Path(path), item)


def gate(result: SkillEval, *, project: str | Path = ".", accept_mismatch: Sequence[str] = ()) -> Decision:
    """Accept or reject a result against the best that the project records for its model; nothing is written.

    Raises Unusable for a result or a baseline that cannot bear a decision.
    """
    from assay.gating import gate_of

    return gate_of(Path(project), result.item).decide(result, accept_mismatch=accept_mismatch)


def _options(project: str | Path, targets: tuple[str, ...], settings: RunSettings) -> RunOptions:
    from assay.cli.options import RunOptions
    from assay.cli.project import open_project
    from assay.errors import UsageError

    options = RunOptions(open_project(Path(project)), targets=targets, quiet=True, **settings)
    if options.ceiling_usd <= 0:
        raise UsageError(f"max_cost_usd={options.ceiling_usd:g}: a ceiling must be more than 0 dollars")
    return options
