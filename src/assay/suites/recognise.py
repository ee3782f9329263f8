"""What a JSON file of the skill world is: evals, a trigger set, or one of the results.

Nobody writes a schema name into these files, so they are known by their keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from assay.model import JSON

Kind: TypeAlias = Literal[
    "evals", "triggers", "aggregate-result", "benchmark", "grading", "test-results", "samples", "unrecognised"
]

CONTAINERS = ("evals", "cases", "testCases", "test_cases", "tests", "prompts", "items")
QUERY_KEYS = ("query", "prompt", "question", "input")
CHECK_KEYS = ("assertions", "expectations", "expected_behavior", "expectedBehavior")
OTHER_CHECK_KEYS = (
    "deterministic_assertions",
    "required_artifacts",
    "rubric",
    "must_contain",
    "must_not_contain",
)
ORACLE_KEYS = (*CHECK_KEYS, *OTHER_CHECK_KEYS, "expected_output", "ground_truth", "expected")
LABEL_KEYS = ("should_trigger", "expect", "expect_skill")
ARM_KEYS = ("with_skill", "without_skill", "new_skill", "old_skill")
GRADE_KEYS = ("expectations", "assertion_results", "assertions")


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a file is. `items` are what it lists, each with its path in the file."""

    kind: Kind
    items: tuple[tuple[tuple[str | int, ...], Mapping[str, JSON]], ...] = ()
    reason: str = ""
    """Of an unrecognised file: why, and what would be read."""


def recognise(value: JSON) -> Recognised:
    """Tell what a JSON value is by its keys."""
    if isinstance(value, list):
        return _list(value, ())
    if not isinstance(value, dict):
        return _unrecognised("it holds neither a list nor a mapping")
    return _result(value) or _suite(value) or _unrecognised(_keys_seen(value))


def _result(value: Mapping[str, JSON]) -> Recognised | None:
    cases = value.get("cases")
    if "schemaVersion" in value and isinstance(cases, list):
        return Recognised("aggregate-result")
    if "run_summary" in value or any(key in value for key in ARM_KEYS):
        return Recognised("benchmark")
    for key in GRADE_KEYS:
        grades = value.get(key)
        if isinstance(grades, list) and grades and all(_has(grade, "passed") for grade in grades):
            return Recognised("grading")
    results = value.get("results")
    if (
        isinstance(results, list)
        and results
        and all(_has(row, "pass") or _has(row, "passed") for row in results)
    ):
        return Recognised("test-results")
    if isinstance(value.get("pass"), list) and isinstance(value.get("fail"), list):
        return Recognised("samples")
    return None


def _suite(value: Mapping[str, JSON]) -> Recognised | None:
    skills = value.get("skills")
    if isinstance(skills, dict) and skills:
        return _by_skill(skills)
    if isinstance(value.get("arms"), dict | list) and "prompts" in value:
        return _unrecognised("it holds the answers of a run without grades: there is nothing to compare")
    for key in CONTAINERS:
        if isinstance(value.get(key), list):
            return _list(value[key], (key,))
    return None


def _by_skill(skills: Mapping[str, JSON]) -> Recognised:
    items: list[tuple[tuple[str | int, ...], Mapping[str, JSON]]] = []
    for name, entry in skills.items():
        cases = entry.get("cases") if isinstance(entry, dict) else None
        if not isinstance(cases, list):
            return _unrecognised(f"skills.{name} has no list `cases`")
        for index, case in enumerate(cases):
            if not isinstance(case, dict):
                return _unrecognised(f"skills.{name}.cases holds what is no mapping")
            items.append((("skills", name, "cases", index), {**case, "_skill": name}))
    return Recognised("triggers", tuple(items))


def _list(items: list[JSON], path: tuple[str | int, ...]) -> Recognised:
    rows = tuple(((*path, index), item) for index, item in enumerate(items))
    if not rows:
        return _unrecognised("its list is empty")
    if not all(isinstance(item, dict) for _, item in rows):
        return _unrecognised("its list holds what is no mapping")
    if not any(_has(item, *QUERY_KEYS) for _, item in rows):
        seen = sorted({key for _, item in rows for key in item})
        return _unrecognised(f"its items have no {_or(QUERY_KEYS)}; their keys are {', '.join(seen[:12])}")
    labelled = all(_has(item, *LABEL_KEYS) for _, item in rows)
    checked = any(_has(item, *ORACLE_KEYS) for _, item in rows)
    return Recognised("triggers" if labelled and not checked else "evals", rows)


def _has(item: JSON, *keys: str) -> bool:
    return isinstance(item, dict) and any(key in item for key in keys)


def _keys_seen(value: Mapping[str, JSON]) -> str:
    seen = ", ".join(sorted(value)[:12]) or "none"
    return f"its keys are {seen}; a suite lists its items under {_or(CONTAINERS)}"


def _or(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _unrecognised(reason: str) -> Recognised:
    return Recognised("unrecognised", reason=reason)
