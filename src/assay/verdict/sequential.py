"""Fresh rounds of a candidate beside the incumbent, looked at as they come: go on, or is it settled?

A round is one trial of either on every case. A pair is a win where the candidate scored higher and a loss
where it scored lower: if nothing changed both are as likely, whatever the scores, so wins are fair coins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal, TypeAlias

from assay.model import PREVIOUS, WITH, Record
from assay.verdict.eprocess import mixture_e_value

Standing: TypeAlias = Literal["open", "improved", "regressed", "futile"]

LOOKS = {3: 0.0, 6: 0.85}
"""After so many rounds: how many standard deviations of a coin the wins must be ahead to go on."""
CAP = 10
"""Rounds after which a sequential confirmation stops, settled or not."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Wins and losses of the rounds that are complete; the ties of a round move nothing."""

    rounds: int = 0
    wins: int = 0
    losses: int = 0

    def add(self, wins: int, losses: int) -> Pairs:
        """One more complete round."""
        return Pairs(self.rounds + 1, self.wins + wins, self.losses + losses)


def standing(pairs: Pairs, alpha: float | None, looks: Mapping[int, float] | None = None) -> Standing:
    """Where it stands after a complete round.

    With `alpha` it is settled either way by an e-value of 1/alpha, which holds however often one looks. At a
    look it is futile where the candidate is not ahead by enough; stopping there cannot accept anything, so it
    costs power and no error.
    """
    if alpha is not None:
        threshold = 1 / alpha
        if mixture_e_value(pairs.wins, pairs.losses) >= threshold:
            return "improved"
        if mixture_e_value(pairs.losses, pairs.wins) >= threshold:
            return "regressed"
    needed = (LOOKS if looks is None else looks).get(pairs.rounds)
    if needed is not None and not _is_ahead(pairs, needed):
        return "futile"
    return "open"


def _is_ahead(pairs: Pairs, deviations: float) -> bool:
    ahead = pairs.wins - pairs.losses
    return ahead > 0 and ahead >= deviations * sqrt(pairs.wins + pairs.losses)


def rounds_of(records: Sequence[Record], cases: int, incumbent: str = PREVIOUS) -> list[tuple[int, int]]:
    """(wins, losses) of the rounds whose every trial is over, in order up to the first that is not.

    A pair with a trial that died of infrastructure is left out of both arms.
    """
    trials: dict[int, dict[str, dict[str, Record]]] = {}
    for record in records:
        if record.arm in (WITH, incumbent):
            trials.setdefault(record.repeat, {}).setdefault(record.case, {})[record.arm] = record
    found = []
    for repeat in range(1, len(trials) + 1):
        arms = trials.get(repeat, {})
        if len(arms) < cases or any(len(pair) < 2 for pair in arms.values()):
            break
        scores = [(pair[WITH].score, pair[incumbent].score) for pair in arms.values()]
        known = [(ours, theirs) for ours, theirs in scores if ours is not None and theirs is not None]
        found.append((sum(a > b for a, b in known), sum(a < b for a, b in known)))
    return found


class Watch:
    """Follows the rounds of a run as they come; called with all its records, it says whether to stop.

    With `alpha` an e-value may settle it either way, though not before every arm has `least` trials.
    """

    def __init__(self, cases: int, alpha: float | None = None, least: int = 0) -> None:
        self.standing: Standing = "open"
        self.pairs = Pairs()
        self._cases, self._alpha, self._least = cases, alpha, least

    def __call__(self, records: Sequence[Record]) -> bool:
        for wins, losses in rounds_of(records, self._cases)[self.pairs.rounds :]:
            self.pairs = self.pairs.add(wins, losses)
            is_enough = self.pairs.rounds * self._cases >= self._least
            self.standing = standing(self.pairs, self._alpha if is_enough else None)
            if self.standing != "open":
                return True
        return False
