"""`evals/baseline.json`: read, and written whole only when a run is accepted. Its diff is the review."""

from __future__ import annotations

import json
import re
from difflib import unified_diff
from pathlib import Path

from assay.model import JSON
from assay.schemas.golden_baseline import GoldenBaseline, from_document
from assay.store.results import read_document
from assay.store.whole_file import write_whole

FILE = "baseline.json"

_PAIR = re.compile(r"\[\n([\s\d.,eE+-]+)\]")
_PAIRS = re.compile(r"\[\n((?:\s*\[[\d., eE+-]+\],?)+)\s*\]")


def read_baseline(evals: Path) -> GoldenBaseline | None:
    """The accepted run of an `evals/` folder; None where none was accepted. Raises `Unusable`."""
    path = evals / FILE
    if not path.exists():
        return None
    return from_document(read_document(path, "golden-baseline-1"), path.as_posix())


def write_baseline(evals: Path, baseline: GoldenBaseline) -> None:
    """Write `baseline.json` whole. Raises `StoreError` where the disk refuses."""
    write_whole(evals / FILE, text_of(baseline.to_document()))


def text_of(document: JSON) -> str:
    """As it lies on the disk: keys sorted, two spaces of indentation; the runs of a task on one line."""
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    for brackets in (_PAIR, _PAIRS):
        text = brackets.sub(lambda match: re.sub(r"\s+", " ", f"[{match[1].strip()}]"), text)
    return text + "\n"


def difference(evals: Path, baseline: GoldenBaseline) -> str:
    """The unified diff that accepting would make; empty where nothing changes."""
    path = evals / FILE
    before = path.read_text("utf-8-sig") if path.exists() else ""
    after = text_of(baseline.to_document())
    name = f"{evals.resolve().name}/{FILE}"
    lines = unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        fromfile=f"a/{name}" if before else "/dev/null",
        tofile=f"b/{name}",
    )
    return "".join(lines)
