"""The real Claude Code in the tests: where it is, and how a suite is run on it by either harness."""

import os
from pathlib import Path

import pytest

from assay.cli.measure_platform import trials_of
from assay.engine.budget import Budget
from assay.engine.grading import Grading
from assay.engine.plan import Plan
from assay.engine.retry import Retry
from assay.engine.session import Session
from assay.engine.stop import StopFlag
from assay.graders import Bench
from assay.harnesses import Setup
from assay.harnesses.claude import ClaudeHarness
from assay.harnesses.plugin_eval import EvalOptions, PluginEvalHarness
from assay.model import WITH, WITHOUT
from assay.store.trials import Run, TrialStore
from support.http_judge import HttpJudge

ROOT = Path(__file__).parents[2]
PINNED = ROOT / ".claude-cli/current/node_modules/.bin/claude"
OTHER = ROOT / ".claude-cli/2.1.329/node_modules/.bin/claude"
MODEL, JUDGE = "claude-sonnet-5-5", "claude-haiku-4-5"


def needs_claude(program=PINNED):
    """Skip where `scripts/install_claude.sh` has not run."""
    return pytest.mark.skipif(not program.exists(), reason="scripts/install_claude.sh installs the CLI")


def user_env(server, **more):
    return {
        "PATH": os.environ["PATH"],
        "ANTHROPIC_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": "scripted",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        **more,
    }


def set_up(server, project, *, program=PINNED, env=None, **setup):
    return ClaudeHarness.set_up(
        Setup(project, argument=str(program), env=env or user_env(server), model=MODEL, **setup)
    )


def run_natively(server, project, item, cases, *, runs=1, jobs=2, retry=None, **setup):
    """The records of a run of both arms on our own harness, by (case, arm)."""
    harness = set_up(server, project, **setup)
    stop, retry = StopFlag(), retry or Retry(attempts=1, first_s=0.01)
    plan = Plan(tuple(cases), {WITH: lambda _: item, WITHOUT: lambda _: None}, runs, MODEL)
    bench = Bench(judge=HttpJudge(server.url, JUDGE))
    store = TrialStore(None)
    try:
        run = store.begin(
            Run(
                id="native",
                kind="ablation",
                name=item.name,
                started="2026-01-01T00:00:00Z",
                harness=harness.stamp,
                model=MODEL,
                planned=plan.size,
            )
        )
        session = Session(
            run.id,
            harness=harness,
            grading=Grading(bench, (WITH, WITHOUT), retry, stop),
            journal=store,
            budget=Budget(5.0),
            retry=retry,
            stop=stop,
        )
        records = []
        session.execute(plan, jobs, records.extend)
    finally:
        store.close()
    return {(record.case, record.arm): record for record in records}


def run_on_platform(server, project, item, suite, room, **setup):
    """The same on `claude plugin eval`."""
    setup = Setup(project, argument=str(PINNED), env=user_env(server), **setup)
    asked = EvalOptions(max_cost_usd=5, model=MODEL, judge_model=JUDGE, runs=1, jobs=2)
    done = PluginEvalHarness.set_up(setup).evaluate(item, suite, asked, room)
    return {(record.case, record.arm): record for record, _ in trials_of(done, "platform", item)}
