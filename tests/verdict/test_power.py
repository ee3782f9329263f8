"""What a suite can see, by simulation on the package's own test."""

from fractions import Fraction

import numpy as np
import pytest

from assay.verdict import power
from assay.verdict.permutation import within_cases
from assay.verdict.power import (
    World,
    change_for,
    detection_rate,
    mean_change,
    minimum_detectable,
    p_greater,
    runs_to_see,
    simulate,
    standard_error,
    under_no_change,
    world_of_shape,
    world_of_trials,
)


def passes(counts: list[int], runs: int) -> list[list[Fraction]]:
    return [[Fraction(1)] * count + [Fraction(0)] * (runs - count) for count in counts]


def test_all_draws_at_once_are_judged_like_each_alone() -> None:
    rates = np.random.default_rng(1).beta(0.5, 0.4, (30, 6))
    world = World(rates, np.array([3, 3, 3, 5, 5, 5]), np.array([3, 3, 3, 2, 2, 2]))
    before, now = simulate(world, 0.5)
    for draw, p in enumerate(p_greater(world, before, now)):
        old = [passes([int(n)], int(k))[0] for n, k in zip(before[draw], world.before_runs, strict=True)]
        new = [passes([int(n)], int(k))[0] for n, k in zip(now[draw], world.now_runs, strict=True)]
        assert p == pytest.approx(within_cases(old, new).greater, abs=1e-9)


def test_the_normal_limit_of_all_draws_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    world = world_of_shape(60, 5, 5, draws=200)
    pair = simulate(world, 0.3)
    counted = p_greater(world, *pair)
    monkeypatch.setattr(power, "EXACT_CELLS", 0)
    assert p_greater(world, *pair) == pytest.approx(counted, abs=0.02)


@pytest.mark.parametrize(("cases", "runs", "drop"), [(5, 3, 0.40), (20, 3, 0.18), (20, 10, 0.09)])
def test_reference_sizes_of_the_smallest_visible_change(cases: int, runs: int, drop: float) -> None:
    found = minimum_detectable(world_of_shape(cases, runs, runs))
    assert found.drop == pytest.approx(drop, abs=0.03)
    assert found.gain == pytest.approx(drop, abs=0.03)


def test_two_cases_see_no_gain_and_no_drop_below_038() -> None:
    assert minimum_detectable(world_of_shape(2, 3, 3)).gain is None
    assert (minimum_detectable(world_of_shape(2, 10, 10)).drop or 0) >= 0.38


@pytest.mark.parametrize(("cases", "accepts"), [(2, 0.354657), (5, 0.408788), (20, 0.454463)])
def test_exact_false_accepts_of_the_strict_rule(cases: int, accepts: float) -> None:
    world = World(np.full((20_000, cases), 0.8), np.full(cases, 3), np.full(cases, 3))
    assert under_no_change(world).strict_accepts == pytest.approx(accepts, abs=3 * 0.0036)


def test_any_drop_fails_nearly_always_on_twenty_cases() -> None:
    world = World(np.full((20_000, 20), 0.9), np.full(20, 3), np.full(20, 3))
    assert under_no_change(world).any_drop_fails == pytest.approx(0.9897, abs=0.0025)


def test_nothing_changed_is_called_a_change_at_most_as_often_as_said() -> None:
    world = world_of_shape(20, 3, 3, draws=4_000)
    assert detection_rate(world, 0.0) <= 0.05 + 3 * (0.05 * 0.95 / 4_000) ** 0.5


def test_more_trials_see_smaller_changes() -> None:
    few, many = (minimum_detectable(world_of_shape(20, runs, runs)).gain for runs in (3, 10))
    assert few is not None
    assert many is not None
    assert many < few


def test_a_change_of_the_mean_is_found_on_the_log_odds_scale() -> None:
    world = world_of_shape(20, 3, 3)
    for size in (0.1, -0.2):
        assert mean_change(world, change_for(world, size)) == pytest.approx(size, abs=1e-6)


def test_a_large_suite_takes_the_formula() -> None:
    recorded = [(float(case % 7), 6) for case in range(2_000)]
    world = world_of_trials(recorded, [3] * 2_000, [3] * 2_000)
    found = minimum_detectable(world)
    assert found.gain == pytest.approx(2.4865 * standard_error(world), rel=1e-3)
    assert under_no_change(world).strict_accepts == 0.5


def test_runs_that_would_settle_an_effect() -> None:
    world = world_of_shape(20, 3, 3, draws=2_000)
    assert 20 < (runs_to_see(world, 0.05) or 0) < 60
    assert runs_to_see(world, 0.0) is None
    assert runs_to_see(world, 0.001) is None
