"""Cases as a suite of `claude plugin eval`: one folder a case. What does not fit is told, never dropped."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assay.model import JSON, Case, GraderSpec
from assay.suites.fields import BODY_KEY, GRADER_KEYS
from assay.suites.frontmatter import trim

_DEFAULTS = {"max_turns": 10, "timeout_seconds": 300}
_UNSAFE = re.compile(r"[^\w.-]+")
_SPECIAL = re.compile(r"[.*+?^${}()|[\]\\/]")


@dataclass(slots=True)
class Exported:
    """Files by path, forward slashes; files of a case that have to be copied; and what did not fit."""

    files: dict[str, str] = field(default_factory=dict)
    copies: list[tuple[Case, str, str]] = field(default_factory=list)
    """(case, file in its folder, path to copy it to)."""
    lost: list[str] = field(default_factory=list)
    adapted: list[str] = field(default_factory=list)


def export_plugin_eval(cases: tuple[Case, ...]) -> Exported:
    """The files of a suite, relative to its folder. A case that is left without a grader is not written."""
    out = Exported()
    taken: set[str] = set()
    for case in cases:
        graders = list(_graders(case, out))
        if not graders:
            out.lost.append(f"{case.id}: no grader of it has a counterpart, so the case is not written")
            continue
        folder = _free("/".join(_slug(part) for part in case.id.split("/")), taken)
        out.files[f"{folder}/prompt.md"] = _prompt(case, folder, out)
        _context(case, folder, out)
        names: set[str] = set()
        for name, grader in graders:
            file = _free(_slug(name), names)
            out.files[f"{folder}/graders/{file}.md"] = _grader_file(name, file, grader)
            if "baseline_file" in grader:
                out.copies.append((case, str(grader["baseline_file"]), f"{folder}/{grader['baseline_file']}"))
    return out


def _prompt(case: Case, folder: str, out: Exported) -> str:
    settings = case.settings
    written = {"max_turns": settings.max_turns, "timeout_seconds": settings.timeout_s}
    head: dict[str, JSON] = {
        **({"name": case.name} if case.name != folder.rpartition("/")[2] and case.name else {}),
        **{
            key: case.notes[key]
            for key in ("description", "expected_outcome")
            if isinstance(case.notes.get(key), str)
        },
        **({"tags": list(case.tags)} if case.tags else {}),
        **({"plugins": list(case.plugins)} if case.plugins else {}),
        **({"runs": case.runs} if case.runs is not None else {}),
        **({"model": settings.model} if settings.model is not None else {}),
        **{key: value for key, value in written.items() if value != _DEFAULTS[key]},
        **({"allowed_tools": list(settings.allowed_tools)} if settings.allowed_tools else {}),
        **({"disallowed_tools": list(settings.disallowed_tools)} if settings.disallowed_tools else {}),
        **(
            {"append_system_prompt": settings.append_system_prompt}
            if settings.append_system_prompt is not None
            else {}
        ),
        **({"env": dict(settings.env)} if settings.env else {}),
    }
    if case.target is not None:
        out.lost.append(f"{case.id}: its target {case.target}: the platform runs the plugin around the suite")
    if case.weight != 1:
        out.lost.append(f"{case.id}: its weight {case.weight:g}: the platform counts every case alike")
    if case.files:
        out.lost.append(f"{case.id}: its files: the platform lays none out, but for a scaffold script")
    if case.prompt != trim(case.prompt):
        out.adapted.append(f"{case.id}: white space around its prompt is not kept")
    return _markdown(head, case.prompt)


def _context(case: Case, folder: str, out: Exported) -> None:
    settings = case.settings
    context = {
        "scaffold_script": settings.scaffold_script,
        "history_file": settings.history_file,
        "add_dirs": list(settings.add_dirs) or None,
    }
    written = {key: value for key, value in context.items() if value is not None}
    if not written:
        return
    document = {"schema_version": "1.1", "name": case.name or folder, "context": written}
    out.files[f"{folder}/case.yaml"] = "".join(f"{key}: {_yaml(value)}\n" for key, value in document.items())
    for key in ("scaffold_script", "history_file"):
        if written.get(key):
            out.copies.append((case, str(written[key]), f"{folder}/{written[key]}"))


def _graders(case: Case, out: Exported) -> Iterator[tuple[str, Mapping[str, JSON]]]:
    for spec in case.graders:
        grader = _counterpart(spec)
        if grader is None:
            out.lost.append(f"{case.id}: grader {spec.name!r} of type {spec.type} has no counterpart")
            continue
        if grader["type"] != spec.type:
            out.adapted.append(
                f"{case.id}: grader {spec.name!r} of type {spec.type} is written as {grader['type']}"
            )
        yield spec.name, {"weight": spec.weight, **grader} if spec.weight != 1 else grader


def _counterpart(spec: GraderSpec) -> dict[str, JSON] | None:
    """The grader of the platform that checks the same, or comes nearest."""
    config = dict(spec.config)
    if spec.type in GRADER_KEYS:
        defaults = {
            name: key.default for name, key in GRADER_KEYS[spec.type].items() if key.default is not None
        }
        return {
            "type": spec.type,
            **{key: value for key, value in config.items() if value != defaults.get(key)},
        }
    if spec.type == "contains":
        return _literal(str(config["value"]), config)
    if spec.type == "rubric":
        return {"type": "llm", "criteria": config["criteria"]}
    if spec.type == "assert":
        if (
            config.get("form") == "contains"
            and config.get("subject") == "output"
            and len(config["texts"]) == 1
        ):
            config["case_sensitive"] = not config.get("fold")
            return _literal(str(config["texts"][0]), {**config, "negate": config.get("negated", False)})
        return {"type": "llm", "criteria": str(config.get("text", spec.name))}
    if spec.type == "exact":
        expected = _SPECIAL.sub(r"\\\g<0>", trim(str(config["expected"])))
        return {"type": "regex", "pattern": f"^\\s*{expected}\\s*$"}
    return None


def _literal(text: str, config: Mapping[str, JSON]) -> dict[str, JSON]:
    grader: dict[str, JSON] = {"type": "regex", "pattern": _SPECIAL.sub(r"\\\g<0>", text)}
    if config.get("case_sensitive") is False:
        grader["flags"] = "i"
    if config.get("negate"):
        grader["match"] = "not_contains"
    if isinstance(config.get("target"), dict):
        grader["target"] = config["target"]
    return grader


def _grader_file(name: str, file: str, grader: Mapping[str, JSON]) -> str:
    head = dict(grader) if name == file else {"type": grader["type"], "name": name, **grader}
    key = BODY_KEY.get(str(grader["type"]))
    text = head.get(key) if key else None
    if key and isinstance(text, str) and text and text == trim(text):
        del head[key]
        return _markdown(head, text)
    return _markdown(head, "")


def _markdown(head: Mapping[str, JSON], body: str) -> str:
    lines = "".join(f"{key}: {_yaml(value)}\n" for key, value in head.items())
    # An empty frontmatter keeps a body that begins with `---` from being taken for one.
    opened = f"---\n{lines}---\n" if lines or body.startswith("---") else ""
    return f"{opened}{body}\n" if body else opened


def _yaml(value: JSON) -> str:
    """JSON, which is YAML; `---` is escaped, since the platform's scanner ends the frontmatter at it."""
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z][A-Za-z_]*", value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False).replace("--", "\\u002d-")


_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off"})


def _slug(text: str) -> str:
    slug = _UNSAFE.sub("-", text).strip("-. ")[:60].strip("-. ")
    return slug or "case"


def _free(name: str, taken: set[str]) -> str:
    candidate, number = name, 1
    while candidate.casefold() in taken:
        number += 1
        candidate = f"{name}-{number}"
    taken.add(candidate.casefold())
    return candidate
