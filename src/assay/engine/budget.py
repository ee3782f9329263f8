"""Money is reserved before it is spent: a call starts only if all stays under the ceilings."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.engine.stop import StopFlag

Kind: TypeAlias = Literal["trial", "judge"]
"""What is paid for: a whole trial with its judges, or only the judges of one that came from the store."""
Ceiling: TypeAlias = Literal["run", "day", "trials"]


@dataclass(frozen=True, slots=True)
class Day:
    """A ceiling over all runs of a day."""

    ceiling_usd: float
    spent_usd: Callable[[], float]
    """What other runs have spent today; asked again as the run goes on."""


class Budget:
    """Thread-safe account of one run, in US dollars.

    What is spent plus what is in flight stays under `ceiling_usd` as far as costs can be foreseen: each call
    is expected to cost as much as the dearest of its kind so far (at first `guess_usd`), so an overrun is at
    most what was in flight. Where only what is in flight stands in the way, `reserve` waits for it to settle.

    `spent_usd` is what the run had cost before (a resumed one); `max_trials` counts trials where they have no
    price.
    """

    def __init__(
        self,
        ceiling_usd: float | None,
        guess_usd: float = 0.0,
        *,
        spent_usd: float = 0.0,
        day: Day | None = None,
        max_trials: int | None = None,
    ) -> None:
        self.ceiling_usd = ceiling_usd
        self.spent_usd = spent_usd
        self.refused = 0
        self.refused_by: Ceiling | None = None
        self.started = 0
        self._day = day
        self._max_trials = max_trials
        self._expected: dict[Kind, float] = {"trial": guess_usd, "judge": 0.0}
        self._in_flight: dict[Kind, int] = {"trial": 0, "judge": 0}
        self._before = day.spent_usd() if day else 0.0
        self._changed = threading.Condition()

    def reserve(self, kind: Kind = "trial", stop: StopFlag | None = None) -> bool:
        """Set money aside for one call; False where a ceiling forbids it, or the run stops meanwhile."""
        with self._changed:
            while (barrier := self._barrier(kind)) is not None:
                is_final = barrier == "trials" or not self._waits_for_others()
                if is_final or (stop is not None and stop.is_set()):
                    self.refused += 1
                    self.refused_by = self.refused_by or barrier
                    return False
                self._changed.wait()
            self._in_flight[kind] += 1
            self.started += kind == "trial"
            return True

    def settle(self, cost_usd: float, kind: Kind = "trial") -> None:
        """Give back what was set aside and book what was really spent."""
        before = self._day.spent_usd() if self._day else 0.0
        with self._changed:
            self._in_flight[kind] -= 1
            self._before = before
            self.spent_usd += cost_usd
            self._expected[kind] = max(self._expected[kind], cost_usd)
            if self.ceiling_usd is not None or self._day:
                self._changed.notify_all()

    def wake(self) -> None:
        """Let those that wait look again: the run stops."""
        with self._changed:
            self._changed.notify_all()

    def _waits_for_others(self) -> bool:
        return any(self._in_flight.values()) and not self.refused

    def _barrier(self, kind: Kind) -> Ceiling | None:
        """The ceiling that one more call would pass, if any."""
        if self._max_trials is not None and kind == "trial" and self.started >= self._max_trials:
            return "trials"
        if self.ceiling_usd is None and self._day is None:
            return None
        ahead = sum(self._in_flight[each] * self._expected[each] for each in self._in_flight)
        foreseen = self.spent_usd + ahead + self._expected[kind]
        if _is_over(foreseen, self.spent_usd, self.ceiling_usd):
            return "run"
        day = self._day.ceiling_usd if self._day else None
        return "day" if _is_over(self._before + foreseen, self._before + self.spent_usd, day) else None


def _is_over(foreseen: float, spent: float, ceiling: float | None) -> bool:
    return ceiling is not None and (foreseen > ceiling or spent >= ceiling)
