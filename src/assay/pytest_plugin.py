"""Golden tasks as tests: `pytest --assay evals/` collects one item a task.

A task below its bar or its baseline fails with what its graders say; one without a score is an error, one
without an oracle is skipped. Every run of pytest loads this, so it imports nothing of assay before it has to.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from assay.cli.options import RunOptions
    from assay.schemas.golden_eval import GoldenEval
    from assay.schemas.golden_suite import SuiteResult, TaskResult
    from assay.suites.golden_task import TaskFile

OPTIONS = (
    ("harness", "What runs the agent or model, such as claude or scripted:FILE."),
    ("model", "The model, as the harness knows it."),
    ("judge-model", "The model that judges rubrics."),
    ("runs", "Runs of each task."),
    ("max-cost-usd", "The ceiling in dollars."),
)
RESULTS: pytest.StashKey[dict[Path, GoldenEval | str]] = pytest.StashKey()
"""By project: the run, or why there is none."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--assay` and its settings."""
    group = parser.getgroup("assay", "golden tasks")
    group.addoption("--assay", action="store_true", help="Collect golden tasks (G-*.md) as tests.")
    group.addoption(
        "--assay-allow-weaker-judge", action="store_true", help="Accept a judge below the model it judges."
    )
    for name, help_ in OPTIONS:
        group.addoption(f"--assay-{name}", default=None, metavar="X", help=help_)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A golden task's file, where `--assay` asks for them."""
    is_task = file_path.suffix == ".md" and file_path.name.startswith("G-")
    if not (is_task and parent.config.getoption("--assay")):
        return None
    file: pytest.Collector = GoldenFile.from_parent(parent, path=file_path)
    return file


class GoldenFile(pytest.File):
    """One file; it holds one task."""

    def collect(self) -> Iterator[pytest.Item]:
        from assay.suites.golden_task import read_task

        shown = self.path.relative_to(self.path.parents[2]).as_posix()
        task = read_task(self.path, shown)
        if task.problems:
            raise self.CollectError("\n".join(str(problem) for problem in task.problems))
        name = f"{self.path.parent.name}/{task.id or self.path.stem}"
        yield GoldenItem.from_parent(self, name=name, task=task)


class GoldenItem(pytest.Item):
    """One task. All tasks of a project run together when the first of them is due."""

    def __init__(self, *, task: TaskFile, **more: Any) -> None:
        super().__init__(**more)
        self.task = task
        self.project = self.path.parents[2]
        if task.case:
            self.extra_keyword_matches.update(task.case.tags)

    def setup(self) -> None:
        """Run the project's tasks, once; a task without a score is an error."""
        if self.task.skipped:
            pytest.skip(self.task.skipped)
        suite, task = self._result()
        if not task.is_complete:
            faults = ", ".join(sorted(set(task.faults))) or "it was not run"
            pytest.fail(f"{suite.name}/{task.id} has no score: {faults}", pytrace=False)

    def runtest(self) -> None:
        """Fail below `task_pass`, and below the baseline where that is not allowed."""
        suite, task = self._result()
        self.user_properties += [("score", float(task.score or 0)), ("baseline", task.baseline)]
        told = complaints(suite, task)
        if told:
            pytest.fail("\n".join(told), pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the task stands."""
        return self.path, self.task.line - 1, self.name

    def _result(self) -> tuple[SuiteResult, TaskResult]:
        """What the run says of this task. What stopped the run is told as an error of every item."""
        results = self.config.stash.setdefault(RESULTS, {})
        found = _find(results.get(self.project), self.name)
        if found is None and not isinstance(results.get(self.project), str):
            results[self.project] = _measure(self)
            found = _find(results[self.project], self.name)
        if found is None:
            why = results[self.project]
            pytest.fail(why if isinstance(why, str) else f"{self.name} was not run", pytrace=False)
        return found


def _find(result: GoldenEval | str | None, name: str) -> tuple[SuiteResult, TaskResult] | None:
    if result is None or isinstance(result, str):
        return None
    pairs = ((suite, task) for suite in result.suites for task in suite.tasks)
    return next(((suite, task) for suite, task in pairs if f"{suite.name}/{task.id}" == name), None)


def complaints(suite: SuiteResult, task: TaskResult) -> list[str]:
    """Why a task fails: its bar, its baseline, and what its graders found."""
    from assay.report.golden_text import decimal, signed
    from assay.report.printable import one_line

    told = []
    if not task.passes(suite.thresholds) and task.score is not None:
        told.append(f"score {decimal(task.score)} is below task_pass {suite.thresholds.task_pass:.2f}")
    if task.status == "regressed" and not suite.thresholds.allow_regressions and task.delta is not None:
        told.append(f"regression {signed(task.delta)} against the baseline of {task.baseline}")
    if told:
        missed = (check for check in task.checks if check.passed < check.graded)
        told += [f"not met: {one_line(check.name)}: {one_line(check.explanation)}" for check in missed]
    return told


def _measure(item: GoldenItem) -> GoldenEval | str:
    """Run the tasks of the item's project that are to be tested here: all, or one in a worker of xdist."""
    from assay.cli.golden_tasks import load_tasks
    from assay.cli.run_golden import measure_tasks
    from assay.errors import AssayError

    try:
        options = _options(item)
        result = measure_tasks(options, load_tasks(options))
    except AssayError as error:
        return str(error)
    if result.partial_reason == "interrupted":
        raise KeyboardInterrupt
    return result


def _options(item: GoldenItem) -> RunOptions:
    from assay.cli.options import RunOptions
    from assay.cli.project import open_project

    config = item.config
    given = {name.replace("-", "_"): config.getoption(f"--assay-{name}") for name, _ in OPTIONS}
    is_worker = hasattr(config, "workerinput")
    items = [item] if is_worker else item.session.items
    names = tuple(
        other.name
        for other in items
        if isinstance(other, GoldenItem) and other.project == item.project and other.task.case
    )
    return RunOptions(
        open_project(item.project),
        targets=names,
        harness=given["harness"],
        model=given["model"],
        judge_model=given["judge_model"],
        runs=int(given["runs"]) if given["runs"] else None,
        max_cost_usd=float(given["max_cost_usd"]) if given["max_cost_usd"] else None,
        allow_weaker_judge=config.getoption("--assay-allow-weaker-judge"),
        quiet=True,
    )


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Name the stored runs, so that `assay show` and `assay accept` find them."""
    for result in config.stash.get(RESULTS, {}).values():
        if isinstance(result, str):
            continue
        terminalreporter.write_line(f"assay: {result.run} ({result.verdict}); `assay show {result.run}`")
