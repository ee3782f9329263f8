"""Does an item still earn its place? A run with it and without it, judged by what the trials can bear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal, TypeAlias

from assay.model import JSON, WITH, WITHOUT, exact
from assay.schemas import validate
from assay.schemas.skill_eval import CaseScores, SkillEval
from assay.verdict.permutation import Scores, within_cases
from assay.verdict.power import World, runs_to_see, standard_error, world_of_trials
from assay.verdict.student import normal_quantile

Answer: TypeAlias = Literal["keep", "disposable", "undecided"]
ALPHA = 0.05
WORTH = 0.2
"""An effect on the mean score that is worth keeping an item for: about that of an average curated skill."""
TRIALS_AT_LEAST = 15
"""Trials on each arm below which nothing but a collapse shows: too few to call an item useless."""


@dataclass(frozen=True, slots=True)
class Exam:
    """The answer, and what it stands on. Differences are of mean scores, with the item minus without."""

    item: str
    answer: Answer
    why: str
    worth: float
    delta: float | None
    upper: float | None = None
    """One-sided 95 % upper bound of the difference, for the same cases run again."""
    p_better: float | None = None
    p_worse: float | None = None
    """Exact tests within cases, one-sided."""
    runs: int = 0
    """Trials a case and arm that there are, at least."""
    runs_needed: int | None = None
    """Trials a case and arm that would decide four times in five; None where no thousand would."""
    more_cost_usd: float | None = None
    """What the missing ones cost at the price of those there are; None where that is not known."""

    def to_document(self, result: SkillEval) -> JSON:
        """The `exam/1` document, checked against its schema."""
        names = ("item", "answer", "why", "worth", "delta", "upper", "p_better", "p_worse")
        document = {
            "schema": "exam/1",
            **{name: getattr(self, name) for name in (*names, "runs", "runs_needed", "more_cost_usd")},
            "result": result.to_document(),
        }
        validate(document, "exam-1", "the exam")
        return document


def examine(result: SkillEval, worth: float = WORTH, paid_usd: float | None = None) -> Exam:
    """Keep what helps; dispose of what does not, if the trials would have shown an effect of `worth`.

    It helps where the exact test within cases says so. It does not where the test says that it harms, or
    where the upper bound of its effect is below `worth` on at least `TRIALS_AT_LEAST` trials an arm.
    `paid_usd` is what all of the result's trials cost when they were run.
    """
    cases = [
        case for case in result.cases if case.trials and None not in (case.with_score, case.without_score)
    ]
    before, now = ([_scores(case, arm) for case in cases] for arm in (WITHOUT, WITH))
    runs = min(map(len, [*before, *now]), default=0)
    exam = Exam(result.item, "undecided", "no case has a score on both arms", worth, result.delta, runs=runs)
    if not cases or result.delta is None:
        return exam
    test = within_cases(before, now)
    world = _world(before, now)
    upper = result.delta + normal_quantile(1 - ALPHA) * standard_error(world)
    exam = replace(exam, upper=upper, p_better=test.greater, p_worse=test.less)
    trials = min(sum(map(len, before)), sum(map(len, now)))
    if test.greater <= ALPHA:
        return replace(exam, answer="keep", why=f"it helps: {_signed(result.delta)}, {_p(test.greater)}")
    if test.less <= ALPHA:
        return replace(exam, answer="disposable", why=f"it harms: {_signed(result.delta)}, {_p(test.less)}")
    if upper < worth and trials >= TRIALS_AT_LEAST and not result.partial:
        why = f"no help was seen, and an effect of {worth:.2f} would have been: at most {_signed(upper)}"
        return replace(exam, answer="disposable", why=why)
    needed = _needed(runs_to_see(world, max(result.delta, worth - result.delta)), len(cases), runs)
    return replace(
        exam,
        why=_doubt(result, result.delta, exam, trials),
        runs_needed=needed,
        more_cost_usd=_more_cost(needed, before, now, paid_usd),
    )


def _world(before: Sequence[Scores], now: Sequence[Scores]) -> World:
    """The cases as both arms know them together: what they would be if the item did nothing."""
    pairs = list(zip(before, now, strict=True))
    counts = [(float(sum(old) + sum(new)), len(old) + len(new)) for old, new in pairs]
    return world_of_trials(counts, [len(old) for old, _ in pairs], [len(new) for _, new in pairs])


def _needed(runs: int | None, cases: int, made: int) -> int | None:
    """At least enough trials to say anything, and more than there are."""
    return None if runs is None else max(runs, ceil(TRIALS_AT_LEAST / cases), made + 1)


def _doubt(result: SkillEval, delta: float, exam: Exam, trials: int) -> str:
    if result.partial:
        return f"the run is partial ({result.partial_reason}): {_signed(delta)} so far"
    if trials < TRIALS_AT_LEAST:
        return f"{trials} trials an arm are too few to call it useless: {_signed(delta)}"
    possible = _signed(exam.upper or delta)
    return f"{_signed(delta)} may be luck, and {possible} is still possible (worth {exam.worth:.2f})"


def _more_cost(
    needed: int | None, before: Sequence[Scores], now: Sequence[Scores], paid_usd: float | None
) -> float | None:
    made = sum(map(len, [*before, *now]))
    if needed is None or paid_usd is None:
        return None
    return max(0, needed * 2 * len(before) - made) * paid_usd / made


def _scores(case: CaseScores, arm: str) -> Scores:
    rows = (case.trials or {}).get(arm, ())
    return [exact(passed) / exact(scored) for passed, scored in rows if scored > 0]


def _signed(value: float) -> str:
    return f"{value:+.2f}"


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"
