"""Runs a plan: takes what was paid for from the store, runs the rest under the ceiling, grades, writes."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol

from assay.engine.room import TrialRoom
from assay.engine.rooms import Rooms
from assay.engine.schedule import Workers
from assay.engine.signals import stopping
from assay.errors import TrialFailed
from assay.graders.activation import activation_of
from assay.model import Fault, Record, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.engine.budget import Budget
    from assay.engine.grading import Grading
    from assay.engine.plan import Plan
    from assay.engine.retry import Retry
    from assay.engine.stop import StopFlag
    from assay.harnesses import Harness
    from assay.model import Transcript, Trial

PartialReason = Literal["cost_ceiling", "interrupted", "errors"]


class Journal(Protocol):
    """Where finished trials go, and where paid ones come from: the trial store."""

    @property
    def is_empty(self) -> bool: ...

    def known(self, key: str) -> Record | None: ...

    def transcript(self, digest: str) -> Transcript | None: ...

    def write(self, finished: Sequence[tuple[Record, Transcript | None]]) -> None: ...


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
    curtailed: bool = False


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
    ) -> None:
        self._run_id = run_id
        self._harness = harness
        self._grading = grading
        self._journal = journal
        self._budget = budget
        self._retry = retry
        self._stop = stop
        self._keep = keep
        self._rooms = Rooms(keep=keep)
        self._look_up = not fresh and not journal.is_empty

    def execute(
        self, plan: Plan, workers: int, on_records: Callable[[Sequence[Record]], bool | None]
    ) -> Finish:
        """Run the plan with `workers` at once; `on_records` sees each batch once it is written.

        Where `on_records` returns True the answer is certain whatever remains: the run is curtailed.
        Ctrl-C ends what is running, keeps what is done, and is told by the result's `partial_reason`.
        Raises StoreError where what is done cannot be written down.
        """
        tally = _Tally()

        def work(trial: Trial) -> tuple[Record, Transcript | None] | None:
            done = self._work(trial)
            if trial.repeat == plan.runs_of(trial.case):
                self._grading.forget(trial.case, trial.arm)
            return done

        pool = Workers(plan.trials(self._harness), work, self._count(workers, plan.size), self._stop)
        curtailed = False
        with self._rooms, stopping(self._stop):
            for batch in pool.results():
                self._journal.write(batch)
                records = [record for record, _ in batch]
                tally.add(records)
                curtailed = bool(on_records(records)) or curtailed
                if curtailed or self._budget.refused:
                    pool.halt()
        return Finish(
            partial_reason=self._partial(tally, plan.size, curtailed),
            spent_usd=self._budget.spent_usd,
            saved_usd=tally.saved_usd,
            planned=plan.size,
            scored=tally.scored,
            errors=tally.errors,
            cached=tally.cached,
            curtailed=curtailed,
        )

    def _count(self, workers: int, size: int) -> int:
        most = self._harness.concurrency
        return max(1, min(workers, size, most if most is not None else workers))

    def _partial(self, tally: _Tally, planned: int, curtailed: bool) -> PartialReason | None:
        if self._stop.is_set():
            return "interrupted"
        if curtailed:
            return None
        if self._budget.refused:
            return "cost_ceiling"
        return "errors" if tally.scored < planned else None

    # --- one trial, in a worker's thread ---

    def _work(self, trial: Trial) -> tuple[Record, Transcript | None] | None:
        if self._look_up and (paid := self._from_store(trial)):
            return paid, None
        reserved = self._budget.reserve()
        if reserved is None:
            return None
        cost = 0.0
        try:
            record, transcript = self._run(trial)
            cost = (record.usage.cost_usd or 0.0) + (record.judge_cost_usd or 0.0)
        finally:
            self._budget.settle(reserved, cost)
        if self._stop.is_set() and record.outcome == "error":
            return None  # ended by us, not by the trial: it was never run
        return record, transcript

    def _from_store(self, trial: Trial) -> Record | None:
        """The paid trial of the same key, graded by today's graders; None where there is none."""
        paid = self._journal.known(trial.key)
        transcript = self._journal.transcript(paid.transcript) if paid and paid.transcript else None
        if paid is None or transcript is None:
            return None
        made = {grade.check: grade for grade in paid.grades}
        graded = self._grading.grade(trial.case, trial.arm, transcript, made)
        fresh_cost = sum(g.cost_usd or 0.0 for g in graded.grades if g.check not in made)
        self._budget.settle(0.0, fresh_cost)
        return replace(
            paid,
            run=self._run_id,
            case=trial.case.id,
            arm=trial.arm,
            repeat=trial.repeat,
            cached=True,
            judge_cost_usd=graded.judge_cost_usd,
            outcome="error" if graded.fault else "scored",
            fault=graded.fault,
            grades=graded.grades,
            passed_weight=graded.passed_weight,
            scored_weight=graded.scored_weight,
        )

    def _run(self, trial: Trial) -> tuple[Record, Transcript | None]:
        started = time.monotonic()
        tried = self._attempts(trial)
        transcript = tried.transcript
        took_s = time.monotonic() - started
        if transcript is None:
            record = Record(
                self._run_id,
                trial.key,
                trial.case.id,
                trial.arm,
                trial.repeat,
                "error",
                fault=tried.fault,
                usage=_with_lost(Usage(), tried.lost_usd),
                duration_s=took_s,
                attempts=tried.attempts,
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
            usage=_with_lost(transcript.usage, tried.lost_usd),
            judge_cost_usd=graded.judge_cost_usd,
            duration_s=transcript.duration_s or took_s,
            attempts=tried.attempts,
            model_reported=transcript.model_reported,
            activation=activation_of(transcript, trial.item),
        )
        return record, transcript

    def _attempts(self, trial: Trial) -> _Tried:
        """Run the trial until it ran, its fault is final, or the run stops."""
        attempt, lost_usd = 1, 0.0
        while True:
            try:
                timeout_s = trial.case.settings.timeout_s
                with TrialRoom(self._stop, timeout_s, keep=self._keep, rooms=self._rooms) as room:
                    return _Tried(self._harness.run(trial, room), None, attempt, lost_usd)
            except TrialFailed as failed:
                fault = failed.fault
            except Exception as bug:  # noqa: BLE001  # the one broad catch: harnesses are foreign code
                fault = Fault("harness", _told(bug))
            lost_usd += fault.cost_usd or 0.0
            wait_s = self._retry.wait_s(fault, attempt)
            if wait_s is None or self._stop.wait(wait_s):
                return _Tried(None, fault, attempt, lost_usd)
            attempt += 1


@dataclass(frozen=True, slots=True)
class _Tried:
    """A trial's attempts: the transcript of the last, or why there is none, and what the failed ones cost."""

    transcript: Transcript | None
    fault: Fault | None
    attempts: int
    lost_usd: float


def _with_lost(usage: Usage, lost_usd: float) -> Usage:
    """The usage, with the money that failed attempts had spent."""
    return replace(usage, cost_usd=(usage.cost_usd or 0.0) + lost_usd) if lost_usd else usage


class _Tally:
    """Counts while a run goes on."""

    def __init__(self) -> None:
        self.scored = self.errors = self.cached = 0
        self.saved_usd = 0.0

    def add(self, records: Sequence[Record]) -> None:
        for record in records:
            self.scored += record.outcome == "scored"
            self.errors += record.outcome == "error"
            if record.cached:
                self.cached += 1
                self.saved_usd += record.usage.cost_usd or 0.0


def _told(bug: Exception) -> str:
    frame = traceback.extract_tb(bug.__traceback__)[-1]
    return f"{type(bug).__name__}: {bug} ({frame.filename.rpartition('/')[2]}:{frame.lineno})"
