"""Rules files: what they may hold, and what is said of one that is wrong."""

import pytest

from assay.errors import SuiteError
from assay.testing import Call, When, parse_rules
from assay.testing.asked import read_request

LISTING = """The following skills are available for use with the Skill tool:

- dataviz: Use this for charts.
  More of it.
- my-plug:commit: Write commit messages.

Something else:
- other:thing: not a skill
"""


def ask(*messages, **more):
    return read_request({"model": "m-1", "messages": list(messages), **more})


def user(text):
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def test_prompt_is_what_was_typed_without_reminders():
    asked = ask(
        user("<system-reminder>\nsecret\n</system-reminder>\n"),
        user("hello"),
        {"role": "system", "content": LISTING},
    )
    assert asked.prompt == "hello"
    assert asked.skills == ("dataviz", "my-plug:commit")


def test_turns_count_from_the_last_typed_message():
    call = {"type": "tool_use", "id": "1", "name": "Skill", "input": {"skill": "my-plug:commit"}}
    result = {"type": "tool_result", "tool_use_id": "1", "content": "Launching skill: my-plug:commit"}
    asked = ask(
        user("earlier"),
        {"role": "assistant", "content": "yes"},
        user("commit it"),
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result, {"type": "text", "text": "BODY"}]},
    )
    assert (asked.prompt, asked.turn) == ("commit it", 1)
    assert asked.results == ("Launching skill: my-plug:commit",)
    assert "BODY" in asked.text


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ({}, True),
        ({"model": "^m-"}, True),
        ({"prompt": "commit"}, True),
        ({"prompt": "(?i)DEPLOY"}, False),
        ({"skill": "commit"}, True),
        ({"skill": "my-plug:commit"}, True),
        ({"skill": "omit"}, False),
        ({"no_skill": "commit"}, False),
        ({"no_skill": "review"}, True),
        ({"tool": "Read"}, True),
        ({"tool": "Bash"}, False),
        ({"judge": True}, False),
        ({"judge": False}, True),
        ({"result": False}, True),
        ({"result": "anything"}, False),
        ({"text": "for charts"}, True),
        ({"system": "be brief"}, True),
        ({"prompt": "commit", "model": "other"}, False),
    ],
)
def test_a_rule_applies_when_everything_it_names_is_there(when, expected):
    asked = ask(
        user("commit it"), {"role": "system", "content": LISTING}, system="be brief", tools=[{"name": "Read"}]
    )
    assert When(**when).matches(asked) is expected


def test_a_judge_request_has_no_tools_and_asks_for_one_of_two_words():
    assert ask(user("Criterion: x\nRespond PASS or FAIL.")).is_judge
    assert not ask(user("Criterion: x\nRespond PASS or FAIL."), tools=[{"name": "Read"}]).is_judge


def test_skills_and_agents_are_called_by_the_name_the_client_lists():
    asked = ask(user("x"), {"role": "system", "content": LISTING}, tools=[{"name": "Agent"}])
    assert Call(skill="commit").resolve(asked) == ("Skill", {"skill": "my-plug:commit"})
    assert Call(agent="reviewer", prompt="look").resolve(asked)[0] == "Agent"
    assert Call(tool="Read", input={"file_path": "a"}).resolve(asked) == ("Read", {"file_path": "a"})


def test_the_last_turn_answers_every_later_request():
    rules = parse_rules("rules:\n- turns:\n  - say: one\n  - say: two\n")
    asked = ask(user("x"), *[{"role": "assistant", "content": "a"}] * 5)
    assert rules.rules[0].turn(asked).say == "two"
    assert rules.rules[0].turn(ask(user("x"))).say == "one"


def test_every_mistake_is_told_with_its_line():
    text = """rules:
- say: fine
- when: {promt: x}
  say: y
- when: {prompt: "("}
  say: y
- turns: []
- name: nothing to do
- fail: {status: 429, wait: 3}
more: 1
"""
    with pytest.raises(SuiteError) as caught:
        parse_rules(text, "server.yaml")
    assert [(p.line, p.path) for p in caught.value.problems][1:] == [
        (n, "server.yaml") for n in (3, 5, 7, 8, 9)
    ]
    told = str(caught.value)
    assert "unknown key 'more'" in told
    assert "unknown key 'promt'" in told
    assert "unknown key 'wait'" in told
    assert "`turns` is empty" in told


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("when: {prompt: 5}\n  say: x", "`prompt` is str | None, not 5"),
        ("say: [x]", "`say` is str | None, not ['x']"),
        ("delay_s: soon\n  say: x", "`delay_s` is float, not 'soon'"),
        ("hang_up: 1", "`hang_up` is bool, not 1"),
        ("fail: {status: 429s}", "`status` is int, not '429s'"),
        ("fail: often", "expected a mapping"),
        ("times: 0\n  say: x", "`times` is a whole number from 1, not 0"),
        ("turns: {say: x}", "`turns` is a list"),
        ("call: {input: {a: 1}}", "a call names one of"),
        ("call: {skill: a, agent: b}", "a call names one of"),
        ("call: {tool: Read, input: x}", "`input` is Mapping"),
        ("judge: {passes: x, after: '('}", "unterminated"),
    ],
)
def test_a_value_of_another_kind_is_told_and_not_found_out_while_serving(rule, told):
    with pytest.raises(SuiteError) as caught:
        parse_rules(f"rules:\n- {rule}\n", "server.yaml")
    (problem,) = caught.value.problems
    assert (problem.line, told in problem.message) == (2, True), problem


def test_usage_is_counted_in_whole_numbers():
    with pytest.raises(SuiteError, match="whole numbers"):
        parse_rules("usage: {input_tokens: many}\nrules:\n- say: x\n")


@pytest.mark.parametrize("text", ["", "- a", "rules: 3", "rules: [", "\x00"])
def test_a_file_that_is_no_rules_file_is_refused(text):
    with pytest.raises(SuiteError):
        parse_rules(text)
