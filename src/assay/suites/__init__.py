"""Files become suites: any format in, one model out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.model import Case, Suite
    from assay.suites.skill_creator import EvalSet


def load_suite(root: Path, *, name: str) -> Suite:
    """The ablation suite in a folder of cases (`claude plugin eval`) or in an `evals.json` (Agent Skills).

    `root` is the folder, or the JSON file itself. Raises SuiteError with every problem of every case, and
    where there is no case.
    """
    from assay.errors import Problem, SuiteError
    from assay.model import Suite
    from assay.suites.plugin_eval import load_cases
    from assay.suites.skill_creator import read_evals

    if root.is_file():
        return Suite(name, "ablation", root.parent, graded(read_evals(root)))
    loaded = load_cases(root)
    if loaded.problems:
        raise SuiteError(loaded.problems)
    evals = root / "evals.json"
    if not loaded.cases and evals.is_file():
        return Suite(name, "ablation", root, graded(read_evals(evals)))
    if not loaded.cases:
        raise SuiteError(
            [
                Problem(
                    root.as_posix(),
                    None,
                    "no case here: no folder holds a prompt.md or case.yaml, and there is no evals.json",
                )
            ]
        )
    return Suite(name, "ablation", root, loaded.cases)


def graded(found: EvalSet) -> tuple[Case, ...]:
    """The cases that have something to be graded by; the others are what `assay check` tells of."""
    return tuple(case for case in found.cases if case.graders)
