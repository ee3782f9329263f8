"""`assay run --confirm`: fresh runs of the golden tasks that dropped decide whether they did."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.measure import measure, record_end, say
from assay.engine.plan import Plan
from assay.engine.rooms import Rooms
from assay.errors import CannotRun, UsageError
from assay.items import item_at
from assay.items.history import last_change, restore
from assay.model import PREVIOUS, WITH
from assay.report.numbers import plural
from assay.schemas.skill_eval import TOLERANCE
from assay.store.golden_baseline import FILE
from assay.store.trials import Run
from assay.verdict.confirm import RUNS, FreshRuns, can_confirm, flagged, with_confirmations, with_suite_drops
from assay.verdict.golden_eval import case_key, run_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.cli.golden_rig import GoldenRig
    from assay.cli.golden_tasks import GoldenTasks
    from assay.cli.options import RunOptions
    from assay.model import Case, Item, Record
    from assay.schemas.golden_eval import GoldenEval
    from assay.schemas.skill_eval import PairOfWeights

Key = tuple[str, str]
"""Suite and task."""


def confirmed(options: RunOptions, tasks: GoldenTasks, parts: GoldenRig, result: GoldenEval) -> GoldenEval:
    """The result with its drops decided by fresh runs, under what the ceiling leaves.

    The accepted version runs beside the one of today where git holds it and nothing else changed; else the
    accepted runs stand for it. A drop that cannot be decided so stays a regression, and it is said why.
    """
    result = with_suite_drops(result, tasks.baseline)
    left_usd = options.ceiling_usd - (result.cost_usd or 0.0)
    with _accepted_items(options, tasks, result) as before:
        fresh_runs = _FreshRuns(options, tasks, parts, result.run, before)
        drops = [] if result.partial else list(fresh_runs.decidable(result))
        if not drops:
            return result
        if left_usd <= TOLERANCE:
            say("not confirmed: the run spent the whole ceiling", options)
            return result
        spent_usd = fresh_runs.run(drops, left_usd)
    known = None if result.cost_usd is None else result.cost_usd + spent_usd
    found = {key: runs for key in drops if (runs := fresh_runs.of(key))}
    return replace(with_confirmations(result, found), cost_usd=known)


class _FreshRuns:
    """The fresh runs of the tasks of one run that dropped."""

    def __init__(
        self,
        options: RunOptions,
        tasks: GoldenTasks,
        parts: GoldenRig,
        confirms: str,
        before: Mapping[str, Item],
    ) -> None:
        self._options, self._tasks, self._parts = options, tasks, parts
        self._confirms = confirms
        self._before = before
        self._records: list[Record] = []

    def decidable(self, result: GoldenEval) -> Iterator[Key]:
        """The drops that fresh runs can decide; of the others it is said why."""
        for suite, task in flagged(result):
            key = (suite, task.id)
            kept = len(self._kept(key))
            if self._has_before(key) or can_confirm(kept):
                yield key
            else:
                why = f"the baseline keeps {plural(kept, 'run')} of it, too few to test against"
                say(
                    f"not confirmed: {suite}/{task.id}: {why}; accept a run with --runs 3 or more",
                    self._options,
                )

    def run(self, drops: Sequence[Key], ceiling_usd: float) -> float:
        """Run them, those with their accepted version beside it first; returns what they cost, in dollars."""
        cases = [replace(self._case(key), runs=RUNS) for key in drops]
        say(f"Confirm: {plural(len(cases), 'task')} dropped, {RUNS} fresh runs of each", self._options)
        arms = {WITH: lambda case: self._tasks.items[str(case.target)]}
        both = {**arms, PREVIOUS: lambda case: self._before[str(case.target)]}
        spent = 0.0
        for has_before, those in ((True, both), (False, arms)):
            some = tuple(case for case in cases if (str(case.target) in self._before) is has_before)
            if some and ceiling_usd - spent > TOLERANCE:
                spent += self._run(Plan(some, those, None, self._options.model), ceiling_usd - spent)
        return spent

    def of(self, key: Key) -> FreshRuns | None:
        """Those of a task; None where one is missing: half a test decides nothing."""
        has_before = self._has_before(key)
        now = _weights(self._records, key, WITH)
        old = _weights(self._records, key, PREVIOUS) if has_before else list(self._kept(key))
        if len(now) < RUNS or (has_before and len(old) < RUNS):
            return None
        return FreshRuns(tuple(old), tuple(now), "fresh" if has_before else "accepted")

    def _run(self, plan: Plan, ceiling_usd: float) -> float:
        started = datetime.now(UTC)
        run = Run(
            id=f"{run_id(started)}-confirm",
            kind="golden",
            name=f"{', '.join(suite.name for suite in self._tasks.suites)} (confirm)",
            started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
            harness=self._parts.stamp,
            model=self._parts.model,
            planned=plan.size,
            info={"confirms": self._confirms, "arms": list(plan.arms)},
        )
        options = replace(
            self._options, fresh=True, runs=None, max_cost_usd=ceiling_usd, resume=False, going_on=None
        )
        measured = measure(options, self._parts.rig, plan, run)
        record_end(options, measured.run, measured.finish, None)
        self._records += measured.records
        return measured.finish.spent_usd

    def _has_before(self, key: Key) -> bool:
        return str(self._case(key).target) in self._before

    def _kept(self, key: Key) -> tuple[PairOfWeights, ...]:
        suite = self._tasks.baseline.suites.get(key[0]) if self._tasks.baseline else None
        return suite.trials.get(key[1], ()) if suite else ()

    def _case(self, key: Key) -> Case:
        return next(case for case in self._tasks.cases if case.id == case_key(*key))


def _weights(records: Sequence[Record], key: Key, arm: str) -> list[PairOfWeights]:
    return [
        (row.passed_weight, row.scored_weight)
        for row in records
        if row.case == case_key(*key) and row.arm == arm and row.score is not None
    ]


@contextmanager
def _accepted_items(
    options: RunOptions, tasks: GoldenTasks, result: GoldenEval
) -> Iterator[Mapping[str, Item]]:
    """Target → its item as it was when the baseline was committed; those that cannot be had are left out.

    Empty where the model or the harness changed too: then what was accepted cannot be run again here.
    """
    revision = None if result.stamp_changes else _revision(options)
    found: dict[str, Item] = {}
    with Rooms() as rooms:
        for place, (target, item) in enumerate(tasks.items.items() if revision else ()):
            if item.kind == "feature":
                continue
            try:
                assert revision is not None
                where = restore(options.project.root, revision, item.root, Path(rooms.folder) / str(place))
                found[target] = item_at(where, item.kind)
            except (CannotRun, UsageError):
                continue
        yield found


def _revision(options: RunOptions) -> str | None:
    """The commit that wrote the baseline as it lies there; None outside git or where it is not committed."""
    return last_change(options.project.root, options.project.evals / FILE)
