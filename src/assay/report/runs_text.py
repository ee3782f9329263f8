"""Stored runs for people: the list of them, and one with its trials."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from assay.report.ablation_text import ablation_text
from assay.report.golden_text import golden_text
from assay.schemas import golden_eval, skill_eval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.model import JSON, Record
    from assay.store.trials import Run

FAULTS_SHOWN = 10


def runs_text(runs: Sequence[Run]) -> str:
    """One line a run: id, state, trials, model."""
    if not runs:
        return "no run is stored"
    return "\n".join(
        f"{run.id:<44} {run.state:<11} {run.planned:>6} trials  {run.model or '-'}" for run in runs
    )


def run_text(run: Run, records: Sequence[Record], columns: int = 80) -> str:
    """A run's report, how its trials ended, and the faults that cost scores."""
    outcomes = Counter(record.outcome for record in records)
    cached = sum(record.cached for record in records)
    counted = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
    lines = [
        f"{run.id}: {run.kind} run of {run.name}, {run.state}",
        f"started {run.started} on {run.harness}, model {run.model or '-'}",
        f"{len(records)} of {run.planned} trials: {counted or 'none'}; {cached} from the store",
    ]
    if run.document is not None:
        lines += ["", _report(run.kind, run.document, run.id, columns)]
    lost = [record for record in records if record.fault]
    for record in lost[:FAULTS_SHOWN]:
        assert record.fault
        lines.append(
            f"error: {record.case} {record.arm} #{record.repeat}: {record.fault.kind}: {record.fault.message}"
        )
    if len(lost) > FAULTS_SHOWN:
        lines.append(f"and {len(lost) - FAULTS_SHOWN} more errors")
    return "\n".join(lines)


def _report(kind: str, document: JSON, where: str, columns: int) -> str:
    if kind == "golden":
        return golden_text(golden_eval.from_document(document, where)).rstrip()
    return ablation_text(skill_eval.from_document(document, where), columns)
