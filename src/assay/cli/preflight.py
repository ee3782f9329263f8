"""What `assay check` finds, said at the head of a run; errors stop it before anything is spent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.measure import say
from assay.errors import Problem, SuiteError, UsageError
from assay.report.printable import one_line

if TYPE_CHECKING:
    from assay.cli.options import RunOptions
    from assay.model import Suite
    from assay.suites.findings import Finding


def tell_findings(options: RunOptions, folder: Path) -> None:
    """Say the warnings of a suite; notes are only counted. Raises SuiteError with every error."""
    found = _findings(options, folder)
    errors = [one for one in found if one.severity == "error"]
    if errors:
        raise SuiteError(_problem(one) for one in errors)
    for one in found:
        if one.severity == "warning":
            say(one_line(str(one), 1000), options)
    notes = sum(one.severity == "note" for one in found)
    if notes:
        say(f"{notes} {'note' if notes == 1 else 'notes'} on the suite: `assay check`", options)


def refuse_commands(options: RunOptions, suite: Suite) -> None:
    """Raise UsageError where a grader runs a command and the user has not allowed that."""
    if options.scaffold:
        return
    for case in suite.cases:
        named = next((spec.name for spec in case.graders if spec.type == "command"), None)
        if named is not None:
            raise UsageError(
                f"grader {named!r} of {case.id} runs a command of the suite: allow that with --scaffold"
            )


def _findings(options: RunOptions, folder: Path) -> list[Finding]:
    from assay.suites.check import check_suite
    from assay.suites.check_json import check_json
    from assay.suites.walk import find_cases

    root = options.project.root.absolute()
    absolute = folder.absolute()
    shown = absolute.relative_to(root).as_posix() if absolute.is_relative_to(root) else folder.as_posix()
    evals = folder / "evals.json"
    if evals.is_file() and not find_cases(folder).cases:
        return check_json(evals, f"{shown}/{evals.name}")
    return check_suite(folder, shown=shown)


def _problem(one: Finding) -> Problem:
    return Problem(one.path, one.line, f"{one.message}; {one.mend}" if one.mend else one.message, one.code)
