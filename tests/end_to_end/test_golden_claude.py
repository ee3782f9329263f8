"""Golden tasks through the real Claude Code: skill, agent and prompt, blind to the oracle."""

import json

import pytest

from assay.testing import ScriptedServer, parse_rules
from support.real_claude import PINNED, needs_claude

pytestmark = [pytest.mark.claude, pytest.mark.slow, needs_claude()]

CANARY = "CANARY-51c0"
RULES = """
rules:
  - {name: skill read, when: {prompt: "the skill input", result: "Launching skill"}, say: from the skill}
  - {name: skill, when: {prompt: "the skill input", skill: commit}, turns: [{call: {skill: commit}}, {say: from the skill}]}
  - {name: agent, when: {system: "AGENT TEXT", prompt: "the agent input"}, say: from the agent}
  - {name: prompt, when: {prompt: "PROMPT TEXT(?s:.*)the prompt input"}, say: from the prompt}
  - name: judged
    when: {system: "You verify one expectation", prompt: "is polite"}
    say: '{"evidence": "from the skill", "reason": "fine", "met": true}'
  - {name: judged otherwise, when: {system: "You verify"}, say: '{"evidence": "", "reason": "no", "met": false}'}
  - {name: routed, when: {system: "You route", prompt: "commit this"}, say: '{"route": true}'}
  - {name: routed elsewhere, when: {system: "You route"}, say: '{"route": false}'}
  - {name: fires, when: {prompt: "commit this", skill: commit}, turns: [{call: {skill: commit}}, {say: done}]}
  - {name: no skill, say: something else}
"""


@pytest.fixture(autouse=True)
def login(monkeypatch, server):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "scripted")


@pytest.fixture
def server():
    with ScriptedServer(parse_rules(RULES, "rules.yaml")) as serving:
        yield serving


def test_three_targets_on_the_real_client_and_none_sees_the_oracle(project, server):
    project.write("p.md", "PROMPT TEXT")
    project.write("agents/reviewer.md", "---\nname: reviewer\ndescription: reviews\n---\nAGENT TEXT\n")
    targets = {"skill": "skill:commit", "agent": "agent:reviewer", "prompt": "prompt:p.md"}
    for number, (kind, target) in enumerate(targets.items(), 1):
        oracle = f"- contains: from the {kind}\n- must not contain `{CANARY}`"
        project.task(f"s/G-00{number}", oracle, target=target, grader="assert", prompt=f"the {kind} input")
    done = project.run("--json", "-j", "2", harness=f"claude:{PINNED}", model="claude-sonnet-5-5")
    document = json.loads(done.out)
    assert [task["score"] for task in document["suites"][0]["tasks"]] == [1.0, 1.0, 1.0], done.err
    assert done.code == 0
    assert document["harness"] == "claude-code@2.1.328"
    seen = json.dumps([request.body for request in server.requests])
    assert "the agent input" in seen
    assert CANARY not in seen


def test_the_client_itself_judges_where_no_judge_is_named(project, server):
    project.task("r/G-001", "- is polite\n- is long", grader="rubric", prompt="the skill input")
    done = project.run("--json", harness=f"claude:{PINNED}", model="claude-sonnet-5-5")
    document = json.loads(done.out)
    assert document["suites"][0]["tasks"][0]["score"] == 0.5, done.err
    assert document["judge"]["model"] == "claude:claude-sonnet-5-5"
    asked = [
        json.dumps(request.body)
        for request in server.requests
        if "You verify one" in json.dumps(request.body)
    ]
    assert len(asked) == 2
    assert not any("Do it well" in body for body in asked)


def test_triggers_by_the_description_and_by_the_client(project, server):
    cases = [
        {"query": "commit this", "should_trigger": True},
        {"query": "bake a cake", "should_trigger": False},
    ]
    project.write("evals/triggers.json", json.dumps({"skills": {"commit": {"cases": cases}}}))
    options = ["--harness", f"claude:{PINNED}", "--model", "claude-sonnet-5-5", "--quiet"]
    done = project.assay("triggers", *options)
    assert done.code == 0, done.out + done.err
    assert "agree on 2 of 2 queries" in done.out
