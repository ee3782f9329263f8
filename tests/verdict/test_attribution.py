"""Shares add up, whatever they are shares of, and their intervals hold what they should."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.verdict.attribution import Corner, corners, split


def scores(passed: int, runs: int = 10) -> dict[str, tuple[Fraction, ...]]:
    return {"a": (Fraction(1),) * passed + (Fraction(0),) * (runs - passed)}


def of(before: int, item: int, model: int, both: int) -> dict[Corner, dict[str, tuple[Fraction, ...]]]:
    names = [frozenset[str](), frozenset({"item"}), frozenset({"model"}), frozenset({"item", "model"})]
    return {name: scores(passed) for name, passed in zip(names, (before, item, model, both), strict=True)}


def test_what_each_does_alone_is_its_share_and_the_rest_is_halved() -> None:
    found = split(("item", "model"), of(2, 5, 3, 8))
    assert [round(share.effect, 6) for share in found.shares] == [0.4, 0.2]
    assert [round(share.alone, 6) for share in found.shares] == [0.3, 0.1]
    assert found.together == pytest.approx(0.2)


@given(st.lists(st.integers(0, 6), min_size=8, max_size=8))
def test_shares_add_up_to_the_difference(passes: list[int]) -> None:
    names = ("item", "suite", "model")
    found = split(names, {corner: scores(p, 6) for corner, p in zip(corners(names), passes, strict=True)})
    assert sum(share.effect for share in found.shares) == pytest.approx(found.delta)
    assert all(share.interval[0] <= share.effect <= share.interval[1] for share in found.shares)


def test_one_difference_takes_all_of_it() -> None:
    found = split(("item",), {frozenset(): scores(1), frozenset({"item"}): scores(9)})
    (share,) = found.shares
    assert (share.effect, share.is_told_apart) == (pytest.approx(0.8), True)
    assert found.interval == share.interval


def test_intervals_hold_the_truth_nineteen_times_in_twenty() -> None:
    rng = np.random.default_rng(9)
    truth = {corner: 0.3 + 0.3 * ("item" in corner) for corner in corners(("item", "model"))}
    held = np.zeros(2)
    for _ in range(300):
        drawn = {
            corner: {
                f"c{case}": tuple(Fraction(int(hit)) for hit in rng.random(8) < rate) for case in range(6)
            }
            for corner, rate in truth.items()
        }
        shares = split(("item", "model"), drawn).shares
        held += [
            low <= true <= high
            for (low, high), true in zip((s.interval for s in shares), (0.3, 0.0), strict=True)
        ]
    assert (held / 300 >= 0.95 - 3 * (0.95 * 0.05 / 300) ** 0.5).all()
