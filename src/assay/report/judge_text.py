"""The report of a judge's calibration as text."""

from __future__ import annotations

from collections.abc import Sequence

from assay.report.printable import one_line
from assay.schemas.judge_calibration import JudgeCalibration
from assay.verdict.intervals import clopper_pearson, wilson
from assay.verdict.judge_word import FLOOR

SHOWN_AT_MOST = 10
_MEANING = {
    "certified": f"both rates are at least {FLOOR:.2f} with 95 % confidence each",
    "unfit": f"a rate is below {FLOOR:.2f} with 95 % confidence",
    "uncalibrated": f"not sure with 95 % confidence that both rates are at least {FLOOR:.2f}: more labels",
}


def judge_text(result: JudgeCalibration, disagreements: Sequence[tuple[str, bool]]) -> str:
    """`disagreements`: the expectation and what people say of it."""
    same, labels = result.agreement
    low, high = wilson(same, labels)
    lines = [
        f"JUDGE — {one_line(result.judge)} · prompt {result.prompt} · votes {result.votes}",
        f"  labels       {labels}: {result.met} met, {result.unmet} not met",
        f"  agreement    {same / labels:.2f} ({low:.2f} to {high:.2f})",
        f"  kappa        {_number(result.kappa)}",
        f"  met found    {_rate(result.met_found, result.met)}",
        f"  unmet found  {_rate(result.unmet_found, result.unmet)}",
        f"  flip rate    {_number(result.flip_rate)} over {result.repeats} repeats",
        "────────",
        f"{result.word}: {_MEANING[result.word]}",
    ]
    for expectation, met in disagreements[:SHOWN_AT_MOST]:
        said = "met, the judge says not" if met else "not met, the judge says met"
        lines.append(f"  people say {said}: {one_line(expectation, 120)}")
    if len(disagreements) > SHOWN_AT_MOST:
        lines.append(f"  and {len(disagreements) - SHOWN_AT_MOST} more")
    return "\n".join(lines)


def _rate(found: int, items: int) -> str:
    if not items:
        return "no such label"
    low, high = clopper_pearson(found, items)
    return f"{found}/{items} = {found / items:.2f} ({low:.2f} to {high:.2f})"


def _number(value: float | None) -> str:
    return "—" if value is None else f"{value:.2f}"
