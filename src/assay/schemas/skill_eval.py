"""`skill-eval/1` in its typed form: what an ablation run measured. Pure values, no files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, TypeAlias

from assay.errors import Unusable
from assay.model import JSON, WITH, WITHOUT, exact
from assay.schemas import validate

TOLERANCE = 1e-9
"""How far two numbers may be apart and still count as equal where no exact trials are at hand."""

_MAY_LACK = frozenset(
    {"activation", "errors", "evidence", "harness", "runs_with", "runs_without", "trials", "triggers"}
)
"""What a document leaves out where it is not known; the rest it has, null where it is not known."""

PairOfWeights: TypeAlias = tuple[float, float]
"""(passed weight, scored weight) of one trial."""
Verdict: TypeAlias = Literal["improved", "no-signal", "regressed"]
PartialReason: TypeAlias = Literal["cost_ceiling", "interrupted", "errors"]


@dataclass(frozen=True, slots=True)
class CaseScores:
    """One case of a `skill-eval/1` document. What an older document does not hold is None."""

    name: str
    with_score: float | None
    without_score: float | None
    trigger_rate: float | None = None
    runs_with: int | None = None
    runs_without: int | None = None
    errors: int | None = None
    trials: Mapping[str, tuple[PairOfWeights, ...]] | None = None
    """By arm, in the order of the repeats; trials without a score are not in it."""
    triggers: tuple[int, int] | None = None
    """(passed, all) of the trigger results on the arm with the item."""

    @property
    def delta(self) -> float | None:
        return difference(self.with_score, self.without_score)

    def to_document(self) -> JSON:
        document = {
            "name": self.name,
            "with": self.with_score,
            "without": self.without_score,
            "delta": self.delta,
            "verdict": verdict_of(self.delta),
            "trigger_rate": self.trigger_rate,
            "runs_with": self.runs_with,
            "runs_without": self.runs_without,
            "errors": self.errors,
            "trials": trials_document(self.trials) if self.trials is not None else None,
            "triggers": list(self.triggers) if self.triggers else None,
        }
        return {key: value for key, value in document.items() if value is not None or key not in _MAY_LACK}


@dataclass(frozen=True, slots=True)
class SkillEval:
    """What an ablation run measured, as a document keeps it. Scores are unrounded, 0 to 1."""

    item: str
    run: str
    date: str
    model: str
    with_score: float | None
    without_score: float | None
    trigger_rate: float | None
    cases: tuple[CaseScores, ...]
    cost_usd: float | None
    max_cost_usd: float | None
    partial: bool = False
    partial_reason: PartialReason | None = None
    curtailed: bool = False
    model_reported: str | None = None
    judge_model: str | None = None
    harness: str | None = None
    item_digest: str | None = None
    suite_digest: str | None = None
    evidence: Mapping[str, JSON] | None = None
    activation: Mapping[str, JSON] | None = None
    """Whether the item fired, where the harness can tell: figures a case, recall and specificity."""

    @property
    def delta(self) -> float | None:
        return difference(self.with_score, self.without_score)

    @property
    def verdict(self) -> Verdict | None:
        """The sign of `delta`."""
        return verdict_of(self.delta)

    def to_document(self) -> JSON:
        """The document, checked against its schema (`Unusable` says what breaks it)."""
        document = {
            "schema": "skill-eval/1",
            "item": self.item,
            "with": self.with_score,
            "without": self.without_score,
            "delta": self.delta,
            "verdict": self.verdict,
            "trigger_rate": self.trigger_rate,
            "cost_usd": self.cost_usd,
            "max_cost_usd": self.max_cost_usd,
            "partial": self.partial,
            "partial_reason": self.partial_reason,
            "curtailed": self.curtailed,
            "model": self.model,
            "model_reported": self.model_reported,
            "judge_model": self.judge_model,
            "harness": self.harness,
            "item_digest": self.item_digest,
            "suite_digest": self.suite_digest,
            "run": self.run,
            "date": self.date,
            "evidence": dict(self.evidence) if self.evidence is not None else None,
            "activation": dict(self.activation) if self.activation is not None else None,
            "cases": [case.to_document() for case in self.cases],
        }
        known = {key: value for key, value in document.items() if value is not None or key not in _MAY_LACK}
        validate(known, "skill-eval-1", f"the result of {self.item}")
        return known


def from_document(document: JSON, where: str = "the result") -> SkillEval:
    """Read a `skill-eval/1` document; fields that it does not know are ignored.

    Raises `Unusable` where it breaks the schema, or where its means are not those of its own trials.
    """
    validate(document, "skill-eval-1", where)
    names = ("item", "run", "date", "model", "cost_usd", "max_cost_usd", "partial", "trigger_rate")
    optional = ("partial_reason", "model_reported", "judge_model", "harness", "item_digest", "suite_digest")
    result = SkillEval(
        with_score=document["with"],
        without_score=document["without"],
        cases=tuple(_case(case) for case in document["cases"]),
        curtailed=document.get("curtailed", False),
        evidence=document.get("evidence"),
        activation=document.get("activation"),
        **{name: document[name] for name in names},
        **{name: document.get(name) for name in optional},
    )
    _check_means(result, where)
    return result


@lru_cache(maxsize=8192)
def difference(one: float | None, other: float | None) -> float | None:
    """`one - other` as decimals, None where either is unknown."""
    return None if one is None or other is None else float(exact(one) - exact(other))


def verdict_of(delta: float | None) -> Verdict | None:
    """The sign of a difference in words; None where it is unknown."""
    if delta is None:
        return None
    if abs(delta) <= TOLERANCE:
        return "no-signal"
    return "improved" if delta > 0 else "regressed"


def score_of_trials(trials: Iterable[PairOfWeights]) -> Fraction | None:
    """Mean of the trials' scores, exact; None without a trial that has a scored weight."""
    return _score_of(tuple(trials))


@lru_cache(maxsize=8192)
def _score_of(trials: tuple[PairOfWeights, ...]) -> Fraction | None:
    scores = [exact(passed) / exact(scored) for passed, scored in trials if scored > 0]
    return sum(scores, Fraction(0)) / len(scores) if scores else None


def mean_of_cases(cases: Iterable[Mapping[str, tuple[PairOfWeights, ...]]], arm: str) -> Fraction | None:
    """Mean of case scores on one arm, exact, equal weight a case, over the cases that have both arms."""
    alike = Counter((case.get(WITH, ()), case.get(WITHOUT, ())) for case in cases)
    total, counted = Fraction(0), 0
    for both, count in alike.items():
        scores = [score_of_trials(trials) for trials in both]
        score = scores[arm == WITHOUT]
        if score is not None and None not in scores:
            total += count * score
            counted += count
    return total / counted if counted else None


def exact_score(result: SkillEval, arm: str) -> Fraction | None:
    """The mean of an arm as a rational, from the trials; None where the document does not hold them all."""
    counted = [case for case in result.cases if None not in (case.with_score, case.without_score)]
    trials = [case.trials for case in counted if case.trials]
    return mean_of_cases(trials, arm) if len(trials) == len(counted) else None


def _case(document: JSON) -> CaseScores:
    trials, triggers = document.get("trials"), document.get("triggers")
    return CaseScores(
        name=document["name"],
        with_score=document["with"],
        without_score=document["without"],
        trigger_rate=document["trigger_rate"],
        runs_with=document.get("runs_with"),
        runs_without=document.get("runs_without"),
        errors=document.get("errors"),
        trials={arm: pairs_of(rows) for arm, rows in trials.items()} if trials is not None else None,
        triggers=(triggers[0], triggers[1]) if triggers else None,
    )


def pairs_of(rows: Iterable[JSON]) -> tuple[PairOfWeights, ...]:
    """The rows `[passed, scored]` of a document as pairs."""
    return tuple((passed, scored) for passed, scored in rows)


def trials_document(trials: Mapping[str, tuple[PairOfWeights, ...]]) -> JSON:
    """Trials by arm as a document keeps them."""
    return {arm: [list(pair) for pair in pairs] for arm, pairs in trials.items()}


def _check_means(result: SkillEval, where: str) -> None:
    for arm, said in ((WITH, result.with_score), (WITHOUT, result.without_score)):
        score = exact_score(result, arm)
        if score is not None and (said is None or abs(score - exact(said)) > TOLERANCE):
            raise Unusable(f"{where}: `{arm}` says {said}, but its own trials make {float(score)}")
