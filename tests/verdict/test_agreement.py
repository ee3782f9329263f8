"""Judges: agreement beyond chance, bounds that calibration can bear, rates with the errors taken out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.verdict.agreement import (
    Calibration,
    calibrate,
    cohen_kappa,
    corrected_rate,
    corrected_se,
    fleiss_kappa,
    flip_rate,
    krippendorff_alpha,
)

LABELS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)


@given(LABELS)
def test_agreement_does_not_depend_on_who_comes_first(pairs: list[tuple[bool, bool]]) -> None:
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    kappa = cohen_kappa(one, other)
    assert kappa == (None if kappa is None else pytest.approx(cohen_kappa(other, one)))
    assert kappa is None or kappa <= 1


def test_perfect_agreement_is_one_and_a_constant_judge_says_nothing() -> None:
    assert cohen_kappa([1, 0, 1], [1, 0, 1]) == 1
    assert cohen_kappa([1, 1], [1, 1]) is None
    assert fleiss_kappa([[1, 1], [1, 1]]) is None
    assert krippendorff_alpha([[1, 1], [1]]) is None


def test_flips_are_counted_between_the_votes_of_one_item() -> None:
    assert flip_rate([[1, 1, 1], [1, 1, 0]]) == pytest.approx(1 / 3)
    assert flip_rate([[1], [0]]) is None


def test_a_judge_is_certified_by_what_its_labels_can_bear() -> None:
    assert not Calibration(16, 16, 16, 16).is_certified()
    assert Calibration(17, 17, 17, 17).is_certified(), "17 a class where the judge makes no mistake"
    assert not Calibration(17, 17, 0, 0).is_certified(), "nothing is known of what it lets through"
    counted = calibrate([True, True, False, False], [True, False, False, True])
    assert counted == Calibration(passes=2, passes_found=1, fails=2, fails_found=1)


def test_the_correction_undoes_the_judges_errors() -> None:
    assert corrected_rate(0.7 * 0.9 + 0.3 * 0.15, 0.9, 0.85) == pytest.approx(0.7)
    assert corrected_rate(0.5, 0.5, 0.5) is None
    assert corrected_se(0.5, 10, Calibration(0, 0, 5, 5)) is None
    assert corrected_se(0.5, 10, Calibration(4, 2, 4, 2)) is None
