"""Concurrency that finds a provider's hidden limit: simulated on a clock of its own."""

import heapq

import pytest

from assay.engine.limits import Limiter, Limits, Rates
from assay.engine.stop import StopFlag
from assay.model import Fault, Usage


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def simulate(limiter, clock, *, jobs, calls, serve):
    """Event by event: `serve(now, in flight)` answers (seconds, fault or None). Gives the moments of success."""
    stop, ends, done, idle, refused = StopFlag(), [], [], jobs, 0
    number = 0
    while len(done) < calls:
        while idle and limiter.wait_s(clock.now) == 0.0:
            given = limiter.acquire(stop)
            seconds, fault = serve(clock.now, len([e for e in ends if e[3] is None]))
            number += 1
            heapq.heappush(ends, (clock.now + seconds, number, given, fault))
            idle -= 1
        pause = limiter.wait_s(clock.now) if idle else float("inf")
        if ends and ends[0][0] <= clock.now + pause:
            clock.now, _, given, fault = heapq.heappop(ends)
            limiter.release(given, fault)
            idle += 1
            refused += fault is not None
            if fault is None:
                done.append(clock.now)
        else:
            clock.now += pause
    return done, refused


def throughput(done):
    """Calls a second over the second half."""
    half = len(done) // 2
    return (len(done) - half) / (done[-1] - done[half - 1])


@pytest.mark.parametrize("retry_after_s", [None, 0.5])
@pytest.mark.parametrize("hidden", [3, 10, 20, 50])
def test_it_settles_within_a_tenth_of_a_hidden_concurrency(hidden, retry_after_s):
    clock = Clock()
    limiter = Limiter(64, clock=clock)

    def serve(now, in_flight):
        return (0.01, Fault("rate_limit", "", retry_after_s)) if in_flight >= hidden else (0.5, None)

    done, refused = simulate(limiter, clock, jobs=64, calls=6000, serve=serve)
    assert throughput(done) >= 0.9 * hidden / 0.5
    assert refused < len(done) / 10


@pytest.mark.parametrize("per_s", [20, 60])
def test_it_settles_within_a_tenth_of_a_hidden_rate(per_s):
    clock = Clock()
    limiter = Limiter(64, clock=clock)
    window = [0, 0]

    def serve(now, in_flight):
        if int(now) != window[0]:
            window[:] = [int(now), 0]
        window[1] += 1
        if window[1] > per_s:
            return 0.01, Fault("rate_limit", "", int(now) + 1 - now)
        return 0.5, None

    done, _ = simulate(limiter, clock, jobs=64, calls=per_s * 120, serve=serve)
    assert throughput(done) >= 0.9 * per_s


def test_rates_that_are_told_are_kept():
    clock = Clock()
    limiter = Limiter(8, Rates(requests_per_minute=30), clock=clock)
    done, refused = simulate(limiter, clock, jobs=8, calls=120, serve=lambda now, n: (0.1, None))
    assert refused == 0
    assert done[-1] == pytest.approx(180, abs=1)
    assert limiter.lost_s == 0.0


def test_tokens_a_minute_hold_back_what_comes_after():
    clock = Clock()
    limiter, stop = Limiter(8, Rates(tokens_per_minute=1000), clock=clock), StopFlag()
    given = limiter.acquire(stop)
    limiter.release(given, usage=Usage(900, 100))
    assert limiter.wait_s(clock.now) == 60


def test_without_a_refusal_nothing_holds_it_back():
    clock = Clock()
    limiter = Limiter(64, clock=clock)
    done, _ = simulate(limiter, clock, jobs=64, calls=640, serve=lambda now, n: (1.0, None))
    assert done[-1] == 10


def test_a_model_and_its_judge_share_one_limiter():
    limits = Limits(8)
    assert limits.of("model:x") is limits.of("model:x")
    assert limits.of("model:x") is not limits.of("model:y")


def test_a_stop_ends_the_wait():
    limiter, stop = Limiter(1), StopFlag()
    limiter.acquire(stop)
    stop.set()
    assert limiter.acquire(stop) is None
