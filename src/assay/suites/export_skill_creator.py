"""Cases as an `evals.json` of skill-creator: prompts with expectations in words."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model import JSON, Case, GraderSpec, Settings


@dataclass(frozen=True, slots=True)
class ExportedEvals:
    """The document, and what did not fit into it."""

    document: dict[str, JSON]
    lost: tuple[str, ...] = ()
    adapted: tuple[str, ...] = ()


def export_skill_creator(cases: tuple[Case, ...], skill: str) -> ExportedEvals:
    """The cases as `{"skill_name", "evals"}`; its tool has one kind of check, a sentence for an agent."""
    lost: list[str] = []
    adapted: list[str] = []
    evals = []
    for number, case in enumerate(cases, 1):
        expectations = []
        for spec in case.graders:
            sentence, is_exact = _sentence(spec)
            expectations.append(sentence)
            if not is_exact:
                adapted.append(
                    f"{case.id}: grader {spec.name!r} of type {spec.type} becomes a sentence to be judged"
                )
            if spec.weight != 1:
                lost.append(f"{case.id}: the weight {spec.weight:g} of grader {spec.name!r}")
        lost += [f"{case.id}: {reason}" for reason in _settings(case)]
        outcome = case.notes.get("expected_outcome")
        raw = case.notes.get("raw")
        written = raw.get("expected_output") if isinstance(raw, dict) else None
        entry: dict[str, JSON] = {
            "id": number,
            "name": case.name,
            "prompt": case.prompt,
            "expected_output": written or (outcome if isinstance(outcome, str) else ""),
            "files": raw.get("files", []) if isinstance(raw, dict) else [],
            "expectations": expectations,
        }
        evals.append(entry)
    return ExportedEvals({"skill_name": skill, "evals": evals}, tuple(lost), tuple(adapted))


def _sentence(spec: GraderSpec) -> tuple[str, bool]:
    """A grader in words, and whether they say all that it checks."""
    config = spec.config
    if spec.type in ("rubric", "llm", "baseline"):
        return str(config["criteria"]), spec.type == "rubric"
    if spec.type == "assert":
        return str(config.get("text", spec.name)), False
    if spec.type == "exact":
        return f"The answer is exactly: {config['expected']}", False
    if spec.type == "contains":
        verb = "does not contain" if config.get("negate") else "contains"
        return f"{_where(config.get('target'))} {verb} {str(config['value'])!r}", False
    if spec.type == "regex":
        return _regex(spec), False
    if spec.type == "file_exists":
        verb = "was created" if config.get("exists", True) else "was not created"
        return f"A file that matches {config['path']} {verb}", False
    if spec.type == "tool_used":
        return _tool(spec), False
    if spec.type == "tool_order":
        before, after = (_call(config[key]) for key in ("before", "after"))
        return f"The agent called {before} before {after}", False
    return spec.name, False


def _regex(spec: GraderSpec) -> str:
    config = spec.config
    pattern = f"/{config['pattern']}/{config.get('flags', '')}"
    match = str(config.get("match", "contains"))
    if match.startswith("count:"):
        return f"{_where(config.get('target'))} matches {pattern} exactly {match[6:]} times"
    verb = "does not match" if match == "not_contains" else "matches"
    return f"{_where(config.get('target'))} {verb} {pattern}"


def _tool(spec: GraderSpec) -> str:
    config = spec.config
    least, most = config.get("min", 1), config.get("max")
    call = _call(config)
    if most == 0:
        return f"The agent did not call {call}"
    if most is None:
        return f"The agent called {call} at least {least} time{'' if least == 1 else 's'}"
    return f"The agent called {call} {least} to {most} times"


def _call(value: JSON) -> str:
    if isinstance(value, str):
        return value
    match = value.get("input_match")
    return f"{value['tool']} with an input that matches /{match}/" if match else str(value["tool"])


def _where(target: JSON) -> str:
    if isinstance(target, dict) or hasattr(target, "get"):
        return f"The file {target['path']}"
    return {"trace": "The transcript", "files": "The list of created files"}.get(str(target), "The answer")


def _settings(case: Case) -> list[str]:
    """What a case asks of its run, which evals.json has no word for."""
    plain = Settings()
    names = (
        "model",
        "max_turns",
        "timeout_s",
        "allowed_tools",
        "disallowed_tools",
        "append_system_prompt",
        "env",
        "scaffold_script",
        "history_file",
        "add_dirs",
    )
    changed = [name for name in names if getattr(case.settings, name) != getattr(plain, name)]
    found = [f"its {', '.join(changed)}"] if changed else []
    if case.runs is not None:
        found.append(f"its {case.runs} runs")
    if case.tags:
        found.append(f"its tags {', '.join(case.tags)}")
    return found
