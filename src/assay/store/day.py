"""What other runs on the same store have spent today."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from assay.errors import StoreError

if TYPE_CHECKING:
    from assay.store.trials import TrialStore


def midnight() -> float:
    """The start of the local day, in seconds of the epoch."""
    return datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0).timestamp()


class DayAccount:
    """Called, it gives the dollars that others paid since `since`; reads only what is new each time."""

    def __init__(self, store: TrialStore, run_id: str, since: float) -> None:
        self._store = store
        self._run_id = run_id
        self._since = since
        self._row = 0
        self._spent_usd = 0.0

    def __call__(self) -> float:
        with suppress(StoreError):  # a store that fails in the middle of a run ends nothing
            self._row, paid = self._store.paid_after(self._row, self._since, self._run_id)
            self._spent_usd += paid
        return self._spent_usd
