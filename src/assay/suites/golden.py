"""Golden suites: the folders of `evals/` that hold `G-*.md` files, read at once; which tasks are meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from shlex import quote

from assay.errors import CannotRun, Problem, SuiteError, UsageError
from assay.model import Case, Suite
from assay.suites.golden_folder import is_suite
from assay.suites.golden_task import TaskFile, read_task

__all__ = ["is_suite", "load_golden", "load_golden_suite", "select", "suite_folders"]


def load_golden(evals: Path) -> tuple[Suite, ...]:
    """All golden suites of an `evals/` folder, sorted by name; empty where there is none.

    Raises `SuiteError` with every problem of every file. A task without an oracle is in `Suite.skipped`.
    """
    return _load(suite_folders(evals))


def load_golden_suite(folder: Path) -> Suite:
    """The golden suite in one folder; raises as `load_golden` does."""
    return _load([folder])[0]


def _load(folders: Iterable[Path]) -> tuple[Suite, ...]:
    problems: list[Problem] = []
    suites = [_load_suite(folder, problems) for folder in folders]
    if problems:
        raise SuiteError(sorted(problems, key=lambda problem: (problem.path, problem.line or 0)))
    return tuple(suites)


def suite_folders(evals: Path) -> list[Path]:
    """The folders directly in `evals/` that hold `G-*.md` files, sorted. Raises `UsageError`."""
    try:
        folders = sorted(path for path in evals.iterdir() if path.is_dir())
    except FileNotFoundError:
        raise UsageError(f"there is no folder {evals.as_posix()}: {_instead(evals)}") from None
    except OSError as error:
        raise UsageError(f"cannot read {evals.as_posix()}: {error.strerror or error}") from None
    return [path for path in folders if is_suite(path)]


def _instead(evals: Path) -> str:
    """What somebody without tasks can do: go to the project that they are in, or begin one."""
    for above in evals.parent.absolute().parents:
        if (above / evals.name).is_dir():
            return f"the nearest is in {above.as_posix()}; run there, or give --project {quote(str(above))}"
    return "`assay init` writes the first golden task"


def _load_suite(folder: Path, problems: list[Problem]) -> Suite:
    cases: list[Case] = []
    skipped: list[tuple[str, str]] = []
    seen: dict[str, str] = {}
    above = f"{folder.parent.resolve().name}/{folder.name}"
    for path in sorted(folder.glob("G-*.md")):
        shown = f"{above}/{path.name}"
        task = read_task(path, shown)
        problems.extend(task.problems)
        problems.extend(_duplicates(task, shown, seen))
        if task.case is not None:
            cases.append(task.case)
        elif task.skipped:
            skipped.append((task.id or path.stem, task.skipped))
    return Suite(folder.name, "golden", folder, tuple(sorted(cases, key=_by_number)), tuple(skipped))


def _duplicates(task: TaskFile, shown: str, seen: dict[str, str]) -> list[Problem]:
    if task.id is None:
        return []
    if task.id in seen:
        return [Problem(shown, task.line, f"the id {task.id!r} is also that of {seen[task.id]}")]
    seen[task.id] = shown
    return []


def _by_number(case: Case) -> tuple[int, str]:
    return int(case.id.removeprefix("G-")), case.id


def select(
    suites: Sequence[Suite], names: Sequence[str] = (), grep: Sequence[str] = (), target: str | None = None
) -> tuple[Suite, ...]:
    """The tasks that are meant. No name means all; each `grep` narrows further.

    A name is a suite, `G-NNN` (of every suite) or `suite/G-NNN`. Raises `UsageError` for a name that matches
    nothing, `CannotRun` where no task is left.
    """
    for name in names:
        _must_match(name, suites)
    chosen = [_narrowed(suite, names, grep, target) for suite in suites]
    left = tuple(suite for suite in chosen if suite.cases or suite.skipped)
    if not any(suite.cases for suite in left):
        asked = [*names, *(f"--grep {word}" for word in grep), *([f"--target {target}"] if target else [])]
        what = f" that matches {', '.join(asked)}" if asked else ""
        skipped = sum(len(suite.skipped) for suite in left)
        raise CannotRun(
            f"there is no golden task{what}"
            + (f" ({skipped} without an oracle)" if skipped else "")
            + ("" if asked or skipped else "; `assay init` writes the first")
        )
    return left


def _must_match(name: str, suites: Sequence[Suite]) -> None:
    known = {suite.name for suite in suites}
    for suite in suites:
        ids = [*(case.id for case in suite.cases), *(id_ for id_, _ in suite.skipped)]
        known |= set(ids) | {f"{suite.name}/{id_}" for id_ in ids}
    if name not in known:
        near = get_close_matches(name, sorted(known), n=3)
        hint = (
            f"did you mean {', '.join(near)}?" if near else f"there are {', '.join(sorted(known)) or 'none'}"
        )
        raise UsageError(f"no suite or golden task is called {name!r}; {hint}")


def _narrowed(suite: Suite, names: Sequence[str], grep: Sequence[str], target: str | None) -> Suite:
    cases = tuple(
        case
        for case in suite.cases
        if _is_named(suite.name, case.id, names)
        and all(_matches(case, word) for word in grep)
        and (target is None or _has_target(case, target))
    )
    skipped = tuple(
        (id_, why)
        for id_, why in suite.skipped
        if _is_named(suite.name, id_, names) and not grep and target is None
    )
    return replace(suite, cases=cases, skipped=skipped)


def _is_named(suite: str, id_: str, names: Iterable[str]) -> bool:
    return not names or any(name in (suite, id_, f"{suite}/{id_}") for name in names)


def _matches(case: Case, word: str) -> bool:
    if word.startswith("pattern:"):
        return case.notes.get("pattern") == word.removeprefix("pattern:")
    text = f"{case.id} {case.notes.get('slug', '')}".casefold()
    return word in case.tags or word.casefold() in text


def _has_target(case: Case, target: str) -> bool:
    return case.target is not None and (
        str(case.target) == target or (target.endswith(":") and case.target.kind == target[:-1])
    )
