"""What the store holds of a plan, what will run and why, for people and as a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.finish_text import trials
from assay.report.printable import one_line

if TYPE_CHECKING:
    from assay.engine.estimate import Estimate
    from assay.engine.outlook import Outlook, Prospect
    from assay.model import JSON

REASONS_SHOWN = 3
WIDTH = 60


def outlook_text(outlook: Outlook) -> str:
    """The lines of the plan about the store; empty where it holds nothing of the plan and nothing is new."""
    if not outlook.paid:
        return ""
    head = f"  store   {outlook.paid} of {trials(outlook.paid + outlook.to_run)} paid for"
    lines = [f"{head} (saves ${outlook.saved_usd:.2f}); {outlook.to_run} to run"]
    reasons = list(outlook.reasons.items())
    lines += [f"          {count} run: {why}" for why, count in reasons[:REASONS_SHOWN]]
    if len(reasons) > REASONS_SHOWN:
        lines.append(f"          and {len(reasons) - REASONS_SHOWN} more reasons: --explain")
    if outlook.regraded:
        lines.append(f"          graded again: {', '.join(sorted(outlook.regraded)[:REASONS_SHOWN])}")
    return "\n".join(lines)


def explain_text(outlook: Outlook, estimate: Estimate) -> str:
    """Case by case and arm by arm: from the store, or run again and why."""
    lines = [_line(one) for one in outlook.prospects]
    total = f"{trials(outlook.paid)} from the store (saves ${outlook.saved_usd:.2f}), {outlook.to_run} to run"
    return "\n".join([*lines, f"{total}: {estimate}", "nothing was run"])


def explain_document(outlook: Outlook, estimate: Estimate) -> JSON:
    """The same, JSON-clean."""
    rows = [
        {
            "case": one.case,
            "arm": one.arm,
            "paid": one.paid,
            "to_run": one.to_run,
            "saved_usd": one.saved_usd,
            "why": list(one.why),
            "regraded": list(one.regraded),
        }
        for one in outlook.prospects
    ]
    return {
        "schema": "eval-plan/1",
        "paid": outlook.paid,
        "to_run": outlook.to_run,
        "saved_usd": outlook.saved_usd,
        "estimate_usd": estimate.total_usd,
        "estimate_basis": estimate.basis,
        "trials": rows,
    }


def _line(one: Prospect) -> str:
    place = f"{one_line(one.case, WIDTH)} {one.arm}"
    parts = []
    if one.paid:
        graded = f", graded again: {', '.join(one.regraded)}" if one.regraded else ""
        parts.append(f"{one.paid} from the store{graded}")
    if one.to_run:
        parts.append(f"{one.to_run} to run: {'; '.join(one.why)}")
    return f"{place}: {'; '.join(parts)}"
