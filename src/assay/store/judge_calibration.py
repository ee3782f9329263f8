"""`evals/judge.json`: what is known of the judges, kept in git beside the labels."""

from __future__ import annotations

from pathlib import Path

from assay.schemas.judge_calibration import JudgeCalibration, Word, document_of, from_document
from assay.store.results import read_document
from assay.store.whole_file import write_json

FILE = "judge.json"


def read_calibrations(evals: Path) -> tuple[JudgeCalibration, ...]:
    """The calibrations of an `evals/` folder; none where there is no such file. Raises `Unusable`."""
    path = evals / FILE
    if not path.exists():
        return ()
    return from_document(read_document(path, "judge-calibration-1"), path.as_posix())


def record_calibration(evals: Path, calibration: JudgeCalibration) -> None:
    """Write a calibration in the place of an older one of the same judge, prompt and votes."""
    key = _key(calibration)
    kept = tuple(one for one in read_calibrations(evals) if _key(one) != key)
    write_json(evals / FILE, document_of((*kept, calibration)))


def word_for(evals: Path, judge: str, prompt: str, votes: int) -> Word:
    """The word that a report carries: `uncalibrated` for a judge of which nothing is recorded."""
    for one in read_calibrations(evals):
        if _key(one) == (judge, prompt, votes):
            return one.word
    return "uncalibrated"


def _key(one: JudgeCalibration) -> tuple[str, str, int]:
    return one.judge, one.prompt, one.votes
