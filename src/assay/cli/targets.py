"""What the arguments of `assay run` name: an item, or golden suites and tasks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.errors import Problem, SuiteError, UsageError
from assay.suites.golden_folder import is_suite

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from assay.cli.project import Project

TASK = re.compile(r"(?:[^/\\]+/)?G-\d+")


def is_golden(project: Project, targets: Sequence[str]) -> bool:
    """Whether golden tasks are meant: one kind a call, no argument means all of them.

    Raises UsageError for both kinds at once, SuiteError for a folder that is both.
    """
    kinds = {_names_golden(project, target) for target in targets} or {True}
    if len(kinds) > 1:
        raise UsageError("one kind a call: run the item and the golden tasks in two commands")
    if kinds == {False} and len(targets) > 1:
        raise UsageError(f"one item a call, not {len(targets)}: {', '.join(targets)}")
    return kinds == {True}


def task_name(target: str) -> str:
    """What an argument names of golden tasks: `evals/commits/` is `commits`; empty where all are meant."""
    name = target.replace("\\", "/").removeprefix("./").rstrip("/")
    return "" if name == "evals" else name.removeprefix("evals/")


def _names_golden(project: Project, target: str) -> bool:
    name = task_name(target)
    if not name or TASK.fullmatch(name):
        return True
    folder = project.evals / name
    if not folder.is_dir() or not is_suite(folder):
        return False
    _refuse_both(folder)
    return True


def _refuse_both(folder: Path) -> None:
    tasks = sorted(folder.glob("G-*.md"))
    cases = sorted([*folder.glob("*/prompt.md"), *folder.glob("*/case.yaml")])
    if tasks and cases:
        shown = f"{folder.parent.name}/{folder.name}"
        names = f"{tasks[0].name} and {cases[0].relative_to(folder).as_posix()}"
        message = f"is both a golden suite and an ablation suite ({names}): move one of them"
        raise SuiteError([Problem(shown, None, message)])
