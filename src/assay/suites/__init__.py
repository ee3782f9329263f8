"""Files become suites: any format in, one model out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.model import Suite


def load_suite(root: Path, *, name: str) -> Suite:
    """The ablation suite in a folder of cases, in the format of `claude plugin eval`.

    Raises SuiteError with every problem of every case, and where there is no case.
    """
    from assay.errors import Problem, SuiteError
    from assay.model import Suite
    from assay.suites.plugin_eval import load_cases

    loaded = load_cases(root)
    if loaded.problems:
        raise SuiteError(loaded.problems)
    if not loaded.cases:
        raise SuiteError(
            [Problem(root.as_posix(), None, "no case here: no folder holds a prompt.md or case.yaml")]
        )
    return Suite(name, "ablation", root, loaded.cases)
