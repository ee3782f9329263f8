"""What each rule does when nothing changed and when something did, simulated on assay's own code.

    PYTHONPATH=src python bench/operating_characteristics.py [--draws 10000] [--markdown]

Cases' pass rates are drawn from Beta shapes: `bimodal` for the gates, `mature` for golden tasks. A change
moves every rate on the log-odds scale so that the mean moves as told. The arm without the item is taken to be
far below; that condition of the gates never fails here.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from assay.verdict.characteristics import GATES, GOLDEN, Decide, Decisions, Floats, confirm_gate, decisions
from assay.verdict.power import World, change_for, shifted, world_of_shape

SIZES = ((5, 3), (20, 3), (20, 5), (100, 3))
CHANGES = (-0.10, 0.0, 0.05, 0.10, 0.20)
GOLDEN_SIZES = ((5, 3), (20, 3), (20, 10), (100, 3))
GATE_HEAD = ["rule", "N,k", *(f"{change:+.2f}" if change else "no change" for change in CHANGES), "trials"]
ROUNDS_HEAD = ["fresh rounds, no change", "N", "accepts", "trials of the plan"]
GOLDEN_HEAD = ["rule", "N,k", "no change", "one task breaks", "trials"]


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--draws", type=int, default=10_000, help="simulated decisions a figure")
    parser.add_argument("--markdown", action="store_true", help="print tables for a page")
    given = parser.parse_args()
    start = time.perf_counter()
    for title, head, rows in (
        ("The gate: how often it accepts", GATE_HEAD, gate_rows(given.draws)),
        ("Its fresh rounds alone", ROUNDS_HEAD, round_rows(given.draws)),
        ("Golden tasks: how often they fail", GOLDEN_HEAD, golden_rows(given.draws)),
    ):
        show(title, head, list(rows), is_markdown=given.markdown)
    error = 100 * 0.5 / given.draws**0.5
    print(f"{given.draws} decisions a figure: a standard error of at most {error:.1f} points.")
    print(f"{time.perf_counter() - start:.0f} s")


def gate_rows(draws: int) -> Iterator[list[str]]:
    """One row a rule and size: shares accepted by change, and trials when nothing changed."""
    for cases, runs in SIZES:
        world = world_of_shape(cases, runs, runs, draws=draws)
        for name, rule in GATES.items():
            found = {change: decided(rule, world, change, runs) for change in CHANGES}
            spent = f"{found[0.0].mean_trials:.0f} of {found[0.0].planned:.0f}"
            yield [name, f"{cases},{runs}", *(percent(found[change]) for change in CHANGES), spent]


def round_rows(draws: int) -> Iterator[list[str]]:
    """The fresh rounds as if every screen let them begin."""
    for cases in (20, 100):
        rates = world_of_shape(cases, 3, 3, draws=draws).rates
        for name, is_sequential in (("six, looked at twice", False), ("sequential, ten at most", True)):
            rule = partial(confirm_gate, is_sequential=is_sequential)
            found = decisions(rule, rates, rates, 3)
            yield [name, str(cases), percent(found), f"{100 * found.mean_trials / found.planned:.0f} %"]


def golden_rows(draws: int) -> Iterator[list[str]]:
    """One row a rule and size: shares failed when nothing changed and when a task breaks entirely."""
    for cases, runs in GOLDEN_SIZES:
        rates = world_of_shape(cases, runs, runs, shape="mature", draws=draws).rates
        for name, rule in GOLDEN.items():
            same, worse = (decisions(rule, rates, now, runs) for now in (rates, broken(rates)))
            spent = f"{same.mean_trials:.0f}"
            yield [name, f"{cases},{runs}", percent(same), percent(worse), spent]


def broken(rates: Floats) -> Floats:
    """The rates with the first task that passed at least half the time never passing any more."""
    now, rows = rates.copy(), np.arange(len(rates))
    now[rows, (rates >= 0.5).argmax(axis=1)] = 0.0
    return now


def decided(rule: Decide, world: World, change: float, runs: int) -> Decisions:
    """The decisions of a rule where the mean moves by `change`."""
    return decisions(rule, world.rates, shifted(world.rates, change_for(world, change)), runs)


def percent(found: Decisions) -> str:
    """A rate of decisions for people."""
    return f"{100 * found.rate:.1f} %"


def show(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, is_markdown: bool) -> None:
    """Print a table."""
    print(f"{'### ' if is_markdown else ''}{title}\n")
    widths = [max(len(row[place]) for row in (head, *rows)) for place in range(len(head))]
    edge = "| " if is_markdown else ""
    for number, row in enumerate([head, *rows]):
        cells = (" | " if is_markdown else "  ").join(
            cell.ljust(width) for cell, width in zip(row, widths, strict=True)
        )
        print(f"{edge}{cells}{' |' if is_markdown else ''}")
        if not number and is_markdown:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    print()


if __name__ == "__main__":
    main()
