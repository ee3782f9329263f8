"""What `assay check PATH` looks at: cases, golden suites, evals.json and trigger sets at or below a path."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.errors import Problem, SuiteError, UsageError
from assay.model import Case, Suite
from assay.suites.check import check_suite
from assay.suites.check_json import check_json, is_checked
from assay.suites.features import load_features
from assay.suites.findings import Finding, finding, in_order
from assay.suites.golden import is_suite, load_golden, suite_folders
from assay.suites.plugin_eval import load_cases
from assay.suites.selftest import try_graders
from assay.suites.target import is_plugin, searched
from assay.suites.thresholds import load_thresholds
from assay.suites.walk import DEEPEST, MOST_FOLDERS, NEVER_ENTERED


@dataclass(frozen=True, slots=True)
class Checked:
    """What was looked at, and what is wrong with it."""

    findings: tuple[Finding, ...]
    cases: tuple[Case, ...] = ()
    """Those of plugin-eval suites that load."""
    looked_at: tuple[str, ...] = ()
    """In words: `3 cases`, `evals/evals.json`."""


def check_path(path: Path, eval_dir: str | None = None) -> Checked:
    """Check everything at or below a path. Raises UsageError where there is nothing to check.

    `eval_dir` is the one folder of a plugin that holds cases, where it is not the one that assay finds.
    """
    if path.is_file() and path.suffix in (".json", ".jsonl"):
        return Checked(tuple(check_json(path, path.name)), looked_at=(path.name,))
    found: list[Finding] = []
    looked_at: list[str] = []
    cases = _cases(path, eval_dir, found, looked_at)
    if is_suite(path):
        _golden(path.absolute().parent, found, looked_at, only=path.absolute().name)
    for evals in _eval_folders(path):
        _golden(evals, found, looked_at)
        _json(evals, path, found, looked_at)
    if not looked_at:
        message = "no folder under `evals` holds a prompt.md, case.yaml, G-*.md or evals.json"
        raise UsageError(f"nothing to check at {path.as_posix()}: {message}")
    return Checked(tuple(in_order(found)), cases, tuple(looked_at))


def _cases(path: Path, eval_dir: str | None, found: list[Finding], looked_at: list[str]) -> tuple[Case, ...]:
    where = searched(path, eval_dir)
    if where.ignored and where.manifest:
        found.append(finding("S09", where.manifest.relative_to(where.root).as_posix(), None, where.ignored))
    only_under = where.only_under
    loaded = load_cases(where.start, where.root, only_under=only_under, shown="")
    if (
        not loaded.cases
        and not loaded.refused
        and only_under
        and not (is_plugin(where.root) or _eval_folders(path))
    ):
        only_under = None
        loaded = load_cases(where.start, where.root, shown="")
    if loaded.cases or loaded.refused:
        found += check_suite(where.start, where.root, only_under=only_under, shown="")
        count = len(loaded.cases) + len(loaded.refused)
        looked_at.append(f"{count} case{'' if count == 1 else 's'}")
    return loaded.cases


def _eval_folders(path: Path) -> list[Path]:
    """The folders called `evals` at or below a path, none inside another, within bounds."""
    found: list[Path] = []
    for seen, (folder, names, _) in enumerate(os.walk(path)):
        here = Path(folder)
        if here.name == "evals" or seen >= MOST_FOLDERS:
            found += [here] if here.name == "evals" else []
            names.clear()
        else:
            is_deep = len(here.relative_to(path).parts) >= DEEPEST
            names[:] = [] if is_deep else sorted(set(names) - NEVER_ENTERED)
    return found


def _golden(evals: Path, found: list[Finding], looked_at: list[str], only: str | None = None) -> None:
    """The golden suites of an `evals/`, or one of them, and the files beside them."""
    names = tuple(folder.name for folder in suite_folders(evals))
    problems: list[Problem] = []
    suites: tuple[Suite, ...] = ()
    for load in (
        lambda: load_golden(evals),
        lambda: load_thresholds(evals, names),
        lambda: load_features(evals),
    ):
        try:
            loaded = load()
            suites = loaded if isinstance(loaded, tuple) else suites
        except SuiteError as error:
            problems += error.problems
    kept = [one for one in problems if only is None or one.path.startswith(f"{evals.name}/{only}/")]
    found += [finding("LOAD", one.path, one.line, one.message) for one in kept]
    if problems and not suites:
        looked_at.append("golden tasks")
    for suite in suites:
        if only in (None, suite.name):
            looked_at.append(f"golden suite {suite.name}")
            found += _golden_suite(suite, evals.name)


def _golden_suite(suite: Suite, evals: str) -> Iterator[Finding]:
    for case in suite.cases:
        yield from (one for one in try_graders(case) if one.code != "T01")
    for ident, reason in suite.skipped:
        place = f"{evals}/{suite.name}/{ident}"
        yield finding("LOAD", place, None, reason, severity="warning", mend="write its `## Expected`")


def _json(evals: Path, path: Path, found: list[Finding], looked_at: list[str]) -> None:
    for file in sorted([*evals.glob("*.json"), *evals.glob("*.jsonl")]):
        if file.name.startswith("baseline") or not is_checked(file):
            continue
        shown = file.relative_to(path).as_posix()
        found += check_json(file, shown)
        looked_at.append(shown)
