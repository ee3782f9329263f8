"""Results of other tools as `skill-eval/1`, so that the gate can judge what they measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Literal, TypeAlias

from assay.errors import Unusable
from assay.model import JSON, WITH, WITHOUT, Case, Location, Suite
from assay.schemas.skill_eval import (
    CaseScores,
    PairOfWeights,
    PartialReason,
    SkillEval,
    from_document,
    mean_of_cases,
    score_of_trials,
)
from assay.store.results import read_json
from assay.suites.platform_result import records_of
from assay.suites.recognise import recognise
from assay.verdict.skill_eval import RunInfo, run_id, skill_eval

Kind: TypeAlias = Literal["skill-eval", "platform", "benchmark"]
ARMS = {"with_skill": WITH, "without_skill": WITHOUT}
"""What skill-creator calls the arms."""


def read_result(path: Path, item: str) -> SkillEval:
    """A result in a file: `skill-eval/1`, or one of `claude plugin eval` or skill-creator's `benchmark.json`.

    Those do not name the item as assay does, so `item` does. Raises `Unusable` where the file is none of
    them, or lacks an arm.
    """
    where = path.as_posix()
    document = read_json(path)
    kind = _kind(document)
    if kind == "platform":
        return from_platform(document, item, where)
    if kind == "benchmark":
        return from_benchmark(document, item, where)
    if reason := _no_result(document):
        raise Unusable(f"{where} is {reason}")
    return from_document(document, where)


def from_platform(document: JSON, item: str, where: str = "the result") -> SkillEval:
    """The result document of `claude plugin eval --json`, run with two arms."""
    started = _moment(document.get("startedAt"), where)
    suite = document.get("suite") or {}
    records = records_of(document, run_id(item, started))
    if not any(record.arm == WITHOUT for record in records):
        raise Unusable(f"{where} has no arm without the plugin: run it with `--ablation with-without`")
    counts = Counter((record.case, record.arm) for record in records)
    cases = tuple(
        Case(name, name, "", (), Location(where)) for name in dict.fromkeys(r.case for r in records)
    )
    info = RunInfo(
        item=item,
        item_digest="",
        model=suite.get("modelOverride") or "default",
        harness=f"plugin-eval@{document.get('claudeVersion', 'unknown')}",
        started=started,
        max_cost_usd=0,
        planned={case.id: max(counts[case.id, WITH], counts[case.id, WITHOUT]) for case in cases},
        judge_model=suite.get("judgeModel"),
        partial_reason=_partial(document),
    )
    result = skill_eval(Suite(item, "ablation", Path(), cases), records, info)
    return replace(result, item_digest=None, suite_digest=None, max_cost_usd=None)


def from_benchmark(document: JSON, item: str, where: str = "the result") -> SkillEval:
    """skill-creator's `benchmark.json`: each run's share of expectations met, with the skill and without."""
    try:
        metadata = document["metadata"]
        started = _moment(metadata.get("timestamp"), where)
        cases = tuple(_case(name, runs) for name, runs in _by_case(document["runs"], where).items())
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Unusable(f"{where} is not a benchmark of skill-creator: {error!r}") from error
    trials = [case.trials or {} for case in cases]
    means = {arm: mean_of_cases(trials, arm) for arm in (WITH, WITHOUT)}
    is_short = any(None in (case.with_score, case.without_score) or case.errors for case in cases)
    return SkillEval(
        item=item,
        run=run_id(item, started),
        date=f"{started:%Y-%m-%d}",
        model=str(metadata.get("executor_model") or "default"),
        with_score=_number(means[WITH]),
        without_score=_number(means[WITHOUT]),
        trigger_rate=None,
        cases=cases,
        cost_usd=None,
        max_cost_usd=None,
        partial=is_short,
        partial_reason="errors" if is_short else None,
        harness="skill-creator@unknown",
    )


def _kind(document: JSON) -> Kind:
    if isinstance(document, dict) and "schemaVersion" in document and "cases" in document:
        return "platform"
    if isinstance(document, dict) and "metadata" in document and "runs" in document:
        return "benchmark"
    return "skill-eval"


def _no_result(document: JSON) -> str | None:
    """What a document without a schema is that the gate cannot judge; None where it may be one of assay's."""
    if isinstance(document, dict) and "schema" in document:
        return None
    return _TOO_LITTLE.get(recognise(document).kind, f"not a result that the gate can judge: {_TAKEN}")


_TAKEN = (
    "it takes what `assay run --out` wrote, a two-arm aggregate-result.json, or a benchmark.json with `runs`"
)
_TOO_LITTLE = {
    "benchmark": f"a benchmark without its `runs`, so no trial is known: {_TAKEN}",
    "grading": f"the grading of one run on one arm: {_TAKEN}",
    "evals": "a suite, not a result: `assay check` reads it, `assay run` measures it",
    "triggers": "a trigger set, not a result: `assay triggers` asks it",
}


def _partial(document: JSON) -> PartialReason | None:
    if not document.get("partial"):
        return None
    reasons: dict[JSON, PartialReason] = {"cost_ceiling": "cost_ceiling", "interrupted": "interrupted"}
    return reasons.get(document.get("partialReason"), "errors")


def _by_case(runs: Sequence[JSON], where: str) -> dict[str, list[JSON]]:
    found: dict[str, list[JSON]] = {}
    for run in runs:
        if run["configuration"] not in ARMS:
            raise Unusable(
                f"{where} compares {run['configuration']!r}: the gate takes {' and '.join(ARMS)} only, since "
                "an old version of a skill is not the arm without it"
            )
        found.setdefault(str(run.get("eval_name") or run["eval_id"]), []).append(run)
    return found


def _case(name: str, runs: Sequence[JSON]) -> CaseScores:
    """A run with an error, or without a single expectation, has no score: not 0, as the tool counts it."""
    trials: dict[str, tuple[PairOfWeights, ...]] = {
        arm: tuple(
            (run["result"]["passed"], run["result"]["total"])
            for run in runs
            if ARMS[run["configuration"]] == arm and run["result"]["total"]
        )
        for arm in (WITH, WITHOUT)
    }
    return CaseScores(
        name=name,
        with_score=_number(score_of_trials(trials[WITH])),
        without_score=_number(score_of_trials(trials[WITHOUT])),
        runs_with=len(trials[WITH]),
        runs_without=len(trials[WITHOUT]),
        errors=len(runs) - len(trials[WITH]) - len(trials[WITHOUT]),
        trials=trials,
    )


def _moment(text: JSON, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError as error:
        raise Unusable(f"{where} does not say when its run started: {text!r}") from error
    return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)


def _number(score: Fraction | None) -> float | None:
    return None if score is None else float(score)
