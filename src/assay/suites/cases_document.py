"""What `assay cases --json` prints: the platform's own words for a case, so that the two can be compared."""

from __future__ import annotations

import json
from math import isfinite

from assay.graders.javascript import number
from assay.model import JSON, Case, GraderSpec
from assay.suites.plugin_eval import DEFAULT_RUNS, Loaded, Refused


def cases_document(loaded: Loaded) -> dict[str, JSON]:
    """`{"cases": […], "errors": […]}` with the keys and defaults of the platform's result document."""
    errors = [entry for refused in loaded.refused for entry in _errors(refused)]
    errors += [
        {"dir": problem.path, "file": problem.path, "message": problem.message}
        for problem in loaded.unsearched
    ]
    return {"cases": [_case(case) for case in loaded.cases], "errors": errors}


def _case(case: Case) -> dict[str, JSON]:
    model = {} if case.settings.model is None else {"model": case.settings.model}
    return {
        "name": case.name,
        "dir": case.id,
        "source": case.notes.get("source"),
        "promptMarkdown": case.prompt,
        **model,
        "runsPerCase": case.runs or DEFAULT_RUNS,
        "timeoutSeconds": _plain(case.settings.timeout_s),
        "maxTurns": case.settings.max_turns,
        "graders": [_grader(spec) for spec in case.graders],
    }


def _grader(spec: GraderSpec) -> dict[str, JSON]:
    criteria = spec.config.get("criteria")
    shown = {} if criteria is None else {"graderMarkdown": criteria}
    return {
        "name": spec.name,
        "type": spec.type,
        "weight": _plain(spec.weight),
        **shown,
        "config": dict(spec.config),
    }


def _plain(value: float) -> JSON:
    """A number as JSON holds it: infinity is null there."""
    return json.loads(number(value)) if isfinite(value) else None


def _errors(refused: Refused) -> list[dict[str, JSON]]:
    return [
        {
            "dir": refused.dir,
            "file": problem.path,
            **({} if problem.line is None else {"line": problem.line}),
            "message": problem.message,
        }
        for problem in refused.problems
    ]
