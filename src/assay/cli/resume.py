"""Going on with a run that was ended: which one, as it was asked for, and whether it still is the same."""

from __future__ import annotations

import os
import platform
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from assay.errors import UsageError
from assay.store.trials import TrialStore

if TYPE_CHECKING:
    from assay.cli.options import RunOptions
    from assay.engine.plan import Ground
    from assay.model import JSON
    from assay.store.rows import Run

ASKED = (
    "harness",
    "model",
    "judge_model",
    "votes",
    "runs",
    "fresh",
    "fresh_arms",
    "scaffold",
    "allow_tools",
    "idle_timeout",
)
"""Options that decide what a run is: a resumed one has them again."""
START_SLACK_S = 2.0


def resumed(options: RunOptions, kind: str, name: str) -> RunOptions:
    """The options of the newest run of that name which was not finished, where one is to go on.

    Raises UsageError where there is none, or where it is still at work.
    """
    if not options.resume:
        return options
    path = options.store or options.project.store
    run = None
    if path.is_file():
        store = TrialStore(path, read_only=True)
        try:
            run = next((run for run in store.runs() if _is_it(run, kind, name)), None)
        finally:
            store.close()
    if run is None:
        raise UsageError(f"no unfinished run of {name!r} is stored: run it without --resume")
    if is_at_work(run):
        raise UsageError(f"the run {run.id} is still at work (process {run.info['process']['pid']})")
    before = run.info.get("asked", {})
    given = {key: _given(before[key]) for key in ASKED if before.get(key) and not getattr(options, key)}
    return replace(options, going_on=run.id, **given)


def _is_it(run: Run, kind: str, name: str) -> bool:
    return (
        (run.kind, run.name) == (kind, name)
        and run.state != "done"
        and "ground" in run.info
        and "regraded" not in run.info
    )


def _given(value: JSON) -> JSON:
    return tuple(value) if isinstance(value, list) else value


def asked(options: RunOptions) -> dict[str, JSON]:
    """What `resumed` needs to ask for the same again, JSON-clean."""
    given = {key: getattr(options, key) for key in ASKED}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in given.items() if value}


def process_here() -> dict[str, JSON]:
    """Which process runs a run, for `is_at_work`."""
    return {"host": platform.node(), "pid": os.getpid()}


def is_at_work(run: Run) -> bool:
    """Whether the process that began a run still lives, on this machine."""
    process = run.info.get("process")
    if run.state != "running" or not process or process["host"] != platform.node():
        return False
    if process["pid"] == os.getpid():
        return False
    import psutil

    try:
        began = psutil.Process(process["pid"]).create_time()
    except psutil.Error:
        return False
    return began <= datetime.fromisoformat(run.started).timestamp() + START_SLACK_S


def as_it_stands(run: Run) -> Run:
    """The run, `interrupted` where it says `running` and its process on this machine is gone: killed."""
    process = run.info.get("process")
    if run.state != "running" or not process or process["host"] != platform.node() or is_at_work(run):
        return run
    return run if process["pid"] == os.getpid() else replace(run, state="interrupted")


def check_same(stored: Run, run: Run, ground: Ground, stored_ground: Ground) -> None:
    """Raise UsageError where the run that goes on would not be the one that was begun."""
    from assay.engine.outlook import changes

    found = list(changes(stored_ground, ground))
    found += [
        f"the {key.partition('_')[0]} changed"
        for key in ("suite_digest", "suites")
        if _differs(stored, run, key)
    ]
    if found:
        raise UsageError(
            f"the run {stored.id} cannot go on: {'; '.join(found)}. Run without --resume: what is paid for"
            " and still holds is taken from the store"
        )


def _differs(stored: Run, run: Run, key: str) -> bool:
    return bool(stored.info.get(key) != run.info.get(key))
