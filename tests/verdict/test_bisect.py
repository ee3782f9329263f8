"""A version is told to be like one end, and wrongly so no oftener than was promised."""

from fractions import Fraction

import numpy as np
import pytest

from assay.verdict.bisect import Endpoints, Probe, bound, probes_of, rates


def scores(passes: np.ndarray) -> dict[str, tuple[Fraction, ...]]:
    """Of rows of one trial a case."""
    return {f"c{case}": tuple(Fraction(int(hit)) for hit in row) for case, row in enumerate(passes.T)}


def test_a_collapse_takes_two_trials_and_none_say_nothing() -> None:
    ends = Endpoints({"c0": 0.95}, {"c0": 0.05})
    probe = Probe(ends, bound(0.05, 3))
    assert not probe({})
    assert not probe(scores(np.array([[0.0]])))
    assert probe(scores(np.array([[0.0], [0.0]])))
    assert probe.is_good is False


def test_a_version_between_the_ends_stays_open() -> None:
    probe = Probe(Endpoints({"c0": 0.9}, {"c0": 0.1}), bound(0.05, 1))
    assert not probe(scores(np.array([[0.0], [1.0]] * 10)))
    assert probe.is_good is None


@pytest.mark.parametrize("is_good", [True, False])
def test_it_errs_no_oftener_than_promised(is_good: bool) -> None:
    rng = np.random.default_rng(3)
    ends = Endpoints({"c0": 0.8, "c1": 0.6}, {"c0": 0.4, "c1": 0.6})
    true = np.array([0.8 if is_good else 0.4, 0.6])
    wrong = 0
    for _ in range(400):
        trials, probe = rng.random((60, 2)) < true, Probe(ends, bound(0.10, 1))
        for ran in range(1, 61):
            if probe(scores(trials[:ran])):
                break
        wrong += probe.is_good is (not is_good)
    assert wrong / 400 <= 0.10 + 3 * (0.1 * 0.9 / 400) ** 0.5


def test_the_error_is_shared_by_all_probes() -> None:
    assert [probes_of(versions) for versions in (0, 1, 2, 3, 7, 8)] == [1, 1, 2, 2, 3, 4]
    assert bound(0.05, 4) > bound(0.05, 1)
    assert rates({"a": (), "b": (1,)}) == {"a": 0.5, "b": 0.75}  # type: ignore[dict-item]
