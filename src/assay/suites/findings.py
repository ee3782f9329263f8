"""What `assay check` can say: every rule with its code, and a finding of one in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from assay.model import JSON

Severity: TypeAlias = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that goes wrong in suites."""

    severity: Severity
    title: str
    mend: str


RULES: Mapping[str, Rule] = {
    "LOAD": Rule("error", "the case is not loaded", ""),
    "L01": Rule(
        "warning",
        "`---` inside the frontmatter ends it",
        "keep `---` out of values, comments and blocks of the frontmatter; close it on a line of its own",
    ),
    "L02": Rule("warning", "the frontmatter is not at the top", "delete everything before the opening `---`"),
    "L03": Rule(
        "warning",
        "a grader file without frontmatter is ignored",
        "begin it with a frontmatter that has `type:`, or move it out of graders/",
    ),
    "L04": Rule(
        "warning",
        "a key of the frontmatter hides the file's body",
        "keep one of the two: the key, or the body",
    ),
    "L05": Rule(
        "warning", "an unknown key in case.yaml does nothing", "move it to where it is read, or delete it"
    ),
    "L06": Rule(
        "error", "a tool_used grader that cannot pass", "set `min: 0` beside `max: 0`; keep min <= max"
    ),
    "L07": Rule(
        "warning",
        "a quiet Skill grader without `arm: both` is not scored in two arms",
        "add `arm: both`",
    ),
    "L08": Rule(
        "warning",
        "every grader of the case is with-only",
        "add a grader of the outcome; leave triggers to a case of their own that no delta is read from",
    ),
    "L09": Rule(
        "warning",
        "a trace pattern that every run matches",
        "look for the call with tool_used, or anchor the pattern to a tool_use event",
    ),
    "L10": Rule(
        "warning", "a pattern that a refusal or a negation decides", "anchor it, or ask for the fact itself"
    ),
    "L11": Rule("error", "an invalid regular expression", "mend the pattern; flags go into `flags:`"),
    "L12": Rule("error", "YAML reads an unquoted value as something else", "put the value in single quotes"),
    "L13": Rule("warning", "YAML cuts an unquoted value", "put the value in single quotes"),
    "L14": Rule(
        "warning",
        "not_contains on a file fails where the file is not there",
        "add a file_exists grader for it, so that the two failures can be told apart",
    ),
    "L15": Rule(
        "warning",
        "a file check of a file that the scaffold makes",
        "only files created in the run count: look into it with `target: {source: file, path: …}`",
    ),
    "L16": Rule(
        "warning", "a grader needs a tool that the case does not grant", "add the tool to allowed_tools"
    ),
    "L17": Rule("error", "an environment key that is not EVAL_*", "name it EVAL_… in capitals"),
    "L18": Rule("warning", "two cases have one name", "give each its own `name:`"),
    "L19": Rule("warning", "bytes that are not UTF-8", "save the file as UTF-8"),
    "L20": Rule(
        "error", "a `plugins:` entry that leads nowhere", "mend the path; it is relative to the case"
    ),
    "L21": Rule("warning", "a file that is never read", "rename or move it as the message says"),
    "L22": Rule("note", "a grader that always answered the same", "make it harder, easier, or drop it"),
    "L23": Rule(
        "warning",
        "a block keeps its last line end in the pattern",
        "write `|-` instead of `|`, or the pattern in single quotes",
    ),
    "L24": Rule("note", "the case has a scaffold", "run with --scaffold, or the workspace stays empty"),
    "L25": Rule("note", "expected_outcome is not shown to the judge", "write it into the criteria"),
    "S01": Rule("warning", "no case checks that the skill fires", "add a case with `tool_used: Skill`"),
    "S02": Rule(
        "warning",
        "no case checks that the skill stays quiet",
        "add a near miss with `tool_used: Skill`, `min: 0`, `max: 0`, `arm: both`",
    ),
    "S03": Rule(
        "warning",
        "a quiet case with nothing else to check dilutes the delta",
        "add a grader of the outcome, or read the trigger rate alone from it",
    ),
    "S04": Rule(
        "warning",
        "newer regular-expression syntax, on which engines differ",
        "use `flags: i` instead of `(?i:…)`, and one name a group",
    ),
    "S05": Rule("warning", "a grader that no output can pass or fail", "look where the output is"),
    "S06": Rule("error", "a grader disagrees with its own sample", "mend the grader or the sample"),
    "S07": Rule("error", "an infinite weight", "give it a finite weight"),
    "S08": Rule(
        "note",
        "the suite has mock servers",
        "run it with --harness plugin-eval where a case needs them",
    ),
    "S09": Rule(
        "warning",
        "the manifest's folder for the suite is ignored",
        "name a folder of the plugin that it does not load, or none",
    ),
    "T01": Rule("warning", "a check that passes on an empty answer", "ask for what a right answer holds"),
    "T02": Rule("warning", "a case that passes with nothing done", "add a check that an empty answer fails"),
    "J01": Rule("warning", "what an evals.json holds and assay cannot keep", ""),
    "J02": Rule("note", "what an evals.json holds and assay takes otherwise", ""),
    "J03": Rule("warning", "a trigger set with labels of one kind", "add near misses that must not fire"),
    "J04": Rule("warning", "a query that stands twice in a trigger set", "keep one of the two"),
}
"""Code → rule. The codes are stable; `docs/formats.md` describes every one."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that one file breaks: what will happen, and how to mend it."""

    code: str
    path: str
    """Forward slashes, as the user named the suite."""
    line: int | None
    message: str
    severity: Severity
    mend: str

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        mend = f"; {self.mend}" if self.mend else ""
        return f"{place}: {self.severity} [{self.code}] {self.message}{mend}"

    def to_document(self) -> dict[str, JSON]:
        """JSON-clean: `line` only where it is known."""
        line = {} if self.line is None else {"line": self.line}
        return {
            "code": self.code,
            "severity": self.severity,
            "file": self.path,
            **line,
            "message": self.message,
            "mend": self.mend,
        }


def finding(
    code: str,
    path: str,
    line: int | None,
    message: str,
    *,
    severity: Severity | None = None,
    mend: str | None = None,
) -> Finding:
    """A finding of a rule, with the rule's severity and mending where nothing else is said."""
    rule = RULES[code]
    return Finding(code, path, line, message, severity or rule.severity, mend or rule.mend)


def in_order(findings: list[Finding]) -> list[Finding]:
    """By file, line and code, each once."""
    unique = dict.fromkeys(findings)
    return sorted(unique, key=lambda found: (found.path, found.line or 0, found.code, found.message))
