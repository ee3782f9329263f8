"""Finds a stored run for the commands that look at one."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.project import open_project
from assay.errors import CannotRun, UsageError
from assay.store.trials import TrialStore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.report.summary import CaseSummary
    from assay.store.rows import Run


@contextmanager
def reading(project: Path, store: Path | None) -> Iterator[TrialStore]:
    """The trial store, opened for reading. Raises CannotRun where nothing is stored."""
    path = store or open_project(project).store
    if not path.is_file():
        raise CannotRun(f"nothing is stored here ({path.as_posix()} does not exist): `assay run` makes it")
    trials = TrialStore(path, read_only=True)
    try:
        yield trials
    finally:
        trials.close()


def find_run(trials: TrialStore, run_id: str) -> Run:
    """The run of that id, or the newest for `latest`. Raises UsageError where there is none."""
    run = next(iter(trials.runs(1)), None) if run_id == "latest" else trials.run(run_id)
    if run is None:
        raise UsageError(f"no stored run is called {run_id!r}; `assay show` lists them")
    return run


def find_case(trials: TrialStore, run: Run, name: str) -> CaseSummary:
    """A case of a run by its id or, where only one has it, the last part of its id.

    Raises UsageError where none or more than one is meant.
    """
    from difflib import get_close_matches

    from assay.report.summary import summarise

    cases = {case.id: case for case in summarise(run, trials.records(run.id)).cases}
    found = [id_ for id_ in cases if id_ == name] or [id_ for id_ in cases if id_.endswith(f"/{name}")]
    if len(found) == 1:
        return cases[found[0]]
    if found:
        raise UsageError(f"{name!r} is more than one case: {', '.join(found)}")
    near = get_close_matches(name, cases, 3, 0.5) or sorted(cases)[:5]
    raise UsageError(f"{run.id} has no case {name!r}; there are: {', '.join(near) or 'none'}")
