"""Write a decision down: first the ledger's row, then the raised best, so that a crash can be made good."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay.schemas.baseline import Best
from assay.store.baseline import raise_best
from assay.store.ledger import LEDGER, Row, append_row, find_row
from assay.store.whole_file import REAL_DISK, Disk


@dataclass(frozen=True, slots=True)
class Raise:
    """The best that an accepted run becomes, and the file that keeps it."""

    path: Path
    item: str
    model: str
    best: Best


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was written."""

    row: Literal["added", "already there"]
    baseline: Literal["raised", "already there", "unchanged"]

    def to_document(self) -> dict[str, str]:
        return {"row": self.row, "baseline": self.baseline}


def record(project: Path, row: Row, raised: Raise | None, disk: Disk = REAL_DISK) -> Recorded:
    """Append the row unless the ledger holds its run, then raise the best where there is one to raise.

    Each file is whole or untouched. Where the process dies between the two, the same call again completes it.
    The caller holds the lock of the project.
    """
    ledger = project / LEDGER
    is_known = find_row(ledger, row.run) is not None
    if not is_known:
        append_row(ledger, row, disk)
    if raised:
        raise_best(raised.path, raised.item, raised.model, raised.best, disk)
    return Recorded("already there" if is_known else "added", "raised" if raised else "unchanged")
