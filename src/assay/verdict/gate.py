"""The gate: does a result beat the best recorded for its model? Pure: values in, a decision out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from assay.errors import Unusable
from assay.model import JSON, WITH, WITHOUT, exact
from assay.schemas import validate
from assay.schemas.baseline import Best
from assay.schemas.skill_eval import TOLERANCE, SkillEval, exact_score

RuleName: TypeAlias = Literal["strict", "evidence"]
COMPARED = ("suite_digest", "judge_model", "harness")
"""What has to be the same on both sides for two scores to be comparable."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that has to hold for an accept. `holds` is None where it was skipped; `text` says why."""

    name: str
    holds: bool | None
    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to judge a result against a best: its name, and the conditions that have to hold.

    `judge` may raise `Unusable` where the two do not hold what it needs.
    """

    name: RuleName
    judge: Callable[[SkillEval, Best | None], tuple[Condition, ...]]
    alpha: float = 0.05
    """The chance, either way, that the words of its evidence call luck a change."""
    settled: tuple[str, str] | None = None
    """The word and sentence of fresh rounds that were watched, instead of those of a fixed test."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Something that differs between a result and the best that it is judged against."""

    name: str
    recorded: str
    now: str

    def __str__(self) -> str:
        return f"{self.name} was {self.recorded} and is {self.now}"


@dataclass(frozen=True, slots=True)
class Decision:
    """What the gate says of one result, and why."""

    item: str
    model: str
    run: str
    rule: RuleName
    conditions: tuple[Condition, ...]
    score: float | None
    without: float | None
    trigger_rate: float | None
    best: Best | None
    mismatches: tuple[Mismatch, ...] = ()
    evidence: Mapping[str, JSON] | None = None
    attempts: Mapping[str, JSON] | None = None
    """How many results were judged against the same record so far, and what luck alone would accept."""

    @property
    def accepted(self) -> bool:
        return all(condition.holds is not False for condition in self.conditions)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Every condition that failed, in words."""
        return tuple(condition.text for condition in self.conditions if condition.holds is False)

    def to_document(self, recorded: JSON = None) -> JSON:
        """The `gate-decision/1` document; `recorded` is what `--record` wrote."""
        document = {
            "schema": "gate-decision/1",
            "item": self.item,
            "model": self.model,
            "run": self.run,
            "rule": self.rule,
            "accepted": self.accepted,
            "reasons": list(self.reasons),
            "conditions": [{"name": c.name, "holds": c.holds, "text": c.text} for c in self.conditions],
            "score": self.score,
            "without": self.without,
            "trigger_rate": self.trigger_rate,
            "best": self.best.to_document() if self.best else None,
            "mismatches": [{"name": m.name, "recorded": m.recorded, "now": m.now} for m in self.mismatches],
            "evidence": dict(self.evidence) if self.evidence is not None else None,
            "attempts": dict(self.attempts) if self.attempts is not None else None,
            "recorded": recorded,
        }
        validate(document, "gate-decision-1", "the decision")
        return document


def decide(
    result: SkillEval, best: Best | None, *, accept_mismatch: Iterable[str] = (), rule: Rule | None = None
) -> Decision:
    """Judge a result against the best of its model (None: nothing is recorded yet), strictly by default.

    A run that is itself the recorded best is not judged again. Raises `Unusable` where the two are not
    comparable and `accept_mismatch` does not name what differs.
    """
    differ = check_comparable(result, best, accept_mismatch)
    rule = rule or STRICT
    is_same_run = best is not None and best.run == result.run
    conditions = _same_run(result, best) if is_same_run and best else rule.judge(result, best)
    return Decision(
        item=result.item,
        model=result.model,
        run=result.run,
        rule=rule.name,
        conditions=conditions,
        score=result.with_score,
        without=result.without_score,
        trigger_rate=result.trigger_rate,
        best=best,
        mismatches=differ,
        evidence=result.evidence,
    )


def check_comparable(result: SkillEval, best: Best | None, accept: Iterable[str]) -> tuple[Mismatch, ...]:
    """What differs of the two, all of it named in `accept`; `Unusable` where something is not."""
    differ = mismatches(result, best)
    unmeant = [mismatch for mismatch in differ if mismatch.name not in set(accept)]
    if unmeant:
        told = "; ".join(str(mismatch) for mismatch in unmeant)
        flags = " ".join(f"--accept-mismatch {mismatch.name}" for mismatch in unmeant)
        raise Unusable(f"not comparable with the recorded best: {told}. If that is meant: {flags}")
    return differ


def mismatches(result: SkillEval, best: Best | None) -> tuple[Mismatch, ...]:
    """What differs of suite, judge and harness, as far as both sides say what theirs was."""
    if best is None:
        return ()
    pairs = [(name, getattr(best, name), getattr(result, name)) for name in COMPARED]
    return tuple(Mismatch(name, old, new) for name, old, new in pairs if old and new and old != new)


def strict_rule(result: SkillEval, best: Best | None) -> tuple[Condition, ...]:
    """The three conditions of the strict rule, and that the run was complete."""
    return (
        complete(result),
        _beats_best(result, best),
        _beats_without(result),
        _keeps_triggers(result, best),
    )


STRICT = Rule("strict", strict_rule)


def complete(result: SkillEval) -> Condition:
    """Whether every planned trial ran: what did not is never accepted."""
    if result.partial:
        reason = f" ({result.partial_reason})" if result.partial_reason else ""
        return Condition("complete", False, f"the run is partial{reason}: a planned trial is missing")
    if result.curtailed:
        return Condition(
            "complete", False, "the run was stopped early: no remaining trial could have made it pass"
        )
    return Condition("complete", True, "every planned trial ran")


def _beats_best(result: SkillEval, best: Best | None) -> Condition:
    if best is None:
        floor = "without, {}, the floor while no best is recorded for this model"
        return Condition(
            "beats best", *_higher(result, exact_score(result, WITHOUT), result.without_score, floor)
        )
    recorded = f"the best recorded, {{}} ({best.date})"
    return Condition("beats best", *_higher(result, best.exact_score(WITH), best.score, recorded))


def _beats_without(result: SkillEval) -> Condition:
    without = exact_score(result, WITHOUT), result.without_score
    return Condition("beats without", *_higher(result, *without, "without, {}"))


def _keeps_triggers(result: SkillEval, best: Best | None) -> Condition:
    name = "trigger rate"
    if best is None:
        return Condition(name, None, "trigger rate not compared: no best is recorded")
    if result.trigger_rate is None or best.trigger_rate is None:
        side = "this result" if result.trigger_rate is None else "the best recorded"
        return Condition(name, None, f"trigger rate not compared: {side} has none")
    now, old = exact(result.trigger_rate), exact(best.trigger_rate)
    holds = now - old >= -exact(TOLERANCE)
    is_it = "is not below" if holds else "is below"
    new_text, old_text = told_apart(now, old)
    return Condition(name, holds, f"trigger rate {new_text} {is_it} the recorded best's {old_text}")


def _higher(
    result: SkillEval, other_exact: Fraction | None, other: float | None, named: str
) -> tuple[bool, str]:
    """Whether the score with the item is strictly higher than the one `named`, and that in words."""
    if result.with_score is None or other is None:
        return False, "no case has a score on both arms: nothing can be compared"
    ours = exact_score(result, WITH)
    if ours is not None and other_exact is not None:
        holds = ours > other_exact
    else:
        ours, other_exact = exact(result.with_score), exact(other)
        holds = ours - other_exact > exact(TOLERANCE)
    ours_text, other_text = told_apart(ours, other_exact)
    return holds, f"with {ours_text} is {'' if holds else 'not '}higher than {named.format(other_text)}"


def told_apart(one: Fraction, other: Fraction) -> tuple[str, str]:
    """Two numbers with two decimals, or as many more (up to six) as it takes to see that they differ."""
    for places in range(2, 7):
        texts = f"{float(one):.{places}f}", f"{float(other):.{places}f}"
        if texts[0] != texts[1]:
            return texts
    return f"{float(one):.2f}", f"{float(other):.2f}"


def _same_run(result: SkillEval, best: Best) -> tuple[Condition, ...]:
    if result.with_score is None or abs(result.with_score - best.score) > TOLERANCE:
        raise Unusable(
            f"the recorded best says that {best.run} scored {best.score}, and this result of that run says "
            f"{result.with_score}: one of them was changed"
        )
    return (Condition("recorded", True, f"this run is the recorded best itself ({best.date})"),)
