"""`assert`: one assertion of a golden task, checked. `assertion_grammar.py` read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from assay.graders import js_regex
from assay.graders.assertion_checks import CHECKS, Config, Finding, Unchecked, within
from assay.graders.files import glob_regex
from assay.graders.javascript import stringify
from assay.graders.sources import Missing, evidence
from assay.model import JSON, Fault, Grade

if TYPE_CHECKING:
    from assay.graders import Bench
    from assay.model import GraderSpec, Transcript


class Assertion:
    """One item of `## Expected`. A negated one passes where the assertion does not hold."""

    def __init__(self, spec: GraderSpec, bench: Bench) -> None:
        self._spec = spec

    def grade(self, transcript: Transcript) -> Grade:
        spec = self._spec
        try:
            found = _find(spec.config, transcript)
        except (js_regex.MatchTimeout, Unchecked) as error:
            found = Fault("grader", str(error))
        if isinstance(found, Fault):
            return Grade(spec.name, spec.type, None, spec.weight, explanation=found.message, fault=found)
        holds, explanation = found
        passed = holds != bool(spec.config.get("negated"))
        return Grade(spec.name, spec.type, passed, spec.weight, explanation=explanation)


def _find(config: Config, transcript: Transcript) -> Finding | Fault:
    form = config["form"]
    if form in _OF_TRANSCRIPTS:
        return _OF_TRANSCRIPTS[form](config, transcript)
    subject = config.get("subject", "output")
    texts = _texts(subject, transcript)
    if isinstance(texts, Fault):
        return texts
    if isinstance(texts, Missing):
        # A file that is not there neither contains nor lacks anything: the assertion fails both ways.
        return bool(config.get("negated")), texts.reason
    return _of_all(CHECKS[form], config, texts)


def _texts(subject: JSON, transcript: Transcript) -> list[str] | Missing | Fault:
    if isinstance(subject, Mapping):
        text = evidence(transcript, subject)
        return [text] if isinstance(text, str) else text
    if subject == "output":
        return [transcript.output]
    lines = transcript.output.replace("\r\n", "\n").strip("\n").split("\n")
    return lines if subject == "every_line" else [lines[0] if subject == "first_line" else lines[-1]]


def _of_all(check: Callable[[Config, str], Finding], config: Config, texts: list[str]) -> Finding:
    """Every text has to satisfy the assertion; the first that does not is told."""
    negated = bool(config.get("negated"))
    holds, explanation = check(config, texts[0])
    for text in texts[1:]:
        if holds == negated:
            break
        holds, explanation = check(config, text)
    return holds, explanation


# --- files and tools ----------------------------------------------------------------------------------


def _file(config: Config, transcript: Transcript) -> Finding:
    glob = glob_regex(config["path"].removeprefix("./"))
    found = next((file.path for file in transcript.files if glob.test(file.path)), None)
    return found is not None, f"{found} is there" if found else f"no file matches {config['path']}"


def _tool(config: Config, transcript: Transcript) -> Finding:
    calls = [call for call in transcript.tool_calls if call.name == config["tool"]]
    if "pattern" in config:
        regex = js_regex.compile(config["pattern"], config["flags"])
        calls = [call for call in calls if regex.test(stringify(call.input))]
    count = len(calls)
    return within(count, config), f"used {count} time{'' if count == 1 else 's'}"


def _tool_order(config: Config, transcript: Transcript) -> Finding:
    names = [call.name for call in transcript.tool_calls]
    for name in (config["before"], config["after"]):
        if name not in names:
            return False, f"{name} was not used"
    first, second = names.index(config["before"]), names.index(config["after"])
    return first < second, f"first used as calls {first + 1} and {second + 1}"


_OF_TRANSCRIPTS: dict[str, Callable[[Config, Transcript], Finding]] = {
    "file": _file,
    "tool": _tool,
    "tool_order": _tool_order,
}
