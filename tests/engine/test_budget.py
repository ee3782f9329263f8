"""The ceiling over thousands of simulated schedules: threads replaced by a seeded choice of what ends next."""

import random
import threading

import pytest

from assay.engine.budget import Budget, Day
from assay.engine.stop import StopFlag


def simulate(seed, *, jobs, ceiling, guess=0.0, day=None, trials=120, before=0.0):
    """One run whose costs vary tenfold: (spent, dearest moment in flight, ran, the budget)."""
    chance = random.Random(seed)
    budget = Budget(ceiling, guess, day=day, spent_usd=before)
    flying, left, ran, most_in_flight = [], trials, 0, 0.0
    while left or flying:
        while left and len(flying) < jobs and not budget.refused:
            if flying and budget._barrier("trial"):
                break  # a real worker would wait here
            left -= 1
            if not budget.reserve():
                break
            flying.append(chance.uniform(0.01, 0.1))
            ran += 1
        most_in_flight = max(most_in_flight, sum(flying))
        if not flying:
            break
        budget.settle(flying.pop(chance.randrange(len(flying))))
    return budget.spent_usd, most_in_flight, ran, budget


@pytest.mark.parametrize("jobs", [1, 4, 32])
def test_the_ceiling_is_passed_by_at_most_what_was_in_flight(jobs):
    for seed in range(1000):
        ceiling = random.Random(-seed).uniform(0.02, 8)
        spent, in_flight, ran, budget = simulate(seed, jobs=jobs, ceiling=ceiling)
        assert spent <= ceiling + in_flight
        assert (budget.refused > 0) == (ran < 120)
        if budget.refused:
            assert spent > ceiling - 0.1 - 1e-9  # nor did it end while there was money for one more


def test_with_a_fair_guess_the_ceiling_is_hardly_ever_passed():
    over = [simulate(seed, jobs=32, ceiling=3.0, guess=0.1)[0] - 3.0 for seed in range(1000)]
    assert max(over) <= 1e-9


def test_a_resumed_run_goes_on_with_what_it_had_spent():
    spent, _, _, _ = simulate(1, jobs=4, ceiling=1.0, guess=0.1, before=0.7)
    assert 0.7 < spent <= 1.0


def test_the_ceiling_of_a_day_counts_other_runs_as_they_go_on():
    others = iter([0.5, *[0.5] * 3, *[0.9] * 1000])
    spent, _, _, budget = simulate(
        1, jobs=1, ceiling=5.0, guess=0.1, day=Day(1.0, lambda: next(others)), trials=50
    )
    assert budget.refused_by == "day"
    assert spent <= 0.5


def test_trials_are_counted_where_they_have_no_price():
    budget = Budget(None, max_trials=3)
    assert [budget.reserve() for _ in range(5)] == [True, True, True, False, False]
    assert budget.refused_by == "trials"
    assert budget.reserve("judge") is False or budget.ceiling_usd is None


def test_where_only_what_is_in_flight_stands_in_the_way_it_is_waited_for():
    budget = Budget(1.0, 0.6)
    assert budget.reserve()
    got = []
    waiting = threading.Thread(target=lambda: got.append(budget.reserve()))
    waiting.start()
    budget.settle(0.1)
    waiting.join(20)
    assert got == [False] or got == [True]
    assert got == [budget.refused == 0]


def test_a_stop_wakes_those_that_wait():
    budget, stop = Budget(1.0, 0.9), StopFlag()
    stop.on_stop(budget.wake)
    assert budget.reserve()
    got = []
    waiting = threading.Thread(target=lambda: got.append(budget.reserve("trial", stop)))
    waiting.start()
    stop.set()
    waiting.join(20)
    assert got == [False]
