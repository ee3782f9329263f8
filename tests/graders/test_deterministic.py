"""Text, tool and file graders, built from specs and asked of transcripts."""

from __future__ import annotations

import pytest

from assay.errors import UsageError
from assay.graders import Bench, build
from assay.model import FileMade, GraderSpec, Location, ToolCall, Transcript


def grade(kind, transcript, weight=1.0, **config):
    return build(GraderSpec("g", kind, weight, config), Bench()).grade(transcript)


def made(path, text=None, **more):
    return FileMade(path, len(text or ""), "sha256:0", text, **more)


TRANSCRIPT = Transcript(
    output="Refunds take 30 days.\nNo refund after that.",
    tool_calls=(
        ToolCall("Read", {"file_path": "a.md"}),
        ToolCall("Agent", {"prompt": "x"}),
        ToolCall("Write", {"file_path": "out/b.md", "content": "é", "n": 1.0}),
        ToolCall("Read", {"file_path": "b.md"}),
    ),
    files=(
        made("out/b.md", "\ufeffneedle"),
        made("z.png", note="image"),
        made("a.bin", note="binary"),
        FileMade("big.txt", 9_000_000, "sha256:0", note="over the cap"),
        FileMade("huge.txt", 11_000_000, "sha256:0", note="over the cap"),
        made("given.md", "given", created=False),
    ),
    trace=('{"type":"system"}', '{"type":"result"}'),
)


@pytest.mark.parametrize(
    ("config", "passed"),
    [
        ({"pattern": "30 days"}, True),
        ({"pattern": "30 Days"}, False),
        ({"pattern": "30 Days", "flags": "i"}, True),
        ({"pattern": ""}, True),
        ({"pattern": "30 days", "match": "not_contains"}, False),
        ({"pattern": "40 days", "match": "not_contains"}, True),
        ({"pattern": "refund", "flags": "i", "match": "count:2"}, True),
        ({"pattern": "refund", "flags": "i", "match": "count:1"}, False),
        ({"pattern": "refund", "match": "count:0"}, False),
        ({"pattern": "^\\{.*\\}$", "flags": "m", "match": "count:2", "target": "trace"}, True),
        ({"pattern": "^a\\.bin\nbig\\.txt\nhuge\\.txt\nout/b\\.md\nz\\.png$", "target": "files"}, True),
        ({"pattern": "^needle$", "target": {"source": "file", "path": "out/b.md"}}, True),
        ({"pattern": "given", "target": {"source": "file", "path": "given.md"}}, True),
        ({"pattern": "x", "match": "not_contains", "target": {"source": "file", "path": "none"}}, False),
        ({"pattern": "x", "match": "count:0", "target": {"source": "file", "path": "none"}}, False),
        ({"pattern": "x", "match": "not_contains", "target": {"source": "file", "path": "z.png"}}, False),
        ({"pattern": "x", "match": "not_contains", "target": {"source": "file", "path": "huge.txt"}}, False),
        ({"pattern": "x", "match": "not_contains", "target": "mock_calls"}, False),
    ],
)
def test_regex(config, passed):
    assert grade("regex", TRANSCRIPT, **config).passed is passed


def test_a_file_whose_text_was_not_kept_is_a_fault_never_a_fail():
    answer = grade("regex", TRANSCRIPT, pattern="x", target={"source": "file", "path": "big.txt"})
    assert answer.passed is None
    assert answer.fault.kind == "grader"
    assert "over assay's cap" in answer.fault.message


def test_a_runaway_match_is_a_fault_never_a_fail(monkeypatch):
    monkeypatch.setattr("assay.graders.js_regex.compile.__wrapped__.__defaults__", ("", 0.05))
    runaway = r"^(?:(a)|\1a)*\1b$"
    text = "a" * 200 + "c"
    answer = grade("regex", Transcript(text), pattern=runaway)
    assert (answer.passed, answer.fault.kind) == (None, "grader")
    call = Transcript("", tool_calls=(ToolCall("Bash", {"c": text}),))
    answer = grade("tool_used", call, tool="Bash", input_match=r"(?:(a)|\1a)*\1bz")
    assert (answer.passed, answer.fault.kind) == (None, "grader")


def test_an_invalid_pattern_is_refused_before_anything_runs_with_its_place():
    spec = GraderSpec("g", "regex", config={"pattern": "("}, source=Location("a/graders/g.md", 3))
    with pytest.raises(
        UsageError, match=r"^a/graders/g\.md:3: grader 'g': invalid regular expression: unterm"
    ):
        build(spec, Bench())


@pytest.mark.parametrize(
    ("config", "passed"),
    [
        ({"value": "30 days"}, True),
        ({"value": "30 Days"}, False),
        ({"value": "30 DAYS", "case_sensitive": False}, True),
        ({"value": "30 days", "negate": True}, False),
        ({"value": "40", "negate": True}, True),
        ({"value": "needle", "target": {"source": "file", "path": "out/b.md"}}, True),
        ({"value": "x", "negate": True, "target": {"source": "file", "path": "none"}}, False),
    ],
)
def test_contains(config, passed):
    assert grade("contains", TRANSCRIPT, **config).passed is passed


@pytest.mark.parametrize(
    ("config", "passed"),
    [
        ({"tool": "Read"}, True),
        ({"tool": "read"}, False),
        ({"tool": "Read", "min": 3}, False),
        ({"tool": "Read", "max": 1}, False),
        ({"tool": "Read", "input_match": '"file_path":"b\\.md"'}, True),
        ({"tool": "Write", "input_match": '^\\{"file_path":"out/b\\.md","content":"é","n":1\\}$'}, True),
        ({"tool": "Bash"}, False),
        ({"tool": "Bash", "max": 0}, False),
        ({"tool": "Bash", "min": 0, "max": 0}, True),
        ({"tool": "Task"}, True),
        ({"tool": "Agent"}, True),
    ],
)
def test_tool_used(config, passed):
    answer = grade("tool_used", TRANSCRIPT, **config)
    assert answer.passed is passed
    assert not answer.trigger


def test_only_the_skill_tool_counts_for_the_trigger_rate():
    fired = Transcript("", tool_calls=(ToolCall("Skill", {"skill": "p:x"}),))
    assert grade("tool_used", fired, tool="Skill", input_match="x").trigger


@pytest.mark.parametrize(
    ("before", "after", "passed"),
    [
        ("Read", "Write", True),
        ("Write", "Read", False),
        ({"tool": "Write"}, {"tool": "Read", "input_match": '"b\\.md"'}, True),
        ("Read", "Bash", False),
        ("Bash", "Read", False),
        ("Read", "Read", False),
    ],
)
def test_tool_order(before, after, passed):
    assert grade("tool_order", TRANSCRIPT, before=before, after=after).passed is passed


@pytest.mark.parametrize(
    ("path", "passed"),
    [
        ("out/b.md", True),
        ("*.md", False),
        ("**/*.md", True),
        ("**/z.png", True),
        ("**", True),
        ("out?b.md", True),
        ("OUT/b.md", False),
        ("given.md", False),
        ("{out}/b.md", False),
        ("[o]ut/b.md", False),
        ("b.md", False),
    ],
)
def test_file_exists(path, passed):
    assert grade("file_exists", TRANSCRIPT, path=path).passed is passed
    assert grade("file_exists", TRANSCRIPT, path=path, exists=False).passed is not passed
