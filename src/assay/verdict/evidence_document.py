"""Evidence as the JSON object that results and decisions carry, and as one sentence for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.model import JSON

if TYPE_CHECKING:
    from assay.verdict.evidence import ArmEvidence, Evidence, JudgeEvidence, Settle
    from assay.verdict.evidence_cases import CaseArm, CaseEvidence


def document_of(evidence: Evidence) -> JSON:
    """The `evidence` object: every number unrounded, unknown ones null."""
    return {
        "verdict": evidence.verdict,
        "sentence": sentence(evidence),
        "arms": [_arm(evidence.before), _arm(evidence.now)],
        "delta": evidence.delta,
        "interval_same_cases": _range(evidence.same_cases),
        "interval_new_cases": _range(evidence.new_cases),
        "p_improved": evidence.p_improved,
        "p_regressed": evidence.p_regressed,
        "p_improved_new_cases": evidence.p_new_cases,
        "method": evidence.method,
        "probability_improved": evidence.improved,
        "probability_regressed": evidence.regressed,
        "probability_negligible": evidence.negligible,
        "expected_again": evidence.expected_again,
        "smallest_visible_gain": evidence.visible_gain,
        "smallest_visible_drop": evidence.visible_drop,
        "under_no_change": {
            "strict_accepts": evidence.strict_accepts,
            "some_case_falls": evidence.any_drop_fails,
        },
        "would_settle": _settle(evidence.settle),
        "judge": _judge(evidence.judge),
        "cases": [_case(case, evidence) for case in evidence.cases],
    }


def sentence(evidence: Evidence) -> str:
    """What the numbers can bear, for a reader who knows no statistics.

    "improved" and "regressed" stand in it only where the exact test says so.
    """
    before, now, delta = evidence.before.name, evidence.now.name, f"{evidence.delta:+.2f}"
    return {
        "improved": f"{now} improved on {before} by {delta}: luck alone does that in"
        f" {_often(evidence.p_improved)}.",
        "regressed": f"{now} regressed from {before} by {delta}: luck alone does that in"
        f" {_often(evidence.p_regressed)}.",
        "no detectable change": f"No detectable change ({delta} measured): {_visible(evidence)}",
        "inconclusive": f"Inconclusive ({delta} measured): {_leaning(evidence)}{more(evidence)}",
        "underpowered": f"Too few trials to say ({delta} measured, {_size(evidence)}): only a collapse would"
        f" show.{more(evidence)}",
        "invalid": f"No verdict: {_missing(evidence)}; what ran may not be like what did not.",
        "partial": f"No verdict: planned trials are missing. So far {delta} measured.",
    }[evidence.word]


def _often(p: float) -> str:
    if p < 0.001:
        return "fewer than 1 of 1000 such runs"
    return f"{100 * p:.1f} of 100 such runs" if p < 0.01 else f"{100 * p:.0f} of 100 such runs"


def _visible(evidence: Evidence) -> str:
    if evidence.visible is None:
        return f"{_size(evidence)} are too few to see even the largest change reliably."
    size = f"{evidence.visible:.2f}" if evidence.visible >= 0.095 else f"{evidence.visible:.3f}"
    return f"{_size(evidence)} see a change of {size} four times in five, smaller ones less often."


def _size(evidence: Evidence) -> str:
    cases, runs = len(evidence.cases), sorted({case.now.runs for case in evidence.cases})
    many = str(runs[0]) if len(runs) == 1 else f"{runs[0]}-{runs[-1]}"
    return f"{cases} case{'s' if cases != 1 else ''} of {many} run{'s' if many != '1' else ''}"


def _leaning(evidence: Evidence) -> str:
    side, odds = max((evidence.improved, "a gain"), (evidence.regressed, "a drop"))[::-1]
    return f"{side} is {100 * odds:.0f} % likely, but luck can do it too."


def more(evidence: Evidence) -> str:
    """What would settle it, with trials, minutes and money as far as known; empty where nothing would."""
    settle = evidence.settle
    if settle is None or not settle.trials:
        return ""
    price = [f"{settle.trials} more trials"]
    if settle.minutes is not None:
        price.append(f"{settle.minutes:.0f} min")
    if settle.cost_usd is not None:
        price.append(f"${settle.cost_usd:.2f}")
    return f" {settle.runs} runs a case would show a change of this size ({', '.join(price)})."


def _missing(evidence: Evidence) -> str:
    told = [
        f"{arm.missing} of {arm.missing + arm.trials} on {arm.name}"
        for arm in (evidence.before, evidence.now)
    ]
    return f"trials died of infrastructure, {' and '.join(told)}"


def _arm(arm: ArmEvidence) -> JSON:
    return {
        "name": arm.name,
        "trials": arm.trials,
        "missing": arm.missing,
        "mean": arm.mean,
        "interval_same_cases": _range(arm.same_cases),
        "interval_new_cases": _range(arm.new_cases),
    }


def _case(case: CaseEvidence, evidence: Evidence) -> JSON:
    return {
        "name": case.name,
        evidence.before.name: _case_arm(case.before),
        evidence.now.name: _case_arm(case.now),
        "probability_fell": case.fell,
    }


def _case_arm(arm: CaseArm) -> JSON:
    return {
        "runs": arm.runs,
        "mean": arm.mean,
        "expected": arm.expected,
        "interval": _range(arm.interval),
        "pass_at_k": arm.pass_at_k,
        "pass_hat_k": arm.pass_hat_k,
        "flaky": arm.is_flaky,
    }


def _settle(settle: Settle | None) -> JSON:
    if settle is None:
        return None
    return {
        "runs": settle.runs,
        "trials": settle.trials,
        "cost_usd": settle.cost_usd,
        "minutes": settle.minutes,
    }


def _judge(judge: JudgeEvidence | None) -> JSON:
    if judge is None:
        return None
    return {"votes": judge.votes, "flip_rate": judge.flip_rate, "alpha": judge.alpha, "calibrated": False}


def _range(interval: tuple[float, float] | None) -> JSON:
    return None if interval is None else list(interval)
