"""A run is stopped only where every way to finish it is rejected."""

from bisect import bisect_left
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model import WITH, WITHOUT, Record
from assay.schemas.baseline import Best
from assay.schemas.skill_eval import CaseScores, SkillEval
from assay.verdict.curtail import is_rejected
from assay.verdict.gate import decide


def record(case: str, arm: str, score: float | None, repeat: int = 1) -> Record:
    outcome = "error" if score is None else "scored"
    return Record(
        "r", f"{case}{arm}{repeat}", case, arm, repeat, outcome, score or 0, 0 if score is None else 1
    )


def best(score: float) -> Best:
    return Best(score=score, without=0.0, run="r0", date="2026-10-09")


def test_nothing_is_certain_at_the_start() -> None:
    assert not is_rejected({"a": 2}, [], best(0.9))


def test_a_best_that_can_no_longer_be_beaten_is_certain() -> None:
    assert is_rejected({"a": 2}, [record("a", WITH, 0)], best(0.5)), "at most 0.5: equal is a reject"
    assert not is_rejected({"a": 2}, [record("a", WITH, 0)], best(0.49))


def test_without_a_best_the_other_arm_is_the_floor() -> None:
    rows = [record("a", WITH, 0), record("a", WITHOUT, 1)]
    assert is_rejected({"a": 2}, rows, None)
    assert not is_rejected({"a": 3}, rows, None)


def test_an_incumbent_that_runs_beside_it_is_the_floor() -> None:
    rows = [record("a", WITH, 0), record("a", "previous", 1)]
    assert is_rejected({"a": 2}, rows, best(0.1), "previous")
    assert not is_rejected({"a": 2}, rows[:1], best(0.9), "previous"), "the best is not asked then"


def test_a_trial_that_died_is_not_waited_for() -> None:
    assert is_rejected({"a": 2}, [record("a", WITH, None), record("a", WITH, 0.5, 2)], best(0.5))


def test_a_case_with_nothing_to_count_leaves_all_open() -> None:
    assert not is_rejected({"a": 1, "b": 1}, [record("a", WITH, 0), record("b", WITH, None)], best(0.9))


PLAN = {"a": 1, "b": 2}
SLOTS = [
    (case, arm, repeat) for case, runs in PLAN.items() for arm in (WITH, WITHOUT) for repeat in range(runs)
]


def finish(scores: tuple[int, ...]) -> list[Record]:
    return [record(*slot[:2], score, slot[2]) for slot, score in zip(SLOTS, scores, strict=True)]


def strictly_accepted(rows: list[Record], floor: float) -> bool:
    means = {}
    for arm in (WITH, WITHOUT):
        per_case = [
            [row.passed_weight for row in rows if (row.case, row.arm) == (case, arm)] for case in PLAN
        ]
        means[arm] = sum(sum(scores) / len(scores) for scores in per_case) / len(per_case)
    return means[WITH] > floor and means[WITH] > means[WITHOUT]


@settings(max_examples=60)
@given(st.permutations(range(len(SLOTS))), st.integers(0, len(SLOTS)), st.data())
def test_it_is_certain_exactly_when_every_way_to_finish_is_rejected(
    order: list[int], done: int, data: st.DataObject
) -> None:
    floor = data.draw(st.sampled_from([0.0, 0.25, 0.5, 0.75]))
    known = {slot: data.draw(st.integers(0, 1)) for slot in order[:done]}
    rows = [record(*SLOTS[slot][:2], score, SLOTS[slot][2]) for slot, score in known.items()]
    ways = product(*[[known[slot]] if slot in known else [0, 1] for slot in range(len(SLOTS))])
    can_pass = any(strictly_accepted(finish(way), floor) for way in ways)
    assert is_rejected(PLAN, rows, best(floor)) is not can_pass


@pytest.mark.slow
def test_curtailed_and_full_decisions_agree_on_ten_thousand_random_suites() -> None:
    rng = np.random.default_rng(11)
    stopped = saved = planned = 0
    for _ in range(10_000):
        cases, runs = int(rng.integers(1, 5)), int(rng.integers(1, 4))
        plan = {f"c{case}": runs for case in range(cases)}
        slots = [(case, arm, repeat) for repeat in range(runs) for case in plan for arm in (WITH, WITHOUT)]
        passes = rng.random(len(slots)) < rng.uniform(0.2, 0.9)
        rows = [record(*slot[:2], float(hit), slot[2]) for slot, hit in zip(slots, passes, strict=True)]
        recorded = (
            best(int(rng.integers(0, cases * runs + 1)) / (cases * runs)) if rng.random() < 0.8 else None
        )
        end = first_certain(plan, rows, recorded)
        is_accepted = decide(result_of(plan, rows), recorded).accepted
        assert is_accepted is (end > len(rows))
        if not is_accepted:
            stopped, saved, planned = stopped + 1, saved + len(rows) - end, planned + len(rows)
    assert stopped > 4_000
    assert saved / planned > 0.15


def first_certain(plan: dict[str, int], rows: list[Record], recorded: Best | None) -> int:
    """After how many trials it is certain; one more than there are where it never is."""
    return bisect_left(range(len(rows) + 1), True, key=lambda done: is_rejected(plan, rows[:done], recorded))


def result_of(plan: dict[str, int], rows: list[Record]) -> SkillEval:
    """What the gate is given of a complete run."""
    cases = []
    for case in plan:
        trials = {
            arm: tuple((row.passed_weight, 1.0) for row in rows if (row.case, row.arm) == (case, arm))
            for arm in (WITH, WITHOUT)
        }
        means = {arm: sum(passed for passed, _ in pairs) / len(pairs) for arm, pairs in trials.items()}
        cases.append(CaseScores(case, means[WITH], means[WITHOUT], None, trials=trials))
    with_, without = (
        sum(row) / len(row) for row in zip(*((c.with_score, c.without_score) for c in cases), strict=True)
    )
    return SkillEval("i", "r", "2026-10-09", "m", with_, without, None, tuple(cases), None, None)
