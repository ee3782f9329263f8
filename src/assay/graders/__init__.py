"""Graders check transcripts. Each is a value with one method; a table names them by their `type`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from assay.named import named

if TYPE_CHECKING:
    from assay.model import Grade, GraderSpec, Transcript
    from assay.models import ChatModel

GRADERS = {
    "regex": "assay.graders.text:Regex",
    "contains": "assay.graders.text:Contains",
    "exact": "assay.graders.exact:Exact",
    "assert": "assay.graders.assertions:Assertion",
    "file_exists": "assay.graders.files:FileExists",
    "tool_used": "assay.graders.tools:ToolUsed",
    "tool_order": "assay.graders.tools:ToolOrder",
    "llm": "assay.graders.judge:Llm",
    "rubric": "assay.graders.judge:Rubric",
    "baseline": "assay.graders.judge:Baseline",
    "command": "assay.graders.script:Command",
}

JUDGED = frozenset({"llm", "rubric", "baseline"})
"""Types that ask a judge."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What graders may use beside the transcript."""

    judge: ChatModel | None = None
    votes: int | None = None
    """Votes a rubric expectation gets; None is the grader's own default."""
    case_folder: Path | None = None
    run_scripts: bool = False
    """True where the user allowed graders that execute a command."""


class Grader(Protocol):
    """One check. `grade` never raises for what an agent wrote; a broken judge is a fault in the grade."""

    def grade(self, transcript: Transcript) -> Grade: ...


def build(spec: GraderSpec, bench: Bench) -> Grader:
    """The grader that a spec describes: `Class(spec, bench)`, compiled once, used for every trial."""
    grader: Grader = named("grader", spec.type, GRADERS, "assay.graders")(spec, bench)
    return grader
