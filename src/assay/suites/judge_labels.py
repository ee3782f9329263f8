"""Human labels for a judge: a list in git of expectations, outputs, and whether people say that they meet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.errors import Problem, SuiteError
from assay.model import JSON, digest_of
from assay.suites.golden_sections import BadMarkdown
from assay.suites.golden_task import read_text
from assay.suites.json_file import parse_json
from assay.suites.yaml12 import YamlError, read_yaml

KEYS = ("expectation", "output", "met", "note")


@dataclass(frozen=True, slots=True)
class Label:
    """One judgement of a person."""

    expectation: str
    output: str
    met: bool
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Labels:
    """A file of labels, and the digest that a calibration is kept with."""

    labels: tuple[Label, ...]
    digest: str


def read_labels(path: Path, shown: str | None = None) -> Labels:
    """Read `.jsonl` (one object a line), `.json` or YAML. Raises `SuiteError` with all problems."""
    name = shown or path.as_posix()
    rows, lines = _rows(path, name)
    problems: list[Problem] = []
    labels = [_label(row, Problem(name, line, ""), problems) for row, line in zip(rows, lines, strict=True)]
    if not rows and not problems:
        problems.append(Problem(name, 1, "no labels: expected a list of expectation, output and met"))
    if problems:
        raise SuiteError(problems)
    known = tuple(label for label in labels if label is not None)
    return Labels(known, digest_of([[label.expectation, label.output, label.met] for label in known]))


def _rows(path: Path, name: str) -> tuple[list[JSON], list[int | None]]:
    try:
        text = read_text(path)
        if path.suffix == ".jsonl":
            numbered = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
            values = [
                parse_json(line.encode("utf-8", "surrogatepass"), f"{name}:{number}").value
                for number, line in numbered
            ]
            return values, [number for number, _ in numbered]
        document = read_yaml(text)
    except BadMarkdown as error:
        raise SuiteError([Problem(name, error.line, str(error))]) from None
    except YamlError as error:
        raise SuiteError([Problem(name, error.line, f"neither JSON nor YAML: {error.message}")]) from None
    if not isinstance(document.value, list):
        raise SuiteError([Problem(name, 1, "expected a list of labels: expectation, output, met")])
    return document.value, [document.line(number) for number in range(len(document.value))]


def _label(row: JSON, place: Problem, problems: list[Problem]) -> Label | None:
    told = _complaint(row)
    if told:
        problems.append(Problem(place.path, place.line, told))
        return None
    return Label(row["expectation"], row["output"], row["met"], row.get("note"))


def _complaint(row: JSON) -> str | None:
    if not isinstance(row, dict):
        return "a label is an object: expectation, output, met"
    unknown = [key for key in row if key not in KEYS]
    if unknown:
        return f"unknown key {unknown[0]!r}. The keys are {', '.join(KEYS)}"
    if not isinstance(row.get("expectation"), str) or not row["expectation"].strip():
        return "`expectation` is a text"
    if not isinstance(row.get("output"), str):
        return "`output` is a text"
    if not isinstance(row.get("met"), bool):
        return f"`met` is true or false, not {row.get('met')!r}"
    return None if isinstance(row.get("note", ""), str) else "`note` is a text"
