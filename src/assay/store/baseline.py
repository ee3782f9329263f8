"""The best scores of an item, in a JSON file that is kept in git."""

from __future__ import annotations

from pathlib import Path

from assay.errors import Unusable
from assay.model import JSON
from assay.schemas.baseline import Baseline, Best, baseline_from
from assay.store.results import read_document
from assay.store.whole_file import REAL_DISK, Disk, write_json


def read_baseline(path: Path, item: str) -> Baseline:
    """The bests of an item; none where there is no file. `Unusable` where it is another item's or broken."""
    return baseline_from(_document(path, item), path.as_posix())


def raise_best(path: Path, item: str, model: str, best: Best, disk: Disk = REAL_DISK) -> None:
    """Put an entry in the place of the model's best; everything else in the file stays as it is."""
    document = _document(path, item)
    entries = {**document["best"], model: best.to_document()}
    write_json(path, {**document, "best": entries}, disk)


def _document(path: Path, item: str) -> JSON:
    if not path.exists():
        return {"schema": "skill-eval-baseline/1", "item": item, "best": {}}
    document = read_document(path, "skill-eval-baseline-1")
    if document["item"] != item:
        raise Unusable(f"{path.as_posix()} is the baseline of {document['item']!r}, not of {item!r}")
    return document
