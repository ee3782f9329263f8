"""Runs one trial until it ran, its fault is final, or the run stops."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.engine.retry import THROTTLED
from assay.engine.room import TrialRoom
from assay.errors import TrialFailed
from assay.model import Fault

if TYPE_CHECKING:
    from assay.engine.limits import Limiter, Limits
    from assay.engine.retry import Retry
    from assay.engine.rooms import Rooms
    from assay.engine.stop import StopFlag
    from assay.harnesses import Harness
    from assay.model import Transcript, Trial


@dataclass(frozen=True, slots=True)
class Attempted:
    """What came of a trial: a transcript, or the fault of the last attempt."""

    transcript: Transcript | None
    fault: Fault | None
    attempts: int
    duration_s: float
    lost_usd: float
    """What failed attempts had cost."""


class Attempts:
    """Runs trials on a harness, within the limits of its provider. Used by every thread."""

    def __init__(
        self,
        harness: Harness,
        limits: Limits,
        retry: Retry,
        stop: StopFlag,
        rooms: Rooms,
        *,
        keep: bool = False,
    ) -> None:
        self._harness = harness
        self._limits = limits
        self._retry = retry
        self._stop = stop
        self._rooms = rooms
        self._keep = keep

    def run(self, trial: Trial) -> Attempted:
        """Run a trial, again while its fault may pass."""
        started = time.monotonic()
        limiter = self._limits.of(trial.model or self._harness.name)
        attempt, lost_usd = 1, 0.0
        while True:
            outcome = self._once(trial, limiter)
            if not isinstance(outcome, Fault):
                return Attempted(outcome, None, attempt, time.monotonic() - started, lost_usd)
            lost_usd += outcome.cost_usd or 0.0
            wait_s = self._retry.wait_s(outcome, attempt)
            if wait_s is None or self._stop.wait(wait_s):
                return Attempted(None, outcome, attempt, time.monotonic() - started, lost_usd)
            if outcome.kind in THROTTLED:
                limiter.lose(wait_s)
            attempt += 1

    def _once(self, trial: Trial, limiter: Limiter) -> Transcript | Fault:
        given = limiter.acquire(self._stop)
        if given is None:
            return Fault("interrupted", "the run was stopped")
        transcript, fault = None, None
        try:
            timeout_s, label = trial.case.settings.timeout_s, f"{trial.case.id} {trial.arm} {trial.repeat}"
            with TrialRoom(self._stop, timeout_s, keep=self._keep, rooms=self._rooms, label=label) as room:
                transcript = self._harness.run(trial, room)
                return transcript
        except TrialFailed as failed:
            fault = failed.fault
        except Exception as bug:  # noqa: BLE001  # the one broad catch: harnesses are foreign code
            fault = Fault("harness", _told(bug))
        finally:
            limiter.release(given, fault, transcript.usage if transcript else None)
        return fault


def _told(bug: Exception) -> str:
    frame = traceback.extract_tb(bug.__traceback__)[-1]
    return f"{type(bug).__name__}: {bug} ({frame.filename.rpartition('/')[2]}:{frame.lineno})"
