"""The strict rule: three conditions, exact, each with its reason."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import Unusable
from assay.schemas.baseline import Best, CaseTrials, best_of
from assay.schemas.skill_eval import CaseScores, SkillEval
from assay.verdict.gate import decide, told_apart

BEST = Best(score=0.67, without=0.5, run="eval-commit-1", date="2026-10-09", trigger_rate=0.75)


def result(with_: float | None = 0.83, without: float | None = 0.5, **changes: object) -> SkillEval:
    plain = SkillEval(
        item="commit",
        run="eval-commit-2",
        date="2026-10-10",
        model="haiku",
        with_score=with_,
        without_score=without,
        trigger_rate=1.0,
        cases=(),
        cost_usd=0.1,
        max_cost_usd=2,
    )
    return replace(plain, **changes)


def with_trials(with_: list[tuple[float, float]], without: list[tuple[float, float]]) -> SkillEval:
    means = [
        float(sum(Fraction(repr(p)) / Fraction(s) for p, s in rows) / len(rows)) for rows in (with_, without)
    ]
    trials = {"with": tuple(with_), "without": tuple(without)}
    return result(means[0], means[1], cases=(CaseScores("a", means[0], means[1], trials=trials),))


def failed(measured: SkillEval, best: Best | None) -> list[str]:
    return [condition.name for condition in decide(measured, best).conditions if condition.holds is False]


def test_a_result_above_all_three_is_accepted() -> None:
    decision = decide(result(), BEST)
    assert decision.accepted
    assert decision.reasons == ()
    assert [condition.text for condition in decision.conditions] == [
        "every planned trial ran",
        "with 0.83 is higher than the best recorded, 0.67 (2026-10-09)",
        "with 0.83 is higher than without, 0.50",
        "trigger rate 1.00 is not below the recorded best's 0.75",
    ]


@pytest.mark.parametrize(
    ("measured", "names"),
    [
        (result(0.67), ["beats best"]),
        (result(0.66), ["beats best"]),
        (result(0.83, 0.83), ["beats without"]),
        (result(0.83, 0.9), ["beats without"]),
        (result(trigger_rate=0.5), ["trigger rate"]),
        (result(0.5, 0.5, trigger_rate=0.5), ["beats best", "beats without", "trigger rate"]),
        (result(partial=True, partial_reason="cost_ceiling"), ["complete"]),
        (result(curtailed=True), ["complete"]),
        (result(None, None, partial=True), ["complete", "beats best", "beats without"]),
    ],
    ids=[
        "equal",
        "lower",
        "as without",
        "below without",
        "triggers",
        "all",
        "partial",
        "curtailed",
        "no scores",
    ],
)
def test_a_reject_names_every_condition_that_failed(measured: SkillEval, names: list[str]) -> None:
    assert failed(measured, BEST) == names
    decision = decide(measured, BEST)
    assert not decision.accepted
    assert len(decision.reasons) == len(names)


def test_with_no_best_the_floor_is_the_own_score_without() -> None:
    assert decide(result(0.51, 0.5), None).accepted
    decision = decide(result(0.5, 0.5), None)
    assert decision.reasons == (
        "with 0.50 is not higher than without, 0.50, the floor while no best is recorded for this model",
        "with 0.50 is not higher than without, 0.50",
    )


@pytest.mark.parametrize(
    ("measured", "best", "told"),
    [
        (result(), None, "trigger rate not compared: no best is recorded"),
        (result(trigger_rate=None), BEST, "trigger rate not compared: this result has none"),
        (
            result(),
            replace(BEST, trigger_rate=None),
            "trigger rate not compared: the best recorded has none",
        ),
    ],
)
def test_a_trigger_rate_that_cannot_be_compared_is_skipped_and_said(
    measured: SkillEval, best: Best | None, told: str
) -> None:
    decision = decide(measured, best)
    assert decision.accepted
    assert (decision.conditions[-1].holds, decision.conditions[-1].text) == (None, told)


def test_an_equal_trigger_rate_is_not_below() -> None:
    assert decide(result(trigger_rate=0.75), BEST).accepted


def test_sums_of_decimals_are_compared_exactly() -> None:
    """0.1 + 0.2 as floats is more than 0.3: as decimals it is equal, and an equal score is a reject."""
    ours = with_trials([(0.1, 1), (0.2, 1)], [(0, 1), (0, 1)])
    best = best_of(with_trials([(0.3, 1), (0, 1)], [(0, 1), (0, 1)]))
    assert failed(ours, replace(best, run="eval-commit-1")) == ["beats best"]


def test_a_difference_smaller_than_the_tolerance_counts_where_trials_show_it() -> None:
    tiny = 1e-10
    ours = with_trials([(0.5 + tiny, 1)], [(0, 1)])
    best = replace(best_of(with_trials([(0.5, 1)], [(0, 1)])), run="eval-commit-1")
    assert decide(ours, best).accepted
    assert failed(ours, replace(best, trials=None)) == ["beats best"], "means alone have a tolerance of 1e-9"


def test_a_best_of_other_cases_is_judged_by_its_own_mean() -> None:
    trials = {"b": CaseTrials({"with": ((1, 1),), "without": ((0, 1),)})}
    best = Best(score=1.0, without=0.0, run="eval-commit-1", date="2026-10-09", trials=trials)
    assert failed(with_trials([(1, 2)], [(0, 1)]), best) == ["beats best"]


MISMATCHED = replace(BEST, suite_digest="sha256:old", judge_model="haiku", harness="claude@2.1.300")


def test_what_is_not_comparable_is_unusable_and_says_what_changed() -> None:
    measured = result(suite_digest="sha256:new", judge_model="haiku", harness="claude@2.1.328")
    with pytest.raises(Unusable) as told:
        decide(measured, MISMATCHED)
    assert str(told.value) == (
        "not comparable with the recorded best: suite_digest was sha256:old and is sha256:new; harness was "
        "claude@2.1.300 and is claude@2.1.328. If that is meant: --accept-mismatch suite_digest "
        "--accept-mismatch harness"
    )
    with pytest.raises(Unusable, match="harness was"):
        decide(measured, MISMATCHED, accept_mismatch=["suite_digest"])


def test_a_difference_that_is_meant_is_judged_and_kept_in_the_decision() -> None:
    measured = result(harness="claude@2.1.328")
    decision = decide(measured, MISMATCHED, accept_mismatch=["harness"])
    assert decision.accepted
    assert [str(mismatch) for mismatch in decision.mismatches] == [
        "harness was claude@2.1.300 and is claude@2.1.328"
    ]


def test_a_side_that_does_not_say_is_no_mismatch() -> None:
    assert decide(result(), MISMATCHED).mismatches == ()


def test_a_run_that_is_the_recorded_best_is_not_judged_against_itself() -> None:
    decision = decide(result(0.67), replace(BEST, run="eval-commit-2"))
    assert decision.accepted
    assert [condition.name for condition in decision.conditions] == ["recorded"]
    with pytest.raises(Unusable, match="one of them was changed"):
        decide(result(0.9), replace(BEST, run="eval-commit-2"))


def test_the_decision_is_a_valid_document() -> None:
    document = decide(result(0.67), BEST).to_document({"row": "added", "baseline": "unchanged"})
    assert document["accepted"] is False
    assert document["reasons"] == ["with 0.67 is not higher than the best recorded, 0.67 (2026-10-09)"]
    assert document["best"]["score"] == 0.67
    assert document["recorded"] == {"row": "added", "baseline": "unchanged"}


@pytest.mark.parametrize(
    ("one", "other", "texts"),
    [
        (Fraction(2, 3), Fraction(1, 2), ("0.67", "0.50")),
        (Fraction(666, 1000), Fraction(672, 1000), ("0.666", "0.672")),
        (Fraction(1, 2), Fraction(1, 2), ("0.50", "0.50")),
    ],
)
def test_numbers_that_differ_are_shown_so(one: Fraction, other: Fraction, texts: tuple[str, str]) -> None:
    assert told_apart(one, other) == texts


TRIAL = st.tuples(st.integers(0, 6), st.just(6))
ROWS = st.lists(TRIAL, min_size=1, max_size=4)


@given(ROWS, ROWS, ROWS)
def test_the_answer_is_that_of_whole_numbers(
    ours: list[tuple[int, int]], floor: list[tuple[int, int]], recorded: list[tuple[int, int]]
) -> None:
    best = replace(best_of(with_trials(recorded, [(0, 6)])), run="eval-commit-1", trigger_rate=None)
    decision = decide(with_trials(ours, floor), best)
    total = sum(passed for passed, _ in ours)
    beats_best = total * len(recorded) > sum(passed for passed, _ in recorded) * len(ours)
    beats_without = total * len(floor) > sum(passed for passed, _ in floor) * len(ours)
    assert decision.accepted is (beats_best and beats_without)
