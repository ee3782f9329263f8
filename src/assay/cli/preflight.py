"""What `assay check` finds, said at the head of a run; errors stop it before anything is spent."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.measure import say
from assay.errors import Problem, SuiteError, UsageError
from assay.report.printable import one_line

if TYPE_CHECKING:
    from assay.cli.options import RunOptions
    from assay.model import Suite
    from assay.suites.findings import Finding


TRIGGER_CODES = frozenset({"S01", "S02"})
"""Findings on cases about whether a skill fires."""
SKILL_LESS = frozenset({"model", "command", "scripted"})
"""Harnesses that load no skills, so that no case can be about one firing."""


def checked_suite(options: RunOptions, folder: Path, name: str) -> Suite:
    """The suite in a folder, after saying its findings. Raises SuiteError with every error."""
    from assay.model import Suite
    from assay.suites import graded, load_suite
    from assay.suites.walk import find_cases

    evals = folder / "evals.json"
    if evals.is_file() and not find_cases(folder).cases:
        from assay.suites.check_json import evals_findings
        from assay.suites.findings import in_order
        from assay.suites.skill_creator import read_evals

        found = read_evals(evals, f"{_shown(options, folder)}/{evals.name}")
        _tell(options, in_order(list(evals_findings(found))))
        return Suite(name, "ablation", folder, graded(found))
    from assay.suites.check import check_suite

    _tell(options, check_suite(folder, shown=_shown(options, folder)))
    return load_suite(folder, name=name)


def _tell(options: RunOptions, found: list[Finding]) -> None:
    """Say the warnings; notes are only counted. Raises SuiteError with every error."""
    errors = [one for one in found if one.severity == "error"]
    if errors:
        raise SuiteError(_problem(one) for one in errors)
    loads = _may_load_skills(options)
    for one in found:
        if one.severity == "warning" and (loads or one.code not in TRIGGER_CODES):
            say(one_line(str(one), 1000), options)
    notes = sum(one.severity == "note" for one in found)
    if notes:
        say(f"{notes} {'note' if notes == 1 else 'notes'} on the suite: `assay check`", options)


def _may_load_skills(options: RunOptions) -> bool:
    """Whether a skill can fire in this run; on a harness that puts the item before the model, none can."""
    asked = options.harness or options.project.config.harness
    name = asked or ("claude" if shutil.which("claude") else "model")
    return options.source is None and name.partition(":")[0] not in SKILL_LESS


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


def _shown(options: RunOptions, folder: Path) -> str:
    root, absolute = options.project.root.absolute(), folder.absolute()
    return absolute.relative_to(root).as_posix() if absolute.is_relative_to(root) else folder.as_posix()


def _problem(one: Finding) -> Problem:
    return Problem(one.path, one.line, f"{one.message}; {one.mend}" if one.mend else one.message, one.code)
