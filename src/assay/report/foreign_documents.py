"""A result in the words of other tools: the platform's aggregate-result.json, skill-creator's benchmark.json.

Their viewers want numbers where assay may know none; what had to be left out or put as 0 is listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from assay.model import JSON, WITH, WITHOUT, Grade, Record
from assay.schemas.skill_eval import SkillEval

CONFIGURATIONS = {WITH: "with_skill", WITHOUT: "without_skill"}


@dataclass(frozen=True, slots=True)
class Exported:
    """The document, and what did not fit into it."""

    document: dict[str, JSON]
    lost: tuple[str, ...]


def records_of_document(result: SkillEval) -> tuple[Record, ...]:
    """Trials as a `skill-eval/1` document keeps them: their weights, without grades."""
    return tuple(
        Record(result.run, f"{case.name}/{arm}/{number}", case.name, arm, number, "scored", passed, scored)
        for case in result.cases
        for arm, pairs in (case.trials or {}).items()
        for number, (passed, scored) in enumerate(pairs, 1)
    )


def aggregate_result(result: SkillEval, records: Sequence[Record]) -> Exported:
    """The document of `claude plugin eval --json`, schema version 1. Trials without a score are left out."""
    scored = [record for record in records if record.score is not None]
    lost = _left_out(records, scored)
    if any(not record.grades for record in scored):
        lost.append("grades: the result holds weights alone, shown as what passed and what failed")
    lost += ["turns and traces: assay does not keep them as the platform does"]
    lost += [f"the arm {arm!r}" for arm in sorted({record.arm for record in records} - {WITH, WITHOUT})]
    cases = [_platform_case(name, rows) for name, rows in _by_case(scored).items()]
    scores = [case["aggregates"]["score"] for case in cases]
    document: dict[str, JSON] = {
        "schemaVersion": 1,
        "claudeVersion": (result.harness or "assay").rpartition("@")[2],
        "startedAt": _iso(result),
        "durationSeconds": sum(record.duration_s or 0 for record in records),
        "costUsd": result.cost_usd or 0,
        "partial": result.partial,
        "suite": {
            "root": result.item,
            "ablation": "with-without",
            "modelOverride": result.model,
            **({"judgeModel": result.judge_model} if result.judge_model else {}),
            "threshold": 1,
            "plugins": [{"name": result.item, "path": result.item}],
        },
        "cases": cases,
        "aggregates": {
            "casesTotal": len(cases),
            "casesPassed": sum(score >= 1 for score in scores),
            "overallScore": fmean(scores) if scores else 0,
            "overallPassRate": fmean([case["aggregates"]["passRate"] for case in cases]) if cases else 0,
            **({"meanDelta": result.delta} if result.delta is not None else {}),
        },
    }
    return Exported(document, tuple(dict.fromkeys(lost)))


def _platform_case(name: str, rows: list[Record]) -> dict[str, JSON]:
    arms = {arm: [row for row in rows if row.arm == arm] for arm in (WITH, WITHOUT)}
    with_, without = ([float(row.score or 0) for row in arms[arm]] for arm in (WITH, WITHOUT))
    grades = {grade.name: grade for row in rows for grade in _grades(row)}.values()
    aggregates: dict[str, JSON] = {"score": _mean(with_), "passRate": _mean([score >= 1 for score in with_])}
    if without:
        aggregates["scoreWithout"] = _mean(without)
        aggregates["passRateWithout"] = _mean([score >= 1 for score in without])
        aggregates["delta"] = _mean(with_) - _mean(without)
    return {
        "name": name.rpartition("/")[2],
        "dir": f"evals/{name}",
        "source": "prose",
        "promptMarkdown": "",
        "runsPerCase": len(with_),
        "timeoutSeconds": 300,
        "maxTurns": 10,
        "graders": [
            {
                "name": grade.name,
                "type": grade.type,
                "weight": grade.weight,
                "config": {"tool": "Skill"} if grade.trigger else {},
            }
            for grade in grades
        ],
        "arms": {arm: [_platform_run(row) for row in found] for arm, found in arms.items() if found},
        "aggregates": aggregates,
    }


def _platform_run(record: Record) -> dict[str, JSON]:
    score = float(record.score or 0)
    duration = {} if record.duration_s is None else {"durationSeconds": record.duration_s}
    return {
        "score": score,
        "passed": score >= 1,
        "turns": 0,
        "costUsd": record.usage.cost_usd or 0,
        "judgeCostUsd": record.judge_cost_usd or 0,
        **duration,
        "error": None,
        "tracePath": "",
        "skippedPaidGraders": False,
        "graders": [_platform_grade(grade) for grade in _grades(record)],
    }


def _grades(record: Record) -> tuple[Grade, ...]:
    """A trial's grades; where it kept weights alone, two that stand for what passed and what failed."""
    if record.grades:
        return record.grades
    shares = (
        Grade("what passed", "regex", True, record.passed_weight),
        Grade("what failed", "regex", False, record.scored_weight - record.passed_weight),
    )
    return tuple(share for share in shares if share.weight > 0)


def _platform_grade(grade: Grade) -> dict[str, JSON]:
    return {
        "name": grade.name,
        "passed": grade.passed is True,
        "weight": grade.weight,
        "explanation": grade.explanation,
        "withOnly": not grade.scored,
        "scored": grade.scored,
        **({"judgeVotes": list(grade.votes)} if grade.votes else {}),
        **({"evidence": grade.evidence} if grade.evidence else {}),
    }


def benchmark(result: SkillEval, records: Sequence[Record]) -> Exported:
    """skill-creator's benchmark.json. Shares are of weights, which are counts where every weight is 1."""
    scored = [record for record in records if record.score is not None and record.arm in CONFIGURATIONS]
    lost = _left_out(records, scored)
    if any(grade.weight != 1 for record in scored for grade in record.grades if grade.scored):
        lost.append("weights: passed and total are sums of weights, not counts")
    if any(record.duration_s is None for record in scored):
        lost.append("durations: unknown ones are put as 0")
    if any(_tokens(record) is None for record in scored):
        lost.append("tokens: unknown ones are put as 0")
    ids = {name: number for number, name in enumerate(_by_case(scored), 1)}
    runs = [_benchmark_run(record, ids[record.case]) for record in scored]
    summary = {name: _summary([r for r in scored if r.arm == arm]) for arm, name in CONFIGURATIONS.items()}
    with_, without = (summary[name] for name in CONFIGURATIONS.values())
    document: dict[str, JSON] = {
        "metadata": {
            "skill_name": result.item,
            "skill_path": result.item,
            "executor_model": result.model,
            "analyzer_model": result.judge_model or "none",
            "timestamp": _iso(result),
            "evals_run": list(ids.values()),
            "runs_per_configuration": max((record.repeat for record in scored), default=0),
        },
        "runs": runs,
        "run_summary": {
            **summary,
            "delta": {
                key: f"{with_[key]['mean'] - without[key]['mean']:+{form}}"
                for key, form in (("pass_rate", ".2f"), ("time_seconds", ".1f"), ("tokens", ".0f"))
            },
        },
        "notes": [f"made by assay from run {result.run}"],
    }
    return Exported(document, tuple(lost))


def _benchmark_run(record: Record, ident: int) -> dict[str, JSON]:
    passed, total = _count(record.passed_weight), _count(record.scored_weight)
    return {
        "eval_id": ident,
        "eval_name": record.case,
        "configuration": CONFIGURATIONS[record.arm],
        "run_number": record.repeat,
        "result": {
            "pass_rate": float(record.score or 0),
            "passed": passed,
            "failed": _count(record.scored_weight - record.passed_weight),
            "total": total,
            "time_seconds": record.duration_s or 0,
            "tokens": _tokens(record) or 0,
            "tool_calls": 0,
            "errors": 0,
        },
        "expectations": [
            {
                "text": grade.name,
                "passed": grade.passed is True,
                "evidence": grade.evidence or grade.explanation,
            }
            for grade in record.grades
            if grade.scored
        ],
        "notes": [],
    }


def _summary(records: Sequence[Record]) -> dict[str, dict[str, float]]:
    return {
        "pass_rate": _spread([float(record.score or 0) for record in records]),
        "time_seconds": _spread([record.duration_s or 0 for record in records]),
        "tokens": _spread([_tokens(record) or 0 for record in records]),
    }


def _spread(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {"mean": 0, "stddev": 0, "min": 0, "max": 0}
    spread = stdev(values) if len(values) > 1 else 0
    return {"mean": fmean(values), "stddev": spread, "min": min(values), "max": max(values)}


def _tokens(record: Record) -> int | None:
    counts = (record.usage.input_tokens, record.usage.output_tokens)
    return None if None in counts else sum(count or 0 for count in counts)


def _left_out(records: Sequence[Record], kept: Sequence[Record]) -> list[str]:
    count = len(records) - len(kept)
    return [f"{count} trials without a score: neither format has a word for them"] if count else []


def _by_case(records: Iterable[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record.case, []).append(record)
    return found


def _iso(result: SkillEval) -> str:
    """The start, from the run's id; else the day alone."""
    stamp = result.run.rpartition("-")[2]
    if len(stamp) == 16 and stamp.endswith("Z"):
        day, time = stamp[:8], stamp[9:15]
        return f"{day[:4]}-{day[4:6]}-{day[6:]}T{time[:2]}:{time[2:4]}:{time[4:]}Z"
    return f"{result.date}T00:00:00Z"


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0


def _count(weight: float) -> float:
    return int(weight) if float(weight).is_integer() else weight
