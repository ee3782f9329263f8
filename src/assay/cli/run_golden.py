"""`assay run` of golden tasks: each against its target, scored against its oracle and the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import CannotRun

if TYPE_CHECKING:
    from assay.cli.options import RunOptions


def run_golden(options: RunOptions) -> int:
    """Run the golden tasks that are meant; the exit code."""
    raise CannotRun(f"golden tasks of {options.project.root.as_posix()} cannot be run yet")
