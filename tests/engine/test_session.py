"""A whole run on the scripted harness: scores, errors, cache, ceiling, curtailment, interruption."""

from dataclasses import replace
from pathlib import Path

import pytest

from assay.engine.budget import Budget
from assay.engine.grading import Grading
from assay.engine.plan import Plan
from assay.engine.retry import Retry
from assay.engine.session import Session
from assay.engine.stop import StopFlag
from assay.graders import Bench
from assay.harnesses.scripted import Rule, ScriptedHarness
from assay.model import WITH, WITHOUT, Case, GraderSpec, Item, Location
from assay.store.trials import Run, TrialStore

ITEM = Item("skill", "polite", Path("skills/polite"), "sha256:1", "Say please.")


def case(name: str, pattern: str = "please") -> Case:
    grader = GraderSpec(
        "g", "regex", config={"pattern": pattern, "flags": "", "match": "contains", "target": "last_message"}
    )
    return Case(name, name, f"ask {name}", (grader,), Location(f"{name}/prompt.md"))


CASES = (case("a"), case("b"))
POLITE = Rule(item_contains="please", say="please {input}", cost_usd=0.1)
RUDE = Rule(say="{input}", cost_usd=0.1)


class Counting(ScriptedHarness):
    """Counts the trials that were really run."""

    ran = 0

    def run(self, trial, room):
        self.ran += 1
        return super().run(trial, room)


@pytest.fixture
def store(tmp_path):
    store = TrialStore(tmp_path / "trials.sqlite")
    yield store
    store.close()


def execute(
    store,
    rules=(POLITE, RUDE),
    *,
    cases=CASES,
    runs=2,
    item=ITEM,
    ceiling=None,
    workers=3,
    on=None,
    fresh=False,
):
    harness = Counting(tuple(rules), "digest")
    stop = StopFlag()
    retry = Retry(attempts=3, first_s=0.001)
    arms = {WITH: lambda _: item, WITHOUT: lambda _: None}
    run = store.begin(Run("eval-polite-1", "ablation", "polite", "2026-11-30", harness.stamp, None, 0))
    session = Session(
        run.id,
        harness=harness,
        grading=Grading(Bench(), tuple(arms), retry, stop),
        journal=store,
        budget=Budget(ceiling),
        retry=retry,
        stop=stop,
        fresh=fresh,
    )
    finish = session.execute(Plan(cases, arms, runs, None), workers, on or (lambda _: None))
    records = {(r.case, r.arm, r.repeat): r for r in store.records(run.id)}
    return finish, records, harness


def test_every_trial_is_scored_and_stored(store):
    finish, records, harness = execute(store)
    assert (finish.partial_reason, finish.scored, finish.errors, harness.ran) == (None, 8, 0, 8)
    assert {key: record.score for key, record in records.items()} == {
        (c, arm, k): int(arm == WITH) for c in "ab" for arm in (WITH, WITHOUT) for k in (1, 2)
    }
    assert finish.spent_usd == pytest.approx(0.8)


def test_what_was_paid_for_is_not_run_again(store):
    execute(store)
    finish, records, harness = execute(store)
    assert (harness.ran, finish.cached, finish.saved_usd) == (0, 8, pytest.approx(0.8))
    assert all(record.cached and record.score is not None for record in records.values())


def test_an_edited_item_runs_again_only_where_it_is_loaded(store):
    execute(store)
    finish, _, harness = execute(store, item=replace(ITEM, digest="sha256:2", text="Always say please!"))
    assert (harness.ran, finish.cached) == (4, 4)


def test_an_edited_case_runs_again_alone_and_an_edited_grader_runs_nothing(store):
    execute(store)
    _, _, harness = execute(store, cases=(replace(CASES[0], prompt="ask anew"), CASES[1]))
    assert harness.ran == 4
    _, records, harness = execute(store, cases=(CASES[0], case("b", "nowhere")))
    assert harness.ran == 0
    assert [records["b", WITH, 1].score, records["a", WITH, 1].score] == [0, 1]


def test_fresh_ignores_what_is_stored(store):
    execute(store)
    _, _, harness = execute(store, fresh=True)
    assert harness.ran == 8


def test_a_fault_that_passes_is_retried_and_one_that_stays_is_an_error_not_a_score(store):
    passing = Rule(case="a", fail="overloaded", fail_times=2, say="please")
    staying = Rule(case="b", arm=WITHOUT, fail="usage_limit", say="please")
    finish, records, _ = execute(store, (passing, staying, POLITE))
    assert records["a", WITH, 1].attempts == 3
    assert records["a", WITH, 1].score == 1
    lost = records["b", WITHOUT, 1]
    assert (lost.outcome, lost.score, lost.fault.kind, lost.attempts) == ("error", None, "usage_limit", 1)
    assert (finish.partial_reason, finish.errors) == ("errors", 2)


def test_what_failed_attempts_cost_is_counted(store):
    passing = Rule(case="a", arm=WITH, fail="overloaded", fail_times=1, say="please", cost_usd=0.2)
    staying = Rule(case="b", arm=WITHOUT, fail="usage_limit", cost_usd=0.3)
    finish, records, _ = execute(store, (passing, staying, Rule(say="please", cost_usd=0.0)), runs=1)
    assert records["a", WITH, 1].usage.cost_usd == pytest.approx(0.4)
    assert records["b", WITHOUT, 1].usage.cost_usd == pytest.approx(0.3)
    assert finish.spent_usd == pytest.approx(0.7)


def test_the_ceiling_stops_the_run_before_it_is_passed(store):
    finish, records, harness = execute(store, ceiling=0.35, workers=1)
    assert finish.partial_reason == "cost_ceiling"
    assert harness.ran == len(records) == 3
    assert finish.spent_usd <= 0.35


def test_a_certain_answer_curtails_the_run(store):
    finish, records, _ = execute(store, runs=300, workers=1, on=lambda _: True)
    assert finish.curtailed
    assert finish.partial_reason is None
    assert len(records) < 1200


def test_a_harness_that_breaks_is_an_error_with_its_own_words(store):
    class Broken(Counting):
        def run(self, trial, room):
            raise RuntimeError("no such thing")

    harness, stop, retry = Broken(), StopFlag(), Retry()
    grading = Grading(Bench(), (WITH,), retry, stop)
    store.begin(Run("r", "ablation", "polite", "2026-11-30", harness.stamp, None, 1))
    session = Session(
        "r", harness=harness, grading=grading, journal=store, budget=Budget(None), retry=retry, stop=stop
    )
    session.execute(Plan(CASES[:1], {WITH: lambda _: ITEM}, 1, None), 1, lambda _: None)
    [record] = store.records("r")
    assert record.fault.kind == "harness"
    assert "RuntimeError: no such thing (test_session.py:" in record.fault.message


def test_the_order_stays_balanced_over_cases_and_arms():
    plan = Plan(CASES, {WITH: lambda _: ITEM, WITHOUT: lambda _: None}, 3, None)
    order = [(t.repeat, t.case.id, t.arm) for t in plan.trials(ScriptedHarness())]
    assert order[:5] == [(1, "a", WITH), (1, "a", WITHOUT), (1, "b", WITH), (1, "b", WITHOUT), (2, "a", WITH)]
    assert len(order) == plan.size == 12
    assert len({t.key for t in plan.trials(ScriptedHarness())}) == 12


def test_a_hidden_limit_loses_no_trial(store):
    """A provider that refuses the sixth call at once: calls go down to what it bears, every trial is scored."""
    import threading
    import time

    from assay.errors import TrialFailed
    from assay.model import Fault

    class Limited(Counting):
        at_once, lock = 0, threading.Lock()

        def run(self, trial, room):
            with self.lock:
                self.at_once += 1
                is_over = self.at_once > 5
            try:
                if is_over:
                    raise TrialFailed(Fault("rate_limit", "429", 0.01))
                time.sleep(0.002)
                return super().run(trial, room)
            finally:
                with self.lock:
                    self.at_once -= 1

    harness, stop, retry = Limited((POLITE, RUDE), "d"), StopFlag(), Retry(attempts=40, first_s=0.001)
    arms = {WITH: lambda _: ITEM, WITHOUT: lambda _: None}
    run = store.begin(Run("r", "ablation", "polite", "2026-11-30", harness.stamp, None, 0))
    session = Session(
        run.id,
        harness=harness,
        grading=Grading(Bench(), tuple(arms), retry, stop),
        journal=store,
        budget=Budget(None),
        retry=retry,
        stop=stop,
    )
    finish = session.execute(Plan(CASES, arms, 50, None), 32, lambda _: None)
    assert (finish.partial_reason, finish.scored, finish.errors) == (None, 200, 0)
    assert finish.throttled > 0
