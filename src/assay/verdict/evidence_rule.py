"""The rule `evidence`: accept what the trials can show, not what luck put on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from assay.errors import Unusable
from assay.model import WITH, WITHOUT
from assay.schemas.baseline import Best
from assay.schemas.skill_eval import SkillEval
from assay.verdict.evidence import FEWEST_TRIALS, MOST_MISSING, Evidence, weigh
from assay.verdict.evidence_document import more
from assay.verdict.evidence_of_result import against_best, trials_of
from assay.verdict.gate import Condition, Rule, complete
from assay.verdict.multiple import holm
from assay.verdict.sequential import Standing
from assay.verdict.trials import Trials, scores_of

Confidence: TypeAlias = Literal["normal", "high"]

ALPHAS: Mapping[Confidence, float] = {"normal": 0.10, "high": 0.05}
"""The chance to accept an edit that changed nothing, one-sided."""
HELPS_ALPHA = 0.10
"""The same for the claim that the item helps at all."""
TRIGGERS_FELL = 0.90
"""From this probability on, triggers are taken to have got worse."""
CASE_ALPHA = 0.05
"""The chance to call any case fallen where none did (Holm)."""
BEATS = "improves on best"
SETTLED: Mapping[Standing, str] = {
    "improved": "improved on the incumbent: the fresh rounds settled it (e-value)",
    "regressed": "regressed from the incumbent: the fresh rounds settled it (e-value)",
    "futile": "inconclusive: the edit was not ahead by enough to go on with the fresh rounds",
    "open": "inconclusive: the fresh rounds reached their cap and settled nothing",
}
"""What watched rounds came to, in words."""


def evidence_rule(confidence: Confidence = "normal") -> Rule:
    """The rule at a confidence."""
    alpha = ALPHAS[confidence]
    return Rule("evidence", lambda result, best: judge(result, best, alpha), alpha)


def settled_rule(rule: Rule, standing: Standing) -> Rule:
    """The rule for fresh rounds that were watched: their standing takes the place of the test of the best.

    An exact test of rounds that were looked at as they came would call luck an improvement too often.
    """

    def judge_rounds(result: SkillEval, best: Best | None) -> tuple[Condition, ...]:
        answers = {BEATS: Condition(BEATS, standing == "improved", SETTLED[standing])}
        if not result.partial:
            answers["complete"] = Condition(
                "complete", True, "every round that was begun was counted or left"
            )
        conditions = rule.judge(result, best)
        return tuple(answers.get(condition.name, condition) for condition in conditions)

    word = standing if standing in ("improved", "regressed") else "inconclusive"
    return replace(rule, judge=judge_rounds, settled=(word, SETTLED[standing]))


def judge(result: SkillEval, best: Best | None, alpha: float) -> tuple[Condition, ...]:
    """The conditions of the rule. Raises `Unusable` where the result or the best keeps no trials."""
    trials = trials_of(result)
    if len(trials) < len(result.cases):
        raise Unusable("--rule evidence needs the trials of every case, and this result keeps only means")
    own = weigh(trials)
    if own is None:
        return (complete(result), Condition("comparable", False, "no case has trials on both arms"))
    conditions = [complete(result), _enough(own, result)]
    if best is not None:
        if not best.trials:
            raise Unusable(
                "--rule evidence needs the trials of the recorded best, and it keeps only a mean: record a"
                " new best with this version, or use --rule strict"
            )
        conditions += _against_best(result, best, alpha)
    conditions.append(_improved(own, HELPS_ALPHA, "improves on without", WITHOUT))
    return tuple(conditions)


def _against_best(result: SkillEval, best: Best, alpha: float) -> list[Condition]:
    found = against_best(result, best)
    if found is None:
        return [Condition(BEATS, False, "no case is common to this result and the recorded best")]
    return [
        _improved(found, alpha, BEATS, "the best"),
        _triggers(result, best),
        _no_case_fell(result, best),
    ]


def _enough(own: Evidence, result: SkillEval) -> Condition:
    fewest = min(own.before.trials, own.now.trials)
    if fewest < FEWEST_TRIALS:
        text = (
            f"underpowered: {fewest} trials an arm are fewer than {FEWEST_TRIALS}, only a collapse would show"
        )
        return Condition("enough trials", False, text)
    errors = sum(case.errors or 0 for case in result.cases)
    planned = errors + own.before.trials + own.now.trials
    if errors > MOST_MISSING * planned:
        return Condition(
            "enough trials", False, f"invalid: {errors} of {planned} trials died of infrastructure"
        )
    return Condition("enough trials", True, f"{fewest} trials an arm")


def _improved(found: Evidence, alpha: float, name: str, other: str) -> Condition:
    p, delta = found.p_improved, f"{found.delta:+.2f} on {other}"
    if p <= alpha * (1 + 1e-9):
        return Condition(name, True, f"improved: {delta}, {_shown(p)} (asked for: at most {alpha:.2f})")
    if found.p_regressed <= alpha * (1 + 1e-9):
        return Condition(name, False, f"regressed: {delta}, by luck {_shown(found.p_regressed)}")
    size = "not even the largest change" if found.visible is None else f"a change of {found.visible:.2f}"
    text = (
        f"inconclusive: {delta}, p {p:.3f} is above {alpha:.2f}; these trials see {size} four times in five."
        f"{more(found)}"
    )
    return Condition(name, False, text.rstrip("."))


def _shown(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p {p:.3f}"


def _triggers(result: SkillEval, best: Best) -> Condition:
    """Whether triggers got worse: pooled over cases, which is what their rate is."""
    from assay.verdict.bayes import change_odds

    name, kept = "triggers", best.trials or {}
    pairs = [
        (kept[case.name].triggers, case.triggers)
        for case in result.cases
        if case.name in kept and case.triggers and case.triggers[1]
    ]
    both = [(old, new) for old, new in pairs if old and old[1]]
    if not both:
        return Condition(name, None, "triggers not compared: one side has none")
    fell = change_odds([(float(p), n) for (p, n), _ in both], [(float(p), n) for _, (p, n) in both]).regressed
    holds = fell < TRIGGERS_FELL
    return Condition(
        name, holds, f"triggers got worse with probability {fell:.2f}{'' if holds else ': too likely'}"
    )


def _no_case_fell(result: SkillEval, best: Best) -> Condition:
    fallen = fallen_cases(
        {
            case.name: {"before": (best.trials or {})[case.name].arms.get(WITH, ()), "now": case.trials[WITH]}
            for case in result.cases
            if case.trials and WITH in case.trials and case.name in (best.trials or {})
        }
    )
    if fallen:
        return Condition("no case fell", False, f"regressed on {', '.join(fallen)} (exact test, Holm)")
    return Condition("no case fell", True, "no case is shown to have fallen")


def fallen_cases(trials: Trials, alpha: float = CASE_ALPHA) -> Sequence[str]:
    """Cases whose drop from `before` to `now` an exact one-sided test shows, Holm over those that dropped."""
    from assay.verdict.permutation import within_cases

    p_values: dict[str, float] = {}
    for case, arms in trials.items():
        old, new = scores_of(arms["before"]), scores_of(arms["now"])
        if old and new and sum(new) * len(old) < sum(old) * len(new):
            p_values[case] = within_cases([old], [new]).less
    adjusted = holm(list(p_values.values()))
    return [case for case, p in zip(p_values, adjusted, strict=True) if p <= alpha * (1 + 1e-9)]
