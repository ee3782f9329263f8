"""Money is reserved before it is spent: a trial starts only if all stays under the ceiling."""

from __future__ import annotations

import threading


class Budget:
    """Thread-safe account of one run, in US dollars.

    What is spent plus what is in flight stays under `ceiling` as far as costs can be foreseen: each trial
    is expected to cost as much as the dearest of its kind so far (at first `guess_usd`), so the overrun is
    bounded by the trials in flight.
    """

    def __init__(self, ceiling_usd: float | None, guess_usd: float = 0.0) -> None:
        self.ceiling_usd = ceiling_usd
        self.spent_usd = 0.0
        self.refused = 0
        self._expected = guess_usd
        self._reserved = 0.0
        self._lock = threading.Lock()

    def reserve(self) -> float | None:
        """Set money aside for one trial; None where the ceiling forbids it."""
        with self._lock:
            if self.ceiling_usd is not None:
                foreseen = self.spent_usd + self._reserved + self._expected
                if foreseen > self.ceiling_usd or self.spent_usd >= self.ceiling_usd:
                    self.refused += 1
                    return None
            self._reserved += self._expected
            return self._expected

    def settle(self, reserved: float, cost_usd: float) -> None:
        """Give back what was set aside and book what was really spent."""
        with self._lock:
            self._reserved -= reserved
            self.spent_usd += cost_usd
            self._expected = max(self._expected, cost_usd)
