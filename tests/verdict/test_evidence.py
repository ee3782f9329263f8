"""A report says no more than its test: words, intervals and what would settle the question."""

import json
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.verdict.evidence import Circumstances, Price, weigh
from assay.verdict.evidence_document import document_of, sentence

Rows = dict[str, dict[str, list[tuple[float, float]]]]


def rows(before: list[int], now: list[int], runs: int = 3) -> Rows:
    """0/1 trials by case: so many passes of so many runs on either arm."""
    return {
        f"case {number}": {"without": trials(old, runs), "with": trials(new, runs)}
        for number, (old, new) in enumerate(zip(before, now, strict=True), start=1)
    }


def trials(passed: int, runs: int) -> list[tuple[float, float]]:
    return [(1, 1)] * passed + [(0, 1)] * (runs - passed)


def say(found: Rows, about: Circumstances | None = None) -> tuple[str, str]:
    evidence = weigh(found, about=about)
    assert evidence is not None
    return evidence.verdict, sentence(evidence)


def test_a_clear_gain_is_called_one() -> None:
    assert say(rows([1, 0, 1, 0, 2], [3, 3, 2, 3, 3])) == (
        "improved",
        "with improved on without by +0.67: luck alone does that in fewer than 1 of 1000 such runs.",
    )


def test_a_clear_drop_is_called_one() -> None:
    assert say(rows([3, 3, 2, 3, 3], [1, 0, 1, 2, 2])) == (
        "regressed",
        "with regressed from without by -0.53: luck alone does that in 0.3 of 100 such runs.",
    )


def test_no_change_is_never_said_only_that_none_could_be_seen() -> None:
    verdict, told = say(rows([3, 2, 1, 0, 3] * 4, [3, 2, 1, 0, 3] * 4))
    assert verdict.startswith("no detectable change (MDE 0.1")
    assert told.startswith("No detectable change (+0.00 measured): 20 cases of 3 runs see a change of 0.1")


def test_two_cases_are_too_few_to_say() -> None:
    verdict, told = say(rows([1, 3], [3, 3]), Circumstances(price=Price(0.1, 0.5)))
    assert verdict == "underpowered"
    assert told == (
        "Too few trials to say (+0.33 measured, 2 cases of 3 runs): only a collapse would show. 8 runs a case"
        " would show a change of this size (20 more trials, 10 min, $2.00)."
    )


def test_a_total_collapse_shows_on_two_cases() -> None:
    assert say(rows([3, 3], [0, 0]))[0] == "regressed"


def test_what_leans_but_is_not_shown_is_inconclusive() -> None:
    verdict, told = say(rows([2, 2, 1, 1, 0], [3, 2, 2, 2, 1]))
    assert verdict == "inconclusive"
    assert "a gain is 9" in told
    assert "improved" not in told


def test_a_partial_run_has_no_verdict() -> None:
    verdict, told = say(rows([0] * 5, [3] * 5), Circumstances(is_partial=True))
    assert (verdict, told) == ("partial", "No verdict: planned trials are missing. So far +1.00 measured.")


@pytest.mark.parametrize("missing", [{"with": 5}, {"with": 3, "without": 3}])
def test_many_missing_trials_make_a_comparison_invalid(missing: Mapping[str, int]) -> None:
    verdict, told = say(rows([0] * 5, [3] * 5), Circumstances(missing=missing))
    assert verdict == "invalid"
    assert "died of infrastructure" in told


def test_few_missing_trials_are_left_out_and_counted() -> None:
    evidence = weigh(rows([0] * 5, [3] * 5), about=Circumstances(missing={"with": 1}))
    assert evidence is not None
    assert evidence.verdict == "improved"
    assert (evidence.now.missing, evidence.before.missing) == (1, 0)


def test_only_cases_with_both_arms_are_compared() -> None:
    found = {**rows([1, 2], [2, 3]), "lone": {"with": [(1.0, 1.0)]}, "unscored": {"with": [], "without": []}}
    evidence = weigh(found)
    assert evidence is not None
    assert [case.name for case in evidence.cases] == ["case 1", "case 2"]
    assert weigh({"lone": {"with": [(1.0, 1.0)]}}) is None


@pytest.mark.parametrize("seed", range(30))
def test_words_of_change_stand_only_where_the_test_says_so(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rates = rng.beta(0.5, 0.4, 6)
    found = rows(rng.binomial(3, rates).tolist(), rng.binomial(3, np.minimum(1, rates + 0.2)).tolist())
    evidence = weigh(found)
    assert evidence is not None
    told = sentence(evidence)
    assert ("improved" in told) == ("improved" in evidence.verdict) == (evidence.p_improved <= 0.05)
    assert ("regressed" in told) == ("regressed" in evidence.verdict) == (evidence.p_regressed <= 0.05)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6))
def test_swapping_the_arms_mirrors_everything(counts: list[tuple[int, int]]) -> None:
    found = rows([old for old, _ in counts], [new for _, new in counts])
    one, other = weigh(found), weigh(found, "with", "without")
    assert one is not None
    assert other is not None
    assert one.delta == pytest.approx(-other.delta)
    assert one.same_cases == (pytest.approx(-other.same_cases[1]), pytest.approx(-other.same_cases[0]))
    assert (one.p_improved, one.p_regressed) == (
        pytest.approx(other.p_regressed),
        pytest.approx(other.p_improved),
    )
    assert one.improved == pytest.approx(other.regressed, abs=1e-6)
    assert one.same_cases[0] <= one.delta <= one.same_cases[1]


def test_a_lucky_record_is_expected_to_fall_back() -> None:
    evidence = weigh(rows([1, 2, 2], [3, 3, 3]))
    assert evidence is not None
    assert 2 / 3 < evidence.expected_again < 1.0


def test_fractional_scores_of_four_graders_see_more_than_one_coin() -> None:
    rng = np.random.default_rng(2)
    rates = rng.beta(2, 2, 20)
    coins, fours = (
        {
            f"c{case}": {
                arm: [(float(rng.binomial(size, rate)), float(size)) for _ in range(3)]
                for arm in ("with", "without")
            }
            for case, rate in enumerate(rates)
        }
        for size in (1, 4)
    )
    one, four = weigh(coins), weigh(fours)
    assert one is not None
    assert four is not None
    assert (four.visible or 1) < 0.7 * (one.visible or 1)
    assert all(case.now.interval is None for case in four.cases if case.now.is_flaky)


def test_the_judges_votes_are_weighed_against_each_other() -> None:
    votes = [(True, True, False), (True, True, True), (False,)]
    evidence = weigh(rows([1, 2], [2, 3]), about=Circumstances(votes=votes))
    assert evidence is not None
    assert evidence.judge is not None
    assert (evidence.judge.votes, evidence.judge.flip_rate) == (6, pytest.approx(1 / 3))


def test_the_document_is_plain_json_with_all_that_a_report_needs() -> None:
    evidence = weigh(rows([1, 2, 0], [2, 3, 1]))
    assert evidence is not None
    document = json.loads(json.dumps(document_of(evidence)))
    assert document["cases"][0]["with"] == {
        "runs": 3,
        "mean": pytest.approx(2 / 3),
        "expected": 0.6,
        "interval": [pytest.approx(0.2077, abs=1e-4), pytest.approx(0.9385, abs=1e-4)],
        "pass_at_k": 1.0,
        "pass_hat_k": 0.0,
        "flaky": True,
    }
    assert set(document["under_no_change"]) == {"strict_accepts", "some_case_falls"}
    assert document["would_settle"]["runs"] > 3
    assert document["arms"][0]["name"] == "without"


def test_ten_thousand_cases_take_the_large_sample_paths() -> None:
    rng = np.random.default_rng(1)
    evidence = weigh(rows(*rng.binomial(3, 0.6, (2, 10_000)).tolist()))
    assert evidence is not None
    assert evidence.method == "normal"
    assert (evidence.visible or 1) < 0.02
