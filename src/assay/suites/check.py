"""`assay check`: everything that can be known to be wrong with a suite before a cent is spent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from assay.errors import Problem
from assay.model import Case
from assay.suites.case_draft import Draft
from assay.suites.findings import Finding, finding, in_order
from assay.suites.lint_files import case_files, lint_case_yaml, lint_file, lint_heads
from assay.suites.lint_graders import Surroundings, lint_graders
from assay.suites.lint_suite import lint_suites
from assay.suites.lint_tree import lint_case_tree, lint_group
from assay.suites.selftest import try_graders, try_samples
from assay.suites.target import is_plugin
from assay.suites.walk import NEVER_ENTERED, CaseFolder, Walk, find_cases, join, problems_of

_ENV_KEY = re.compile(r"EVAL_[A-Z0-9_]*")


def check_suite(
    start: Path, root: Path | None = None, *, only_under: str | None = None, shown: str | None = None
) -> list[Finding]:
    """Every finding of the plugin-eval suite at or below `start`, by file and line.

    `root` is the plugin or suite that names are relative to (default: `start`), `shown` how it was named.
    """
    base = root or start
    name = base.as_posix() if shown is None else shown
    walk = find_cases(start, base, only_under=only_under)
    checker = _Checker(base, name, _around(start))
    found = list(checker.cases(walk))
    found += [
        finding("LOAD", problem.path, problem.line, problem.message) for problem in problems_of(walk, name)
    ]
    if walk.cases:
        found += _groups(walk, name)
        found += _mocks(walk, base, name)
    return in_order(found)


class _Checker:
    """Checks case after case, and then what only all of them together show."""

    def __init__(self, root: Path, shown: str, around: Surroundings) -> None:
        self._root = root
        self._shown = shown
        self._around = around
        self._loaded: list[Case] = []

    def cases(self, walk: Walk) -> Iterator[Finding]:
        for folder in walk.cases:
            yield from self._case(folder)
        yield from lint_suites(self._loaded, self._root, self._shown, self._around)

    def _case(self, folder: CaseFolder) -> Iterator[Finding]:
        shown = join(self._shown, folder.dir)
        yield from lint_case_tree(folder, shown)
        for file in case_files(folder, shown):
            yield from lint_file(file)
        draft = Draft(folder, shown)
        draft.read()
        if not draft.problems:
            draft.check(self._root)
        yield from (_refusal(problem) for problem in draft.problems)
        yield from lint_heads(shown, draft.files)
        if draft.yaml is not None:
            yield from lint_case_yaml(join(shown, "case.yaml"), dict(draft.yaml.value), draft.yaml.document)
        if not draft.problems:
            case = draft.case()
            self._loaded.append(case)
            yield from _settings(case, draft)
            yield from lint_graders(case, self._around)
            yield from try_graders(case)
            yield from try_samples(case, shown)


def _refusal(problem: Problem) -> Finding:
    """A reason why a case is not loaded, under the code of the trap that it fell into."""
    message = problem.message
    if "plugins entry" in message:
        return finding("L20", problem.path, problem.line, message)
    if "not YAML" in message or re.search(
        r"has to be a text, and is (a list|a mapping|a number|a boolean)", message
    ):
        return finding("L12", problem.path, problem.line, message)
    return finding("LOAD", problem.path, problem.line, message)


def _settings(case: Case, draft: Draft) -> Iterator[Finding]:
    place = case.source.path
    for key in case.settings.env:
        if not _ENV_KEY.fullmatch(key):
            yield finding(
                "L17", place, _line(draft, "env", key), f"the run refuses to start with {key!r} in `env`"
            )
    script = case.settings.scaffold_script
    if script:
        line = draft.yaml.line("context", "scaffold_script") if draft.yaml else None
        file = join(place.rpartition("/")[0], "case.yaml")
        yield finding(
            "L24", file, line, f"without --scaffold, {script} is not run: the agent starts in an empty folder"
        )
    outcome = case.notes.get("expected_outcome")
    if outcome and any(spec.type in ("llm", "baseline") for spec in case.graders):
        message = "no judge sees expected_outcome: it is documentation"
        yield finding("L25", place, _line(draft, "expected_outcome"), message)


def _line(draft: Draft, *path: str) -> int | None:
    if draft.prompt is not None and draft.prompt.head is not None and path[0] in draft.prompt.head:
        return draft.prompt.line(*path)
    if draft.yaml is None:
        return None
    return draft.yaml.line("execution", *path) if path[0] == "env" else draft.yaml.line(*path)


def _groups(walk: Walk, shown: str) -> Iterator[Finding]:
    """The folders around and between the cases."""
    cases = {case.dir for case in walk.cases}
    bases = {case.path.removesuffix(case.dir) for case in walk.cases if case.dir}
    if len(bases) != 1:
        return
    base = Path(bases.pop())
    parents = {parent.as_posix() for case in cases for parent in Path(case).parents}
    if all("/" in case for case in cases):
        parents.discard(".")
    candidates = set(parents)
    for parent in parents:
        candidates |= {join(parent, name) for name in _folders(base / parent) if name not in NEVER_ENTERED}
    for folder in sorted(candidates - cases):
        entries = frozenset(path.name for path in _listed(base / folder))
        yield from lint_group(str(base / folder), join(shown, folder), entries)


def _mocks(walk: Walk, base: Path, shown: str) -> Iterator[Finding]:
    """Folders of mock servers beside and above cases, which assay's own harnesses do not play."""
    around = {parent for case in walk.cases for parent in (Path(case.dir), *Path(case.dir).parents)}
    for parent in sorted(around):
        folder = base / parent / "mocks"
        if folder.is_dir():
            servers = ", ".join(path.name for path in _listed(folder)) or "none"
            place = join(shown, parent.as_posix(), "mocks")
            yield finding("S08", place, None, f"mock servers ({servers}) are played by the platform alone")


def _folders(folder: Path) -> list[str]:
    return [path.name for path in _listed(folder) if path.is_dir() and not path.is_symlink()]


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _around(start: Path) -> Surroundings:
    """The plugin's skills and mocks, which are in the first event of every trace."""
    folder = start.absolute()
    plugin = next((parent for parent in (folder, *folder.parents) if is_plugin(parent)), None)
    roots = (
        [plugin]
        if plugin
        else [parent for parent in (folder, *folder.parents) if (parent / "skills").is_dir()][:1]
    )
    skills = [path.parent.name for root in roots for path in sorted(root.glob("skills/*/SKILL.md"))]
    if plugin is not None and (plugin / "SKILL.md").is_file():
        skills.append(plugin.name)
    mocks = any((parent / "mocks").is_dir() for parent in (folder, *folder.parents[:2])) or any(
        root.glob("evals/mocks/*") for root in roots
    )
    return Surroundings(tuple(skills), tuple(root.name for root in roots), mocks)
