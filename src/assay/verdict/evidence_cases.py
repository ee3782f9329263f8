"""One case of a comparison: what its few trials say, and how likely it fell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from assay.verdict.intervals import Interval, wilson
from assay.verdict.passk import pass_at_k, pass_hat_k
from assay.verdict.trials import Pair, Scores, is_binary, mean


@dataclass(frozen=True, slots=True)
class CaseArm:
    """A case on one arm."""

    runs: int
    mean: float
    expected: float
    """The posterior mean under a uniform prior: (passes + 1) / (runs + 2)."""
    interval: Interval | None
    """Wilson's, 95 %; None for fractional scores."""
    pass_at_k: float | None
    """Probability that one of `runs` trials passes whole; the next: that all do. None for fractional ones."""
    pass_hat_k: float | None
    is_flaky: bool
    """Trials of it disagreed."""


@dataclass(frozen=True, slots=True)
class CaseEvidence:
    """A case on both arms."""

    name: str
    before: CaseArm
    now: CaseArm
    fell: float
    """Probability that its score is lower now, uniform priors."""


def case_evidence(pair: Pair) -> CaseEvidence:
    """What the trials of one case say; cases of equal scores share the work."""
    return CaseEvidence(pair.case, _arm(pair.before), _arm(pair.now), _fell(pair.before, pair.now))


@lru_cache(maxsize=4096)
def _arm(scores: Scores) -> CaseArm:
    runs, total = len(scores), sum(scores)
    whole = is_binary(scores)
    return CaseArm(
        runs=runs,
        mean=float(mean(scores)),
        expected=float(total + 1) / (runs + 2),
        interval=wilson(int(total), runs) if whole else None,
        pass_at_k=pass_at_k(runs, int(total), runs) if whole else None,
        pass_hat_k=pass_hat_k(runs, int(total), runs) if whole else None,
        is_flaky=len(set(scores)) > 1,
    )


@lru_cache(maxsize=4096)
def _fell(before: Scores, now: Scores) -> float:
    from assay.verdict.bayes import probability_above

    return probability_above((float(sum(now)), len(now)), (float(sum(before)), len(before)))
