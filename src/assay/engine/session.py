"""Runs a plan: takes what was paid for from the store, runs the rest under the ceiling, grades, writes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol

from assay.engine.attempts import Attempts
from assay.engine.limits import Limits
from assay.engine.rooms import Rooms
from assay.engine.schedule import Workers
from assay.engine.signals import stopping
from assay.engine.writing import Sink, Writer
from assay.errors import StoreError
from assay.graders.activation import activation_of
from assay.harnesses.guard import guard
from assay.model import WITHOUT, Record, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from assay.engine.budget import Budget, Ceiling
    from assay.engine.grading import Grading
    from assay.engine.plan import Plan
    from assay.engine.retry import Retry
    from assay.engine.stop import StopFlag
    from assay.harnesses import Harness
    from assay.model import Transcript, Trial

PartialReason = Literal["cost_ceiling", "interrupted", "errors"]


class Journal(Sink, Protocol):
    """Where finished trials go, and where paid ones come from: the trial store."""

    @property
    def is_empty(self) -> bool: ...

    def known(self, key: str) -> Record | None: ...

    def finished(self, run_id: str, case: str, arm: str, repeat: int) -> Record | None: ...

    def transcript(self, digest: str) -> Transcript | None: ...


@dataclass(frozen=True, slots=True)
class Finish:
    """How a run ended. `partial_reason` is None where every planned trial has a score."""

    partial_reason: PartialReason | None
    spent_usd: float
    saved_usd: float
    """What the trials taken from the store had cost."""
    planned: int
    scored: int
    errors: int
    cached: int
    resumed: int = 0
    """Trials that this very run had finished before it was ended."""
    curtailed: bool = False
    refused_by: Ceiling | None = None
    """Which ceiling ended it, if one did."""
    throttled: int = 0
    """How many calls a provider refused because there were too many."""
    lost_s: float = 0.0
    """Trial-seconds spent waiting for that."""
    escaped: int = 0
    """Processes that had outlived their trial and were ended with the run."""
    unpriced: int = 0
    """Trials that ran on a harness that is not free and told no cost."""
    unstored: str | None = None
    """Why some of the trials could not be written to the store; None where all are."""
    kept: Path | None = None
    """Where the trials' folders stayed, if they were to."""


@dataclass(frozen=True, slots=True)
class Reuse:
    """What may be taken from the store instead of being paid for again."""

    fresh: bool = False
    """Nothing but what this run itself has finished."""
    fresh_arms: Collection[str] = ()
    """Nothing for these arms."""
    resume: bool = False
    """The run was begun before: its own finished trials count, paid for once."""
    only: str | None = None
    """The run whose trials are taken whatever has changed since; nothing is run beside them."""


class Session:
    """One run of one plan. `execute` is called once."""

    def __init__(
        self,
        run_id: str,
        *,
        harness: Harness,
        grading: Grading,
        journal: Journal,
        budget: Budget,
        retry: Retry,
        stop: StopFlag,
        fresh: bool = False,
        keep: bool = False,
        reuse: Reuse | None = None,
        limits: Limits | None = None,
        price: Callable[[Usage, str | None], float | None] | None = None,
        fail_fast: bool = False,
    ) -> None:
        self._run_id = run_id
        self._harness = harness
        self._grading = grading
        self._journal = journal
        self._budget = budget
        self._stop = stop
        self._reuse = reuse or Reuse(fresh=fresh)
        self._look_up = not self._reuse.fresh and not journal.is_empty
        self._limits = limits or Limits(most=1024)
        self._rooms = Rooms(keep=keep)
        self._attempts = Attempts(harness, self._limits, retry, stop, self._rooms, keep=keep)
        self._price = price
        self._finished_before: list[str] = []
        self._unread: str | None = None
        self._fail_fast = fail_fast

    def execute(
        self, plan: Plan, workers: int, on_records: Callable[[Sequence[Record]], bool | None]
    ) -> Finish:
        """Run the plan with `workers` at once; `on_records` sees each batch once it is written.

        Where `on_records` returns True the answer is certain whatever remains: the run is curtailed.
        Ctrl-C ends what is running, keeps what is done, and is told by the result's `partial_reason`.
        A store that fails ends nothing: `unstored` tells why.
        """
        tally, writer = _Tally(), Writer(self._journal)

        def work(trial: Trial) -> tuple[Record, Transcript | None] | None:
            done = self._work(trial)
            if trial.repeat == plan.runs_of(trial.case):
                self._grading.forget(trial.case, trial.arm)
            if self._fail_fast and done is not None and _failed(done[0]):
                pool.halt()
            return done

        pool = Workers(plan.trials(self._harness), work, self._count(workers, plan.size), self._stop)
        self._stop.on_stop(self._budget.wake)
        with self._rooms, stopping(self._stop):
            for batch in pool.results():
                writer.write(batch)
                records = [record for record, _ in batch]
                tally.add(records)
                tally.curtailed = bool(on_records(records)) or tally.curtailed
                if tally.curtailed or self._budget.refused:
                    pool.halt()
            writer.close()
            escaped = guard.end_escaped()
        return Finish(
            partial_reason=self._partial(tally, plan.size),
            spent_usd=self._budget.spent_usd,
            saved_usd=tally.saved_usd,
            planned=plan.size,
            scored=tally.scored,
            errors=tally.errors,
            cached=tally.cached,
            resumed=len(self._finished_before),
            curtailed=tally.curtailed,
            refused_by=self._budget.refused_by,
            throttled=self._limits.throttled,
            lost_s=self._limits.lost_s,
            escaped=escaped,
            unpriced=0 if self._harness.is_free else tally.unpriced,
            unstored=writer.problem or self._unread,
            kept=self._rooms.kept,
        )

    def _count(self, workers: int, size: int) -> int:
        most = self._harness.concurrency
        return max(1, min(workers, size, most if most is not None else workers))

    def _partial(self, tally: _Tally, planned: int) -> PartialReason | None:
        if self._stop.is_set():
            return "interrupted"
        if tally.curtailed:
            return None
        if self._budget.refused:
            return "cost_ceiling"
        if tally.errors or (self._reuse.only and tally.scored < planned):
            return "errors"
        return "interrupted" if tally.scored < planned else None

    # --- one trial, in a worker's thread ---

    def _work(self, trial: Trial) -> tuple[Record, Transcript | None] | None:
        try:
            paid = self._paid(trial)
            transcript = self._journal.transcript(paid.transcript) if paid and paid.transcript else None
        except StoreError as error:  # a damaged page: the trial is run as if it had never been
            self._unread, paid, transcript = str(error), None, None
        if paid is not None and transcript is not None:
            return self._graded_again(trial, paid, transcript)
        if self._reuse.only or not self._budget.reserve("trial", self._stop):
            return None
        cost = 0.0
        try:
            record, left = self._run(trial)
            cost = (record.usage.cost_usd or 0.0) + (record.judge_cost_usd or 0.0)
        finally:
            self._budget.settle(cost)
        if self._stop.is_set() and record.outcome == "error":
            return None  # ended by us, not by the trial: it was never run
        return replace(record, usage=_with_lost(record.usage, self._lost_before(trial))), left

    def _paid(self, trial: Trial) -> Record | None:
        """The trial as it was paid for before: by this run, where it goes on, or by any other."""
        if self._reuse.only:
            old = self._journal.finished(self._reuse.only, trial.case.id, trial.arm, trial.repeat)
            return replace(old, cached=True) if old else None
        if self._reuse.resume:
            own = self._own(trial)
            if own is not None and own.key == trial.key and own.transcript is not None:
                self._finished_before.append(own.key)
                return own
        if not self._look_up or trial.arm in self._reuse.fresh_arms:
            return None
        found = self._journal.known(trial.key)
        return replace(found, cached=True) if found else None

    def _lost_before(self, trial: Trial) -> float:
        """What this run had paid for the trial before it went on: its row is about to be replaced."""
        own = self._own(trial) if self._reuse.resume else None
        return (own.usage.cost_usd or 0.0) + (own.judge_cost_usd or 0.0) if own else 0.0

    def _own(self, trial: Trial) -> Record | None:
        return self._journal.finished(self._run_id, trial.case.id, trial.arm, trial.repeat)

    def _graded_again(
        self, trial: Trial, paid: Record, transcript: Transcript
    ) -> tuple[Record, Transcript | None] | None:
        """A paid trial, graded by today's graders; None where the ceiling forbids its judges."""
        made = {grade.check: grade for grade in paid.grades}
        asks = self._grading.asks_a_judge(trial.case, trial.arm, made)
        if asks and not self._budget.reserve("judge", self._stop):
            return None
        cost = 0.0
        try:
            graded = self._grading.grade(trial.case, trial.arm, transcript, made)
            cost = sum(g.cost_usd or 0.0 for g in graded.grades if g.check not in made)
        finally:
            if asks:
                self._budget.settle(cost, "judge")
        record = replace(
            paid,
            run=self._run_id,
            case=trial.case.id,
            arm=trial.arm,
            repeat=trial.repeat,
            judge_cost_usd=graded.judge_cost_usd,
            outcome="error" if graded.fault else "scored",
            fault=graded.fault,
            grades=graded.grades,
            passed_weight=graded.passed_weight,
            scored_weight=graded.scored_weight,
        )
        return record, None

    def _run(self, trial: Trial) -> tuple[Record, Transcript | None]:
        done = self._attempts.run(trial)
        transcript = done.transcript
        if transcript is None:
            record = Record(
                self._run_id,
                trial.key,
                trial.case.id,
                trial.arm,
                trial.repeat,
                "error",
                fault=done.fault,
                usage=_with_lost(Usage(), done.lost_usd),
                duration_s=done.duration_s,
                attempts=done.attempts,
            )
            return record, None
        graded = self._grading.grade(trial.case, trial.arm, transcript)
        record = Record(
            self._run_id,
            trial.key,
            trial.case.id,
            trial.arm,
            trial.repeat,
            "error" if graded.fault else "scored",
            passed_weight=graded.passed_weight,
            scored_weight=graded.scored_weight,
            grades=graded.grades,
            fault=graded.fault,
            usage=_with_lost(
                self._priced(transcript.usage, transcript.model_reported or trial.model), done.lost_usd
            ),
            judge_cost_usd=graded.judge_cost_usd,
            duration_s=transcript.duration_s or done.duration_s,
            attempts=done.attempts,
            model_reported=transcript.model_reported,
            activation=activation_of(transcript, trial.item),
        )
        return record, transcript

    def _priced(self, usage: Usage, model: str | None) -> Usage:
        if usage.cost_usd is not None or self._price is None:
            return usage
        return replace(usage, cost_usd=self._price(usage, model))


def _with_lost(usage: Usage, lost_usd: float) -> Usage:
    """The usage, with the money that failed attempts had spent."""
    return replace(usage, cost_usd=(usage.cost_usd or 0.0) + lost_usd) if lost_usd else usage


class _Tally:
    """Counts while a run goes on."""

    def __init__(self) -> None:
        self.scored = self.errors = self.cached = 0
        self.unpriced = 0
        self.saved_usd = 0.0
        self.curtailed = False

    def add(self, records: Sequence[Record]) -> None:
        for record in records:
            self.scored += record.outcome == "scored"
            self.errors += record.outcome == "error"
            self.unpriced += record.outcome == "scored" and record.usage.cost_usd is None
            if record.cached:
                self.cached += 1
                self.saved_usd += record.usage.cost_usd or 0.0


def _failed(record: Record) -> bool:
    """Whether `--fail-fast` ends the run here: an error, or a check that failed with the item loaded."""
    if record.outcome == "error":
        return True
    return record.arm != WITHOUT and record.passed_weight < record.scored_weight
