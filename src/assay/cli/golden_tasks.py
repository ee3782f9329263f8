"""What a golden run stands on, read at once: tasks, targets, thresholds, features, triggers, the baseline."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from assay.cli.targets import task_name
from assay.errors import AssayError, Problem, SuiteError
from assay.items import find_item
from assay.model import Case, Item, Settings, Suite, digest_of
from assay.schemas.golden_baseline import GoldenBaseline, Thresholds
from assay.store.golden_baseline import read_baseline
from assay.suites.features import load_features
from assay.suites.golden import load_golden, select, suite_folders
from assay.suites.thresholds import load_thresholds
from assay.suites.triggers import FILE as TRIGGERS_FILE
from assay.suites.triggers import load_triggers
from assay.verdict.golden_eval import case_key

if TYPE_CHECKING:
    from assay.cli.options import RunOptions
    from assay.cli.project import Project
    from assay.harnesses.feature import Feature
    from assay.suites.trigger_set import TriggerCase

T = TypeVar("T")
TOOLS = ("Skill", "Read", "Glob", "Grep", "Agent")
"""What a target may use in a real client; `--allow-tools` grants more."""


@dataclass(frozen=True, slots=True)
class GoldenTasks:
    """The tasks of one run and all they need. Case ids are `suite/G-NNN`."""

    every: tuple[Suite, ...]
    suites: tuple[Suite, ...]
    """Those that are meant, with the tasks that are meant."""
    cases: tuple[Case, ...]
    items: Mapping[str, Item]
    """By target."""
    features: Mapping[str, Feature]
    thresholds: Thresholds
    baseline: GoldenBaseline | None
    triggers: Mapping[str, tuple[TriggerCase, ...]] = field(default_factory=dict)
    """Empty in a scoped run."""
    skills: Mapping[str, Item] = field(default_factory=dict)
    """Those that the trigger cases are about."""

    @property
    def whole(self) -> frozenset[str]:
        """Suites whose every task is meant."""
        sizes = {suite.name: len(suite.cases) for suite in self.every}
        return frozenset(suite.name for suite in self.suites if len(suite.cases) == sizes[suite.name])

    @property
    def is_whole(self) -> bool:
        return self.whole == {suite.name for suite in self.every if suite.cases}


def load_tasks(options: RunOptions) -> GoldenTasks:
    """Read everything before anything runs. Raises SuiteError with all problems of all files.

    UsageError is raised for a name that matches nothing, CannotRun where no task is left.
    """
    evals = options.project.evals
    problems: list[Problem] = []
    names = tuple(folder.name for folder in suite_folders(evals))
    every = _collect(lambda: load_golden(evals), problems)
    thresholds = _collect(lambda: load_thresholds(evals, names), problems)
    features = _collect(lambda: load_features(evals), problems)
    triggers = _collect(lambda: load_triggers(evals), problems)
    if every is None or thresholds is None or features is None or triggers is None:
        raise SuiteError(problems)
    asked = tuple(name for target in options.targets if (name := task_name(target)))
    suites = select(every, asked, options.grep, options.target)
    settings = Settings(allowed_tools=TOOLS)
    cases = tuple(
        replace(case, id=case_key(suite.name, case.id), settings=settings)
        for suite in suites
        for case in suite.cases
    )
    items = _items(options.project, cases, features, problems)
    if _is_scoped(options, asked):
        triggers = {}
    skills, missing = trigger_skills(options.project, triggers)
    if problems or missing:
        raise SuiteError([*problems, *missing])
    return GoldenTasks(
        every=every,
        suites=suites,
        cases=cases,
        items=items,
        features=features,
        thresholds=thresholds,
        baseline=read_baseline(evals),
        triggers=triggers,
        skills=skills,
    )


def _collect(load: Callable[[], T], problems: list[Problem]) -> T | None:
    try:
        return load()
    except SuiteError as error:
        problems.extend(error.problems)
        return None


def _is_scoped(options: RunOptions, asked: tuple[str, ...]) -> bool:
    return bool(asked or options.grep or options.target)


def _items(
    project: Project, cases: tuple[Case, ...], features: Mapping[str, Feature], problems: list[Problem]
) -> dict[str, Item]:
    found: dict[str, Item | None] = {}
    for case in cases:
        target = str(case.target)
        if target not in found:
            found[target] = _item(project, case, features, problems)
        elif found[target] is None:
            _item(project, case, features, problems)
    return {target: item for target, item in found.items() if item is not None}


def _item(
    project: Project, case: Case, features: Mapping[str, Feature], problems: list[Problem]
) -> Item | None:
    assert case.target is not None
    try:
        if case.target.kind == "feature":
            return feature_item(project, features, case.target.name)
        return find_item(project.root, str(case.target))
    except AssayError as error:
        problems.append(Problem(case.source.path, case.source.line, f"unknown target: {error}"))
        return None


def feature_item(project: Project, features: Mapping[str, Feature], name: str) -> Item:
    """A feature as an item. What its code holds is not seen, so its trials never come from the store."""
    if name not in features:
        known = ", ".join(sorted(features)) or "none"
        raise SuiteError(
            [Problem("evals/features.yml", None, f"no feature is called {name!r}; there are: {known}")]
        )
    digest = digest_of([features[name].to_json(), secrets.token_hex(16)])
    return Item(kind="feature", name=name, root=project.root, digest=digest, text="")


def trigger_skills(
    project: Project, triggers: Mapping[str, tuple[TriggerCase, ...]]
) -> tuple[dict[str, Item], list[Problem]]:
    """The skills that trigger cases are about, and those that are not there or have no description."""
    shown = f"{project.evals.name}/{TRIGGERS_FILE}"
    skills: dict[str, Item] = {}
    problems = []
    for name in triggers:
        try:
            skill = find_item(project.root, f"skill:{name}")
        except AssayError as error:
            problems.append(Problem(shown, None, f"skill {name!r}: {error}"))
            continue
        if skill.description is None:
            problems.append(Problem(shown, None, f"skill {name!r} has no description to route by"))
        skills[name] = skill
    return skills, problems
