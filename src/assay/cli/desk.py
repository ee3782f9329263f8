"""What one run is set up from: the store, the limits, the budget, the graders, and what was paid before."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from assay.cli.options import DEFAULT_JOBS
from assay.cli.regrade import of_source
from assay.cli.resume import asked, check_same, process_here
from assay.engine.budget import Budget, Day
from assay.engine.estimate import estimate
from assay.engine.grading import Grading
from assay.engine.limits import LimitedModel, Limits, Rates
from assay.engine.outlook import look_ahead
from assay.engine.plan import Ground
from assay.engine.retry import Retry
from assay.engine.session import Reuse, Session
from assay.engine.stop import StopFlag
from assay.errors import UsageError
from assay.graders import Bench
from assay.report.outlook_text import outlook_text
from assay.store.day import DayAccount, midnight

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.cli.harnesses import Rig
    from assay.cli.options import RunOptions
    from assay.engine.estimate import Estimate
    from assay.engine.outlook import Outlook
    from assay.engine.plan import Plan
    from assay.model import Record, Usage
    from assay.models import ChatModel
    from assay.store.trials import Run, TrialStore


class Desk:
    """What one run is set up from."""

    def __init__(self, options: RunOptions, rig: Rig, plan: Plan, run: Run, store: TrialStore) -> None:
        self._options = options
        self._rig = rig
        self._plan = plan
        self._run = replace(run, planned=plan.size)
        self._store = store
        self._stop, self._retry = StopFlag(), Retry()
        self.jobs = options.jobs or options.project.config.jobs or DEFAULT_JOBS
        rates = {name: Rates(**given) for name, given in options.project.config.rates.items()}
        self._limits = Limits(self.jobs, rates)
        judge: ChatModel | None = None
        if rig.judge:
            judge = LimitedModel(rig.judge, self._limits.of(rig.judge.name), self._stop)
        bench = Bench(judge=judge, votes=options.votes, run_scripts=options.scaffold)
        self._grading = Grading(bench, tuple(plan.arms), self._retry, self._stop)
        self._reuse = Reuse(
            options.fresh,
            options.fresh_arms,
            resume=options.going_on is not None,
            only=options.source.run if options.source else None,
        )

    def outlook(self) -> Outlook:
        return look_ahead(
            self._plan, self._rig.harness, _Past(self._store, self._run), self._grading, self._reuse
        )

    def estimate(self, to_run: int) -> Estimate:
        typical = self._store.typical_cost(self._run.harness, self._run.model)
        return estimate(self._plan, self._rig.harness, to_run, typical, self._price())

    def forecast(self) -> tuple[list[str], Estimate]:
        """What comes from the store and what the rest may cost: lines for the plan, and the estimate."""
        lines, to_run = [], self._plan.size
        if not (self._store.is_empty or self._reuse.only):
            outlook = self.outlook()
            to_run = outlook.to_run
            lines += [text] if (text := outlook_text(outlook)) else []
        expected = self.estimate(to_run)
        if expected.basis != "free":
            lines.append(f"  expect  {expected}")
        return lines, expected

    def begin(self) -> Run:
        """Write the run down, or take up the one that goes on."""
        ground = self._plan.ground(self._rig.harness)
        info = {
            **self._run.info,
            "ground": asdict(ground),
            "asked": asked(self._options),
            "process": process_here(),
        }
        run = of_source(self._options, replace(self._run, info=info))
        if self._options.going_on is None:
            return self._store.begin(run)
        stored = self._store.run(self._options.going_on)
        if stored is None:
            raise UsageError(f"the run {self._options.going_on} is not in the store")
        check_same(stored, run, ground, Ground(**stored.info["ground"]))
        self._store.go_on(stored.id)
        return replace(run, id=stored.id, started=stored.started)

    def session(self, run_id: str) -> Session:
        options, store = self._options, self._store
        day = options.project.config.max_cost_usd_per_day
        return Session(
            run_id,
            harness=self._rig.harness,
            grading=self._grading,
            journal=store,
            budget=Budget(
                options.ceiling_usd,
                store.typical_cost(self._run.harness, self._run.model) or 0.0,
                spent_usd=store.spent_usd(run_id=run_id) if options.going_on else 0.0,
                day=Day(day, DayAccount(store, run_id, midnight())) if day else None,
                max_trials=options.max_trials,
            ),
            retry=self._retry,
            stop=self._stop,
            keep=options.keep,
            reuse=self._reuse,
            limits=self._limits,
            price=self._price(),
            fail_fast=options.fail_fast,
        )

    def _price(self) -> Callable[[Usage, str | None], float | None]:
        return partial(_cost_usd, self._rig.model, self._options.project.config.prices)


@dataclass(frozen=True, slots=True)
class _Past:
    """The store, asked about the runs of one name."""

    store: TrialStore
    run: Run

    def known(self, key: str) -> Record | None:
        return self.store.known(key)

    def latest(self, case: str, arm: str, repeat: int) -> tuple[Record, Ground | None] | None:
        found = self.store.latest(self.run.kind, self.run.name, case, arm, repeat)
        if found is None:
            return None
        record, info = found
        return record, Ground(**info["ground"]) if "ground" in info else None


def _cost_usd(
    asked_model: str, own: dict[str, dict[str, float]], usage: Usage, model: str | None
) -> float | None:
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    from assay.models.prices import cost_usd, own_prices

    return cost_usd(model or asked_model, usage, own_prices(own))
