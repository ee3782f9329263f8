"""How a run went, beside its result: what was saved, waited for, held back. For standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.engine.session import Finish

REFUSALS = {
    "run": "the ceiling of the run was reached",
    "day": "the ceiling of the day was reached, with what other runs have spent",
    "trials": "the number of trials that may be started was reached",
}


def finish_text(finish: Finish) -> str:
    """One line for each thing that a user should know; empty where there is none."""
    return "\n".join(_lines(finish))


def _lines(finish: Finish) -> Iterator[str]:
    if finish.resumed:
        yield f"resumed: {trials(finish.resumed)} had been finished before"
    if finish.cached:
        count = f"{finish.cached} of {trials(finish.planned)}"
        yield f"saved ${finish.saved_usd:.2f}: {count} came from the store"
    if finish.refused_by:
        yield f"stopped: {REFUSALS[finish.refused_by]}"
    if finish.unpriced:
        yield (
            f"{trials(finish.unpriced)} reported no cost, so that no ceiling in dollars could count them:"
            " --max-trials limits their number"
        )
    if finish.throttled:
        yield (
            f"throttled: {finish.throttled} call{'s' if finish.throttled > 1 else ''} refused by the"
            f" provider, {finish.lost_s:.0f} s of waiting over all trials"
        )
    if finish.escaped:
        yield f"{finish.escaped} processes had outlived their trial and were ended with the run"
    if finish.unstored:
        yield f"NOT STORED: {finish.unstored}\nthe result below is whole, but nothing can be resumed from it"


def trials(count: int) -> str:
    """`1 trial`, `2 trials`."""
    return f"{count} trial{'s' if count != 1 else ''}"
