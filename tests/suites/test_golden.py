from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from assay.errors import CannotRun, SuiteError, UsageError
from assay.model import Target
from assay.suites.golden import load_golden, select

TASK = """---
id: {id}
target: skill:commit
grader: {grader}
---
## Input
{input}

## Expected
{expected}
"""


def task(name="G-001", grader="exact", prompt="Say hi.", expected="hi") -> str:
    return TASK.format(id=name, grader=grader, input=prompt, expected=expected)


def write(evals: Path, name: str, text: str, suite: str = "commits") -> Path:
    path = evals / suite / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))
    return path


@pytest.fixture
def evals(tmp_path):
    return tmp_path / "evals"


def problems(evals: Path) -> list[str]:
    with pytest.raises(SuiteError) as caught:
        load_golden(evals)
    return [str(problem) for problem in caught.value.problems]


def only_case(evals: Path):
    ((case,),) = [suite.cases for suite in load_golden(evals)]
    return case


def test_a_task_becomes_a_case_with_its_oracle_in_the_graders_only(evals):
    write(
        evals,
        "G-001-short-fix.md",
        "---\nid: G-001\nsuite: commits\ntarget: skill:commit\ngrader: rubric\npattern: B\nweight: 2.5\n"
        "tags: [smoke, short]\n---\n# Any title\n\n## Input\n\nFix the typo.\n\n"
        "## Expected\n\nA good answer:\n"
        "- [ ] names the file\n- is short,\n  and kind\n\n## Notes\nnot for graders\n",
    )
    case = only_case(evals)
    assert (case.id, case.prompt, case.weight, case.tags) == (
        "G-001",
        "Fix the typo.",
        2.5,
        ("smoke", "short"),
    )
    assert case.target == Target("skill", "commit")
    assert [spec.config["criteria"] for spec in case.graders] == ["names the file", "is short,\nand kind"]
    assert [spec.source.line for spec in case.graders] == [19, 20]
    assert "names the file" not in case.prompt + str(case.notes)
    assert case.notes == {"pattern": "B", "slug": "short-fix", "grader": "rubric"}


def test_assert_items_become_graders_of_their_own(evals):
    expected = '- contains: "x"\n* must not contain `y`\n1. at most 40 words.\n\n2. matches /^a/m\n'
    write(evals, "G-001.md", task(grader="assert", expected=expected))
    forms = [(spec.type, spec.config["form"], spec.config["negated"]) for spec in only_case(evals).graders]
    assert forms == [
        ("assert", "contains", False),
        ("assert", "contains", True),
        ("assert", "count", False),
        ("assert", "matches", False),
    ]


def test_a_fenced_block_in_an_item_is_its_operand(evals):
    expected = '- must contain\n  ```\n  a "quoted"\\n\n    line\n  ```\n- contains: z\n'
    write(evals, "G-001.md", task(grader="assert", expected=expected))
    first, second = only_case(evals).graders
    assert first.config["texts"] == ['a "quoted"\\n\n  line']
    assert second.config["texts"] == ["z"]


def test_one_fenced_block_is_the_exact_value(evals):
    write(evals, "G-001.md", task(expected='```json\n{"a": 1}\n```'))
    assert only_case(evals).graders[0].config == {"expected": '{"a": 1}'}


def test_text_beside_a_fence_keeps_the_fence(evals):
    text = "before\n```\nx\n```"
    write(evals, "G-001.md", task(expected=text))
    assert only_case(evals).graders[0].config == {"expected": text}


def test_headings_in_a_fence_belong_to_the_text(evals):
    write(evals, "G-001.md", task(prompt="````md\n## Expected\n```\n## Foo\n```\n````"))
    assert "## Expected" in only_case(evals).prompt


@pytest.mark.parametrize("encode", [lambda t: "\ufeff" + t, lambda t: t.replace("\n", "\r\n")])
def test_bom_and_crlf_are_read(evals, encode):
    write(evals, "G-001.md", encode(task(prompt="a\nb")))
    assert only_case(evals).prompt == "a\nb"


def test_a_task_without_an_oracle_is_skipped_with_the_reason(evals):
    write(evals, "G-001.md", "---\nid: G-001\ntarget: skill:x\ngrader: exact\n---\n## Input\nx\n")
    write(evals, "G-002.md", task("G-002", expected="  "))
    (suite,) = load_golden(evals)
    assert suite.cases == ()
    assert [id_ for id_, why in suite.skipped if "oracle" in why] == ["G-001", "G-002"]


BROKEN = """---
id: G-1
suite: other
target: skil:x
grader: vibes
pattern: D
weight: 0
tags: smoke
wieght: 2
---
## Input

## Expected
x
## Rubric
y
"""


def test_all_problems_of_all_files_are_told_at_once(evals):
    write(evals, "G-001.md", BROKEN)
    write(
        evals, "G-002.md", task("G-002", grader="assert", expected="- is lovely\n- contains: x\nstray text")
    )
    write(evals, "G-003.md", task("G-002"))
    write(evals, "G-004.md", "no frontmatter")
    assert problems(evals) == snapshot(
        [
            "evals/commits/G-001.md:2: 'id' has the form G-001, not 'G-1'",
            "evals/commits/G-001.md:3: 'suite' is the folder's name, 'commits', not 'other'",
            "evals/commits/G-001.md:4: 'target' is skill:<name>, prompt:<path>, agent:<name> or feature:<id>, not 'skil:x'",
            "evals/commits/G-001.md:5: 'grader' is one of exact, assert, rubric, not 'vibes'",
            "evals/commits/G-001.md:6: 'pattern' is A, B or C, not 'D'",
            "evals/commits/G-001.md:7: 'weight' is a number above 0, not 0",
            "evals/commits/G-001.md:8: 'tags' is a list of words, such as [smoke, short], not 'smoke'",
            "evals/commits/G-001.md:9: unknown key 'wieght'; did you mean 'weight'? The keys are id, suite, target, grader, pattern, weight, tags",
            "evals/commits/G-001.md:11: `## Input` is empty",
            "evals/commits/G-001.md:15: unknown section 'Rubric': the sections are `## Input`, `## Expected` and `## Notes`; a heading that belongs to a text goes into a fence",
            "evals/commits/G-002.md:10: cannot read the assertion 'is lovely'; the nearest forms are: is not empty; must equal \"x\" (all of them: docs/assertions.md)",
            "evals/commits/G-002.md:12: text outside the list is not graded: make it an item (`- …`) or move it to `## Notes`",
            "evals/commits/G-003.md:2: the id 'G-002' is also that of evals/commits/G-002.md",
            "evals/commits/G-004.md:1: a golden task begins with `---` and its frontmatter (id, target, grader)",
        ]
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("---\nid: G-001\n", ":1: the frontmatter is not closed"),
        ("---\nid: [\n---\n", ":3: the frontmatter is not YAML"),
        ("---\n- a\n---\n", ":2: the frontmatter has to hold keys"),
        ("---\n---\n", ":2: the frontmatter has to hold keys"),
        (task().replace("id: G-001", "id: G-001\nid: G-001"), ":3: the key 'id' is written twice"),
        (task().replace("grader: exact", "x: 1"), ":1: the key 'grader' is missing"),
        (task().replace("## Input", "## Notes"), ":6: the section `## Input` is missing"),
        (task() + "\n## Input\nx", ":12: a second section `## Input`"),
        (task() + "\n## Notes\n```\nx", ":13: a fence ``` that is never closed"),
        (task(expected="x\n## Notes\ny").replace("## Input", "## Expected", 1), "a second section"),
        (task(grader="rubric", expected="one sentence"), ":10: text outside the list"),
        (task(grader="rubric", expected="- a\n-\n- b"), ":11: an empty list item"),
        (task(grader="assert", expected="- matches /(/"), ":10: /(/ is not a regular expression"),
        (task(grader="assert", expected="- conforms to `s.json`"), ":10: the schema 's.json' is not usable"),
        (task(grader="rubric", expected="- TODO(oracle): write it"), ":10: TODO(oracle)"),
        (task(grader="assert", expected="- weight: much"), ":10: cannot read the assertion"),
        (task().replace("grader: exact", "grader: exact\nweight: .inf"), "'weight' is a number above 0"),
        (task().replace("grader: exact", "grader: exact\nweight: true"), "'weight' is a number above 0"),
        (task().replace("skill:commit", "'skill: '"), "'target' is skill:<name>"),
    ],
)
def test_each_mistake_has_its_line(evals, text, message):
    write(evals, "G-001.md", text)
    assert any(message in problem for problem in problems(evals)), problems(evals)


def test_bytes_that_are_not_utf8_have_their_line(evals):
    write(evals, "G-001.md", "").write_bytes(b"---\nid: G-001\ntarget: \xe9\n---\n")
    assert problems(evals) == ["evals/commits/G-001.md:3: not UTF-8: byte 0xe9; save the file as UTF-8"]


def test_a_schema_is_read_into_the_grader(evals):
    write(evals, "G-001.md", task(grader="assert", expected="- conforms to `answer.json`"))
    write(evals, "answer.json", '{"type": "object"}')
    assert only_case(evals).graders[0].config["schema"] == {"type": "object"}


def test_equal_items_get_names_of_their_own(evals):
    write(evals, "G-001.md", task(grader="rubric", expected="- same\n- same\n- same\n"))
    assert [spec.name for spec in only_case(evals).graders] == ["same", "same (2)", "same (3)"]


def test_no_evals_folder_is_a_usage_error(evals):
    with pytest.raises(UsageError, match="`assay init` writes the first"):
        load_golden(evals)


@pytest.fixture
def three(evals):
    write(evals, "G-001-fix-typo.md", task())
    write(
        evals,
        "G-002-feature.md",
        task("G-002").replace("grader: exact", "grader: exact\npattern: B\ntags: [slow]"),
    )
    write(evals, "G-001-prose.md", task().replace("skill:commit", "prompt:p.md"), suite="prose")
    return load_golden(evals)


def ids(suites):
    return [f"{suite.name}/{case.id}" for suite in suites for case in suite.cases]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ["commits/G-001", "commits/G-002", "prose/G-001"]),
        ({"names": ["prose"]}, ["prose/G-001"]),
        ({"names": ["G-001"]}, ["commits/G-001", "prose/G-001"]),
        ({"names": ["commits/G-001", "prose"]}, ["commits/G-001", "prose/G-001"]),
        ({"grep": ["slow"]}, ["commits/G-002"]),
        ({"grep": ["pattern:B"]}, ["commits/G-002"]),
        ({"grep": ["TYPO"]}, ["commits/G-001"]),
        ({"grep": ["G-00", "prose"]}, ["prose/G-001"]),
        ({"target": "skill:"}, ["commits/G-001", "commits/G-002"]),
        ({"target": "prompt:p.md"}, ["prose/G-001"]),
    ],
)
def test_selecting(three, arguments, expected):
    assert ids(select(three, **arguments)) == expected


def test_a_name_that_matches_nothing_is_a_usage_error(three):
    with pytest.raises(UsageError, match="no suite or golden task is called 'comits'; did you mean commits"):
        select(three, names=["comits"])


@pytest.mark.parametrize(
    "arguments", [{"grep": ["nothing"]}, {"target": "skill:other"}, {"names": ["prose"], "grep": ["slow"]}]
)
def test_no_task_left_could_not_run(three, arguments):
    with pytest.raises(CannotRun, match="no golden task that matches"):
        select(three, **arguments)


PIECES = """---
id: G-001
target: skill:x
grader: assert
grader: rubric
## Input
## Expected
```
- contains: x
  more
text
### sub
tags: [a]
- """.splitlines(keepends=True)
ODD = ["\n", "\ufeff", "\r\n", "\0"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.sampled_from([*PIECES, *ODD]) | st.text(max_size=12), max_size=24))
def test_any_text_is_a_task_or_has_its_problems_told(evals, parts):
    path = write(evals, "G-001.md", "")
    path.write_bytes("".join(parts).encode("utf-8", "surrogatepass"))
    try:
        suites = load_golden(evals)
    except SuiteError as error:
        problems = error.problems
    else:
        problems = ()
        assert len(suites[0].cases) + len(suites[0].skipped) == 1
    assert all(problem.line and problem.line >= 1 for problem in problems)


def test_a_folder_below_a_project_says_where_that_is(tmp_path):
    (tmp_path / "evals").mkdir()
    below = tmp_path / "my src"
    below.mkdir()
    with pytest.raises(UsageError) as refused:
        load_golden(below / "evals")
    assert f"the nearest is in {tmp_path.as_posix()}; run there, or give --project" in str(refused.value)
