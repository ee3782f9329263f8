"""`assay run` of golden tasks: each against its target, its oracle, and the accepted baseline."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from assay.cli.accept import accept
from assay.cli.golden_rig import GoldenRig, golden_rig
from assay.cli.golden_tasks import GoldenTasks, load_tasks
from assay.cli.measure import Measured, explain, measure, print_plan, record_end, say
from assay.cli.resume import resumed
from assay.cli.triggers import ask_each
from assay.engine.plan import Plan
from assay.errors import UsageError
from assay.graders.judge_prompts import PROMPT_VERSIONS
from assay.model import WITH
from assay.report.golden_text import golden_text
from assay.report.plan_text import plan_text
from assay.schemas.golden_eval import JudgeStamp
from assay.store.judge_calibration import word_for
from assay.store.trials import Run
from assay.verdict.golden_eval import GoldenRun, case_key, golden_eval, run_id

if TYPE_CHECKING:
    from assay.cli.options import RunOptions
    from assay.schemas.golden_eval import GoldenEval
    from assay.schemas.triggers import SkillTriggers

INTERRUPTED = 130
DEFAULT_RUNS = 1
DEFAULT_VOTES = 1


def run_golden(options: RunOptions) -> int:
    """Run the golden tasks that are meant; the exit code."""
    from assay.cli.output import write_out

    tasks = _sharded(options, load_tasks(options))
    options = resumed(options, "golden", _name(tasks))
    if options.explain:
        return _explain(options, tasks)
    result = measure_tasks(options, tasks)
    write_out(options, result.to_document(), golden_text(result).rstrip("\n"))
    if result.partial_reason == "interrupted":
        return INTERRUPTED
    return accept(options, result, tasks.baseline) if options.accept else result.exit_code


def measure_tasks(options: RunOptions, tasks: GoldenTasks) -> GoldenEval:
    """Run the tasks, ask the trigger questions, and decide. The run is stored."""
    parts = golden_rig(options, tasks)
    try:
        started = datetime.now(UTC)
        plan = _plan(options, tasks)
        _tell(options, tasks, parts, plan)
        measured = measure(options, parts.rig, plan, _stored(tasks, parts, plan, started))
        triggers, paid_usd = _triggers(options, tasks, parts, measured)
        run = GoldenRun(
            id=measured.run.id,
            started=started,
            model=parts.model,
            harness=parts.stamp,
            planned={case.id: plan.runs_of(case) for case in tasks.cases},
            whole=tasks.whole,
            is_whole=tasks.is_whole,
            judge=_judge_stamp(options, parts),
            partial_reason=measured.finish.partial_reason,
            other_cost_usd=paid_usd,
        )
        result = golden_eval(
            tasks.suites, measured.records, run, tasks.thresholds, tasks.baseline, triggers=triggers
        )
        if options.confirm:
            from assay.cli.confirming import confirmed

            result = confirmed(options, tasks, parts, result)
    finally:
        parts.close()
    record_end(options, measured.run, measured.finish, result.to_document())
    return result


def _name(tasks: GoldenTasks) -> str:
    return ", ".join(suite.name for suite in tasks.suites)


def _sharded(options: RunOptions, tasks: GoldenTasks) -> GoldenTasks:
    """The tasks, or the share of them that was asked for, or those that a run to be graded again had."""
    part = options.source or options.shard
    if part is None:
        return tasks
    cases = part.of_cases(tasks.cases)
    ids = {case.id for case in cases}
    suites = tuple(
        replace(suite, cases=kept)
        for suite in tasks.suites
        if (kept := tuple(case for case in suite.cases if case_key(suite.name, case.id) in ids))
    )
    if not cases:
        raise UsageError(f"of {len(tasks.cases)} tasks none is in what was asked for")
    return replace(tasks, cases=cases, suites=suites, triggers={})


def _explain(options: RunOptions, tasks: GoldenTasks) -> int:
    parts = golden_rig(options, tasks)
    try:
        plan = _plan(options, tasks)
        print_plan(
            options, *explain(options, parts.rig, plan, _stored(tasks, parts, plan, datetime.now(UTC)))
        )
    finally:
        parts.close()
    return 0


def _plan(options: RunOptions, tasks: GoldenTasks) -> Plan:
    runs = options.runs_of(options.project.config)
    arms = {WITH: lambda case: tasks.items[str(case.target)]}
    return Plan(tasks.cases, arms, runs, options.model, default_runs=DEFAULT_RUNS)


def _tell(options: RunOptions, tasks: GoldenTasks, parts: GoldenRig, plan: Plan) -> None:
    """What was skipped, what will run and what it may cost, before anything is spent."""
    for suite in tasks.suites:
        for task, why in suite.skipped:
            say(f"skipped: {suite.name}/{task}: {why}", options)
    say(plan_text(plan, parts.harness, parts.model, options.ceiling_usd, parts.judge), options)
    targets = Counter(str(case.target) for case in tasks.cases)
    names = ", ".join(f"{target} ({count})" for target, count in sorted(targets.items()))
    suites = len([suite for suite in tasks.suites if suite.cases])
    say(f"  tasks   {len(tasks.cases)} in {suites} suite{'s' if suites != 1 else ''}: {names}", options)
    if parts.router:
        count = sum(map(len, tasks.triggers.values()))
        say(f"  routing {count} trigger questions to {parts.router.name}", options)


def _stored(tasks: GoldenTasks, parts: GoldenRig, plan: Plan, started: datetime) -> Run:
    return Run(
        id=run_id(started),
        kind="golden",
        name=_name(tasks),
        started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        harness=parts.stamp,
        model=parts.model,
        planned=plan.size,
        info={"suites": {suite.name: suite.digest for suite in tasks.suites}},
    )


def _triggers(
    options: RunOptions, tasks: GoldenTasks, parts: GoldenRig, measured: Measured
) -> tuple[tuple[SkillTriggers, ...], float]:
    if parts.router is None or measured.finish.partial_reason == "interrupted":
        return (), 0.0
    left_usd = max(0.0, options.ceiling_usd - measured.finish.spent_usd)
    return ask_each(options, parts.router, tasks.triggers, tasks.skills, left_usd)


def _judge_stamp(options: RunOptions, parts: GoldenRig) -> JudgeStamp | None:
    if parts.judge is None:
        return None
    prompt, votes = PROMPT_VERSIONS["rubric"], options.votes or DEFAULT_VOTES
    word = word_for(options.project.evals, parts.judge.name, prompt, votes)
    return JudgeStamp(parts.judge.name, prompt, votes, word)
