"""Did the item fire where it should, and what was it worth where it did. Pure.

Activation comes before quality: a score over trials in which the item never fired measures nothing. Recall
and specificity stand apart, since an instrument that never sees anything is right about every quiet case.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from assay.model import WITH, WITHOUT, Case, Record

if TYPE_CHECKING:
    from assay.model import JSON

FIRING_TOOLS = frozenset({"Skill", "Agent", "Task"})
NEVER = "the item fired in none of {trials} trials, not even where it should"
ALWAYS = "the item fired in all of {trials} trials, also where it should not"
HINT = "; before you believe that, `assay doctor --harness claude` shows whether firing is seen at all"


@dataclass(frozen=True, slots=True)
class CaseActivation:
    """One case's trials on the arm with the item, as far as it is known whether it fired in them."""

    case: str
    should_fire: bool | None
    """None where no grader of the case asks."""
    trials: int
    fired: int
    fired_first: int
    """Before any other skill or sub-agent."""
    by_sub_agent: int


@dataclass(frozen=True, slots=True)
class ActivationFigures:
    """A run's activation. Shares are None where no trial bears on them."""

    cases: tuple[CaseActivation, ...]
    recall: float | None
    """Share of the trials of firing cases in which it fired."""
    specificity: float | None
    """Share of the trials of quiet cases in which it did not."""
    effect_given_activation: float | None
    """Mean score where it fired, less the same cases' mean without it."""
    warning: str | None

    def to_document(self) -> JSON:
        return asdict(self) | {"cases": [asdict(case) for case in self.cases]}


def activation_figures(cases: Iterable[Case], records: Sequence[Record]) -> ActivationFigures | None:
    """The figures of a run; None where no record tells whether the item fired."""
    known = [record for record in records if record.arm == WITH and record.activation is not None]
    if not known:
        return None
    told = tuple(_case(case, [record for record in known if record.case == case.id]) for case in cases)
    firing = [case for case in told if case.should_fire]
    quiet = [case for case in told if case.should_fire is False]
    fired_in_quiet = _share(quiet)
    return ActivationFigures(
        cases=told,
        recall=_share(firing),
        specificity=None if fired_in_quiet is None else 1 - fired_in_quiet,
        effect_given_activation=_effect([case for case in told if case.should_fire is not False], records),
        warning=_warning(firing, quiet),
    )


def should_fire(case: Case) -> bool | None:
    """What the case's trigger graders expect, told by their `min` and `max`, not by a name."""
    used = [spec.config for spec in case.graders if spec.type == "tool_used"]
    asking = [config for config in used if config.get("tool") in FIRING_TOOLS]
    return not all(config.get("max") == 0 for config in asking) if asking else None


def _case(case: Case, records: Sequence[Record]) -> CaseActivation:
    seen = [record.activation for record in records if record.activation is not None]
    return CaseActivation(
        case=case.id,
        should_fire=should_fire(case),
        trials=len(seen),
        fired=sum(one.fired for one in seen),
        fired_first=sum(one.first for one in seen),
        by_sub_agent=sum(one.by_sub_agent for one in seen),
    )


def _share(cases: Sequence[CaseActivation]) -> float | None:
    trials = sum(case.trials for case in cases)
    return sum(case.fired for case in cases) / trials if trials else None


def _effect(cases: Sequence[CaseActivation], records: Sequence[Record]) -> float | None:
    """Difference of means over cases that have both a trial in which it fired and one without it."""
    differences = []
    for case in cases:
        own = [record for record in records if record.case == case.case and record.score is not None]
        fired = [r.score for r in own if r.arm == WITH and r.activation is not None and r.activation.fired]
        without = [record.score for record in own if record.arm == WITHOUT]
        if fired and without:
            differences.append(_mean(fired) - _mean(without))
    return float(sum(differences, Fraction(0)) / len(differences)) if differences else None


def _mean(scores: Sequence[Fraction | None]) -> Fraction:
    known = [score for score in scores if score is not None]
    return sum(known, Fraction(0)) / len(known)


def _warning(firing: Sequence[CaseActivation], quiet: Sequence[CaseActivation]) -> str | None:
    """A signal that never changes is a broken instrument until shown otherwise."""
    trials = sum(case.trials for case in (*firing, *quiet))
    if _share(firing) == 0:
        return NEVER.format(trials=trials) + HINT
    if _share(firing) == 1 and _share(quiet) == 1:
        return ALWAYS.format(trials=trials) + HINT
    return None
