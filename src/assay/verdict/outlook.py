"""What a suite could show before anything is spent: visible changes, and what each rule would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.model import JSON
from assay.verdict.arrays import np
from assay.verdict.bayes import Counts
from assay.verdict.characteristics import GATES, GOLDEN, Decisions, decisions
from assay.verdict.evidence import Price
from assay.verdict.power import (
    World,
    change_for,
    mean_change,
    minimum_detectable,
    shifted,
    world_of_shape,
    world_of_trials,
)

SIZES = (-0.10, 0.0, 0.05, 0.10, 0.15, 0.20, 0.30)
DECISIONS = 2_000
CELLS = 150_000
"""Decisions times cases up to which all of `DECISIONS` are simulated."""
NO_PRICE = Price()
FEWEST = 100
"""Decisions of a suite however large."""


@dataclass(frozen=True, slots=True)
class RuleOutlook:
    """One rule: how often it says yes by the true change of the mean score, and its trials under none."""

    name: str
    kind: str
    """`gate`: yes is an accept; `golden`: yes is a failed suite."""
    rates: tuple[tuple[float, float | None], ...]
    """(true change, share of decisions); None where no change of the rates moves the mean so far."""
    trials: float
    """Of a decision when nothing changed, on average."""
    planned: float

    @property
    def no_change(self) -> float | None:
        return dict(self.rates)[0.0]


@dataclass(frozen=True, slots=True)
class Outlook:
    """What N cases of k runs could show."""

    cases: int
    runs: int
    basis: str
    """The shape of the cases' pass rates, or the run that they were taken from."""
    mean: float
    visible_gain: float | None
    """The smallest that the exact test at .05 sees four times in five; None: not even the largest."""
    visible_drop: float | None
    rules: tuple[RuleOutlook, ...]
    price: Price = NO_PRICE

    @property
    def trials(self) -> int:
        """Of one run on both arms."""
        return 2 * self.cases * self.runs

    def to_document(self) -> JSON:
        """The `power/1` document."""
        return {
            "schema": "power/1",
            "cases": self.cases,
            "runs": self.runs,
            "basis": self.basis,
            "mean": self.mean,
            "smallest_visible_gain": self.visible_gain,
            "smallest_visible_drop": self.visible_drop,
            "trials": self.trials,
            "usd_per_trial": self.price.cost_usd,
            "minutes_per_trial": self.price.minutes,
            "rules": [
                {
                    "name": rule.name,
                    "kind": rule.kind,
                    "says_yes": [{"change": change, "rate": rate} for change, rate in rule.rates],
                    "trials_under_no_change": rule.trials,
                    "trials_planned": rule.planned,
                }
                for rule in self.rules
            ],
        }


def outlook_of_shape(cases: int, runs: int, shape: str, price: Price | None = None) -> Outlook:
    """Of a suite that has not run yet, its pass rates drawn from a shape (`verdict.power.SHAPES`)."""
    world = world_of_shape(cases, runs, runs, shape=shape)
    draws = max(FEWEST, min(DECISIONS, CELLS // cases))
    many = world_of_shape(cases, runs, runs, shape=shape, draws=draws)
    return _outlook(world, many, runs, f"the shape {shape}", price)


def outlook_of_trials(
    recorded: Sequence[Counts], runs: int, basis: str, price: Price | None = None
) -> Outlook:
    """Of a suite whose cases ran before; fractional scores count as so many passes."""
    every = [runs] * len(recorded)
    world = world_of_trials(recorded, every, every)
    wanted = max(FEWEST, min(DECISIONS, CELLS // len(recorded)))
    times = max(1, round(wanted / len(world.rates)))
    many = World(np.tile(world.rates, (times, 1)), world.before_runs, world.now_runs)
    return _outlook(world, many, runs, basis, price)


def _outlook(world: World, many: World, runs: int, basis: str, price: Price | None) -> Outlook:
    seen = minimum_detectable(world)
    moves = {size: _move(world, size) for size in SIZES}
    moved = {size: shifted(many.rates, change) for size, change in moves.items() if change is not None}
    rules = [
        _rule(name, kind, {size: decisions(rule, many.rates, now, runs) for size, now in moved.items()})
        for kind, table in (("gate", GATES), ("golden", GOLDEN))
        for name, rule in table.items()
    ]
    return Outlook(
        cases=world.shape[1],
        runs=runs,
        basis=basis,
        mean=float(world.rates.mean()),
        visible_gain=seen.gain,
        visible_drop=seen.drop,
        rules=tuple(rules),
        price=price or NO_PRICE,
    )


def _rule(name: str, kind: str, found: Mapping[float, Decisions]) -> RuleOutlook:
    same = found[0.0]
    says = tuple((size, found[size].rate if size in found else None) for size in SIZES)
    return RuleOutlook(name, kind, says, same.mean_trials, same.planned)


def _move(world: World, size: float) -> float | None:
    """The change on the log-odds scale that moves the mean by `size`; None where none does."""
    change = change_for(world, size) if size else 0.0
    return change if abs(mean_change(world, change) - size) < 0.005 else None
