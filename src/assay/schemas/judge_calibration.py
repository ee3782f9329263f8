"""`judge-calibration/1`: how far a judge agrees with people, and the word that reports carry for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from assay.model import JSON
from assay.schemas import validate

Word: TypeAlias = Literal["certified", "uncalibrated", "unfit"]


@dataclass(frozen=True, slots=True)
class JudgeCalibration:
    """One judge, by model, prompt version and votes, beside one set of labels."""

    judge: str
    prompt: str
    votes: int
    date: str
    labels: str
    """Digest of the labels."""
    met: int
    met_found: int
    """Of the expectations that people say are met, those that the judge finds met."""
    unmet: int
    unmet_found: int
    kappa: float | None
    flip_rate: float | None
    repeats: int
    word: Word

    @property
    def agreement(self) -> tuple[int, int]:
        """(verdicts like the people's, labels)."""
        return self.met_found + self.unmet_found, self.met + self.unmet

    def to_json(self) -> JSON:
        return {name: getattr(self, name) for name in self.__slots__}


def document_of(calibrations: tuple[JudgeCalibration, ...]) -> JSON:
    """The document that holds the newest calibration of each judge, checked against its schema."""
    rows = sorted(calibrations, key=lambda one: (one.judge, one.prompt, one.votes))
    document = {"schema": "judge-calibration/1", "judges": [one.to_json() for one in rows]}
    validate(document, "judge-calibration-1", "the judge's calibration")
    return document


def from_document(document: JSON, where: str) -> tuple[JudgeCalibration, ...]:
    """Read a `judge-calibration/1` document. Raises `Unusable`."""
    validate(document, "judge-calibration-1", where)
    names = JudgeCalibration.__slots__
    return tuple(JudgeCalibration(**{name: row[name] for name in names}) for row in document["judges"])
