"""Suites of `claude plugin eval`, read exactly as the platform reads them and never repaired.

A case is a folder with prompt.md, case.yaml, or both, and graders in case.yaml or graders/*.md. What the
platform refuses is refused here, with file and line; what it reads, however oddly, is read the same. The
traps in that are told by `assay.suites.check`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.errors import Problem
from assay.model import Case
from assay.suites.case_draft import Draft
from assay.suites.walk import CaseFolder, Walk, find_cases, join, problems_of

DEFAULT_RUNS = 3


@dataclass(frozen=True, slots=True)
class Refused:
    """A case that the platform does not load, and all that is wrong with it."""

    dir: str
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a folder of cases gave: the cases, those refused, and the folders that could not be searched."""

    cases: tuple[Case, ...]
    refused: tuple[Refused, ...] = ()
    unsearched: tuple[Problem, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        return (*(problem for case in self.refused for problem in case.problems), *self.unsearched)


def load_cases(
    start: Path, root: Path | None = None, *, only_under: str | None = None, shown: str | None = None
) -> Loaded:
    """Every case at or below `start`; ids are relative to `root`, files in problems begin with `shown`.

    `shown` is how the user named the root (default: as given). Raises nothing for what a suite holds.
    """
    base = root or start
    return read_walk(
        find_cases(start, base, only_under=only_under), base, base.as_posix() if shown is None else shown
    )


def read_walk(walk: Walk, root: Path, shown: str) -> Loaded:
    """The cases of the folders that a walk found."""
    cases: list[Case] = []
    refused: list[Refused] = []
    for folder in walk.cases:
        result = read_case(folder, root, shown)
        if isinstance(result, Case):
            cases.append(result)
        else:
            refused.append(result)
    return Loaded(tuple(cases), tuple(refused), tuple(problems_of(walk, shown)))


def read_case(folder: CaseFolder, root: Path, shown: str = "") -> Case | Refused:
    """One case, or all that is wrong with it."""
    draft = Draft(folder, join(shown, folder.dir))
    draft.read()
    if not draft.problems:
        draft.check(root)
    if draft.problems:
        return Refused(folder.dir, tuple(sorted(set(draft.problems), key=_place)))
    return draft.case()


def _place(problem: Problem) -> tuple[str, int, str]:
    return problem.path, problem.line or 0, problem.message
