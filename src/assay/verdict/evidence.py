"""What the numbers of a comparison can bear, beside the verdict of the literal rule. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, sqrt
from typing import Literal, TypeAlias

from assay.model import WITH, WITHOUT
from assay.verdict.agreement import flip_rate, krippendorff_alpha
from assay.verdict.evidence_cases import CaseEvidence, case_evidence
from assay.verdict.intervals import Interval, t_interval
from assay.verdict.multiple import fisher_two_sided
from assay.verdict.student import normal_quantile
from assay.verdict.trials import Pair, Scores, Trials, dispersion, mean, pairs_of

Word: TypeAlias = Literal[
    "improved", "regressed", "no detectable change", "inconclusive", "underpowered", "invalid", "partial"
]

ALPHA = 0.05
"""One-sided, either way: the chance to call luck a change."""
LEANING = 0.9
"""From here on the odds lean so far that "no change was seen" would hide something."""
FEWEST_TRIALS = 15
"""Trials an arm below which nothing but a total collapse can be seen."""
MOST_MISSING = 0.1


@dataclass(frozen=True, slots=True)
class ArmEvidence:
    """One arm: its trials, its mean, and how far that is known."""

    name: str
    trials: int
    missing: int
    """Trials that died of infrastructure: no score, never 0."""
    mean: float
    same_cases: Interval
    """95 % if these cases were run again."""
    new_cases: Interval | None
    """95 % for new cases like these; None with fewer than two."""


@dataclass(frozen=True, slots=True)
class Settle:
    """What would show an effect of the size that was measured, four times in five."""

    runs: int
    """A case and arm."""
    trials: int
    """More than were made, on both arms together."""
    cost_usd: float | None
    minutes: float | None


@dataclass(frozen=True, slots=True)
class Price:
    """What one trial of this run took on average; None where it is not known."""

    cost_usd: float | None = None
    minutes: float | None = None


@dataclass(frozen=True, slots=True)
class JudgeEvidence:
    """How steady the judge was with itself over its votes."""

    votes: int
    flip_rate: float | None
    alpha: float | None
    """Krippendorff's, between the votes on one output."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that a report says beside a difference of two arms."""

    word: Word
    cases: tuple[CaseEvidence, ...]
    before: ArmEvidence
    now: ArmEvidence
    delta: float
    same_cases: Interval
    new_cases: Interval | None
    p_improved: float
    """Exact, one-sided: how often shuffled trials look at least as much like an improvement."""
    p_regressed: float
    p_new_cases: float
    """Of an improvement on new cases like these, by flipping signs of cases."""
    method: str
    improved: float
    """Probability that the score rose; the next two: that it fell, that it moved by less than 0.02."""
    regressed: float
    negligible: float
    expected_again: float
    """The score now if it were run again."""
    visible_gain: float | None
    """The smallest gain that these trials would see four times in five; None: not even the largest."""
    visible_drop: float | None
    strict_accepts: float
    """How often the strict rule accepts if nothing changed."""
    any_drop_fails: float
    """How often some case falls if nothing changed."""
    settle: Settle | None = None
    judge: JudgeEvidence | None = None

    @property
    def visible(self) -> float | None:
        """The smallest change seen either way, the larger of the two."""
        known = [size for size in (self.visible_gain, self.visible_drop) if size is not None]
        return max(known) if len(known) == 2 else None

    @property
    def verdict(self) -> str:
        """The word, with the smallest visible change where none was seen."""
        if self.word != "no detectable change":
            return self.word
        return f"{self.word} (MDE {'none' if self.visible is None else f'{self.visible:.2f}'})"


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a comparison knows beside its trials."""

    missing: Mapping[str, int] = field(default_factory=dict)
    """By arm: trials that died of infrastructure."""
    is_partial: bool = False
    price: Price = Price()
    votes: Sequence[Sequence[bool]] = ()
    """The votes of a judge, one row an output."""
    alpha: float = ALPHA
    """The chance, either way, that its words call luck a change."""


def weigh(
    trials: Trials, before: str = WITHOUT, now: str = WITH, about: Circumstances | None = None
) -> Evidence | None:
    """Weigh the arm `now` against the arm `before`, on the cases that have trials on both.

    None where there is no such case. Costs no more than a second of processor time up to 10,000 cases.
    """
    from assay.verdict.bayes import change_odds
    from assay.verdict.permutation import sign_flip, within_cases
    from assay.verdict.power import minimum_detectable, runs_to_see, under_no_change, world_of_trials

    about = about or Circumstances()
    pairs = pairs_of(trials, before, now)
    if not pairs:
        return None
    old, new = [pair.before for pair in pairs], [pair.now for pair in pairs]
    noise = dispersion([*old, *new])
    coins = max(1, round(1 / noise))
    test = within_cases(old, new)
    odds = change_odds(_counts(old), _counts(new))
    world = world_of_trials(
        [(float(sum(a) + sum(b)) * coins, (len(a) + len(b)) * coins) for a, b in zip(old, new, strict=True)],
        [len(scores) * coins for scores in old],
        [len(scores) * coins for scores in new],
    )
    seen, luck = minimum_detectable(world), under_no_change(world)
    deltas = [pair.delta for pair in pairs]
    delta = float(mean(deltas))
    again = runs_to_see(world, delta)
    arms = [_arm(name, scores, about, noise) for name, scores in ((before, old), (now, new))]
    error = sqrt(sum(_variance(scores, noise) for scores in (*old, *new))) / len(pairs)
    return Evidence(
        word=_word(arms, about, (test.greater, test.less), max(odds.improved, odds.regressed)),
        cases=tuple(case_evidence(pair) for pair in pairs),
        before=arms[0],
        now=arms[1],
        delta=delta,
        same_cases=_around(delta, error, -1.0),
        new_cases=_clipped(t_interval([float(delta) for delta in deltas]), -1.0),
        p_improved=test.greater,
        p_regressed=test.less,
        p_new_cases=sign_flip(deltas).greater,
        method=test.method,
        improved=odds.improved,
        regressed=odds.regressed,
        negligible=odds.negligible,
        expected_again=odds.expected,
        visible_gain=seen.gain,
        visible_drop=seen.drop,
        strict_accepts=luck.strict_accepts,
        any_drop_fails=luck.any_drop_fails,
        settle=_settle(pairs, None if again is None else ceil(again / coins), about.price),
        judge=_judge(about.votes),
    )


def _counts(arms: Sequence[Scores]) -> list[tuple[float, int]]:
    return [(float(sum(scores)), len(scores)) for scores in arms]


def _arm(name: str, arms: Sequence[Scores], about: Circumstances, noise: float) -> ArmEvidence:
    means = [float(mean(scores)) for scores in arms]
    middle = sum(means) / len(means)
    error = sqrt(sum(_variance(scores, noise) for scores in arms)) / len(arms)
    return ArmEvidence(
        name=name,
        trials=sum(len(scores) for scores in arms),
        missing=about.missing.get(name, 0),
        mean=middle,
        same_cases=_around(middle, error, 0.0),
        new_cases=_clipped(t_interval(means), 0.0),
    )


def _variance(scores: Scores, noise: float) -> float:
    """Of a case's mean, from a Beta(1/2, 1/2) posterior: three passes of three are not a certainty."""
    share = (float(sum(scores)) + 0.5) / (len(scores) + 1)
    return noise * share * (1 - share) / len(scores)


def _around(middle: float, error: float, least: float) -> Interval:
    half = normal_quantile(0.975) * error
    return max(least, middle - half), min(1.0, middle + half)


def _clipped(interval: Interval | None, least: float) -> Interval | None:
    return None if interval is None else (max(least, interval[0]), min(1.0, interval[1]))


def _word(arms: Sequence[ArmEvidence], about: Circumstances, p: tuple[float, float], odds: float) -> Word:
    if _is_invalid(arms):
        return "invalid"
    if about.is_partial:
        return "partial"
    if p[0] <= about.alpha * (1 + 1e-9):
        return "improved"
    if p[1] <= about.alpha * (1 + 1e-9):
        return "regressed"
    if min(arm.trials for arm in arms) < FEWEST_TRIALS:
        return "underpowered"
    return "inconclusive" if odds >= LEANING else "no detectable change"


def _is_invalid(arms: Sequence[ArmEvidence]) -> bool:
    """Too many trials missing, or more on one arm than luck would take."""
    one, other = arms
    sizes = [arm.trials + arm.missing for arm in arms]
    if any(arm.missing > MOST_MISSING * size for arm, size in zip(arms, sizes, strict=True)):
        return True
    return one.missing != other.missing and (
        fisher_two_sided(one.missing, sizes[0], other.missing, sizes[1]) < 0.05
    )


def _settle(pairs: Sequence[Pair], runs: int | None, price: Price) -> Settle | None:
    if runs is None:
        return None
    more = sum(max(0, runs - len(arm)) for pair in pairs for arm in (pair.before, pair.now))
    return Settle(
        runs=runs,
        trials=more,
        cost_usd=None if price.cost_usd is None else more * price.cost_usd,
        minutes=None if price.minutes is None else more * price.minutes,
    )


def _judge(votes: Sequence[Sequence[bool]]) -> JudgeEvidence | None:
    rated = [row for row in votes if len(row) > 1]
    if not rated:
        return None
    return JudgeEvidence(sum(map(len, rated)), flip_rate(rated), krippendorff_alpha(rated))
