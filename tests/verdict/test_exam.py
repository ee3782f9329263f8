"""An item is kept where it helps, disposed of where it would have shown, and left open otherwise."""

from dataclasses import replace

import pytest

from assay.schemas.skill_eval import CaseScores, SkillEval
from assay.verdict.exam import examine


def measured(*cases: tuple[list[float], list[float]]) -> SkillEval:
    """A result of cases as (scores with, scores without)."""
    rows = []
    for number, (with_, without) in enumerate(cases):
        means = [sum(scores) / len(scores) for scores in (with_, without)]
        trials = {
            arm: tuple((score, 1.0) for score in scores)
            for arm, scores in (("with", with_), ("without", without))
        }
        rows.append(CaseScores(f"c{number}", *means, trials=trials))
    totals = [sum(getattr(row, arm) for row in rows) / len(rows) for arm in ("with_score", "without_score")]
    return SkillEval("commit", "r", "2026-10-09", "haiku", *totals, None, tuple(rows), 1.0, 2.0)


ONES, ZEROS = [1.0] * 5, [0.0] * 5


def test_what_helps_is_kept_even_on_few_trials() -> None:
    exam = examine(measured((ONES, ZEROS)))
    assert exam.answer == "keep"
    assert exam.p_better == pytest.approx(1 / 252)


def test_what_harms_is_disposable() -> None:
    exam = examine(measured((ZEROS, ONES)))
    assert (exam.answer, exam.why) == ("disposable", "it harms: -1.00, p = 0.004")


def test_what_changes_nothing_is_disposable_where_an_effect_would_have_shown() -> None:
    exam = examine(measured(*[(ONES, ONES)] * 6))
    assert exam.answer == "disposable"
    assert exam.upper is not None
    assert exam.upper < 0.2


def test_few_trials_do_not_call_an_item_useless() -> None:
    exam = examine(measured((ONES, ONES), (ONES, ONES)))
    assert (exam.answer, exam.delta) == ("undecided", 0.0)
    assert exam.why == "10 trials an arm are too few to call it useless: +0.00"
    assert exam.runs_needed is not None
    assert exam.runs_needed >= 8


def test_noise_is_undecided_and_says_what_more_runs_cost() -> None:
    mixed = [1.0, 0.0, 1.0, 0.0, 1.0]
    exam = examine(measured(*[(mixed, [0.0, 1.0, 0.0, 1.0, 0.0])] * 3), paid_usd=0.3)
    assert exam.answer == "undecided"
    assert exam.runs == 5
    assert exam.runs_needed is not None
    assert exam.more_cost_usd == pytest.approx((exam.runs_needed - 5) * 6 * 0.01)


def test_a_smaller_worth_asks_for_more() -> None:
    result = measured(*[(ONES, ONES)] * 6)
    assert examine(result, 0.2).answer == "disposable"
    assert examine(result, 0.01).answer == "undecided"


def test_a_partial_run_disposes_of_nothing() -> None:
    result = replace(measured(*[(ONES, ONES)] * 6), partial=True, partial_reason="cost_ceiling")
    assert examine(result).answer == "undecided"


def test_an_unknown_cost_stays_unknown() -> None:
    assert examine(measured((ONES, ONES))).more_cost_usd is None


def test_without_a_case_on_both_arms_nothing_is_known() -> None:
    result = replace(measured((ONES, ONES)), cases=(), with_score=None, without_score=None)
    exam = examine(result)
    assert (exam.answer, exam.p_better, exam.runs_needed) == ("undecided", None, None)


def test_the_document_is_valid() -> None:
    result = measured((ONES, ZEROS))
    document = examine(result).to_document(result)
    assert (document["schema"], document["answer"]) == ("exam/1", "keep")
