"""How far a judge can be trusted: agreement with people or itself, error rates, corrected rates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal, TypeAlias

from assay.verdict.intervals import Interval, clopper_pearson, mean_of, variance_of
from assay.verdict.student import normal_quantile

Weighting: TypeAlias = Literal["none", "linear", "quadratic"]
Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
_POWER = {"linear": 1, "quadratic": 2}


def cohen_kappa(one: Sequence[float], other: Sequence[float], weighting: Weighting = "none") -> float | None:
    """Agreement of two raters on the same items beyond chance; None where chance alone explains all.

    Weighted kappas count a disagreement by the distance between the categories' ranks.
    """
    categories = sorted(set(one) | set(other))
    rank = {category: index for index, category in enumerate(categories)}

    def apart(a: float, b: float) -> float:
        return float(a != b) if weighting == "none" else abs(rank[a] - rank[b]) ** _POWER[weighting]

    observed = mean_of([apart(a, b) for a, b in zip(one, other, strict=True)])
    expected = mean_of([apart(a, b) for a in one for b in other])
    return 1 - observed / expected if expected else None


def fleiss_kappa(votes: Sequence[Sequence[float]]) -> float | None:
    """Agreement of equally many votes an item beyond chance; None where every vote is the same."""
    size = len(votes[0])
    shares = Counter(vote for item in votes for vote in item)
    chance = sum((count / (size * len(votes))) ** 2 for count in shares.values())
    agreed = [
        sum(count * (count - 1) for count in Counter(item).values()) / (size * (size - 1)) for item in votes
    ]
    return (mean_of(agreed) - chance) / (1 - chance) if chance < 1 else None


def flip_rate(votes: Sequence[Sequence[float]]) -> float | None:
    """Probability that two votes on one item differ, over the items with two votes or more."""
    rates = []
    for item in votes:
        pairs = len(item) * (len(item) - 1)
        if pairs:
            rates.append(1 - sum(count * (count - 1) for count in Counter(item).values()) / pairs)
    return mean_of(rates) if rates else None


def krippendorff_alpha(units: Sequence[Sequence[float]], level: Level = "nominal") -> float | None:
    """Agreement of any number of ratings a unit (Krippendorff 2011); units with one rating do not count.

    None where no two ratings can be compared or all are the same.
    """
    rated = [unit for unit in units if len(unit) > 1]
    totals = Counter(value for unit in rated for value in unit)
    size = sum(totals.values())
    distance = _distance(level, totals)
    observed = sum(sum(distance(a, b) for a in unit for b in unit) / (len(unit) - 1) for unit in rated)
    expected = sum(m * n * distance(a, b) for a, m in totals.items() for b, n in totals.items())
    return 1 - (size - 1) * observed / expected if expected else None


def _distance(level: Level, totals: Counter[float]) -> Callable[[float, float], float]:
    if level == "nominal":
        return lambda a, b: float(a != b)
    if level == "interval":
        return lambda a, b: (a - b) ** 2
    if level == "ratio":
        return lambda a, b: ((a - b) / (a + b)) ** 2 if a + b else 0.0

    def ordinal(a: float, b: float) -> float:
        low, high = min(a, b), max(a, b)
        between = sum(count for value, count in totals.items() if low <= value <= high)
        return (between - (totals[low] + totals[high]) / 2) ** 2 if low != high else 0.0

    return ordinal


@dataclass(frozen=True, slots=True)
class Calibration:
    """A judge beside human labels: counts of what people passed and failed, and what it said of them."""

    passes: int
    """Items that people passed."""
    passes_found: int
    """Of these, those that the judge passed."""
    fails: int
    fails_found: int

    @property
    def sensitivity(self) -> float | None:
        """Share of the passes that it finds (true positive rate)."""
        return self.passes_found / self.passes if self.passes else None

    @property
    def specificity(self) -> float | None:
        """Share of the fails that it finds (true negative rate)."""
        return self.fails_found / self.fails if self.fails else None

    @property
    def bounds(self) -> tuple[float, float]:
        """Lower ends of the exact 95 % intervals of (sensitivity, specificity)."""
        low = [
            clopper_pearson(found, items)[0] if items else 0.0
            for found, items in ((self.passes_found, self.passes), (self.fails_found, self.fails))
        ]
        return low[0], low[1]

    def is_certified(self, floor: float = 0.8) -> bool:
        """Whether both rates are at least `floor` with 95 % confidence each."""
        return min(self.bounds) >= floor


def calibrate(judge: Sequence[bool], human: Sequence[bool]) -> Calibration:
    """Count a judge's verdicts beside those of people on the same items."""
    pairs = list(zip(judge, human, strict=True))
    return Calibration(
        passes=sum(label for _, label in pairs),
        passes_found=sum(said and label for said, label in pairs),
        fails=sum(not label for _, label in pairs),
        fails_found=sum(not said and not label for said, label in pairs),
    )


def corrected_rate(rate: float, sensitivity: float, specificity: float) -> float | None:
    """The pass rate behind a judge's, its errors taken out (Rogan & Gladen 1978), within 0 to 1.

    None where the judge is no better than a coin.
    """
    better = sensitivity + specificity - 1
    return min(1.0, max(0.0, (rate + specificity - 1) / better)) if better > 0 else None


def corrected_se(rate: float, judged: int, calibration: Calibration) -> float | None:
    """Standard error of the corrected rate; it carries the calibration's uncertainty (Lee et al. 2025)."""
    sensitivity, specificity = calibration.sensitivity, calibration.specificity
    if sensitivity is None or specificity is None:
        return None
    corrected = corrected_rate(rate, sensitivity, specificity)
    if corrected is None:
        return None
    variance = (
        rate * (1 - rate) / judged
        + corrected**2 * sensitivity * (1 - sensitivity) / calibration.passes
        + (1 - corrected) ** 2 * specificity * (1 - specificity) / calibration.fails
    )
    return sqrt(variance) / (sensitivity + specificity - 1)


def predicted_mean(
    labels: Sequence[float], judged: Sequence[float], unlabelled: Sequence[float], tuned: bool = True
) -> tuple[float, Interval]:
    """The mean label of all items from a few labelled ones and a judge's verdicts on all (PPI), with 95 %.

    `judged` are the verdicts on the labelled items. `tuned` weighs the judge by what it explains (PPI++,
    Angelopoulos et al. 2023); without it, it counts in full. At least two labelled and two unlabelled items.
    """
    trust = _trust(labels, judged, unlabelled) if tuned else 1.0
    rest = [label - trust * said for label, said in zip(labels, judged, strict=True)]
    middle = trust * mean_of(unlabelled) + mean_of(rest)
    variance = trust**2 * variance_of(unlabelled, 0) / len(unlabelled) + variance_of(rest, 0) / len(rest)
    half = normal_quantile(0.975) * sqrt(variance)
    return middle, (middle - half, middle + half)


def _trust(labels: Sequence[float], judged: Sequence[float], unlabelled: Sequence[float]) -> float:
    everything = [*judged, *unlabelled]
    middle, label = mean_of(judged), mean_of(labels)
    shared = mean_of([(a - label) * (b - middle) for a, b in zip(labels, judged, strict=True)])
    spread = variance_of(everything)
    return min(1.0, max(0.0, shared / ((1 + len(judged) / len(unlabelled)) * spread))) if spread else 0.0
