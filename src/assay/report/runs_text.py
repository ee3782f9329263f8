"""Stored runs for people: the list of them, and one with its trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.ablation_text import ablation_text
from assay.report.golden_text import golden_text
from assay.schemas import golden_eval, skill_eval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.model import JSON, Record
    from assay.store.look import RunLine
    from assay.store.trials import Run

FAULTS_SHOWN = 10


def runs_text(runs: Sequence[Run]) -> str:
    """One line a run: id, state, trials, model."""
    if not runs:
        return "no run is stored"
    return "\n".join(
        f"{run.id:<44} {run.state:<11} {run.planned:>6} trials  {run.model or '-'}" for run in runs
    )


def run_text(
    run: Run, outcomes: Mapping[str, int], cached: int, lost: Sequence[Record], columns: int = 80
) -> str:
    """A run's report, how its trials ended, and the faults that cost scores: `lost` are those trials."""
    counted = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
    lines = [
        f"{run.id}: {run.kind} run of {run.name}, {run.state}",
        f"started {run.started} on {run.harness}, model {run.model or '-'}",
        f"{sum(outcomes.values())} of {run.planned} trials: {counted or 'none'}; {cached} from the store",
    ]
    if run.document is not None:
        lines += ["", _report(run.kind, run.document, run.id, columns)]
    for record in lost[:FAULTS_SHOWN]:
        assert record.fault
        lines.append(
            f"error: {record.case} {record.arm} #{record.repeat}: {record.fault.kind}: {record.fault.message}"
        )
    if len(lost) > FAULTS_SHOWN:
        lines.append(f"and {len(lost) - FAULTS_SHOWN} more errors")
    return "\n".join(lines)


def brief_text(line: RunLine) -> str:
    """A run in two lines: its verdict and how far it came."""
    scores = [f"{line.score:.2f}" if line.score is not None else "no score"]
    if line.reference is not None:
        scores.append(f"without {line.reference:.2f}")
    cost = "cost unknown" if line.cost_usd is None else f"${line.cost_usd:.2f}"
    return (
        f"{line.id}: {line.name}: {line.verdict or line.state}: {', '.join(scores)}\n"
        f"{line.state}, {line.done} of {line.planned} trials, {line.model or '-'}, {cost}"
    )


def _report(kind: str, document: JSON, where: str, columns: int) -> str:
    if kind == "golden":
        return golden_text(golden_eval.from_document(document, where)).rstrip()
    return ablation_text(skill_eval.from_document(document, where), columns)
