"""Runs a suite with one version of an item loaded, version after version, under one ceiling."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from assay.cli.measure import measure, record_end
from assay.engine.plan import Plan
from assay.errors import CannotRun
from assay.model import WITH
from assay.schemas.skill_eval import TOLERANCE
from assay.store.trials import Run
from assay.verdict.skill_eval import run_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.cli.harnesses import Rig
    from assay.cli.options import RunOptions
    from assay.model import Item, Record, Suite
    from assay.verdict.trials import Scores


class OneArm:
    """Measures versions; what the store holds of them is not paid for again."""

    def __init__(self, options: RunOptions) -> None:
        self._options = options
        self.spent_usd = 0.0
        self._seen: dict[tuple[str, str], bool] = {}

    @property
    def trials(self) -> int:
        """Trials of all versions, those of the store among them."""
        return len(self._seen)

    @property
    def reused(self) -> int:
        """Those that the store held."""
        return sum(self._seen.values())

    def scores(
        self,
        rig: Rig,
        suite: Suite,
        item: Item,
        *,
        label: str,
        runs: int,
        model: str | None = None,
    ) -> dict[str, Scores]:
        """The scores of each case. Raises CannotRun where the ceiling is reached or a case has no score."""
        options, started = self._options, datetime.now(UTC)
        model = model or options.model or options.project.config.model
        left = options.ceiling_usd - self.spent_usd
        if left <= TOLERANCE:
            raise CannotRun(f"the ceiling of ${options.ceiling_usd:.2f} is reached: raise --max-cost-usd")
        plan = Plan(suite.cases, {WITH: lambda _: item}, runs, model)
        run = Run(
            id=run_id(item.name, started),
            kind="ablation",
            name=f"{item.name}@{label}",
            started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
            harness=rig.harness.stamp,
            model=rig.model,
            planned=plan.size,
            info={"item_digest": item.digest, "suite_digest": suite.digest, "arms": [WITH]},
        )
        measured = measure(replace(options, max_cost_usd=left), rig, plan, run)
        finish = measured.finish
        record_end(options, measured.run, finish, None)
        self.spent_usd += finish.spent_usd
        for record in measured.records:
            self._seen.setdefault((label, record.key), record.cached)
        if finish.partial_reason == "interrupted":
            raise KeyboardInterrupt
        if finish.partial_reason == "cost_ceiling":
            raise CannotRun(f"the ceiling of ${options.ceiling_usd:.2f} is reached: raise --max-cost-usd")
        return _by_case(measured.records, suite)


def _by_case(records: Sequence[Record], suite: Suite) -> dict[str, Scores]:
    found: dict[str, Scores] = {}
    for record in sorted(records, key=lambda record: record.repeat):
        if record.score is not None:
            found[record.case] = (*found.get(record.case, ()), record.score)
    lost = [case.id for case in suite.cases if case.id not in found]
    if lost:
        fault = next((record.fault for record in records if record.fault), None)
        why = f": {fault.kind}: {fault.message}" if fault else ""
        raise CannotRun(f"no trial of {', '.join(lost)} has a score{why}")
    return found
