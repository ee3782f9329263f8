"""`skill-eval-baseline/1` in its typed form: the best score recorded for each model of one item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from assay.model import JSON
from assay.schemas import validate
from assay.schemas.skill_eval import (
    CaseScores,
    PairOfWeights,
    SkillEval,
    mean_of_cases,
    pairs_of,
    trials_document,
)

_MAY_LACK = frozenset({"suite_digest", "judge_model", "harness", "item_digest", "revision"})
_PLAIN_FIELDS = ("score", "without", "trigger_rate", "run", "date", *sorted(_MAY_LACK))


@dataclass(frozen=True, slots=True)
class CaseTrials:
    """What a best keeps of one case: its trials by arm, and (passed, all) of its trigger results."""

    arms: Mapping[str, tuple[PairOfWeights, ...]]
    triggers: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Best:
    """The best run recorded for one model. What an older file does not hold is None."""

    score: float
    without: float | None
    run: str
    date: str
    trigger_rate: float | None = None
    suite_digest: str | None = None
    judge_model: str | None = None
    harness: str | None = None
    item_digest: str | None = None
    revision: str | None = None
    """The git commit that held the item; None outside git or where the item was not committed."""
    trials: Mapping[str, CaseTrials] | None = None

    def exact_score(self, arm: str) -> Fraction | None:
        """The mean of an arm as a rational, from the trials; None where the file holds none."""
        if not self.trials:
            return None
        return mean_of_cases([case.arms for case in self.trials.values()], arm)

    def to_document(self) -> JSON:
        entry = {name: getattr(self, name) for name in _PLAIN_FIELDS}
        if self.trials is not None:
            entry["trials"] = {name: _case_document(case) for name, case in self.trials.items()}
        return {key: value for key, value in entry.items() if value is not None or key not in _MAY_LACK}


@dataclass(frozen=True, slots=True)
class Baseline:
    """The bests of one item by model, as they stand in its file."""

    item: str
    best: Mapping[str, Best] = field(default_factory=dict)


def baseline_from(document: JSON, where: str) -> Baseline:
    """Read a baseline document; `Unusable` where it breaks its schema. Unknown fields are ignored."""
    validate(document, "skill-eval-baseline-1", where)
    return Baseline(document["item"], {model: _best(entry) for model, entry in document["best"].items()})


def best_of(result: SkillEval, revision: str | None = None) -> Best:
    """A result as the entry that a baseline keeps of it. Raises `ValueError` where it has no score."""
    if result.with_score is None:
        raise ValueError(f"{result.run} has no score")
    return Best(
        score=result.with_score,
        without=result.without_score,
        run=result.run,
        date=result.date,
        trigger_rate=result.trigger_rate,
        suite_digest=result.suite_digest,
        judge_model=result.judge_model,
        harness=result.harness,
        item_digest=result.item_digest,
        revision=revision,
        trials=_trials_of(result.cases),
    )


def _trials_of(cases: tuple[CaseScores, ...]) -> Mapping[str, CaseTrials] | None:
    if any(case.trials is None for case in cases):
        return None
    return {case.name: CaseTrials(case.trials or {}, case.triggers) for case in cases}


def _best(entry: JSON) -> Best:
    trials = entry.get("trials")
    kept = None if trials is None else {name: _case_trials(case) for name, case in trials.items()}
    return Best(trials=kept, **{name: entry.get(name) for name in _PLAIN_FIELDS})


def _case_trials(case: JSON) -> CaseTrials:
    triggers = case.get("triggers")
    arms = {arm: pairs_of(rows) for arm, rows in case.items() if arm != "triggers"}
    return CaseTrials(arms, (triggers[0], triggers[1]) if triggers else None)


def _case_document(case: CaseTrials) -> JSON:
    document = trials_document(case.arms)
    return {**document, "triggers": list(case.triggers)} if case.triggers else document
