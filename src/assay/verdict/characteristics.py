"""How often each rule says yes, and what it spends, by simulating thousands of whole decisions at once.

Trials pass or fail, the incumbent's as often as its case's rate, the candidate's as often as the moved rate.
The looks, the e-value, the exact tests and their levels are those of the rules themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import TypeAlias

from assay.schemas.golden_suite import SUITE_ALPHA
from assay.verdict.arrays import NDArray, np
from assay.verdict.confirm import RUNS as GOLDEN_RUNS
from assay.verdict.confirm import TASK_ALPHA
from assay.verdict.evidence import FEWEST_TRIALS
from assay.verdict.evidence_rule import ALPHAS, CASE_ALPHA
from assay.verdict.multiple import fisher_drop
from assay.verdict.power import EXACT_CELLS, World, p_greater
from assay.verdict.sequential import CAP, LOOKS

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Booleans: TypeAlias = NDArray[np.bool_]

CHUNK = 1_000
"""Decisions that are simulated at once."""
ROUNDS = 6
"""Fresh rounds of a confirmation that is not sequential."""
_DUST = 1 + 1e-9


@dataclass(frozen=True, slots=True)
class Decisions:
    """What a rule said of each simulated case: accepted, for a gate; failed, for golden tasks."""

    said: Booleans
    trials: Floats
    """Of both sides, by decision."""
    planned: float
    """Trials of a decision that stops nowhere early."""

    @property
    def rate(self) -> float:
        return float(self.said.mean())

    @property
    def error(self) -> float:
        """Monte-Carlo standard error of the rate."""
        return sqrt(max(self.rate * (1 - self.rate), 1 / len(self.said)) / len(self.said))

    @property
    def mean_trials(self) -> float:
        return float(self.trials.mean())


Decide: TypeAlias = Callable[[Floats, Floats, int, np.random.Generator], Decisions]
"""(rates before, rates now, runs a case, source of luck) -> decisions, one a row of the rates."""


def decisions(rule: Decide, before: Floats, now: Floats, runs: int, seed: int = 3) -> Decisions:
    """All decisions of a rule on rates by (draw, case), in chunks that fit into memory."""
    rng = np.random.default_rng(seed)
    parts = [rule(before[rows], now[rows], runs, rng) for rows in _chunks(len(before), CHUNK)]
    said, trials = (np.concatenate([getattr(part, name) for part in parts]) for name in ("said", "trials"))
    return Decisions(said, trials, parts[0].planned)


def strict(before: Floats, now: Floats, runs: int, rng: np.random.Generator) -> Decisions:
    """The strict rule against a recorded best of as many runs: strictly higher, by luck or not."""
    accepted = rng.binomial(runs, now).sum(axis=1) > rng.binomial(runs, before).sum(axis=1)
    trials = float(before.shape[1] * runs)
    return Decisions(accepted, np.full(len(before), trials), trials)


def evidence(before: Floats, now: Floats, runs: int, rng: np.random.Generator) -> Decisions:
    """The strict screen, then six fresh rounds beside the incumbent and the exact test at .10."""
    return _screened(before, now, runs, rng, is_sequential=False)


def sequential(before: Floats, now: Floats, runs: int, rng: np.random.Generator) -> Decisions:
    """The strict screen, then fresh rounds until the e-value settles them, ten at most."""
    return _screened(before, now, runs, rng, is_sequential=True)


def _screened(
    before: Floats, now: Floats, runs: int, rng: np.random.Generator, *, is_sequential: bool
) -> Decisions:
    screen = strict(before, now, runs, rng)
    rows = np.flatnonzero(screen.said)
    fresh = confirm_gate(before[rows], now[rows], runs, rng, is_sequential=is_sequential)
    said, trials = np.zeros(len(before), dtype=bool), screen.trials.copy()
    said[rows] = fresh.said
    trials[rows] += fresh.trials
    return Decisions(said, trials, screen.planned + fresh.planned)


def confirm_gate(
    before: Floats, now: Floats, runs: int, rng: np.random.Generator, *, is_sequential: bool
) -> Decisions:
    """The fresh rounds alone; `runs` is the screen's and has no part in them."""
    rounds = CAP if is_sequential else ROUNDS
    shape = (len(before), rounds, before.shape[1])
    old, new = (rng.random(shape) < rates[:, None, :] for rates in (before, now))
    return watched(old, new, ALPHAS["normal"], is_sequential=is_sequential)


def watched(old: Booleans, new: Booleans, alpha: float, *, is_sequential: bool) -> Decisions:
    """Decide on rounds that are given: passes by (draw, round, case) of the incumbent and the candidate."""
    draws, rounds, cases = old.shape
    wins = np.cumsum((new & ~old).sum(axis=2), axis=1)
    losses = np.cumsum((old & ~new).sum(axis=2), axis=1)
    ended, is_open = np.full(draws, rounds), np.ones(draws, dtype=bool)
    improved = np.zeros(draws, dtype=bool)
    for number in range(1, rounds + 1):
        won, lost = wins[:, number - 1], losses[:, number - 1]
        stops = _is_futile(number, won, lost)
        if is_sequential and number * cases >= FEWEST_TRIALS:
            is_up = e_values(won, lost) * _DUST >= 1 / alpha
            improved |= is_open & is_up
            stops |= is_up | (e_values(lost, won) * _DUST >= 1 / alpha)
        ended[is_open & stops] = number
        is_open &= ~stops
    before, now = (_up_to(trials, ended) for trials in (old, new))
    if not is_sequential and rounds * cases >= FEWEST_TRIALS:
        rows = np.flatnonzero(is_open)
        improved[rows] = p_exact(before[rows], now[rows], rounds, rounds) <= alpha * _DUST
    improved &= ~_some_case_fell(before, now, ended)
    return Decisions(improved, 2.0 * cases * ended, 2.0 * cases * rounds)


def _is_futile(number: int, won: Integers, lost: Integers) -> Booleans:
    if number not in LOOKS:
        return np.zeros(len(won), dtype=bool)
    ahead = won - lost
    is_ahead: Booleans = (ahead > 0) & (ahead >= LOOKS[number] * np.sqrt(won + lost))
    return ~is_ahead


def e_values(won: Integers, lost: Integers) -> Floats:
    """`mixture_e_value` of many pairs of counts, to the precision of floats."""
    from scipy.special import betainc, betaln

    logs = (won + lost + 1) * np.log(2) + betaln(won + 1, lost + 1)
    found: Floats = np.exp(logs) * betainc(lost + 1, won + 1, 0.5)
    return found


def _up_to(trials: Booleans, ended: Integers) -> Integers:
    """Passes by (draw, case) of the rounds that were run."""
    counts = np.cumsum(trials, axis=1)[np.arange(len(trials)), ended - 1]
    return counts.astype(np.int64)


def p_exact(before: Integers, now: Integers, before_runs: int, now_runs: int) -> Floats:
    """The within-case exact p-value of an increase, however many draws there are."""
    cases = before.shape[1]
    size = max(1, EXACT_CELLS // (cases * now_runs + 1))
    world = World(np.zeros((1, cases)), np.full(cases, before_runs), np.full(cases, now_runs))
    parts = [p_greater(world, before[rows], now[rows]) for rows in _chunks(len(before), size)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _some_case_fell(before: Integers, now: Integers, runs: Integers) -> Booleans:
    found = np.zeros(len(before), dtype=bool)
    for size in set(runs.tolist()):
        rows = np.flatnonzero(runs == size)
        found[rows] = _any_drop(before[rows], now[rows], now[rows] < before[rows], size, CASE_ALPHA)
    return found


def _any_drop(before: Integers, now: Integers, flagged: Booleans, runs: int, alpha: float) -> Booleans:
    """Whether Fisher's test shows the drop of some flagged case, Holm over the flagged."""
    p_values = np.where(flagged, _drop_table(runs)[before, now], 1.0)
    found: Booleans = p_values.min(axis=1) * flagged.sum(axis=1) <= alpha * _DUST
    return found & flagged.any(axis=1)


@lru_cache(maxsize=32)
def _drop_table(runs: int) -> Floats:
    counts = range(runs + 1)
    return np.array([[fisher_drop(old, runs, new, runs) for new in counts] for old in counts])


def any_drop(before: Floats, now: Floats, runs: int, rng: np.random.Generator) -> Decisions:
    """Golden tasks, literally: any task below its accepted score fails the suite."""
    old, new = rng.binomial(runs, before), rng.binomial(runs, now)
    trials = float(before.shape[1] * runs)
    return Decisions(np.asarray((new < old).any(axis=1)), np.full(len(before), trials), trials)


def confirmed(before: Floats, now: Floats, runs: int, rng: np.random.Generator) -> Decisions:
    """Golden tasks: a drop flags, 8 and 8 fresh runs of the flagged decide, and the suite at .01."""
    old, new = rng.binomial(runs, before), rng.binomial(runs, now)
    flagged = new < old
    old_again, new_again = (rng.binomial(GOLDEN_RUNS, rates) for rates in (before, now))
    fell = _any_drop(old_again, new_again, flagged, GOLDEN_RUNS, TASK_ALPHA)
    failed = fell | (p_exact(runs - old, runs - new, runs, runs) <= SUITE_ALPHA * _DUST)
    cases = before.shape[1]
    trials = cases * runs + 2.0 * GOLDEN_RUNS * flagged.sum(axis=1)
    return Decisions(np.asarray(failed), trials, cases * (runs + 2.0 * GOLDEN_RUNS))


def _chunks(length: int, size: int) -> Iterator[slice]:
    return (slice(start, start + size) for start in range(0, length, size))


GATES: dict[str, Decide] = {
    "strict": strict,
    "evidence": evidence,
    "evidence, sequential": sequential,
}
GOLDEN: dict[str, Decide] = {"golden, any drop": any_drop, "golden, confirmed": confirmed}
