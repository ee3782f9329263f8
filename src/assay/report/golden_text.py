"""The report of a golden run as text: one block a suite, its verdict last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from assay.model import exact
from assay.report.printable import one_line
from assay.report.triggers_text import trigger_lines
from assay.schemas.golden_baseline import TaskUsage
from assay.schemas.golden_eval import GoldenEval
from assay.schemas.golden_suite import SuiteResult, TaskResult
from assay.schemas.skill_eval import score_of_trials

RULE = "────────"
_WORDS = {
    "passed": "RUN PASSED",
    "failed": "RUN FAILED",
    "informational": "no baseline: accept to set one",
    "incomplete": "RUN INCOMPLETE",
}


def golden_text(result: GoldenEval) -> str:
    """The whole report. What authors and agents wrote is kept on one line and free of control characters."""
    blocks = [_suite_block(suite, result) for suite in result.suites if suite.tasks or suite.skipped]
    if result.triggers:
        blocks.append(trigger_lines(result.triggers))
    closing = list(_closing(result, alone=len(blocks) == 1 and not result.triggers))
    if closing:
        blocks.append(closing)
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


# --- one suite ----------------------------------------------------------------------------------------


def _suite_block(suite: SuiteResult, result: GoldenEval) -> list[str]:
    width = max([5, *(len(task.id) for task in suite.tasks)])
    lines = [
        f"EVAL — suite: {one_line(suite.name)} · target: {one_line(', '.join(suite.targets))}"
        f" · model: {one_line(result.model)} · harness: {one_line(result.harness)}"
    ]
    lines += [f"  {task.id:<{width}}  {_task(task, suite)}" for task in suite.tasks]
    lines += [
        f"  {id_:<{width}}     —  removed  (baseline {decimal(exact(score))})" for id_, score in suite.removed
    ]
    lines += [f"  {id_:<{width}}     —  skipped  ({one_line(reason)})" for id_, reason in suite.skipped]
    lines += [RULE, _aggregate(suite, result)]
    if suite.score is not None:
        lines.append(f"score {decimal(suite.score)} (mean of the tasks by weight)")
    lines += _failures(suite)
    lines += _usages(suite.tasks, width)
    return lines


def _task(task: TaskResult, suite: SuiteResult) -> str:
    if task.score is None:
        kinds = ", ".join(sorted(set(task.faults))) or "not run"
        baseline = f", baseline {decimal(exact(task.baseline))}" if task.baseline is not None else ""
        return f"   —  ERROR  ({kinds}{baseline})"
    score = decimal(task.score, exact(suite.thresholds.task_pass))
    word = "pass" if task.passes(suite.thresholds) else "FAIL"
    note = _compared(task)
    missing = task.planned - len(task.trials)
    errors = f"  ({missing} of {task.planned} runs without a score)" if missing else ""
    return f"{score}  {word}{note}{errors}"


def _compared(task: TaskResult) -> str:
    if task.status == "new":
        return "  (new)"
    if task.baseline is None or task.delta is None:
        return ""
    said = {
        "same": "no change",
        "improved": signed(task.delta),
        "regressed": f"{'REGRESSION ' if task.is_regression else ''}{signed(task.delta)}",
    }.get(task.status, "")
    return f"  (baseline {decimal(exact(task.baseline))}  →  {said}{_confirmed(task)})"


def _confirmed(task: TaskResult) -> str:
    """What fresh runs said of a drop."""
    found = task.confirmation
    if found is None:
        return ""
    now, before = score_of_trials(found.now), score_of_trials(found.before)
    assert now is not None
    assert before is not None
    word = "confirmed" if found.is_drop else "not confirmed"
    beside = f"{len(found.before)} {'beside' if found.source == 'fresh' else 'accepted'}"
    return f", {word}: {decimal(now)} in {len(found.now)} fresh runs, {decimal(before)} in {beside}"


def _aggregate(suite: SuiteResult, result: GoldenEval) -> str:
    if not suite.tasks:
        return "no task to run"
    if suite.pass_rate is None:
        return f"pass_rate unknown  →  {_suite_verdict(suite, result)}"
    wanted = exact(suite.thresholds.pass_rate)
    sign = ">=" if suite.clears else "<"
    rate = f"pass_rate {decimal(suite.pass_rate, wanted)} {sign} {decimal(wanted)}"
    return f"{rate}  →  {_suite_verdict(suite, result)}"


def _suite_verdict(suite: SuiteResult, result: GoldenEval) -> str:
    lacking = [task.id for task in suite.tasks if not task.is_complete]
    if lacking:
        return f"RUN INCOMPLETE ({len(lacking)} without a score): {', '.join(lacking)}"
    if result.baseline is None:
        return _WORDS["informational"]
    if suite.passed:
        alone = len(result.suites) == 1 and not result.triggers
        return (_WORDS[result.verdict] if alone else "passed") + (_changes(result) if alone else "")
    return f"RUN FAILED ({_counts(suite)}): {', '.join(_culprits(suite))}{_changes(result)}"


def _counts(suite: SuiteResult) -> str:
    regressions = len(suite.regressed)
    allowed = ", allowed" if suite.thresholds.allow_regressions else ""
    parts = [f"{regressions} regression{'' if regressions == 1 else 's'}{allowed}"] if regressions else []
    if suite.below:
        parts.append(f"{len(suite.below)} below task_pass")
    if suite.has_dropped:
        parts.append(f"the suite as a whole dropped{allowed}, p {suite.drop_p:.4f}")
    return ", ".join(parts)


def _culprits(suite: SuiteResult) -> list[str]:
    guilty = {*suite.regressed, *suite.below}
    return [task.id for task in suite.tasks if task in guilty]


def _changes(result: GoldenEval) -> str:
    return "".join(f" · changed: {one_line(change)}" for change in result.stamp_changes)


def _failures(suite: SuiteResult) -> Iterator[str]:
    """Which checks a task that failed or dropped did not meet, and what they found."""
    guilty = set(_culprits(suite))
    for task in suite.tasks:
        for check in task.checks:
            if task.id in guilty and check.passed < check.graded:
                share = (
                    f" in {check.graded - check.passed} of {check.graded} runs" if task.planned > 1 else ""
                )
                why = f": {one_line(check.explanation)}" if check.explanation else ""
                yield f"  {task.id}  not met{share}: {one_line(check.name)}{why}"


# --- tokens and cost ----------------------------------------------------------------------------------


def _usages(tasks: Iterable[TaskResult], width: int) -> Iterator[str]:
    known = [task for task in tasks if task.usage.is_known]
    if known:
        yield "usage a run (information, never part of the verdict)"
    for task in known:
        yield f"  {task.id:<{width}}  {_usage(task.usage, task.baseline_usage)}"


def _usage(now: TaskUsage, before: TaskUsage) -> str:
    parts = []
    for label, value, old in (
        ("in", now.input_tokens, before.input_tokens),
        ("out", now.output_tokens, before.output_tokens),
    ):
        if value is not None:
            change = f" ({value - old:+,.0f})" if old is not None else ""
            parts.append(f"{value:,.0f} tokens {label}{change}")
    if now.cost_usd is not None:
        is_other = before.cost_usd is not None and (now.cost_usd or before.cost_usd)
        change = f" ({_money(now.cost_usd - (before.cost_usd or 0), '+')})" if is_other else ""
        parts.append(f"{_money(now.cost_usd) if now.cost_usd else 'free'}{change}")
    return " · ".join(parts)


def _money(value: float, sign: str = "") -> str:
    prefix = "-" if value < 0 else sign
    return f"{prefix}${abs(value):.4f}"


# --- the end ------------------------------------------------------------------------------------------


def _closing(result: GoldenEval, alone: bool) -> Iterator[str]:
    if not alone:
        yield _WORDS[result.verdict] + (_changes(result) if result.baseline else "")
    elif not result.suites[0].tasks or (result.partial and result.suites[0].tasks):
        yield _WORDS[result.verdict] + (f" ({result.partial_reason})" if result.partial_reason else "")
    for name in result.removed_suites:
        yield f"removed since the baseline: suite {one_line(name)}"
    if result.baseline and result.baseline.integrity == "edited":
        yield "baseline.json was edited by hand: its digest is not that of the accepted run"
    elif result.baseline and result.baseline.integrity == "unsigned":
        yield "baseline.json carries no digest: whether it was edited by hand cannot be told"
    if result.judge:
        judge = result.judge
        who = f"judge: {one_line(judge.model)} · prompt {judge.prompt}"
        yield f"{who} · votes {judge.votes} · {judge.calibration}"


# --- numbers ------------------------------------------------------------------------------------------


def decimal(value: Fraction, beside: Fraction | None = None) -> str:
    """Two decimals; more where two would hide on which side of `beside` a value lies."""
    for digits in (2, 3, 4, 6, 9):
        text = f"{float(value):.{digits}f}"
        if beside is None or _side(Fraction(text), beside) == _side(value, beside):
            break
    return text


def _side(value: Fraction, beside: Fraction) -> int:
    return (value > beside) - (value < beside)


def signed(value: Fraction) -> str:
    """A difference with its sign; more decimals where two would make it nothing."""
    for digits in (2, 3, 4, 6, 9):
        text = f"{float(value):+.{digits}f}"
        if Fraction(text) != 0:
            break
    return text
