"""Every rule of `assay check`: a minimal suite that breaks it, and one that does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.suites.check import check_suite
from assay.suites.check_json import check_json
from assay.suites.findings import RULES

REGEX = "---\ntype: regex\npattern: hello\n---\n"
FIRES = "---\ntype: tool_used\ntool: Skill\n---\n"
QUIET = "---\ntype: tool_used\ntool: Skill\nmin: 0\nmax: 0\narm: both\n---\n"
SKILL = {"SKILL.md": "---\nname: s\ndescription: d\n---\n"}
TRIGGERS = {"t/prompt.md": "hi", "t/graders/f.md": FIRES, "t/graders/q.md": QUIET, "t/graders/g.md": REGEX}


def case_yaml(**more: str) -> str:
    graders = more.pop("graders", "- {type: regex, name: g, pattern: hello}")
    rest = "".join(f"{key}: {value}\n" for key, value in more.items())
    return f'schema_version: "1.1"\nname: x\nexecution: {{prompt: hi}}\n{rest}graders:\n{graders}\n'


def case(grader: str = REGEX, prompt: str | bytes = "hi", **more: str | bytes) -> dict[str, str | bytes]:
    """One case `a` with one grader `g`; further files by name, `__` for the slash."""
    return {
        "a/prompt.md": prompt,
        "a/graders/g.md": grader,
        **{f"a/{name.replace('__', '/')}": text for name, text in more.items()},
    }


def lay(root: Path, files: dict[str, str | bytes]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode("utf-8") if isinstance(text, str) else text)


def head(*lines: str, body: str = "") -> str:
    return "\n".join(["---", *lines, "---", body])


BROKEN = {
    "LOAD": case(prompt=""),
    "L01": case(prompt="---\ndescription: a---b\n---\nhi"),
    "L02": case(prompt="\n---\nmax_turns: 3\n---\nhi"),
    "L03": case(graders__criteria_md="") | {"a/graders/criteria.md": "It is polite."},
    "L04": case(head("type: llm", "criteria: short", body="A long rubric.")),
    "L05": {"a/case.yaml": case_yaml(max_turns="3")},
    "L06": case(head("type: tool_used", "tool: Read", "max: 0")),
    "L07": case(head("type: tool_used", "tool: Skill", "min: 0", "max: 0")),
    "L08": case(FIRES),
    "L09": case(head("type: regex", "pattern: Skill", "target: trace")),
    "L10": case(head("type: regex", "pattern: sorry|thanks")),
    "L11": case(head("type: regex", "pattern: '(?i)hello'")),
    "L12": case(head("type: regex", "pattern: [abc]")),
    "L13": case(head("type: regex", "pattern: foo #bar")),
    "L14": case(
        head("type: regex", "pattern: x", "match: not_contains", "target: {source: file, path: o.md}")
    ),
    "L15": {
        "a/case.yaml": case_yaml(
            context="{scaffold_script: s.sh}", graders="- {type: file_exists, name: g, path: out.md}"
        ),
        "a/s.sh": "echo hi > out.md\n",
    },
    "L16": case(head("type: tool_used", "tool: Bash")),
    "L17": case(prompt=head("env: {FOO: bar}", body="hi")),
    "L18": case(prompt=head("name: n", body="hi"))
    | {"b/prompt.md": head("name: n", body="x"), "b/graders/g.md": REGEX},
    "L19": case(prompt=b"caf\xe9"),
    "L20": case(prompt=head("plugins: [../nowhere]", body="hi")),
    "L21": case() | {"b/PROMPT.md": "hi"},
    "L23": case(head("type: regex", "pattern: |", "  hello")),
    "L24": {"a/case.yaml": case_yaml(context="{scaffold_script: s.sh}"), "a/s.sh": "true\n"},
    "L25": case(head("type: llm", "criteria: x"), head("expected_outcome: y", body="hi")),
    "S01": SKILL | {"t/prompt.md": "hi", "t/graders/q.md": QUIET, "t/graders/g.md": REGEX},
    "S02": SKILL | {"t/prompt.md": "hi", "t/graders/f.md": FIRES, "t/graders/g.md": REGEX},
    "S03": case(QUIET),
    "S04": case(head("type: regex", "pattern: '(?i:hello)'")),
    "S05": case(head("type: regex", "pattern: x", "target: mock_calls")),
    "S06": case(samples__g_json="") | {"a/samples/g.json": '{"pass": [{"answer": "bye"}], "fail": []}'},
    "S07": case(head("type: regex", "pattern: hello", "weight: .inf")),
    "S08": case() | {"mocks/crm/lookup.md": "found"},
    "T01": case(head("type: regex", "pattern: '.*'")),
    "T02": case(head("type: regex", "pattern: bad", "match: not_contains")),
}
SOUND = {
    "LOAD": case(),
    "L01": case(prompt="---\ndescription: a--b\n---\nhi\n---\nx"),
    "L02": case(prompt="\ufeff---\nmax_turns: 3\n---\nhi"),
    "L03": case() | {"a/graders/README.md": "It is polite."},
    "L04": case(head("type: llm", body="A long rubric.")),
    "L05": {"a/case.yaml": case_yaml(description="d", tags="[a]", runs="3")},
    "L06": case(head("type: tool_used", "tool: Read", "min: 0", "max: 0")),
    "L07": case(QUIET),
    "L08": case() | {"a/graders/f.md": FIRES},
    "L09": case(head("type: regex", 'pattern: \'"name":"Skill","input"\'', "target: trace")),
    "L10": case(head("type: regex", "pattern: '^Refunds take 30 days'")),
    "L11": case(head("type: regex", "pattern: hello", "flags: i")),
    "L12": case(head("type: regex", "pattern: '[abc]'")),
    "L13": case(
        head("type: regex", "pattern: 'foo #bar'", "description_: x").replace("description_: x\n", "")
    ),
    "L14": case(head("type: regex", "pattern: x", "target: {source: file, path: o.md}")),
    "L15": {
        "a/case.yaml": case_yaml(
            context="{scaffold_script: s.sh}", graders="- {type: file_exists, name: g, path: new.md}"
        ),
        "a/s.sh": "echo hi > out.md\n",
    },
    "L16": case(head("type: tool_used", "tool: Bash"), head("allowed_tools: ['Bash(git:*)']", body="hi")),
    "L17": case(prompt=head("env: {EVAL_A1: bar}", body="hi")),
    "L18": case() | {"b/prompt.md": "x", "b/graders/g.md": REGEX},
    "L19": case(prompt="café"),
    "L20": case(prompt=head("plugins: [graders]", body="hi")),
    "L21": case() | {"b/notes.md": "hi", "a/graders/README.md": "x", "a/files/x.yaml": "y"},
    "L23": case(head("type: regex", "pattern: |-", "  hello")),
    "L24": {"a/case.yaml": case_yaml()},
    "L25": case(prompt=head("expected_outcome: y", body="hi")),
    "S01": SKILL | TRIGGERS,
    "S02": SKILL | TRIGGERS,
    "S03": case(QUIET) | {"a/graders/h.md": REGEX},
    "S04": case(head("type: regex", "pattern: '(?:hello)'")),
    "S05": case() | {"mocks/x/y.md": "z"},
    "S06": case() | {"a/samples/g.json": '{"pass": [{"answer": "hello"}], "fail": [{"answer": ""}]}'},
    "S07": case(head("type: regex", "pattern: hello", "weight: 1e9")),
    "S08": case() | {"mocks": "a file"},
    "T01": case(head("type: regex", "pattern: '.+'")),
    "T02": case() | {"a/graders/n.md": head("type: regex", "pattern: bad", "match: not_contains")},
}


def codes(root: Path) -> set[str]:
    return {found.code for found in check_suite(root, shown="")}


@pytest.mark.parametrize("code", BROKEN)
def test_a_suite_that_breaks_the_rule(tmp_path, code):
    files = {name: text for name, text in BROKEN[code].items() if not name.endswith(("_md", "_json"))}
    lay(tmp_path, files)
    found = [one for one in check_suite(tmp_path, shown="") if one.code == code]
    assert found, f"{code} is not found"
    assert all(one.message and one.severity in ("error", "warning", "note") for one in found)
    assert found[0].severity == RULES[code].severity


@pytest.mark.parametrize("code", SOUND)
def test_a_suite_that_keeps_it(tmp_path, code):
    lay(tmp_path, SOUND[code])
    assert code not in codes(tmp_path)


def test_every_rule_has_a_suite_that_breaks_it():
    elsewhere = {"L22", "S09", "J01", "J02", "J03", "J04"}
    assert RULES.keys() - elsewhere == BROKEN.keys() == SOUND.keys()


@pytest.mark.parametrize(
    ("files", "line", "words"),
    [
        (BROKEN["L01"], "a/prompt.md:2", "the `---` in `description: a---b` ends the frontmatter"),
        (
            BROKEN["L05"],
            "a/case.yaml:4",
            "`max_turns` is not read: it does nothing; move it under `execution:`",
        ),
        (BROKEN["L13"], "a/graders/g.md:3", "only `foo` is kept"),
        (BROKEN["L04"], "a/graders/g.md:3", "`criteria` stands in the frontmatter: the body is dropped"),
        (BROKEN["L11"], "a/graders/g.md", "JavaScript has no inline flags: write `flags: i`"),
        (BROKEN["L17"], "a/prompt.md:2", "refuses to start with 'FOO'"),
        (BROKEN["L23"], "a/graders/g.md:3", "`pattern` ends in a line end"),
        (BROKEN["L12"], "a/graders/g.md:3", "put the value in single quotes"),
        (BROKEN["L19"], "a/prompt.md:1", "not UTF-8"),
        (BROKEN["L16"], "a/graders/g.md", "run with --allow-tools Bash"),
        (BROKEN["L24"], "a/case.yaml:4", "s.sh is not run"),
    ],
)
def test_a_finding_says_where_what_happens_and_how_to_mend_it(tmp_path, files, line, words):
    lay(tmp_path, files)
    told = [str(one) for one in check_suite(tmp_path, shown="")]
    assert any(one.startswith(f"{line}: ") and words in one for one in told), told


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ({"a/case.yml": "x"}, "a/case.yml"),
        ({"a/graders/h.yaml": "x"}, "a/graders/h.yaml"),
        ({"a/graders/H.MD": "x"}, "a/graders/H.MD"),
        ({"a/graders/sub/h.md": REGEX}, "a/graders/sub"),
        ({"a/inner/prompt.md": "x"}, "a/inner/prompt.md"),
        (
            {"group/Prompt.md": "x", "group/b/prompt.md": "x", "group/b/graders/g.md": REGEX},
            "group/Prompt.md",
        ),
    ],
)
def test_files_that_are_never_seen(tmp_path, more, wanted):
    lay(tmp_path, case() | more)
    assert [one.path for one in check_suite(tmp_path, shown="") if one.code == "L21"] == [wanted]


@pytest.mark.parametrize(
    "grader",
    [
        QUIET,
        head("type: regex", "pattern: bad", "match: not_contains"),
        head("type: tool_used", "tool: Bash", "min: 0", "max: 0"),
        head("type: file_exists", "path: x", "exists: false"),
        head("type: llm", "criteria: x"),
    ],
)
def test_what_passes_on_nothing_by_its_nature_is_not_named(tmp_path, grader):
    lay(tmp_path, case() | {"a/graders/n.md": grader})
    assert not {"T01", "T02"} & codes(tmp_path)


def test_a_trace_pattern_that_names_a_skill_of_the_plugin(tmp_path):
    grader = head("type: regex", "pattern: tidy-commit", "target: trace")
    files = {"plugin.json": "{}", "skills/tidy-commit/SKILL.md": "x"}
    lay(tmp_path, files | {f"evals/{name}": text for name, text in case(grader).items()})
    assert "L09" in codes(tmp_path)


def test_a_literal_block_that_talks_of_comments_is_not_cut(tmp_path):
    text = case_yaml().replace(
        "{prompt: hi}", "\n  prompt: |\n    name: what is issue #5 about\n    path: a #b"
    )
    lay(tmp_path, {"a/case.yaml": text})
    assert codes(tmp_path) == set()


def test_a_sound_suite_has_no_finding(tmp_path):
    lay(tmp_path, SKILL | TRIGGERS)
    assert check_suite(tmp_path) == []


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ('{"pass": ["bye"]}', "grader 'g' fails on a sample that should pass ('bye')"),
        ('{"fail": [{"answer": "hello"}]}', "grader 'g' passes on a sample that should fail ('hello')"),
        ('{"pass": [{"why": "x"}]}', "the sample has no `answer`"),
        ("[]", "samples are {pass: [{answer}], fail: [{answer}]}"),
        ("{", "not JSON"),
    ],
)
def test_samples_that_disagree(tmp_path, samples, message):
    lay(tmp_path, case() | {"a/samples/g.json": samples})
    assert any(message in one.message for one in check_suite(tmp_path) if one.code == "S06")


def triggers(tmp_path, items):
    path = tmp_path / "trigger_eval.json"
    path.write_text(json.dumps(items), "utf-8")
    return [found.code for found in check_json(path, "t.json")]


def test_trigger_sets(tmp_path):
    yes, no = {"query": "a", "should_trigger": True}, {"query": "b", "should_trigger": False}
    assert triggers(tmp_path, [yes, no]) == []
    assert triggers(tmp_path, [yes, {**yes, "query": "c"}]) == ["J03"]
    assert triggers(tmp_path, [yes, no, yes]) == ["J04"]
    assert triggers(tmp_path, [yes, no, {"query": "c", "should_trigger": 5}]) == ["J01"]


def test_evals_json(tmp_path):
    path = tmp_path / "evals.json"
    items = [
        {"id": 1, "prompt": "x", "expected_output": "y"},
        {"id": 2, "prompt": "x", "assertions": [{"type": "strange"}, "fine"]},
        {"id": 3, "prompt": "x", "assertions": [{"type": "regex", "value": ".*"}]},
    ]
    path.write_text(json.dumps(items, indent=1), "utf-8")
    found = check_json(path, "e.json")
    assert [(one.code, one.severity) for one in found] == [
        ("T01", "warning"),
        ("T02", "warning"),
        ("J02", "note"),
        ("J01", "warning"),
    ]
    path.write_text("{", "utf-8")
    assert [one.code for one in check_json(path, "e.json")] == ["LOAD"]


def test_an_agent_fires_by_the_tool_that_starts_it(tmp_path):
    delegated = head("type: tool_used", "tool: Agent")
    quiet = head("type: tool_used", "tool: Task", "min: 0", "max: 0")
    lay(
        tmp_path,
        SKILL
        | {"t/prompt.md": "hi", "t/graders/f.md": delegated, "u/prompt.md": "hi", "u/graders/q.md": quiet},
    )
    assert not {"S01", "S02"} & codes(tmp_path)


@pytest.mark.parametrize(
    ("base", "items", "wanted"),
    [
        ("evals/", ["skills/x/SKILL.md", "agents/y.md"], []),
        ("evals/", ["registry/commands/x.md"], []),
        ("", ["skills/x/SKILL.md"], []),
        ("evals/", ["notes/x.md"], ["evals/y/a/prompt.md"]),
        ("evals/g/", ["skills/g/SKILL.md"], ["evals/g/y/a/prompt.md"]),
        ("plugins/p/evals/", ["plugins/p/skills/x/SKILL.md"], []),
    ],
)
def test_equal_names_are_told_of_one_suite_not_of_two_items(tmp_path, base, items, wanted):
    suites = {f"{base}{item}/{name}": text for item in "xy" for name, text in case().items()}
    lay(tmp_path, suites | dict.fromkeys(items, ""))
    assert [one.path for one in check_suite(tmp_path, shown="") if one.code == "L18"] == wanted


def test_triggers_are_asked_of_every_suite_of_a_skill(tmp_path):
    files = {"plugin.json": "{}", "skills/x/SKILL.md": "", "skills/y/SKILL.md": "", "agents/z.md": ""}
    files |= {f"evals/x/{name}": text for name, text in TRIGGERS.items()}
    files |= {f"evals/{item}/{name}": text for item in "yz" for name, text in case().items()}
    lay(tmp_path, files)
    found = [(one.code, one.path) for one in check_suite(tmp_path, only_under="evals", shown="")]
    assert found == [("S01", "evals/y"), ("S02", "evals/y")]
