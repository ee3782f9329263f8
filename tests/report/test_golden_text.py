from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from assay.model import Case, Fault, Grade, GraderSpec, Location, Record, Suite, Target, Usage
from assay.report.golden_text import decimal, golden_text, signed
from assay.schemas.golden_baseline import AcceptedSuite, GoldenBaseline, TaskUsage, Thresholds
from assay.schemas.golden_eval import JudgeStamp
from assay.schemas.triggers import SkillTriggers, TriggerAnswer
from assay.verdict.golden_eval import GoldenRun, golden_eval


def report(scores, before=None, *, suite="commits", usage=None, runs=1, **more) -> str:
    """`scores`: task → score, or a kind of fault."""
    cases = tuple(
        Case(id_, id_, "x", (GraderSpec("c", "exact"),), Location("x"), target=Target("skill", "commit"))
        for id_ in scores
    )
    records = [
        _record(f"{suite}/{id_}", score, (usage or {}).get(id_, Usage())) for id_, score in scores.items()
    ]
    baseline = None
    if before is not None:
        stamp = more.pop("stamp", ("claude-sonnet-5-5", "claude-code@2.1.328"))
        accepted = AcceptedSuite(1.0, before, usage=more.pop("before_usage", {}))
        baseline = GoldenBaseline(
            "2026-11-01", *stamp, {suite: accepted}, "golden-x", more.pop("integrity", "intact")
        )
    thresholds, triggers = more.pop("thresholds", Thresholds()), more.pop("triggers", ())
    run = GoldenRun(
        "golden-1",
        datetime(2026, 11, 30, tzinfo=UTC),
        "claude-sonnet-5-5",
        "claude-code@2.1.328",
        {f"{suite}/{id_}": runs for id_ in scores},
        **({"whole": frozenset({suite}), "is_whole": True} | more),
    )
    skipped = (("G-099", "no `## Expected`"),) if "G-001" in scores and len(scores) == 1 else ()
    suites = [Suite(suite, "golden", Path(suite), cases, skipped)]
    return golden_text(golden_eval(suites, records, run, thresholds, baseline, triggers=triggers))


def _record(case, score, usage) -> Record:
    common = {"run": "r", "key": case, "case": case, "arm": "with", "repeat": 1}
    if isinstance(score, str):
        return Record(**common, outcome="error", fault=Fault(score, "no"))
    told = "" if score == 1 else "line 1: expected 'a', found 'b\x1b[2J'"
    grade = Grade("says a", "assert", score == 1, explanation=told)
    return Record(
        **common, outcome="scored", passed_weight=score, scored_weight=1.0, grades=(grade,), usage=usage
    )


FOUR = {"G-001": 0.9, "G-002": 0.6, "G-003": 0.95, "G-004": 1.0}


def test_the_block_of_the_specification():
    text = report(FOUR, {"G-001": 0.9, "G-002": 0.8, "G-003": 0.8})
    assert (
        text.split("\nscore")[0]
        == """\
EVAL — suite: commits · target: skill:commit · model: claude-sonnet-5-5 · harness: claude-code@2.1.328
  G-001  0.90  pass  (baseline 0.90  →  no change)
  G-002  0.60  FAIL  (baseline 0.80  →  REGRESSION -0.20)
  G-003  0.95  pass  (baseline 0.80  →  +0.15)
  G-004  1.00  pass  (new)
────────
pass_rate 0.75 < 0.80  →  RUN FAILED (1 regression, 1 below task_pass): G-002"""
    )


def test_the_rest_of_a_failed_report():
    assert report(FOUR, {"G-001": 0.9, "G-002": 0.8, "G-003": 0.8}).split("G-002\n")[-1] == snapshot("""\
score 0.86 (mean of the tasks by weight)
  G-002  not met: says a: line 1: expected 'a', found 'b\\x1b[2J'
""")


def test_a_passed_run_with_a_removed_and_a_skipped_task():
    assert report({"G-001": 1.0}, {"G-001": 1.0, "G-007": 0.5}) == snapshot("""\
EVAL — suite: commits · target: skill:commit · model: claude-sonnet-5-5 · harness: claude-code@2.1.328
  G-001  1.00  pass  (baseline 1.00  →  no change)
  G-007     —  removed  (baseline 0.50)
  G-099     —  skipped  (no `## Expected`)
────────
pass_rate 1.00 >= 0.80  →  RUN PASSED
score 1.00 (mean of the tasks by weight)
""")


def test_a_run_without_a_baseline():
    assert report({"G-001": 0.5}) == snapshot("""\
EVAL — suite: commits · target: skill:commit · model: claude-sonnet-5-5 · harness: claude-code@2.1.328
  G-001  0.50  FAIL
  G-099     —  skipped  (no `## Expected`)
────────
pass_rate 0.00 < 0.80  →  no baseline: accept to set one
score 0.50 (mean of the tasks by weight)
  G-001  not met: says a: line 1: expected 'a', found 'b\\x1b[2J'
""")


def test_errors_are_no_scores():
    assert report(
        {"G-001": 1.0, "G-002": "rate_limit"}, {"G-001": 1.0, "G-002": 0.9}, partial_reason="errors"
    ) == snapshot("""\
EVAL — suite: commits · target: skill:commit · model: claude-sonnet-5-5 · harness: claude-code@2.1.328
  G-001  1.00  pass  (baseline 1.00  →  no change)
  G-002     —  ERROR  (rate_limit, baseline 0.90)
────────
pass_rate unknown  →  RUN INCOMPLETE (1 without a score): G-002

RUN INCOMPLETE (errors)
""")


def test_a_changed_model_and_harness_are_named_in_the_verdict():
    text = report({"G-001": 0.5}, {"G-001": 1.0}, stamp=("claude-old", "claude-code@2.0.0"))
    assert next(line for line in text.splitlines() if line.startswith("pass_rate")) == snapshot(
        "pass_rate 0.00 < 0.80  →  RUN FAILED (1 regression, 1 below task_pass): G-001 · changed: model claude-old → claude-sonnet-5-5 · changed: harness claude-code@2.0.0 → claude-code@2.1.328"
    )


def test_an_allowed_regression_is_still_named():
    text = report({"G-001": 0.9}, {"G-001": 1.0}, thresholds=Thresholds(allow_regressions=True))
    assert text.splitlines()[1:5] == snapshot(
        [
            "  G-001  0.90  pass  (baseline 1.00  →  REGRESSION -0.10)",
            "  G-099     —  skipped  (no `## Expected`)",
            "────────",
            "pass_rate 1.00 >= 0.80  →  RUN PASSED",
        ]
    )


def test_tokens_and_cost_with_their_differences():
    text = report(
        {"G-001": 1.0, "G-002": 1.0},
        {"G-001": 1.0, "G-002": 1.0},
        usage={"G-001": Usage(12000, 300, cost_usd=0.05), "G-002": Usage(None, 7)},
        before_usage={"G-001": TaskUsage(10000, 310, 0.06)},
    )
    assert text.split("weight)\n")[1] == snapshot("""\
usage a run (information, never part of the verdict)
  G-001  12,000 tokens in (+2,000) · 300 tokens out (-10) · $0.0500 (-$0.0100)
  G-002  7 tokens out
""")


def test_triggers_hand_edits_and_the_judge():
    answers = (
        TriggerAnswer("commit this", True, True),
        TriggerAnswer("bake\na cake", False, True, "cooking"),
        TriggerAnswer("save it", True, False),
        TriggerAnswer("what?", False, None, None, "rate_limit"),
    )
    text = report(
        {"G-001": 1.0},
        {"G-001": 1.0},
        triggers=(SkillTriggers("commit", answers),),
        integrity="edited",
        judge=JudgeStamp("claude-x", "rubric/1", 3),
    )
    assert text.split("weight)\n")[1] == snapshot("""\

TRIGGERS — query and description only
  commit  ERROR  precision 1/2 (0.09 to 0.91) · recall 1/2 (0.09 to 0.91) · specificity 0/1 (0.00 to 0.79)
    fired, should not: 'bake a cake' (cooking)
    did not fire, should: 'save it'
    error: 'what?' (rate_limit)

RUN INCOMPLETE
baseline.json was edited by hand: its digest is not that of the accepted run
judge: claude-x · prompt rubric/1 · votes 3 · uncalibrated
""")


@pytest.mark.parametrize(
    ("value", "beside", "text"),
    [
        ("3/4", None, "0.75"),
        ("2/3", None, "0.67"),
        ("799/1000", "4/5", "0.799"),
        ("4/5", "4/5", "0.80"),
        ("7999/10000", "4/5", "0.7999"),
    ],
)
def test_rounding_never_hides_the_side(value, beside, text):
    assert decimal(Fraction(value), Fraction(beside) if beside else None) == text


def test_a_small_drop_is_not_shown_as_nothing():
    assert signed(Fraction(-1, 1000)) == "-0.001"
    assert signed(Fraction(3, 20)) == "+0.15"


def test_control_characters_of_an_output_do_not_reach_the_terminal():
    assert "\x1b" not in report({"G-001": 0.0}, {"G-001": 1.0})


def test_what_costs_nothing_is_free_and_what_became_dearer_says_by_how_much():
    from assay.report.golden_text import _usage
    from assay.schemas.golden_baseline import TaskUsage

    free, paid = TaskUsage(5, 1, 0), TaskUsage(5, 1, 0.0123)
    assert _usage(free, free) == "5 tokens in (+0) · 1 tokens out (+0) · free"
    assert _usage(paid, free) == "5 tokens in (+0) · 1 tokens out (+0) · $0.0123 (+$0.0123)"
    assert _usage(free, paid) == "5 tokens in (+0) · 1 tokens out (+0) · free (-$0.0123)"
