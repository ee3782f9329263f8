"""The simulated rules are the real ones, and they say yes as seldom and as often as they promise."""

import importlib.util
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from assay.model import PREVIOUS, WITH, Record
from assay.verdict.characteristics import (
    GATES,
    GOLDEN,
    any_drop,
    confirm_gate,
    confirmed,
    decisions,
    e_values,
    p_exact,
    watched,
)
from assay.verdict.eprocess import mixture_e_value
from assay.verdict.evidence import FEWEST_TRIALS
from assay.verdict.evidence_rule import fallen_cases
from assay.verdict.permutation import within_cases
from assay.verdict.power import change_for, shifted, world_of_shape
from assay.verdict.sequential import Watch

BENCH = Path(__file__).parents[2] / "bench" / "operating_characteristics.py"
WORLD = world_of_shape(20, 3, 3, draws=2_000)
MATURE = world_of_shape(20, 3, 3, shape="mature", draws=2_000)


def moved(change: float) -> np.ndarray:
    return shifted(WORLD.rates, change_for(WORLD, change))


def by_hand(old: np.ndarray, new: np.ndarray, *, is_sequential: bool) -> tuple[bool, int]:
    """One decision by the code that decides on real trials: (accepted, rounds)."""
    rounds, cases = old.shape
    watch = Watch(cases, 0.10 if is_sequential else None, FEWEST_TRIALS)
    records: list[Record] = []
    for number in range(rounds):
        for arm, trials in ((PREVIOUS, old), (WITH, new)):
            records += [
                Record("r", "k", f"c{case}", arm, number + 1, "scored", float(trials[number, case]), 1.0)
                for case in range(cases)
            ]
        if watch(records):
            break
    ran = watch.pairs.rounds
    arms = [
        [[Fraction(int(trials[number, case])) for number in range(ran)] for case in range(cases)]
        for trials in (old, new)
    ]
    improved = watch.standing == "improved"
    if not is_sequential and watch.standing == "open":
        improved = within_cases(*arms).greater <= 0.10 and ran * cases >= FEWEST_TRIALS
    rows = {
        f"c{case}": {
            name: [(float(score), 1.0) for score in arm[case]]
            for name, arm in zip(("before", "now"), arms, strict=True)
        }
        for case in range(cases)
    }
    return improved and not fallen_cases(rows), ran


@pytest.mark.parametrize("is_sequential", [False, True])
@pytest.mark.parametrize(("cases", "rounds"), [(2, 6), (4, 10), (8, 10)])
def test_simulated_rounds_are_decided_as_real_ones_are(cases: int, rounds: int, is_sequential: bool) -> None:
    rng = np.random.default_rng(7)
    rates = rng.uniform(size=(40, 1, cases))
    old = rng.random((40, rounds, cases)) < rates
    new = rng.random((40, rounds, cases)) < np.minimum(1, rates + rng.uniform(-0.2, 0.7, (40, 1, 1)))
    found = watched(old, new, 0.10, is_sequential=is_sequential)
    expected = [by_hand(*pair, is_sequential=is_sequential) for pair in zip(old, new, strict=True)]
    assert found.said.tolist() == [said for said, _ in expected]
    assert found.trials.tolist() == [2 * cases * ran for _, ran in expected]


def test_many_e_values_at_once_are_the_exact_ones() -> None:
    counts = np.arange(12)
    for lost in range(12):
        exact = [float(mixture_e_value(int(won), lost)) for won in counts]
        assert e_values(counts, np.full(12, lost)) == pytest.approx(exact, rel=1e-9)


def test_the_exact_test_of_more_draws_than_fit_at_once() -> None:
    rng = np.random.default_rng(5)
    before, now = rng.binomial(6, 0.5, (3_000, 20)), rng.binomial(6, 0.5, (3_000, 20))
    found = p_exact(before, now, 6, 6)
    for row in (0, 1_500, 2_999):
        arms = [
            [[Fraction(1)] * hits + [Fraction(0)] * (6 - hits) for hits in one[row]] for one in (before, now)
        ]
        assert found[row] == pytest.approx(within_cases(*arms).greater, abs=1e-9)


def test_strict_accepts_nearly_half_of_what_changes_nothing() -> None:
    assert decisions(GATES["strict"], WORLD.rates, WORLD.rates, 3).rate == pytest.approx(0.45, abs=0.04)


@pytest.mark.parametrize("name", ["evidence", "evidence, sequential"])
def test_evidence_accepts_nothing_by_luck_and_still_sees_a_gain(name: str) -> None:
    rule = GATES[name]
    assert decisions(rule, WORLD.rates, WORLD.rates, 3).rate <= 0.06
    assert decisions(rule, WORLD.rates, moved(0.10), 3).rate >= 0.62  # .66 to .70, less three errors
    assert decisions(rule, WORLD.rates, moved(-0.10), 3).rate <= 0.005


def test_fresh_rounds_keep_their_level_and_looks_save_trials() -> None:
    def rounds(is_sequential: bool) -> tuple[float, float]:
        found = confirm_gate(
            WORLD.rates, WORLD.rates, 3, np.random.default_rng(3), is_sequential=is_sequential
        )
        assert found.rate <= 0.10 + 3 * found.error
        return found.rate, found.mean_trials / found.planned

    assert rounds(is_sequential=False)[1] <= 0.80
    assert rounds(is_sequential=True)[1] <= 0.60


def test_golden_tasks_fail_by_luck_alone_only_literally() -> None:
    literal, careful = (decisions(rule, MATURE.rates, MATURE.rates, 3) for rule in GOLDEN.values())
    assert literal.rate >= 0.95
    assert careful.rate <= 0.02 + 3 * careful.error
    assert (GOLDEN["golden, any drop"], GOLDEN["golden, confirmed"]) == (any_drop, confirmed)


def test_the_benchmark_prints_its_tables(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = importlib.util.spec_from_file_location("operating_characteristics", BENCH)
    assert spec is not None
    assert spec.loader is not None
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    monkeypatch.setattr("sys.argv", ["bench", "--draws", "60", "--markdown"])
    monkeypatch.setattr(bench, "SIZES", ((5, 3),))
    monkeypatch.setattr(bench, "GOLDEN_SIZES", ((5, 3),))
    bench.main()
    told = capsys.readouterr().out
    assert "| evidence, sequential | 5,3" in told
    assert "| golden, confirmed | 5,3" in told
