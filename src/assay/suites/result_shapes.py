"""The shapes of other tools' results, each read into a `ForeignResult`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path

from assay.model import JSON, WITH, WITHOUT, exact
from assay.suites.foreign_result import ForeignCase, ForeignCheck, ForeignResult, ForeignRun
from assay.suites.recognise import ARM_KEYS, GRADE_KEYS


def read_aggregate(value: Mapping[str, JSON], _path: Path) -> ForeignResult:
    """The platform's aggregate-result.json, schema version 1."""
    suite = value.get("suite", {})
    cases = tuple(_aggregate_case(case) for case in value["cases"])
    runs = [run for case in cases for runs in case.arms.values() for run in runs]
    remarks = []
    if errors := sum(run.error is not None for run in runs):
        remarks.append(
            f"{errors} runs ended in an error; the platform counts them in its means, assay does not"
        )
    version = value.get("claudeVersion")
    plugins = suite.get("plugins") or [{}]
    models = {case["model"] for case in value["cases"] if case.get("model")}
    return ForeignResult(
        format="aggregate-result",
        title=str(plugins[0].get("name") or suite.get("pluginId") or suite.get("root") or "suite"),
        cases=cases,
        model=suite.get("modelOverride") or (models.pop() if len(models) == 1 else None),
        judge_model=suite.get("judgeModel"),
        tool=f"claude-plugin-eval@{version}" if version else None,
        started=value.get("startedAt"),
        cost_usd=value.get("costUsd"),
        is_partial=bool(value.get("partial")),
        remarks=tuple(remarks),
    )


def _aggregate_case(case: Mapping[str, JSON]) -> ForeignCase:
    triggers = {
        grader["name"]
        for grader in case.get("graders", ())
        if grader.get("type") == "tool_used" and grader.get("config", {}).get("tool") == "Skill"
    }
    arms = {
        arm: tuple(_aggregate_run(run, triggers) for run in runs)
        for arm, runs in case.get("arms", {}).items()
        if arm in (WITH, WITHOUT)
    }
    return ForeignCase(str(case.get("dir") or case["name"]), arms)


def _aggregate_run(run: Mapping[str, JSON], triggers: set[str]) -> ForeignRun:
    checks = tuple(_aggregate_check(grade, grade["name"] in triggers) for grade in run.get("graders", ()))
    counted = [check for check in checks if check.is_scored]
    passed = float(sum(exact(check.weight) for check in counted if check.passed))
    scored = float(sum(exact(check.weight) for check in counted))
    score = exact(run["score"]) if checks or run.get("error") is None else None
    return ForeignRun(score, checks, run.get("error"), (passed, scored) if scored else None)


def _aggregate_check(grade: Mapping[str, JSON], is_trigger: bool) -> ForeignCheck:
    # `scored` is newer than `withOnly`; an older document says it by the latter alone.
    scored = grade.get("scored", not grade.get("withOnly", False))
    return ForeignCheck(
        name=grade["name"],
        passed=bool(grade["passed"]),
        weight=grade.get("weight") or 1,
        is_scored=bool(scored),
        evidence=grade.get("explanation"),
        is_trigger=is_trigger,
    )


def read_benchmark(value: Mapping[str, JSON], path: Path) -> ForeignResult:
    """skill-creator's benchmark.json: single runs, else evals with their arms, else the summary alone."""
    meta = value.get("metadata", {})
    remarks: list[str] = []
    if isinstance(value.get("runs"), list) and value["runs"]:
        cases = _benchmark_runs(value["runs"])
    elif isinstance(value.get("evals"), list) and value["evals"]:
        cases = tuple(_benchmark_eval(entry, remarks) for entry in value["evals"])
        remarks.append("one figure an arm and eval: how many runs stand behind it is not said")
    else:
        summary = value.get("run_summary", value)
        arms = {arm: (ForeignRun(_rate(summary[arm], remarks)),) for arm in ARM_KEYS if arm in summary}
        cases = (ForeignCase("all", arms),)
        remarks.append("only the summary's means are there, no single case")
    return ForeignResult(
        format="benchmark",
        title=str(meta.get("skill_name") or value.get("skill_name") or path.parent.name),
        cases=cases,
        model=meta.get("executor_model"),
        judge_model=meta.get("analyzer_model"),
        started=meta.get("timestamp"),
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _benchmark_runs(runs: list[Mapping[str, JSON]]) -> tuple[ForeignCase, ...]:
    found: dict[str, dict[str, list[ForeignRun]]] = {}
    for run in runs:
        name = str(run.get("eval_name") or run["eval_id"])
        result = run["result"]
        passed, total = result.get("passed"), result.get("total")
        score = Fraction(passed, total) if passed is not None and total else _rate(result, [])
        checks = tuple(_check(entry) for entry in run.get("expectations", ()) if isinstance(entry, dict))
        weights = (float(passed), float(total)) if passed is not None and total else None
        one = ForeignRun(score, checks, weights=weights)
        found.setdefault(name, {}).setdefault(str(run["configuration"]), []).append(one)
    return tuple(
        ForeignCase(name, {arm: tuple(rows) for arm, rows in arms.items()}) for name, arms in found.items()
    )


def _benchmark_eval(entry: Mapping[str, JSON], remarks: list[str]) -> ForeignCase:
    arms: dict[str, tuple[ForeignRun, ...]] = {}
    for arm in ARM_KEYS:
        if isinstance(entry.get(arm), dict):
            passed, total = entry[arm].get("passed"), entry[arm].get("total")
            exactly = Fraction(passed, total) if passed is not None and total else None
            arms[arm] = (ForeignRun(exactly if exactly is not None else _rate(entry[arm], remarks)),)
    return ForeignCase(str(entry.get("name") or entry.get("eval_name") or entry.get("id")), arms)


def _rate(figures: Mapping[str, JSON], remarks: list[str]) -> Fraction | None:
    """A pass rate, given plainly or as `{mean}`; above 1 it is read as per cent, and said."""
    rate = figures.get("pass_rate")
    if isinstance(rate, dict):
        rate = rate.get("mean")
    if isinstance(rate, bool) or not isinstance(rate, int | float):
        return None
    if rate > 1:
        remarks.append("pass rates above 1 were read as per cent")
        return exact(rate) / 100
    return exact(rate)


def read_grading(value: Mapping[str, JSON], path: Path) -> ForeignResult:
    """A grading.json: one run's checks. Its arm and eval stand in the path, if anywhere."""
    key = next(key for key in GRADE_KEYS if isinstance(value.get(key), list) and value[key])
    checks = tuple(_check(entry) for entry in value[key])
    graded = [check for check in checks if check.passed is not None]
    passed = sum(check.passed is True for check in graded)
    score = Fraction(passed, len(graded)) if graded else None
    remarks = [*_summary_remarks(value, passed, len(graded))]
    if len(graded) < len(checks):
        remarks.append(f"{len(checks) - len(graded)} checks were not graded and do not count")
    arm = next((part for part in reversed(path.parts) if part in ARM_KEYS), "graded")
    run = ForeignRun(score, checks, weights=(float(passed), float(len(graded))) if graded else None)
    name = str(value.get("eval_name") or value.get("eval_id") or _eval_folder(path))
    return ForeignResult("grading", name, (ForeignCase(name, {arm: (run,)}),), remarks=tuple(remarks))


def _summary_remarks(value: Mapping[str, JSON], passed: int, total: int) -> list[str]:
    summary = value.get("summary")
    if not isinstance(summary, dict):
        return ["it has no summary: the score is counted from its checks"]
    if (summary.get("passed"), summary.get("total")) != (passed, total):
        said = f"{summary.get('passed')} of {summary.get('total')}"
        return [f"its summary says {said}, its checks say {passed} of {total}: the checks count"]
    return []


def _check(entry: Mapping[str, JSON]) -> ForeignCheck:
    name = next((entry[key] for key in ("text", "name", "description", "id") if entry.get(key)), "check")
    passed = entry.get("passed")
    evidence = entry.get("evidence")
    return ForeignCheck(
        str(name),
        passed if isinstance(passed, bool) else None,
        evidence=None if evidence is None else str(evidence),
    )


def _eval_folder(path: Path) -> str:
    skipped = {"outputs", *ARM_KEYS}
    folders = [part for part in path.parent.parts if part not in skipped and not part.startswith("run-")]
    return folders[-1] if folders else path.stem


def read_test_results(value: Mapping[str, JSON], path: Path) -> ForeignResult:
    """A list of results that passed or not: a trigger run's (by query), or a test harness's (by test)."""
    cases = []
    for row in value["results"]:
        passed = row.get("pass", row.get("passed"))
        name = str(next((row[key] for key in ("query", "test_id", "id", "name") if row.get(key)), "result"))
        error = row.get("error")
        score = Fraction(passed) if isinstance(passed, bool) and not error else None
        run = ForeignRun(score, error=None if error is None else str(error))
        cases.append(ForeignCase(name, {"graded": (run,)}))
    meta = value.get("meta", {})
    title = value.get("skill_name") or meta.get("suite_name") or path.stem
    return ForeignResult("test-results", str(title), tuple(cases), started=meta.get("timestamp_utc"))


READERS: Mapping[str, Callable[[Mapping[str, JSON], Path], ForeignResult]] = {
    "aggregate-result": read_aggregate,
    "benchmark": read_benchmark,
    "grading": read_grading,
    "test-results": read_test_results,
}
"""By what `recognise` calls a file."""
