"""Progress of a run on standard error: a live line in a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING, TextIO

from assay.cli.environment import is_dumb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.model import Record

LIVE_EVERY_S = 0.1
PLAIN_EVERY_S = 10.0


class Progress:
    """Counts records as they come: done of planned, errors, money, time left."""

    def __init__(self, planned: int, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._planned = planned
        self._stream = stream or sys.stderr
        self._quiet = quiet
        self._live = self._stream.isatty() and not is_dumb()
        self._started = self._shown = time.monotonic()
        self._done = self._errors = self._paid = 0
        self._cost = 0.0
        self._scored: dict[str, list[float]] = {}
        """By arm: the sum of scores, and how many."""

    def add(self, records: Sequence[Record]) -> None:
        for record in records:
            self._done += 1
            self._errors += record.outcome == "error"
            if record.outcome == "scored" and record.scored_weight > 0:
                arm = self._scored.setdefault(record.arm, [0.0, 0])
                arm[0] += record.passed_weight / record.scored_weight
                arm[1] += 1
            if not record.cached:
                self._paid += 1
                self._cost += (record.usage.cost_usd or 0.0) + (record.judge_cost_usd or 0.0)
        now = time.monotonic()
        if not self._quiet and now - self._shown >= (LIVE_EVERY_S if self._live else PLAIN_EVERY_S):
            self._shown = now
            self._print(self.line(now))

    def line(self, now: float) -> str:
        """`12/48 trials · 1 error · $0.31 · 2 min left · with 0.83 (0.55-0.95)`: 95 % by Wilson."""
        parts = [f"{self._done}/{self._planned} trials"]
        if self._errors:
            parts.append(f"{self._errors} error{'s' if self._errors > 1 else ''}")
        parts.append(f"${self._cost:.2f}")
        if self._paid and self._done < self._planned:
            left_s = (now - self._started) / self._paid * (self._planned - self._done)
            parts.append(f"{spoken(left_s)} left")
        parts += [_running(arm, passed, int(count)) for arm, (passed, count) in self._scored.items()]
        return " · ".join(parts)

    def close(self) -> None:
        if self._live and not self._quiet:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def _print(self, line: str) -> None:
        self._stream.write(
            f"\r\x1b[K{line[: shutil.get_terminal_size((80, 24)).columns - 1]}" if self._live else f"{line}\n"
        )
        self._stream.flush()


def _running(arm: str, passed: float, count: int) -> str:
    from assay.verdict.intervals import wilson

    low, high = wilson(passed, count)
    return f"{arm} {passed / count:.2f} ({low:.2f}-{high:.2f})"


def spoken(seconds: float) -> str:
    """A duration for people: `40 s`, `3 min`, `2 h 5 min`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
