"""The baseline file: read in every age, raised for one model, everything else left alone."""

import json
from pathlib import Path

import pytest

from assay.errors import Unusable
from assay.schemas.baseline import Best, CaseTrials
from assay.store.baseline import raise_best, read_baseline

OLD = {
    "schema": "skill-eval-baseline/1",
    "item": "commit",
    "best": {
        "claude-sonnet-5-5": {
            "score": 0.83,
            "without": 0.67,
            "run": "eval-commit-20261009T084444Z",
            "date": "2026-10-09",
        }
    },
}
BEST = Best(
    score=0.5,
    without=0.25,
    run="eval-commit-2",
    date="2026-10-10",
    trigger_rate=1.0,
    harness="scripted@1",
    revision="abc",
    trials={"a": CaseTrials({"with": ((1, 2),), "without": ((0.5, 2),)}, (1, 1)), "b": CaseTrials({})},
)


def write(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document), "utf-8")
    return path


def test_no_file_is_no_best(tmp_path: Path) -> None:
    assert read_baseline(tmp_path / "baseline.json", "commit").best == {}


def test_an_entry_of_the_first_age_has_no_trigger_rate(tmp_path: Path) -> None:
    best = read_baseline(write(tmp_path / "b.json", OLD), "commit").best["claude-sonnet-5-5"]
    assert (best.score, best.trigger_rate, best.suite_digest, best.trials) == (0.83, None, None, None)


def test_what_is_raised_is_read_back(tmp_path: Path) -> None:
    raise_best(tmp_path / "b.json", "commit", "haiku", BEST)
    assert read_baseline(tmp_path / "b.json", "commit").best == {"haiku": BEST}


def test_other_models_and_unknown_fields_stay_as_they_are(tmp_path: Path) -> None:
    later = {
        **OLD,
        "note": "kept",
        "best": {"claude-sonnet-5-5": {**OLD["best"]["claude-sonnet-5-5"], "x": 1}},
    }
    path = write(tmp_path / "b.json", later)
    raise_best(path, "commit", "haiku", BEST)
    document = json.loads(path.read_text("utf-8"))
    assert document["note"] == "kept"
    assert document["best"]["claude-sonnet-5-5"] == later["best"]["claude-sonnet-5-5"]


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({**OLD, "item": "other"}, "is the baseline of 'other', not of 'commit'"),
        ({**OLD, "best": {"m": {"score": 2}}}, r"\$\.best\.m\.score: 2 is greater"),
        ([], "is not a skill-eval-baseline/1 document"),
    ],
)
def test_a_file_that_is_no_baseline_of_the_item_is_unusable(
    tmp_path: Path, document: object, told: str
) -> None:
    with pytest.raises(Unusable, match=told):
        read_baseline(write(tmp_path / "b.json", document), "commit")
