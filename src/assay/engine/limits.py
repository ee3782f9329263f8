"""How many calls a provider bears: found by trying, shared by all trials of one model.

Additive up, multiplicative down, as in TCP: each window of successes allows one call more, a refusal a tenth
less (at first half). What a provider asks for in `Retry-After` holds for everybody who calls it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.engine.retry import THROTTLED
from assay.errors import TrialFailed
from assay.model import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from assay.engine.stop import StopFlag
    from assay.model import Usage
    from assay.models import ChatModel, Completion, Request

FIRST_CUT, CUT = 0.5, 0.9
PROBE_WINDOWS = 10
"""Windows of successes before the level that was refused last is tried again."""
PAUSE_SHARE = 20
"""A pause that the provider asked for may cost at most one in so many seconds by our own probing."""
LONGEST_PAUSE_S = 120.0
MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class Rates:
    """What the user says that a provider allows; None is unknown."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


class Limiter:
    """One provider and model. `acquire` before each call, `release` after it; thread-safe."""

    def __init__(
        self,
        most: int,
        rates: Rates | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.throttled = 0
        """How many calls were refused."""
        self.lost_s = 0.0
        """Seconds that all trials together waited because calls were refused or rates were full."""
        self._most = float(most)
        self._limit = float(most)
        self._wall = float("inf")
        """In flight when a call was last refused."""
        self._wall_until = 0.0
        self._successes_at_wall = 0
        self._cut_at = float("-inf")
        self._is_first_cut = True
        self._paused_until = 0.0
        self._in_flight = 0
        self._rates = rates or Rates()
        self._window: deque[tuple[float, int]] = deque()
        """(time, tokens) of each call of the last minute, where rates are given."""
        self._clock = clock
        self._changed = threading.Condition()

    @property
    def limit(self) -> int:
        """How many calls may be in flight now."""
        return max(1, int(self._limit))

    def acquire(self, stop: StopFlag) -> float | None:
        """Wait for a place; the moment it was given, or None where the run stopped meanwhile."""
        with self._changed:
            waited_from = None
            while (wait_s := self.wait_s(self._clock())) != 0.0:
                waited_from = self._clock() if waited_from is None else waited_from
                if stop.is_set():
                    return None
                self._changed.wait(min(wait_s, 1.0))
            now = self._clock()
            if waited_from is not None:
                self.lost_s += now - waited_from
            self._in_flight += 1
            if self._rates.requests_per_minute is not None or self._rates.tokens_per_minute is not None:
                self._window.append((now, 0))
            return now

    def release(self, given: float, fault: Fault | None = None, usage: Usage | None = None) -> None:
        """Give the place of a call back that began at `given`, and learn from how it ended."""
        with self._changed:
            now, level = self._clock(), self._in_flight
            self._in_flight -= 1
            if usage is not None and self._rates.tokens_per_minute is not None and (spent := _tokens(usage)):
                self._window.append((now, spent))
            if fault is not None and fault.kind in THROTTLED:
                self._refused(now, given, level, fault.retry_after_s)
            elif fault is None and self._limit < self._most:
                self._grow(now)
            self._changed.notify(int(self._most) if self.throttled else 1)

    def lose(self, seconds: float) -> None:
        """Count time that a refused trial waited elsewhere."""
        with self._changed:
            self.lost_s += seconds

    def wait_s(self, now: float) -> float:
        """Seconds until a call may start; 0.0 is now, infinity is when another has ended."""
        if now < self._paused_until:
            return self._paused_until - now
        if self._in_flight >= self.limit:
            return float("inf")
        return self._rate_wait_s(now)

    def _rate_wait_s(self, now: float) -> float:
        while self._window and self._window[0][0] <= now - MINUTE_S:
            self._window.popleft()
        if not self._window:
            return 0.0
        calls = sum(1 for _, tokens in self._window if tokens == 0)
        tokens = sum(tokens for _, tokens in self._window)
        full = _reached(calls, self._rates.requests_per_minute) or _reached(
            tokens, self._rates.tokens_per_minute
        )
        return self._window[0][0] + MINUTE_S - now if full else 0.0

    def _refused(self, now: float, given: float, level: int, retry_after_s: float | None) -> None:
        self.throttled += 1
        if retry_after_s:
            self._paused_until = max(self._paused_until, now + min(retry_after_s, LONGEST_PAUSE_S))
        if given < self._cut_at:
            return  # it began before the last cut, which it already caused
        self._limit = max(1.0, min(self._limit, level) * (FIRST_CUT if self._is_first_cut else CUT))
        self._cut_at = now
        self._wall = level
        self._wall_until = now + PAUSE_SHARE * (retry_after_s or 0.0)
        self._successes_at_wall = 0

    def _grow(self, now: float) -> None:
        """One call more a window of successes; at the level that was refused, only after many windows."""
        self._is_first_cut = False
        grown = self._limit + 1.0 / max(1.0, self._limit)
        if grown >= self._wall:
            self._successes_at_wall += 1
            if self._successes_at_wall < PROBE_WINDOWS * self._limit or now < self._wall_until:
                return
            self._wall = float("inf")
        self._limit = min(self._most, grown)


def _tokens(usage: Usage) -> int:
    return (usage.input_tokens or 0) + (usage.output_tokens or 0)


def _reached(count: int, most: int | None) -> bool:
    return most is not None and count >= most


@dataclass
class Limits:
    """The limiters of a run, one for each provider and model, made on first use."""

    most: int
    rates: Mapping[str, Rates] = field(default_factory=dict)
    """By name, where the user gave any."""
    _known: dict[str, Limiter] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, name: str) -> Limiter:
        """The limiter of a provider and model, as `anthropic:claude-haiku-4-5`."""
        found = self._known.get(name)
        if found is None:
            with self._lock:
                found = self._known.setdefault(name, Limiter(self.most, self.rates.get(name)))
        return found

    @property
    def throttled(self) -> int:
        """How many calls were refused."""
        return sum(limiter.throttled for limiter in self._known.values())

    @property
    def lost_s(self) -> float:
        """Trial-seconds lost by waiting for providers."""
        return sum(limiter.lost_s for limiter in self._known.values())


class LimitedModel:
    """A language model whose calls wait for a place: what judges ask, beside the trials of the same model."""

    def __init__(self, model: ChatModel, limiter: Limiter, stop: StopFlag) -> None:
        self._model = model
        self._limiter = limiter
        self._stop = stop
        self.name = model.name
        self.concurrency = model.concurrency
        self.is_free = model.is_free

    @property
    def stamp(self) -> str:
        return self._model.stamp

    def settings(self) -> dict[str, Any]:
        return self._model.settings()

    def complete(self, request: Request) -> Completion:
        given = self._limiter.acquire(self._stop)
        if given is None:
            raise TrialFailed(Fault("interrupted", "the run was stopped"))
        try:
            answer = self._model.complete(request)
        except TrialFailed as failed:
            self._limiter.release(given, failed.fault)
            raise
        except BaseException:
            self._limiter.release(given)
            raise
        self._limiter.release(given, usage=answer.usage)
        return answer

    def close(self) -> None:
        self._model.close()
