"""The document "Skill evals" paragraph by paragraph, from a shell, on the scripted harness.

What it says of wrapping `claude plugin eval` is tested with that harness; the gate, the records and the commands
are the same whatever ran the agent.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from assay.cli import main
from assay.schemas import validate

SKILL = "---\nname: commit\ndescription: Writes the message of a commit.\n---\nSay what and why: fix: …\n"
FIRED = '{name: Skill, input: {skill: "tools:commit"}}'
RULES = f"""
- {{case: fires, arm: with, item_contains: "Say what and why", tools: [{FIRED}], say: "fix: the crash, because", cost_usd: 0.1}}
- {{case: quiet, say: "It is noon.", cost_usd: 0.1}}
- {{say: "Changed a file.", cost_usd: 0.1}}
"""
PLACES = ("skills/commit/SKILL.md", "commands/commit.md", "agents/commit.md")
SUBJECT = r"""---
type: regex
pattern: '^\W{0,3}(feat|fix|docs)(\([a-z0-9._/-]+\))?!?: \S.{0,70}$'
flags: m
---
"""
PINNED = r"""---
type: tool_used
tool: Skill
input_match: '"skill"\s*:\s*"(?:[\w-]+:)?commit"'
"""


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@dataclass(frozen=True)
class Shell:
    project: Path
    capsys: pytest.CaptureFixture[str]

    def assay(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        out, err = self.capsys.readouterr()
        assert isinstance(end.value.code, int)
        return end.value.code, out, err

    def run(self, *arguments: str) -> tuple[int, str, str]:
        return self.assay("run", "commit", "--harness", "scripted:rules.yaml", "--quiet", *arguments)

    def measured(self, *arguments: str) -> dict[str, object]:
        code, out, err = self.run("--json", *arguments)
        assert code == 0, err
        document: dict[str, object] = json.loads(out)
        return document

    @property
    def best(self) -> dict[str, object]:
        document = json.loads((self.project / "evals/commit/baseline.json").read_text("utf-8"))
        best: dict[str, object] = document["best"]
        return best

    def rewrite(self, words: str) -> None:
        write(self.project / "skills/commit/SKILL.md", SKILL.replace("Say what and why: fix: …", words))


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    write(tmp_path / "skills/commit/SKILL.md", SKILL)
    write(tmp_path / "rules.yaml", RULES)
    write(
        tmp_path / "evals/commit/baseline.json",
        '{"schema": "skill-eval-baseline/1", "item": "commit", "best": {}}',
    )
    write(
        tmp_path / "evals/commit/fires/prompt.md",
        dedent(
            """\
            ---
            description: A commit request with the diff in hand.
            tags: [trigger, smoke]
            max_turns: 6
            allowed_tools: [Skill, Read, Glob, Grep]
            ---

            I fixed a crash. Give me the exact commit message you would use.
            """
        ),
    )
    write(tmp_path / "evals/commit/fires/graders/subject.md", SUBJECT)
    write(tmp_path / "evals/commit/fires/graders/fired.md", f"{PINNED}---\n")
    write(tmp_path / "evals/commit/quiet/prompt.md", "What time is it?\n")
    write(tmp_path / "evals/commit/quiet/graders/quiet.md", f"{PINNED}min: 0\nmax: 0\narm: both\n---\n")
    write(tmp_path / "wiki/patterns/commit-skipped-hook.md", "# Skipped hooks\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVALS", raising=False)
    return Shell(tmp_path, capsys)


# --- "A change to a skill is accepted only when it measurably helps."


def test_each_item_runs_twice_per_case_once_with_it_and_once_without(shell: Shell) -> None:
    document = shell.measured()
    cases = {case["name"]: case for case in document["cases"]}  # type: ignore[attr-defined]
    assert {(case["runs_with"], case["runs_without"]) for case in cases.values()} == {(3, 3)}
    assert cases["fires"]["trials"] == {"with": [[1, 1]] * 3, "without": [[0, 1]] * 3}


def test_a_change_passes_only_with_all_three_conditions(shell: Shell) -> None:
    shell.run("--out", "r.json")
    code, out, _ = shell.assay("gate", "commit", "r.json")
    assert code == 0
    assert len(re.findall(r"^  (?:yes |skip)", out, re.M)) == 4


# --- "Layout": where the item is found; a case; a grader.


@pytest.mark.parametrize(
    "place",
    [f"{base}{place}" for base in ("", "registry/") for place in PLACES],
)
def test_the_item_is_found_in_its_places(shell: Shell, place: str) -> None:
    (shell.project / "skills/commit/SKILL.md").unlink()
    (shell.project / "skills/commit").rmdir()
    write(shell.project / place, SKILL)
    assert shell.measured("--runs", "1")["item"] == "commit"


def test_a_suite_needs_a_case_and_a_case_a_grader(shell: Shell) -> None:
    grader = shell.project / "evals/commit/quiet/graders/quiet.md"
    grader.unlink()
    code, _, err = shell.run()
    assert (code, "quiet" in err) == (2, True)
    for path in sorted((shell.project / "evals/commit").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    code, _, err = shell.run()
    assert (code, "no case here" in err) == (2, True)


# --- "Authoring a case": YAML as well, six kinds of graders, no inline flags, a judge that is named.


def test_a_case_may_be_yaml_and_every_kind_of_grader_is_read(shell: Shell) -> None:
    kinds = {
        "regex": "pattern: fix",
        "tool_used": "tool: Read, min: 0",
        "tool_order": "before: Read, after: Skill",
        "file_exists": "path: out.txt, exists: false",
        "llm": "criteria: It says why.",
        "baseline": "baseline_file: old.jsonl, criteria: It is as good.",
    }
    graders = "".join(f"  - {{name: {kind}, type: {kind}, {keys}}}\n" for kind, keys in kinds.items())
    case = f'schema_version: "1.1"\nname: whole\nexecution: {{prompt: Commit it.}}\ngraders:\n{graders}'
    write(shell.project / "evals/commit/whole/case.yaml", case)
    write(shell.project / "evals/commit/whole/old.jsonl", "{}\n")
    code, out, err = shell.assay("cases", "evals/commit", "--json")
    assert code == 0, err
    read = {case["name"]: case for case in json.loads(out)["cases"]}
    assert [grader["type"] for grader in read["whole"]["graders"]] == list(kinds)


def test_inline_flags_are_refused_before_anything_is_spent(shell: Shell) -> None:
    write(
        shell.project / "evals/commit/fires/graders/why.md", "---\ntype: regex\npattern: (?i)because\n---\n"
    )
    code, out, err = shell.run()
    assert (code, out) == (2, "")
    assert "why.md" in err
    assert "flags" in err


def test_a_first_try_is_cheap_and_its_judge_is_the_one_that_is_named(shell: Shell) -> None:
    write(shell.project / "evals/commit/fires/graders/why.md", "---\ntype: llm\n---\nThe message says WHY.\n")
    cheap = ["--runs", "1", "--model", "haiku", "--max-cost-usd", "0.5"]
    document = shell.measured(*cheap, "--judge-model", "constant:PASS")
    assert (document["model"], document["judge_model"]) == ("haiku", "constant")
    fires = document["cases"][0]  # type: ignore[index]
    assert (fires["runs_with"], fires["trials"]["with"]) == (1, [[2, 2]])


# --- "Trigger cases (every suite)": a with-only indicator, reported apart, the quiet ones included.


def test_a_fired_grader_does_not_count_but_a_quiet_one_with_arm_both_does(shell: Shell) -> None:
    document = shell.measured("--runs", "1")
    fires, quiet = document["cases"]  # type: ignore[misc]
    assert fires["trials"] == {"with": [[1, 1]], "without": [[0, 1]]}, "the subject alone"
    assert quiet["trials"] == {"with": [[1, 1]], "without": [[1, 1]]}
    assert (document["trigger_rate"], fires["triggers"], quiet["triggers"]) == (1.0, [1, 1], [1, 1])


def test_a_skill_that_fires_everywhere_loses_as_much_as_one_that_never_fires(shell: Shell) -> None:
    everywhere = RULES.replace('say: "It is noon."', f'tools: [{FIRED}], say: "It is noon."')
    never = RULES.replace(f"tools: [{FIRED}], ", "")
    rates = []
    for rules in (everywhere, never):
        write(shell.project / "rules.yaml", rules)
        rates.append(shell.measured("--runs", "1")["trigger_rate"])
    assert rates == [0.5, 0.5]


# --- "bob eval run": the document, the ceiling, the exit codes.


def test_the_document_is_valid_and_says_all_that_the_table_names(shell: Shell) -> None:
    document = shell.measured("--model", "claude-sonnet-5-5", "--runs", "3", "--out", "commit.json")
    validate(document, "skill-eval-1")
    assert document == json.loads((shell.project / "commit.json").read_text("utf-8"))
    assert (document["with"], document["without"], document["delta"]) == (1.0, 0.5, 0.5)
    assert (document["verdict"], document["partial"]) == ("improved", False)
    assert (document["model"], document["max_cost_usd"]) == ("claude-sonnet-5-5", 2.0)
    assert document["cost_usd"] == pytest.approx(1.2)
    assert re.fullmatch(r"eval-commit-\d{8}T\d{6}Z", str(document["run"]))
    assert str(document["date"]).replace("-", "") in str(document["run"])


def test_a_ceiling_is_mandatory_and_an_overrun_is_bounded_to_the_runs_in_flight(shell: Shell) -> None:
    assert shell.run("--max-cost-usd", "0")[0] == 2
    assert shell.run("--max-cost-usd", "-1")[0] == 2
    document = shell.measured("--max-cost-usd", "0.35", "-j", "1")
    assert (document["partial"], document["partial_reason"]) == (True, "cost_ceiling")
    assert float(str(document["cost_usd"])) <= 0.45


def test_the_ceiling_is_the_options_else_the_projects_else_two_dollars(shell: Shell) -> None:
    assert shell.measured("--runs", "1")["max_cost_usd"] == 2
    write(shell.project / "assay.toml", "max_cost_usd = 1.5\n")
    assert shell.measured("--runs", "1")["max_cost_usd"] == 1.5
    assert shell.measured("--runs", "1", "--max-cost-usd", "0.9")["max_cost_usd"] == 0.9


def test_exit_codes_of_a_run(shell: Shell) -> None:
    write(shell.project / "rules.yaml", '- {case: fires, arm: without, say: "fix: it"}\n- {say: "no"}\n')
    document = shell.measured()
    assert document["verdict"] == "regressed", "a regressed result is still a result: exit code 0"
    assert shell.run("--runs", "none")[0] == 2
    assert shell.assay("run", "nothing", "--harness", "scripted", "--quiet")[0] == 3


# --- "bob eval gate": accept, reject, usage; an equal score; a partial run.


def test_an_equal_score_is_a_reject_and_a_partial_run_is_never_accepted(shell: Shell) -> None:
    record = ["--record", "--pr", "#4300", "--pages", "commit-skipped-hook"]
    shell.run("--out", "first.json")
    assert shell.assay("gate", "commit", "first.json", *record)[0] == 0
    shell.rewrite("Say what and why: fix: … Shortly.")
    shell.run("--out", "equal.json")
    code, out, _ = shell.assay("gate", "commit", "equal.json")
    assert (code, "with 1.00 is not higher than the best recorded, 1.00" in out) == (1, True)
    shell.run("--model", "other", "--max-cost-usd", "0.35", "-j", "1", "--out", "partial.json")
    code, out, _ = shell.assay("gate", "commit", "partial.json")
    assert (code, "the run is partial (cost_ceiling)" in out) == (1, True)
    assert shell.assay("gate", "commit", "nowhere.json")[0] == 2


SEEDS_BASELINE = """{
  "schema": "skill-eval-baseline/1",
  "item": "commit",
  "best": {
    "claude-sonnet-5-5": { "score": 0.83, "without": 0.67, "trigger_rate": 1, "run": "eval-commit-20261009T084444Z", "date": "2026-10-09" }
  }
}
"""


@pytest.mark.parametrize(
    ("rules", "code", "told"),
    [
        (RULES, 0, "accept"),
        (RULES.replace(f"tools: [{FIRED}], ", ""), 1, "trigger rate 0.50 is below"),
        (RULES.replace("Changed a file.", "fix: it"), 1, "is not higher than without"),
    ],
)
def test_a_better_score_alone_is_not_enough(shell: Shell, rules: str, code: int, told: str) -> None:
    write(shell.project / "evals/commit/baseline.json", SEEDS_BASELINE)
    write(shell.project / "rules.yaml", rules)
    shell.run("--model", "claude-sonnet-5-5", "--out", "r.json")
    ended, out, _ = shell.assay("gate", "commit", "r.json")
    assert (ended, told in out) == (code, True), out
    assert "yes " in out


def test_record_raises_the_best_on_accept_and_adds_a_row_either_way(shell: Shell) -> None:
    record = ["--record", "--pr", "#4300", "--pages", "commit-skipped-hook"]
    shell.run("--model", "claude-sonnet-5-5", "--out", "r.json")
    shell.assay("gate", "commit", "r.json", *record)
    best = shell.best["claude-sonnet-5-5"]
    assert isinstance(best, dict)
    assert {key: best[key] for key in ("score", "without", "trigger_rate")} == {
        "score": 1.0,
        "without": 0.5,
        "trigger_rate": 1.0,
    }
    before = (shell.project / "evals/commit/baseline.json").read_bytes()
    shell.rewrite("Write a commit message.")
    shell.run("--model", "claude-sonnet-5-5", "--out", "worse.json")
    assert shell.assay("gate", "commit", "worse.json", *record)[0] == 1
    assert (shell.project / "evals/commit/baseline.json").read_bytes() == before
    ledger = (shell.project / "wiki/skill-impact.md").read_text("utf-8").splitlines()
    assert ledger[2] == "| Date | Skill | PR | Pages cited | Score before | Score after | Outcome |"
    page = r"\[commit-skipped-hook\]\(patterns/commit-skipped-hook.md\)"
    assert re.match(
        rf"\| \d{{4}}-\d\d-\d\d \| commit \| #4300 \| {page} \| 0.50 \(without\) \| 1.00 \| acc", ledger[4]
    )
    assert re.match(
        rf"\| \d{{4}}-\d\d-\d\d \| commit \| #4300 \| {page} \| 1.00 \| 0.50 \| rejected: with", ledger[5]
    )


def test_a_row_needs_a_pull_request_and_pages_that_exist(shell: Shell) -> None:
    shell.run("--out", "r.json")
    for arguments in (
        ["--record"],
        ["--record", "--pr", "#1"],
        ["--record", "--pr", "#1", "--pages", "gone"],
    ):
        assert shell.assay("gate", "commit", "r.json", *arguments)[0] == 2
    assert not (shell.project / "wiki/skill-impact.md").exists()


def test_an_entry_without_a_trigger_rate_skips_that_condition(shell: Shell) -> None:
    entry = {"score": 0.6, "without": 0.5, "run": "eval-commit-20260101T000000Z", "date": "2026-01-01"}
    baseline = {"schema": "skill-eval-baseline/1", "item": "commit", "best": {"default": entry}}
    write(shell.project / "evals/commit/baseline.json", json.dumps(baseline))
    shell.run("--out", "r.json")
    code, out, _ = shell.assay("gate", "commit", "r.json")
    assert (code, "trigger rate not compared: the best recorded has none" in out) == (0, True)


# --- "make evals": nothing without EVALS=1, and then a failure only where a suite could not run.


def test_every_suite_is_a_smoke_test_that_somebody_asked_for(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = shell.assay("all", "--harness", "scripted:rules.yaml", "--quiet")
    assert (code, "skipped" in out) == (0, True)
    monkeypatch.setenv("EVALS", "1")
    shell.rewrite("No use at all.")
    code, out, _ = shell.assay("all", "--harness", "scripted:rules.yaml", "--quiet")
    assert (code, "--runs 1" in out, "commit                   no-signal" in out) == (0, True, True)


def test_a_suite_that_could_not_run_fails_them_all(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALS", "1")
    write(shell.project / "evals/gone/a/prompt.md", "Do it.\n")
    write(shell.project / "evals/gone/a/graders/g.md", "---\ntype: regex\npattern: x\n---\n")
    code, out, err = shell.assay("all", "--harness", "scripted:rules.yaml", "--quiet")
    assert code != 0
    assert "gone" in out + err
    assert "higher: with 1.00" in out


# --- "Three things use them": the exam, the proposer, the ledger.


def test_the_exam_runs_the_source_s_suite_from_the_consuming_project(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    consumer = tmp_path / "consumer"
    write(consumer / "rules.yaml", RULES)
    monkeypatch.chdir(consumer)
    source = ["--source", str(shell.project), "--harness", "scripted:rules.yaml", "--quiet"]
    code, out, err = shell.assay("exam", "commit", *source)
    assert (code, out.split(":")[0]) in {(0, "keep"), (4, "undecided")}, err
    assert (consumer / ".assay").is_dir()
    assert not (shell.project / ".assay").exists()


def test_the_proposer_validates_an_edit_and_the_ledger_keeps_the_outcome(shell: Shell) -> None:
    write(shell.project / "edit/SKILL.md", SKILL.replace("Say what and why", "Say nothing of why"))
    record = ["--record", "--pr", "#2391", "--pages", "commit-skipped-hook"]
    run = ["--edit", "edit", "--harness", "scripted:rules.yaml", "--quiet"]
    code, _, err = shell.assay("propose", "commit", *run, *record)
    assert code == 1, err
    assert (shell.project / "skills/commit/SKILL.md").read_text("utf-8") == SKILL
    assert "rejected" in (shell.project / "wiki/skill-impact.md").read_text("utf-8")


# --- "Suites today: First runs": the same on both arms, and a skill that does not fire, is shown and not hidden.


def test_a_skill_that_never_fires_shows_in_the_trigger_rate(shell: Shell) -> None:
    write(shell.project / "rules.yaml", '- {case: fires, say: "fix: it"}\n- {say: "It is noon."}\n')
    document = shell.measured("--runs", "1")
    assert (document["verdict"], document["trigger_rate"]) == ("no-signal", 0.5)
