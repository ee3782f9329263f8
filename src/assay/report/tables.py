"""One row a trial, for spreadsheets and data frames: CSV, and Parquet where pyarrow is installed."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from assay.errors import CannotRun

if TYPE_CHECKING:
    from assay.model import Record
    from assay.report.summary import Summary

COLUMNS = (
    "run",
    "case",
    "arm",
    "repeat",
    "outcome",
    "score",
    "passed_weight",
    "scored_weight",
    "fault",
    "cost_usd",
    "judge_cost_usd",
    "input_tokens",
    "output_tokens",
    "duration_s",
    "attempts",
    "cached",
    "model",
    "key",
)


def rows(summary: Summary) -> list[dict[str, object]]:
    """The trials by case, arm and repeat. What is unknown is None."""
    trials = (trial for case in summary.cases for trial in case.trials)
    return [_row(trial) for trial in sorted(trials, key=lambda row: (row.case, row.arm, row.repeat))]


def csv_table(summary: Summary) -> str:
    """CSV with a head line; an unknown value is an empty cell."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _inert(value) for name, value in row.items()} for row in rows(summary))
    return stream.getvalue()


def parquet_table(summary: Summary) -> bytes:
    """A Parquet file. Raises CannotRun where pyarrow is not installed."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise CannotRun("Parquet needs pyarrow: pip install 'assay[parquet]'") from None
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows(summary)), stream)
    return stream.getvalue()


def _row(record: Record) -> dict[str, object]:
    score = record.score
    values = (
        record.run,
        record.case,
        record.arm,
        record.repeat,
        record.outcome,
        None if score is None else float(score),
        float(record.passed_weight),
        float(record.scored_weight),
        record.fault.kind if record.fault else None,
        record.usage.cost_usd,
        record.judge_cost_usd,
        record.usage.input_tokens,
        record.usage.output_tokens,
        record.duration_s,
        record.attempts,
        record.cached,
        record.model_reported,
        record.key,
    )
    return dict(zip(COLUMNS, values, strict=True))


def _inert(value: object) -> object:
    """A cell that a spreadsheet does not take for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t") else value
