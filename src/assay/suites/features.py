"""`evals/features.yml`: how `feature:` tasks reach the project's own command or endpoint."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import urlsplit

from assay.errors import Problem, SuiteError
from assay.harnesses.feature import Feature
from assay.model import JSON
from assay.suites.golden_sections import BadMarkdown
from assay.suites.golden_task import read_text
from assay.suites.yaml12 import Document, YamlError, read_yaml

FILE = "features.yml"
KEYS = ("command", "url", "body", "timeout_seconds", "env", "output", "model")


def load_features(evals: Path) -> Mapping[str, Feature]:
    """The features by id; none where there is no such file. Raises `SuiteError` with all problems of it."""
    path = evals / FILE
    if not path.exists():
        return {}
    shown = f"{evals.resolve().name}/{FILE}"
    try:
        document = read_yaml(read_text(path))
    except BadMarkdown as error:
        raise SuiteError([Problem(shown, error.line, str(error))]) from None
    except YamlError as error:
        raise SuiteError([Problem(shown, error.line, f"not YAML: {error.message}")]) from None
    problems = [
        Problem(shown, line, f"the key {path[-1]!r} is written twice") for path, line in document.duplicates
    ]
    features = _features(document, shown, problems)
    if problems:
        raise SuiteError(sorted(problems, key=lambda problem: problem.line or 0))
    return features


def _features(document: Document, shown: str, problems: list[Problem]) -> dict[str, Feature]:
    value = document.value
    if value is None:
        return {}
    if not isinstance(value, dict):
        problems.append(Problem(shown, 1, "expected features by their ids: `summarize: {command: [...]}`"))
        return {}
    features = {}
    for id_, keys in value.items():
        line = document.line(id_)
        if not isinstance(keys, dict):
            problems.append(Problem(shown, line, f"{id_!r} holds keys: {', '.join(KEYS)}"))
            continue
        complaints = [(document.line(id_, key), told) for key, told in _complaints(keys)]
        if ("command" in keys) == ("url" in keys):
            complaints.append((line, f"{id_!r} needs `command` or `url`, one of them"))
        problems.extend(Problem(shown, at, told) for at, told in complaints)
        if not complaints:
            features[id_] = _feature(id_, keys)
    return features


def _complaints(keys: Mapping[str, JSON]) -> list[tuple[str, str]]:
    told = []
    for key, value in keys.items():
        if key not in KEYS:
            near = get_close_matches(key, KEYS, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "."
            told.append((key, f"unknown key {key!r}{hint} The keys are {', '.join(KEYS)}"))
        elif not _CHECKS[key][0](value):
            told.append((key, f"{key!r} is {_CHECKS[key][1]}, not {value!r}"))
    return told


def _feature(id_: str, keys: Mapping[str, JSON]) -> Feature:
    return Feature(
        id=id_,
        command=tuple(keys.get("command", ())),
        url=keys.get("url"),
        body=keys.get("body", "json"),
        timeout_s=keys.get("timeout_seconds"),
        env=keys.get("env", {}),
        output=keys.get("output", "all"),
        model=keys.get("model"),
    )


def _is_command(value: JSON) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(word, str) and word for word in value)


def _is_url(value: JSON) -> bool:
    if not isinstance(value, str):
        return False
    try:
        parts = urlsplit(value)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _is_time(value: JSON) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and value > 0


def _is_env(value: JSON) -> bool:
    return isinstance(value, dict) and all(isinstance(word, str) for word in value.values())


def _is_output(value: JSON) -> bool:
    if not isinstance(value, str):
        return False
    if value.startswith("$"):
        from jsonpath_rfc9535 import JSONPathError
        from jsonpath_rfc9535 import compile as compile_path

        try:
            compile_path(value)
        except JSONPathError:
            return False
        return True
    return value == "all" or (value.startswith("file:") and len(value) > len("file:"))


_CHECKS: dict[str, tuple[Callable[[JSON], bool], str]] = {
    "command": (_is_command, "a list of words, such as [python, app.py]"),
    "url": (_is_url, "an http or https address"),
    "body": (lambda value: value in ("json", "text"), "json or text"),
    "timeout_seconds": (_is_time, "a number above 0"),
    "env": (_is_env, "names with texts, such as {MODE: test} (quote a number)"),
    "output": (_is_output, "all, a JSON path such as $.answer, or file:PATH"),
    "model": (lambda value: isinstance(value, str) and bool(value), "the name of a model"),
}
