"""`evals/thresholds.yml`: what golden suites have to reach."""

from __future__ import annotations

import math
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from assay.errors import Problem, SuiteError
from assay.model import JSON
from assay.schemas.golden_baseline import Thresholds
from assay.suites.golden_sections import BadMarkdown
from assay.suites.golden_task import read_text
from assay.suites.yaml12 import Document, YamlError, read_yaml

FILE = "thresholds.yml"
_KEYS = ("pass_rate", "task_pass", "allow_regressions")


def load_thresholds(evals: Path, suites: tuple[str, ...] | None = None) -> Thresholds:
    """The thresholds of an `evals/` folder; the defaults where it has no such file.

    With `suites`, an entry of `per_suite` for a suite that is not there is a problem: a typing error would
    quietly lower the bar. Raises `SuiteError` with all problems of the file.
    """
    path = evals / FILE
    if not path.exists():
        return Thresholds()
    shown = f"{evals.resolve().name}/{FILE}"
    try:
        document = read_yaml(read_text(path))
    except BadMarkdown as error:
        raise SuiteError([Problem(shown, error.line, str(error))]) from None
    except YamlError as error:
        raise SuiteError([Problem(shown, error.line, f"not YAML: {error.message}")]) from None
    reader = _Reader(shown, document)
    thresholds = reader.thresholds(suites)
    if reader.problems:
        raise SuiteError(sorted(reader.problems, key=lambda problem: problem.line or 0))
    return thresholds


class _Reader:
    """Collects every problem of the file."""

    def __init__(self, shown: str, document: Document) -> None:
        self.shown = shown
        self.document = document
        self.problems: list[Problem] = []

    def _note(self, line: int, message: str) -> None:
        self.problems.append(Problem(self.shown, line, message))

    def thresholds(self, suites: tuple[str, ...] | None) -> Thresholds:
        for path, line in self.document.duplicates:
            self._note(line, f"the key {path[-1]!r} is written twice")
        value = self.document.value
        if value is None:
            return Thresholds()
        if not isinstance(value, dict):
            self._note(1, f"expected keys: {', '.join((*_KEYS, 'per_suite'))}")
            return Thresholds()
        per_suite = value.get("per_suite") or {}
        base = self._read({key: value[key] for key in value if key != "per_suite"}, (), Thresholds())
        if not isinstance(per_suite, dict):
            self._note(self.document.line("per_suite"), "`per_suite` holds suites: `commits: {pass_rate: 1}`")
            return base
        own = {name: self._suite(name, keys, base, suites) for name, keys in per_suite.items()}
        return Thresholds(base.pass_rate, base.task_pass, base.allow_regressions, own)

    def _suite(self, name: str, keys: JSON, base: Thresholds, suites: tuple[str, ...] | None) -> Thresholds:
        path = ("per_suite", name)
        if suites is not None and name not in suites:
            near = get_close_matches(name, suites, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the suites are {', '.join(suites) or 'none'}"
            self._note(self.document.line(*path), f"no suite is called {name!r}; {hint}")
        if not isinstance(keys, dict):
            self._note(self.document.line(*path), f"{name!r} holds keys: {', '.join(_KEYS)}")
            return base
        return self._read(keys, path, base)

    def _read(self, keys: Mapping[str, JSON], path: tuple[str, ...], base: Thresholds) -> Thresholds:
        read = {key: getattr(base, key) for key in _KEYS}
        for key, value in keys.items():
            complaint = _complaint(key, value)
            if complaint:
                self._note(self.document.line(*path, key), complaint)
            else:
                read[key] = value
        return Thresholds(read["pass_rate"], read["task_pass"], read["allow_regressions"])


def _complaint(key: str, value: JSON) -> str | None:
    if key not in _KEYS:
        near = get_close_matches(key, _KEYS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        return f"unknown key {key!r}{hint} The keys are {', '.join((*_KEYS, 'per_suite'))}"
    if key == "allow_regressions":
        return None if isinstance(value, bool) else f"{key!r} is true or false, not {value!r}"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and math.isfinite(value) and 0 <= value <= 1:
        return None
    return f"{key!r} is a number from 0 to 1, not {value!r}"
