"""The real Claude Code on the scripted server: clean arms, nothing left behind, errors that are never scores."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import pytest

from assay.engine.retry import Retry
from assay.errors import TrialFailed
from assay.items import find_item, item_at
from assay.model import GraderSpec, Target
from assay.suites.plugin_eval import load_cases
from assay.testing import ScriptedServer, load_rules, parse_rules
from support.claude import FIXTURES, PLUGIN, STREAMS, run_trial, told_case, trial_of
from support.operator import OWN, at_work, picture, settle, waited_for
from support.real_claude import (
    OTHER,
    PINNED,
    ROOT,
    needs_claude,
    run_natively,
    run_on_platform,
    set_up,
    user_env,
)

pytestmark = [pytest.mark.claude, needs_claude()]

SKILL = item_at(PLUGIN / "skills/commit")
READ = ("Skill", "Glob", "Read", "Agent")


@pytest.fixture
def server():
    with ScriptedServer(load_rules(STREAMS / "server.yaml")) as serving:
        yield serving


@pytest.fixture
def operator(tmp_path):
    """A home and a project that define a skill of the item's name, a command, an agent and a memory."""
    home, project = tmp_path / "home", tmp_path / "project"
    settle(home, project)
    return home, project


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder in which this test's rooms are made, so that other runs on the machine do not show."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def fault_of(run):
    with pytest.raises(TrialFailed) as caught:
        run()
    return caught.value.fault


def wrapper(folder, text):
    """A program that runs the real client after changing its set-up."""
    program = folder / "claude"
    program.write_text(f'#!/bin/sh\n{text}\nexec "{PINNED.resolve()}" "$@"\n', "utf-8")
    program.chmod(0o755)
    return program


def test_a_same_named_skill_of_the_operators_reaches_neither_arm(server, operator, temporary):
    home, project = operator
    env = user_env(server, HOME=str(home))
    before = picture(home, project)
    harness = set_up(server, project, env=env)
    case = told_case("Please commit this.", allowed_tools=READ)
    loaded = run_trial(harness, trial_of(case, SKILL))
    bare = run_trial(harness, trial_of(case, None))
    assert [call.input for call in loaded.tool_calls] == [{"skill": "my-plug:commit"}]
    assert bare.tool_calls == ()
    assert [name for name in loaded.sight.skills if "commit" in name] == ["my-plug:commit"]
    assert not {"commit", "ours"} & {*bare.sight.skills, *bare.sight.agents, *bare.sight.commands}
    assert not [one for one in server.requests if one.asked and OWN in one.asked.text]
    assert picture(home, project) == before
    assert list(temporary.iterdir()) == []
    assert at_work(temporary) == []


def test_a_client_that_reads_the_operators_configuration_contaminates_the_arm(server, operator, tmp_path):
    home, project = operator
    program = wrapper(tmp_path, f'export HOME="{home}" CLAUDE_CONFIG_DIR="{home}/.claude"')
    harness = set_up(server, project, env=user_env(server, HOME=str(home)), program=program)
    for item in (SKILL, None):
        fault = fault_of(lambda item=item: run_trial(harness, trial_of(told_case("commit"), item)))
        assert fault.kind == "contaminated"
        assert "'commit' of the operator's own configuration" in fault.message


def test_a_client_that_loses_the_plugin_has_no_item(server, tmp_path):
    drop = 'for word in "$@"; do shift; case "$word" in --plugin-dir) skip=1;; *) if [ "$skip" ]; then skip=; else set -- "$@" "$word"; fi;; esac; done'
    harness = set_up(server, tmp_path, program=wrapper(tmp_path, drop))
    fault = fault_of(lambda: run_trial(harness, trial_of(told_case("commit"), SKILL)))
    assert (fault.kind, "did not list the skill 'commit'" in fault.message) == ("item-missing", True)


@pytest.mark.parametrize(
    "text",
    [
        "just text\n",
        "---\nname: broken\n---\nno description\n",
        "---\nname: broken\n\tdescription: x\n---\nx\n",
    ],
)
def test_a_skill_that_does_not_load_is_told_from_one_that_does_not_fire(server, tmp_path, text):
    broken = tmp_path / "skills" / "broken"
    broken.mkdir(parents=True)
    (broken / "SKILL.md").write_text(text, "utf-8")
    fault = fault_of(lambda: run_trial(set_up(server, tmp_path), trial_of(told_case("x"), item_at(broken))))
    assert (fault.kind, "cannot be loaded" in fault.message) == ("item-missing", True)


def test_a_skill_that_only_the_model_may_invoke_is_proven_by_its_plugin(server, tmp_path):
    quiet = tmp_path / "skills" / "quiet"
    quiet.mkdir(parents=True)
    head = "---\nname: quiet\ndescription: Does it.\nuser-invocable: false\n---\nBODY\n"
    (quiet / "SKILL.md").write_text(head, "utf-8")
    run_trial(set_up(server, tmp_path), trial_of(told_case("x"), item_at(quiet)))
    assert "local:quiet" in server.requests[-1].asked.skills


PLACES = {
    "skills/tidy/SKILL.md": "skills",
    "registry/skills/tidy/SKILL.md": "skills",
    "commands/tidy.md": "commands",
    "registry/commands/tidy.md": "commands",
    "agents/tidy.md": "agents",
    "registry/agents/tidy.md": "agents",
}


@pytest.mark.parametrize("place", PLACES)
def test_an_item_is_loaded_from_each_of_its_places_and_only_on_its_arm(server, tmp_path, place):
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).write_text("---\nname: tidy\ndescription: Tidies up.\n---\nTIDY\n", "utf-8")
    harness, case = set_up(server, tmp_path), told_case("What is two and two?")
    loaded = run_trial(harness, trial_of(case, find_item(tmp_path, "tidy")))
    assert "local:tidy" in getattr(loaded.sight, PLACES[place])
    bare = run_trial(harness, trial_of(case, None)).sight
    assert not [name for name in (*bare.skills, *bare.commands, *bare.agents) if "tidy" in name]


def test_a_whole_plugin_is_loaded_with_all_its_parts(server, tmp_path):
    sight = run_trial(set_up(server, tmp_path), trial_of(told_case("x"), item_at(PLUGIN))).sight
    assert "my-plug" in sight.plugins
    assert "my-plug:commit" in sight.skills
    assert "my-plug:reviewer" in sight.agents


def test_another_plugin_of_the_machine_contaminates_the_arm_without(server, tmp_path):
    program = wrapper(tmp_path, f'set -- "$@" --plugin-dir "{PLUGIN}"')
    harness = set_up(server, tmp_path, program=program)
    fault = fault_of(lambda: run_trial(harness, trial_of(told_case("commit"), None)))
    assert (fault.kind, "my-plug" in fault.message) == ("contaminated", True)


def test_the_agent_can_read_neither_the_suite_nor_the_project(tmp_path):
    suite = tmp_path / "evals" / "c"
    (suite / "graders").mkdir(parents=True)
    key = suite / "graders" / "key.md"
    key.write_text("SECRET-KEY", "utf-8")
    (tmp_path / "notes.txt").write_text("SECRET-KEY", "utf-8")
    rules = f"""
rules:
- turns:
  - call: {{tool: Read, input: {{file_path: "{key}"}}}}
  - call: {{tool: Grep, input: {{pattern: SECRET, path: "{suite}"}}}}
  - call: {{tool: Read, input: {{file_path: "{tmp_path}/notes.txt"}}}}
  - say: done
"""
    with ScriptedServer(parse_rules(rules)) as serving:
        case = told_case("look", folder=suite, allowed_tools=("Read", "Grep", "Glob"))
        transcript = run_trial(set_up(serving, tmp_path), trial_of(case, SKILL))
        assert [call.is_error for call in transcript.tool_calls] == [True] * 3
        assert not [one for one in serving.requests if one.asked and "SECRET-KEY" in one.asked.text]


def has_sandbox():
    if not all(map(shutil.which, ("bwrap", "socat"))):
        return False
    argv = ["bwrap", "--ro-bind", "/", "/", "--unshare-net", "--unshare-pid", "--proc", "/proc", "true"]
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not has_sandbox(), reason="the client's sandbox needs bwrap, socat and user namespaces")
def test_a_shell_works_in_the_sandbox_and_sees_neither_suite_nor_project_nor_login(operator, tmp_path):
    home, project = operator
    case = project / "evals/c"
    case.mkdir(parents=True)
    for place in (case, home, project):
        (place / "key.md").write_text("SECRET-KEY", "utf-8")
    commands = [
        "echo made > made.txt; cat made.txt",
        f"cat {case}/key.md",
        f"ls {home}",
        f"cat {project}/key.md; echo x > {project}/new.txt",
        "cp made.txt ../../plugin/0/skills/commit/SKILL.md",
        "echo the login: [$ANTHROPIC_API_KEY]",
        "curl -s https://example.org || echo no network",
    ]
    turns = [{"call": {"tool": "Bash", "input": {"command": command}}} for command in commands]
    before = picture(home, project)
    with ScriptedServer(
        parse_rules(json.dumps({"rules": [{"turns": [*turns, {"say": "done"}]}]}))
    ) as serving:
        env = user_env(serving, HOME=str(home))
        harness = set_up(serving, project, env=env, allow_tools=("Bash",))
        transcript = run_trial(harness, trial_of(told_case("x", folder=case, max_turns=20), SKILL))
    told = [call.result for call in transcript.tool_calls]
    assert len(told) == len(commands)
    assert "made" in told[0]
    assert "made.txt" in {file.path for file in transcript.files if file.created}
    assert not [text for text in told if "SECRET-KEY" in text or ".claude" in text]
    assert transcript.tool_calls[4].is_error
    assert "the login: []" in told[5]
    assert "no network" in told[6]
    assert picture(home, project) == before


def test_targets_are_invoked_whatever_the_model_would_do(server, tmp_path):
    harness = set_up(server, tmp_path)
    skill = told_case("two lines\nof input", target=Target("skill", "commit"))
    run_trial(harness, trial_of(skill, SKILL))
    assert "BODY OF SKILL" in server.requests[-1].asked.prompt
    assert "two lines\nof input" in server.requests[-1].asked.prompt
    agent = told_case("look here", target=Target("agent", "reviewer"))
    transcript = run_trial(harness, trial_of(agent, item_at(PLUGIN / "agents/reviewer.md")))
    assert transcript.output == "review: rename it, because it lies"


def test_another_version_has_another_stamp(server, tmp_path):
    if not OTHER.exists():
        pytest.skip("scripts/install_claude.sh installs the second version")
    first, other = set_up(server, tmp_path), set_up(server, tmp_path, program=OTHER)
    assert (first.stamp, other.stamp) == ("claude-code@2.1.328", "claude-code@2.1.329")
    transcript = run_trial(other, trial_of(told_case("commit", allowed_tools=READ), SKILL))
    assert transcript.sight.client == "2.1.329"
    assert transcript.output.startswith("fix:")


SCORED_BY_THE_PLATFORM = {
    "a wrong key": ("{status: 401}", "auth", 0),
    "a usage limit": ('{status: 429, message: "Claude AI usage limit reached|1796078888"}', "usage_limit", 0),
    "a server error": ("{status: 500}", "server", 0),
}


@pytest.mark.parametrize("name", SCORED_BY_THE_PLATFORM)
def test_where_the_platform_scores_an_infrastructure_error_as_0_we_do_not(name, tmp_path):
    failure, kind, score = SCORED_BY_THE_PLATFORM[name]
    suite, room = tmp_path / "suite", tmp_path / "room"
    (suite / "case/graders").mkdir(parents=True)
    (suite / "case/prompt.md").write_text("---\nmax_turns: 2\n---\nDo it.\n", "utf-8")
    grader = "---\ntype: regex\nmatch: not_contains\npattern: x\n---\n"
    (suite / "case/graders/g.md").write_text(grader, "utf-8")
    with ScriptedServer(parse_rules(f"rules:\n- fail: {failure}\n")) as serving:
        theirs = run_on_platform(serving, tmp_path, SKILL, suite, room)
        ours = run_natively(serving, tmp_path, SKILL, load_cases(suite).cases)
    document = json.loads((room / "aggregate-result.json").read_text("utf-8"))
    assert [run["score"] for run in document["cases"][0]["arms"]["with"]] == [score]
    for records in (theirs, ours):
        assert {record.outcome for record in records.values()} == {"error"}
        assert {record.fault.kind for record in records.values()} == {kind}
        assert {record.score for record in records.values()} == {None}


ERRORS = {
    "fail: {status: 401}": "auth",
    "fail: {status: 403}": "auth",
    "fail: {status: 404}": "setup",
    "fail: {status: 429, retry_after: 1}": "rate_limit",
    "fail: {status: 429, message: 'Claude AI usage limit reached|1796078888'}": "usage_limit",
    "fail: {status: 400, message: 'Your credit balance is too low'}": "usage_limit",
    "fail: {status: 500}": "server",
    "fail: {status: 503}": "server",
    "fail: {status: 504}": "api_timeout",
    "fail: {status: 529}": "overloaded",
    "empty: true": "empty",
    "hang_up: true": "network",
}
PASSES = GraderSpec("g", "regex", config={"pattern": "x", "target": "last_message", "match": "not_contains"})


@pytest.mark.parametrize("turn", ERRORS)
def test_every_error_of_infrastructure_is_a_fault_of_its_kind(turn, tmp_path):
    with ScriptedServer(parse_rules(f"rules:\n- {turn}\n")) as serving:
        fault = fault_of(lambda: run_trial(set_up(serving, tmp_path), trial_of(told_case("x"), None)))
    assert fault.kind == ERRORS[turn], fault.message


def test_a_burst_of_errors_is_retried_and_then_scored(tmp_path):
    rules = "rules:\n- times: 3\n  fail: {status: 529}\n- say: fine\n"
    with ScriptedServer(parse_rules(rules)) as serving:
        records = run_natively(
            serving,
            tmp_path,
            SKILL,
            [told_case("x", graders=(PASSES,))],
            retry=Retry(attempts=6, first_s=0.01),
        )
    assert {record.score for record in records.values()} == {1}
    assert sum(record.attempts for record in records.values()) == 2 + 3


def test_a_burst_that_outlives_the_retries_is_counted(tmp_path):
    with ScriptedServer(parse_rules("rules:\n- fail: {status: 500}\n")) as serving:
        records = run_natively(
            serving,
            tmp_path,
            SKILL,
            [told_case("x", graders=(PASSES,))],
            retry=Retry(attempts=2, first_s=0.01),
        )
    assert {(record.outcome, record.attempts) for record in records.values()} == {("error", 2)}


def test_the_client_waits_as_long_as_it_is_told_before_it_repeats_a_request(tmp_path):
    rules = "rules:\n- times: 1\n  fail: {status: 429, retry_after: 2}\n- say: fine\n"
    with ScriptedServer(parse_rules(rules)) as serving:
        harness = set_up(serving, tmp_path, env=user_env(serving, CLAUDE_CODE_MAX_RETRIES="2"))
        transcript = run_trial(harness, trial_of(told_case("x"), None))
    assert transcript.output == "fine"
    assert transcript.duration_s >= 2


KILLED = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[1:3]
from support.real_claude import run_natively
from support.claude import PLUGIN, told_case
from assay.items import find_item, item_at
class Server: url = sys.argv[3]
run_natively(Server, Path(sys.argv[4]), item_at(PLUGIN / "skills/commit"), [told_case("never answer", timeout_s=300)])
"""


def test_what_a_killed_run_leaves_the_next_removes(server, tmp_path, temporary):
    argv = [sys.executable, "-c", KILLED, str(ROOT / "src"), str(ROOT / "tests"), server.url, str(tmp_path)]
    with subprocess.Popen(argv, env={**os.environ, "TMPDIR": str(temporary)}) as process:
        assert waited_for(lambda: sum(one.asked is not None for one in server.requests) >= 2)
        assert len(at_work(temporary)) >= 2
        process.send_signal(signal.SIGKILL)
    assert list(temporary.iterdir()) != []
    run_natively(server, tmp_path, SKILL, [told_case("What is two and two?")])
    assert waited_for(lambda: at_work(temporary) == [])
    assert list(temporary.iterdir()) == []


def test_the_recordings_were_made_by_this_client():
    assert '"claude_code_version":"2.1.328"' in (STREAMS / "fires.jsonl").read_text("utf-8")
    assert (FIXTURES / "claude_streams/record.py").exists()
