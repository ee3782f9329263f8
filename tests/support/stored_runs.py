"""Stores with runs in them, for what looks back."""

from dataclasses import replace

from assay.model import Grade, Record, ToolCall, Transcript, Usage
from assay.store.rows import Run
from assay.store.trials import TrialStore


def run_of(
    cases, *, run_id="r1", name="commit", started="2026-11-30T10:00:00Z", state="done", planned=None, **more
):
    """An ablation run; `cases` is name → (score with, score without)."""
    rows = [
        {
            "name": case, "with": one, "without": other, "delta": one - other, "trigger_rate": None,
            "verdict": "improved" if one > other else "regressed" if one < other else "no-signal",
        }
        for case, (one, other) in cases.items()
    ]  # fmt: skip
    one, other = (sum(row[arm] for row in rows) / max(len(rows), 1) for arm in ("with", "without"))
    document = {
        "schema": "skill-eval/1", "item": name, "with": one, "without": other, "delta": one - other,
        "verdict": "improved" if one > other else "regressed" if one < other else "no-signal",
        "trigger_rate": None, "cost_usd": 0.07, "max_cost_usd": 2, "partial": False, "partial_reason": None,
        "curtailed": False, "model": "m", "model_reported": None, "judge_model": None, "item_digest": None,
        "suite_digest": None, "run": run_id, "date": "2026-11-30", "cases": rows,
    }  # fmt: skip
    run = Run(
        run_id,
        "ablation",
        name,
        started,
        "scripted@1",
        "m",
        planned or 2 * len(rows),
        state,
        document=document,
    )
    return replace(run, document=None, **more) if state == "running" else replace(run, **more)


def trial_of(run, case, arm, score, repeat=1, output=None):
    """A record with one check of each outcome, and its transcript."""
    passed = score * 2
    grades = (
        Grade("says why", "llm", passed >= 1, explanation="because"),
        Grade("is short", "regex", passed >= 2),
    )
    record = Record(
        run, "sha256:" + "0" * 64, case, arm, repeat, "scored", passed, 2.0, grades,
        usage=Usage(10, 5, cost_usd=0.01), duration_s=0.5,
    )  # fmt: skip
    text = output if output is not None else f"The output of {case}, written {arm} it in {run}"
    return record, Transcript(text, (ToolCall("Read", {"path": "x.py"}, result="text"),))


def fill(path, *runs):
    """Write runs, each with one trial an arm and case, into a new store."""
    store = TrialStore(path)
    for run in runs:
        store.begin(run)
        rows = [
            trial_of(run.id, case["name"], arm, case[arm])
            for case in (run.document or {}).get("cases", ())
            for arm in ("with", "without")
        ]
        store.write(rows)
    return store
