"""The rule `evidence`, condition by condition, on results and bests that hold their trials."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from assay.errors import Unusable
from assay.model import WITH, WITHOUT
from assay.schemas.baseline import Best, best_of
from assay.schemas.skill_eval import CaseScores, SkillEval
from assay.verdict.evidence_rule import evidence_rule, fallen_cases
from assay.verdict.gate import Decision, decide


def result(passed: Sequence[int], runs: int = 8, without: int = 0, run: str = "r2") -> SkillEval:
    """A case each, so many passes with the item and `without` passes without it."""
    cases = []
    for number, count in enumerate(passed):
        trials = {
            arm: tuple((float(place < hits), 1.0) for place in range(runs))
            for arm, hits in ((WITH, count), (WITHOUT, without))
        }
        cases.append(CaseScores(f"c{number}", count / runs, without / runs, None, runs, runs, 0, trials))
    mean = sum(passed) / len(passed) / runs
    return SkillEval("i", run, "2026-10-09", "m", mean, without / runs, None, tuple(cases), None, None)


def best(passed: Sequence[int], runs: int = 8) -> Best:
    return best_of(result(passed, runs, run="r1"))


def judged(now: SkillEval, before: Best | None) -> Decision:
    return decide(now, before, rule=evidence_rule())


def failed(decision: Decision) -> list[str]:
    return [condition.name for condition in decision.conditions if condition.holds is False]


def test_a_gain_that_the_test_shows_is_accepted() -> None:
    decision = judged(result([8, 7, 8]), best([3, 4, 3]))
    assert decision.accepted
    assert any(condition.text.startswith("improved: +0.54 on the best") for condition in decision.conditions)


def test_a_gain_that_luck_may_have_made_says_what_would_settle_it() -> None:
    now = result([7, 6, 7])
    told = {"would_settle": {"runs": 9, "trials": 10, "cost_usd": 1.0, "minutes": 5.0}}
    decision = judged(replace(now, evidence=told), best([6, 5, 7]))
    assert failed(decision) == ["improves on best"]
    (reason,) = decision.reasons
    assert reason.startswith("inconclusive: +0.08 on the best, p 0.")
    assert "more trials" in reason
    trials = int(reason.split(" more trials")[0].rpartition("(")[2])
    assert f"${trials / 10:.2f}" in reason, "at ten cents a trial, as the run's own evidence has it"
    assert f"{trials / 2:.0f} min" in reason


def test_a_drop_is_called_one() -> None:
    decision = judged(result([2, 3, 2]), best([8, 7, 8]))
    assert decision.reasons[0].startswith("regressed: -0.67 on the best")
    assert "no case fell" in failed(decision)


def test_a_gain_does_not_pay_for_a_case_that_fell() -> None:
    decision = judged(result([8, 8, 8, 0]), best([2, 2, 2, 8]))
    assert failed(decision) == ["no case fell"]
    assert decision.reasons == ("regressed on c3 (exact test, Holm)",)


def test_a_drop_of_one_trial_is_no_fallen_case() -> None:
    rows = {"a": {"before": [(1.0, 1.0)] * 8, "now": [(1.0, 1.0)] * 7 + [(0.0, 1.0)]}}
    assert fallen_cases(rows) == []


def test_too_few_trials_are_underpowered_whatever_they_say() -> None:
    decision = judged(result([2, 2], runs=2), best([0, 0], runs=2))
    assert "underpowered: 4 trials an arm are fewer than 15" in decision.reasons[0]


def test_triggers_that_probably_fell_are_a_reject() -> None:
    def with_triggers(measured: SkillEval, fired: int) -> SkillEval:
        return replace(
            measured,
            trigger_rate=fired / 8,
            cases=tuple(replace(case, triggers=(fired, 8)) for case in measured.cases),
        )

    now, before = result([8, 8, 8]), result([3, 3, 3], run="r1")
    decision = judged(with_triggers(now, 4), best_of(with_triggers(before, 8)))
    assert failed(decision) == ["triggers"]
    assert judged(with_triggers(now, 7), best_of(with_triggers(before, 7))).accepted


def test_an_item_that_does_not_help_is_rejected_whatever_the_best_was() -> None:
    decision = judged(result([8, 8, 8], without=8), best([3, 3, 3]))
    assert failed(decision) == ["improves on without"]


def test_what_keeps_no_trials_cannot_be_tested() -> None:
    with pytest.raises(Unusable, match="keeps only a mean"):
        judged(result([8, 8]), replace(best([3, 3]), trials=None))
