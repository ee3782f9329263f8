"""Evidence for the documents of the gate: of a run's two arms, and of a result against the recorded best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.model import JSON, WITH, WITHOUT, Record
from assay.schemas.baseline import Best
from assay.schemas.skill_eval import SkillEval
from assay.verdict.evidence import ALPHA, Circumstances, Evidence, Price, weigh
from assay.verdict.evidence_document import document_of
from assay.verdict.trials import Trials

BEST = "best"
"""What the recorded best is called as an arm."""


def evidence_of_run(result: SkillEval, records: Sequence[Record]) -> Mapping[str, JSON] | None:
    """The `evidence` object of a run: the arm with the item against the arm without; None without both."""
    found = weigh(
        trials_of(result),
        about=Circumstances(
            missing={arm: _missing(records, arm) for arm in (WITHOUT, WITH)},
            is_partial=result.partial or result.curtailed,
            price=price_of(records),
            votes=[grade.votes for record in records for grade in record.grades if len(grade.votes) > 1],
        ),
    )
    return None if found is None else dict(document_of(found))


def against_best(result: SkillEval, best: Best, alpha: float = ALPHA) -> Evidence | None:
    """A result against the recorded best on their common cases; None where either keeps no trials."""
    kept = best.trials or {}
    ours = trials_of(result)
    both: Trials = {
        name: {BEST: kept[name].arms.get(WITH, ()), WITH: arms.get(WITH, ())}
        for name, arms in ours.items()
        if name in kept
    }
    about = Circumstances(
        is_partial=result.partial or result.curtailed, price=_price_told(result), alpha=alpha
    )
    return weigh(both, BEST, WITH, about)


def evidence_of_decision(
    result: SkillEval, best: Best | None, alpha: float = ALPHA
) -> Mapping[str, JSON] | None:
    """What a decision carries: the evidence against the best, else that of the result's own two arms."""
    found = against_best(result, best, alpha) if best and best.run != result.run else None
    if found is not None:
        return dict(document_of(found))
    if result.evidence is not None:
        return result.evidence
    own = weigh(trials_of(result), about=Circumstances(is_partial=result.partial or result.curtailed))
    return None if own is None else dict(document_of(own))


def price_of(records: Sequence[Record]) -> Price:
    """What one trial cost and took on average, as far as it is known."""
    ran = [record for record in records if record.outcome == "scored"]
    costs = [
        record.usage.cost_usd + (record.judge_cost_usd or 0.0)
        for record in ran
        if record.usage.cost_usd is not None
    ]
    times = [record.duration_s / 60 for record in ran if record.duration_s is not None]
    return Price(_mean(costs) if len(costs) == len(ran) else None, _mean(times))


def _price_told(result: SkillEval) -> Price:
    """What one trial took, as the result's own evidence tells it."""
    told = result.evidence.get("would_settle") if result.evidence else None
    if not told or not told["trials"]:
        return Price()
    cost, minutes = (told[name] for name in ("cost_usd", "minutes"))
    return Price(*(None if value is None else value / told["trials"] for value in (cost, minutes)))


def trials_of(result: SkillEval) -> Trials:
    """The trials that a result keeps, by case and arm."""
    return {case.name: case.trials for case in result.cases if case.trials}


def _missing(records: Sequence[Record], arm: str) -> int:
    return sum(record.arm == arm and record.outcome == "error" for record in records)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
