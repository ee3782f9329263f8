"""The whole harness on a stand-in client that replays recorded streams."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.engine.room import TrialRoom
from assay.engine.stop import StopFlag
from assay.errors import CannotRun, TrialFailed
from assay.harnesses import Setup
from assay.harnesses.claude import ClaudeHarness
from assay.items import item_at
from assay.model import GraderSpec, Target
from support.claude import INDEX, PLUGIN, STREAMS, recorded_item, run_trial, told_case, trial_of

SKILL = PLUGIN / "skills/commit"


def flag(argv, name):
    """The value of an option, given as two words or joined by `=`."""
    for position, word in enumerate(argv):
        if word == name:
            return argv[position + 1]
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return None


def fault_of(run):
    with pytest.raises(TrialFailed) as caught:
        run()
    return caught.value.fault


def test_a_trial_leaves_its_transcript(fake):
    transcript = fake.replay("fires")
    assert transcript.output == "fix: close the file, because it leaked"
    assert transcript.tool_calls[0].name == "Skill"
    assert (transcript.ended, transcript.exit_code) == ("done", 0)
    assert transcript.sight.client == "2.1.328"
    assert transcript.usage.cost_usd > 0


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 4000))
def test_how_the_stream_arrives_changes_nothing(fake, chunk):
    assert fake.replay("sub_agent_fires", chunk=chunk).tool_calls[1].name == "Skill"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("fail_401", "auth"),
        ("fail_529", "overloaded"),
        ("fail_limit", "usage_limit"),
        ("fail_empty", "empty"),
    ],
)
def test_infrastructure_is_never_a_score(fake, name, kind):
    assert fault_of(lambda: fake.replay(name)).kind == kind


def test_a_turn_limit_and_a_time_out_of_the_agent_are_scored(fake):
    assert fake.replay("max_turns").ended == "max_turns"
    assert fake.replay("too_slow").ended == "timeout"


def test_a_time_out_before_any_answer_is_the_apis(fake):
    assert fault_of(lambda: fake.replay("never_answers", timeout_s=0.5)).kind == "api_timeout"


def test_a_client_that_says_nothing_is_a_fault(fake):
    trial = trial_of(told_case(), item_at(SKILL))
    assert fault_of(lambda: run_trial(fake.harness(), trial)).kind == "empty"
    crashing = fake.harness(exit_code=3, stderr="boom")
    fault = fault_of(lambda: run_trial(crashing, trial))
    assert (fault.kind, "boom" in fault.message) == ("harness", True)


def test_no_child_outlives_its_trial(fake):
    fault_of(lambda: fake.replay("never_answers", timeout_s=0.5))
    commands = [" ".join(child.cmdline()) for child in psutil.Process().children(recursive=True)]
    assert not [command for command in commands if str(fake.program) in command]


def test_more_run_at_once_than_the_platform_s_eight(fake):
    harness = fake.harness(stream=str(STREAMS / "fires.jsonl"), gather=12)
    trial = trial_of(told_case("commit", timeout_s=120), item_at(SKILL))
    with ThreadPoolExecutor(12) as pool:
        done = list(pool.map(lambda _: run_trial(harness, trial), range(12)))
    assert [one.ended for one in done] == ["done"] * 12


def test_the_room_is_gone_afterwards_unless_it_is_kept(fake):
    with TrialRoom(StopFlag(), 30) as room:
        folder = room.folder
        harness = fake.harness(stream=str(STREAMS / "fires.jsonl"))
        harness.run(trial_of(told_case("commit"), item_at(SKILL)), room)
        assert (folder / "plugin/0/skills/commit/SKILL.md").read_bytes() == (SKILL / "SKILL.md").read_bytes()
    assert not folder.exists()


def test_both_arms_run_alike_but_for_the_plugin(fake):
    fake.replay("fires")
    with_it = fake.seen
    fake.replay("without")
    without = fake.seen

    def shape(seen):
        room = Path(seen["env"]["HOME"]).parent.as_posix()
        words = [word.replace(room, "ROOM") for word in seen["argv"]]
        if "--plugin-dir" in words:
            position = words.index("--plugin-dir")
            assert words[position + 1] == "ROOM/plugin/0"
            del words[position : position + 2]
        grants = [word for word in words if word.startswith("--allowed-tools")]
        return [word for word in words if word not in grants], set(",".join(grants).split(","))

    assert shape(with_it)[0] == shape(without)[0]
    assert {grant for grant in shape(with_it)[1] ^ shape(without)[1] if "ROOM/plugin" not in grant} == set()
    names = {name for name in with_it["env"] if with_it["env"][name] != without["env"].get(name)}
    assert all(Path(with_it["env"][name]).is_absolute() for name in names)


def test_the_environment_is_a_short_list(fake):
    user = {
        "PATH": os.environ["PATH"],
        "HOME": "/home/someone",
        "ANTHROPIC_API_KEY": "scripted",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
        "GITHUB_TOKEN": "secret",
        "CLAUDECODE": "1",
        "CLAUDE_CONFIG_DIR": "/home/someone/.claude",
        "EVAL_OTHER": "x",
    }
    harness = fake.harness(env=user, stream=str(STREAMS / "fires.jsonl"))
    case = told_case("commit", env={"EVAL_CASE": "yes"})
    run_trial(harness, trial_of(case, item_at(SKILL)))
    env = fake.seen["env"]
    assert env["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:1"
    assert env["EVAL_CASE"] == "yes"
    assert not {"GITHUB_TOKEN", "CLAUDECODE", "EVAL_OTHER"} & env.keys()
    assert not [name for name, value in env.items() if "/home/someone" in value]
    assert Path(fake.seen["cwd"]).is_relative_to(Path(env["HOME"]).resolve())


def test_the_suite_lies_outside_and_is_closed(fake, tmp_path):
    folder = tmp_path / "evals" / "commit" / "fires"
    folder.mkdir(parents=True)
    harness = fake.harness(stream=str(STREAMS / "fires.jsonl"))
    run_trial(harness, trial_of(told_case("commit", folder=folder, allowed_tools=("Read",)), item_at(SKILL)))
    assert f"Read(/{(tmp_path / 'evals').as_posix()}/**)" in flag(fake.seen["argv"], "--disallowed-tools")
    assert folder.as_posix() not in flag(fake.seen["argv"], "--allowed-tools")


def test_a_case_sets_the_run(fake, tmp_path):
    (tmp_path / "history.jsonl").write_text("{}\n", "utf-8")
    (tmp_path / "docs").mkdir()
    harness = fake.harness(stream=str(STREAMS / "fires.jsonl"))
    case = told_case(
        "commit",
        folder=tmp_path,
        max_turns=7,
        allowed_tools=("Read", "Skill", "Bash"),
        disallowed_tools=("Grep",),
        append_system_prompt="Be brief.",
        history_file="history.jsonl",
        add_dirs=("docs",),
    )
    run_trial(harness, trial_of(case, item_at(SKILL)))
    argv = fake.seen["argv"]
    allowed, denied = flag(argv, "--allowed-tools").split(","), flag(argv, "--disallowed-tools").split(",")
    assert flag(argv, "--max-turns") == "7"
    assert flag(argv, "--append-system-prompt") == "Be brief."
    assert Path(flag(argv, "--resume")).is_relative_to(fake.seen["env"]["CLAUDE_CONFIG_DIR"])
    assert flag(argv, "--model") == "claude-sonnet-5-5"
    assert f"Read(/{(tmp_path / 'docs').resolve().as_posix()}/**)" in allowed
    assert "Skill" in allowed
    assert {"Grep", "Bash", "Write"} <= set(denied)
    assert fake.seen["stdin"] == "commit"


def test_a_missing_file_of_a_case_is_a_fault_of_the_set_up(fake, tmp_path):
    case = told_case(folder=tmp_path, history_file="gone.jsonl")
    fault = fault_of(lambda: run_trial(fake.harness(), trial_of(case, None)))
    assert (fault.kind, "'gone.jsonl'" in fault.message) == ("setup", True)


def test_a_variable_of_another_name_is_refused(fake):
    fault = fault_of(lambda: run_trial(fake.harness(), trial_of(told_case(env={"PATH": "x"}), None)))
    assert (fault.kind, "EVAL_" in fault.message) == ("setup", True)


def test_a_scaffold_runs_only_where_it_is_allowed(fake, tmp_path):
    (tmp_path / "make.sh").write_text("echo old > seed.txt\necho more > kept.txt\n", "utf-8")
    looked = GraderSpec("g", "regex", config={"target": {"source": "file", "path": "./seed.txt"}})
    case = told_case("commit", folder=tmp_path, scaffold_script="make.sh", graders=(looked,))
    stream = str(STREAMS / "fires.jsonl")
    staged = run_trial(
        fake.harness(scaffold=True, stream=stream, write={"new.txt": "n"}), trial_of(case, item_at(SKILL))
    )
    assert [(file.path, file.created) for file in staged.files] == [("new.txt", True), ("seed.txt", False)]
    unstaged = run_trial(fake.harness(stream=stream), trial_of(case, item_at(SKILL)))
    assert "--scaffold" in unstaged.notes[0]
    assert unstaged.files == ()


def test_a_scaffold_that_fails_is_a_fault(fake, tmp_path):
    (tmp_path / "make.sh").write_text("echo no >&2; exit 4\n", "utf-8")
    case = told_case(folder=tmp_path, scaffold_script="make.sh")
    fault = fault_of(lambda: run_trial(fake.harness(scaffold=True), trial_of(case, None)))
    assert (fault.kind, "4: no" in fault.message) == ("setup", True)


def test_a_skill_is_invoked_on_the_input(fake):
    harness = fake.harness(stream=str(STREAMS / "skill_target.jsonl"))
    case = told_case("line one\nline two", target=Target("skill", "commit"))
    run_trial(harness, trial_of(case, item_at(SKILL)))
    assert fake.seen["stdin"] == "/my-plug:commit line one\nline two"


def test_a_skill_that_users_cannot_invoke_is_asked_for(fake, plugin):
    skill = plugin / "skills/commit/SKILL.md"
    skill.write_text(skill.read_text("utf-8").replace("name:", "user-invocable: false\nname:", 1), "utf-8")
    harness = fake.harness(stream=str(STREAMS / "fires.jsonl"))
    run_trial(harness, trial_of(told_case("x", target=Target("skill", "commit")), item_at(skill.parent)))
    assert fake.seen["stdin"] == "Use the skill `my-plug:commit` on this:\n\nx"


def test_an_agent_gets_the_input_itself(fake):
    harness = fake.harness(stream=str(STREAMS / "agent_target.jsonl"))
    case = told_case("look here", target=Target("agent", "reviewer"))
    run_trial(harness, trial_of(case, item_at(PLUGIN / "agents/reviewer.md")))
    assert (fake.seen["stdin"], flag(fake.seen["argv"], "--agent")) == ("look here", "my-plug:reviewer")


def test_a_prompt_goes_before_the_input(fake, tmp_path):
    prompt = tmp_path / "short.md"
    prompt.write_text("Answer shortly.\n", "utf-8")
    harness = fake.harness(stream=str(STREAMS / "without.jsonl"))
    run_trial(
        harness, trial_of(told_case("Why?", target=Target("prompt", "short.md")), item_at(prompt, "prompt"))
    )
    assert fake.seen["stdin"] == "Answer shortly.\n\nWhy?"


def test_other_plugins_of_a_case_come_with_the_item(fake, plugin, tmp_path):
    other = tmp_path / "other"
    (other / ".claude-plugin").mkdir(parents=True)
    (other / ".claude-plugin/plugin.json").write_text('{"name": "other"}', "utf-8")
    case = told_case("commit", folder=tmp_path / "case", plugins=("../plugin", "../other"))
    harness = fake.harness(stream=str(STREAMS / "fires.jsonl"))
    run_trial(harness, trial_of(case, item_at(plugin / "skills/commit")))
    assert fake.seen["argv"].count("--plugin-dir") == 2


@pytest.mark.parametrize(
    ("tool", "lacking"), [("Bash(git *)", "bwrap and socat"), ("PowerShell", "PowerShell")]
)
def test_a_shell_without_a_sandbox_runs_nothing(fake, tool, lacking, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    env = {"PATH": str(fake.folder), "ANTHROPIC_API_KEY": "scripted"}
    harness = fake.harness(allow_tools=(tool,), env=env)
    fault = fault_of(lambda: run_trial(harness, trial_of(told_case(), None)))
    assert (fault.kind, lacking in fault.message) == ("setup", True)
    assert not (fake.folder / "seen.json").exists()


def test_an_item_that_changes_under_the_run_is_a_fault(fake, plugin):
    item = replace(item_at(plugin / "skills/commit"), digest="sha256:other")
    assert fault_of(lambda: run_trial(fake.harness(), trial_of(told_case(), item))).kind == "contaminated"


def test_the_model_of_the_session_is_asked_for_where_the_trial_names_none(fake):
    harness = fake.harness(model="haiku", stream=str(STREAMS / "fires.jsonl"))
    run_trial(harness, trial_of(told_case("commit"), item_at(SKILL), model=None))
    assert flag(fake.seen["argv"], "--model") == "haiku"
    run_trial(harness, trial_of(told_case("commit"), item_at(SKILL), model="sonnet"))
    assert flag(fake.seen["argv"], "--model") == "sonnet"


def test_trials_of_another_model_or_server_are_other_trials_those_of_another_key_are_not(fake):
    def settings(model=None, **more):
        env = {"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "a", **more}
        return fake.harness(model=model, env=env).settings()

    assert settings() == settings(ANTHROPIC_API_KEY="b", ANTHROPIC_AUTH_TOKEN="c")
    assert settings() != settings(model="haiku")
    assert settings() != settings(ANTHROPIC_BASE_URL="http://127.0.0.1:1")
    assert settings() != settings(CLAUDE_CODE_USE_BEDROCK="1")
    assert "a" not in str(settings()["served"])


def test_the_stamp_is_the_clients_version(fake):
    assert fake.harness().stamp == "claude-code@2.1.328"
    assert fake.harness(version="2.1.329").stamp == "claude-code@2.1.329"


def test_a_client_that_was_updated_meanwhile_is_a_fault(fake):
    harness = fake.harness(version="2.1.329", stream=str(STREAMS / "fires.jsonl"))
    fault = fault_of(lambda: run_trial(harness, trial_of(told_case("commit"), item_at(SKILL))))
    assert (fault.kind, "2.1.328" in fault.message) == ("setup", True)


@pytest.mark.parametrize("version", ["2.1.200", "no version"])
def test_a_client_that_cannot_do_it_is_told_before_anything_runs(fake, version):
    with pytest.raises(CannotRun):
        fake.harness(version=version)


def test_without_a_client_the_message_says_how_to_get_one(tmp_path):
    with pytest.raises(CannotRun, match="npm install"):
        ClaudeHarness.set_up(Setup(tmp_path, env={"PATH": str(tmp_path)}))


def test_without_a_login_nothing_is_started(fake):
    with pytest.raises(CannotRun, match="ANTHROPIC_API_KEY"):
        fake.harness(env={"PATH": os.environ["PATH"], "HOME": "/home/someone"})


@pytest.mark.parametrize("place", ["evals/c/mocks/server", "evals/mocks/server"])
def test_mock_servers_are_told_not_ignored(fake, tmp_path, place):
    (tmp_path / place).mkdir(parents=True)
    case = told_case(folder=tmp_path / "evals/c")
    fault = fault_of(lambda: run_trial(fake.harness(), trial_of(case, None)))
    assert (fault.kind, "mocks" in fault.message) == ("setup", True)


def test_every_recording_is_of_the_plugin_in_the_fixtures():
    for name in INDEX:
        recorded_item(name)


def test_a_trial_that_dies_after_spending_says_what_it_cost(fake, tmp_path):
    whole = (STREAMS / "fires.jsonl").read_text("utf-8")
    foreign = tmp_path / "foreign.jsonl"
    foreign.write_text(whole.replace('"mcp_servers":[]', '"mcp_servers":[{"name":"notes"}]'), "utf-8")
    harness = fake.harness(stream=str(foreign))
    fault = fault_of(lambda: run_trial(harness, trial_of(told_case("commit"), item_at(SKILL))))
    assert (fault.kind, fault.cost_usd) == ("contaminated", 0.0008)
