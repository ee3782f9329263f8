"""`assay gate` as a process sees it: exit codes, text, JSON."""

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from inline_snapshot import snapshot

from assay.cli import cli, main
from assay.items import find_item
from assay.schemas import validate

BEST = {"score": 0.67, "without": 0.5, "trigger_rate": 1, "run": "eval-commit-0", "date": "2026-10-08"}


def document(**changes: object) -> dict[str, object]:
    plain: dict[str, object] = {
        "schema": "skill-eval/1",
        "item": "commit",
        "with": 0.83,
        "without": 0.5,
        "delta": 0.33,
        "verdict": "improved",
        "trigger_rate": 1,
        "cost_usd": 0.4,
        "max_cost_usd": 2,
        "partial": False,
        "model": "haiku",
        "run": "eval-commit-20261009T084444Z",
        "date": "2026-10-09",
        "cases": [],
    }
    return {**plain, **changes}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "evals" / "commit").mkdir(parents=True)
    (folder / "wiki" / "patterns").mkdir(parents=True)
    (folder / "wiki" / "patterns" / "hook.md").write_text("", "utf-8")
    (folder / "wiki" / "patterns" / "why.md").write_text("", "utf-8")
    write_best(folder, {"haiku": BEST})
    monkeypatch.chdir(folder)
    return folder


def write_best(folder: Path, best: object) -> None:
    baseline = {"schema": "skill-eval-baseline/1", "item": "commit", "best": best}
    (folder / "evals" / "commit" / "baseline.json").write_text(json.dumps(baseline), "utf-8")


def assay(folder: Path, *arguments: str, **changes: object) -> Result:
    file = folder.parent / "result.json"
    file.write_text(json.dumps(document(**changes)), "utf-8")
    return CliRunner().invoke(cli, ["gate", "commit", str(file), *arguments], standalone_mode=False)


def test_an_accept_says_so_condition_by_condition(project: Path) -> None:
    done = assay(project)
    assert done.return_value == 0
    assert done.output == snapshot("""\
accept: commit on haiku (eval-commit-20261009T084444Z)
  yes   every planned trial ran
  yes   with 0.83 is higher than the best recorded, 0.67 (2026-10-08)
  yes   with 0.83 is higher than without, 0.50
  yes   trigger rate 1.00 is not below the recorded best's 1.00
""")


def test_a_reject_names_what_failed(project: Path) -> None:
    done = assay(project, **{"with": 0.5, "delta": 0, "trigger_rate": 0.5})
    assert done.return_value == 1
    assert done.output == snapshot("""\
reject: commit on haiku (eval-commit-20261009T084444Z)
  yes   every planned trial ran
  NO    with 0.50 is not higher than the best recorded, 0.67 (2026-10-08)
  NO    with 0.50 is not higher than without, 0.50
  NO    trigger rate 0.50 is below the recorded best's 1.00
""")


def test_no_line_is_longer_than_80_columns(project: Path) -> None:
    done = assay(project, model="a-model-with-a-very-long-name-of-some-provider/and-a-version-20261009")
    assert max(map(len, done.output.splitlines())) <= 80


def test_json_is_a_valid_decision(project: Path) -> None:
    done = assay(project, "--json")
    decision = json.loads(done.output)
    validate(decision, "gate-decision-1")
    assert (decision["accepted"], decision["rule"], decision["recorded"]) == (True, "strict", None)


def test_record_writes_the_ledger_and_the_best(project: Path) -> None:
    done = assay(project, "--record", "--pr", "#4300", "--pages", "hook,why", "--json")
    assert done.return_value == 0
    assert json.loads(done.output)["recorded"] == {"row": "added", "baseline": "raised"}
    ledger = (project / "wiki" / "skill-impact.md").read_text("utf-8")
    assert ledger.endswith(
        "| 2026-10-09 | commit | #4300 | [hook](patterns/hook.md), [why](patterns/why.md) | 0.67 | 0.83 | accepted "
        "| <!-- run:eval-commit-20261009T084444Z -->\n"
    )
    baseline = json.loads((project / "evals" / "commit" / "baseline.json").read_text("utf-8"))
    assert baseline["best"]["haiku"]["score"] == 0.83


def test_the_commit_that_holds_the_item_goes_into_the_best(project: Path) -> None:
    skill = project / "skills" / "commit" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: commit\ndescription: d\n---\n", "utf-8")
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], ["add", "skills"], ["commit", "-qm", "one"]):
        subprocess.run(["git", *who, *command], cwd=project, check=True)
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=project, check=True, capture_output=True, text=True
    )
    digest = find_item(project, "commit").digest
    assay(project, "--record", "--pr", "#1", "--pages", "hook", item_digest=digest)
    baseline = json.loads((project / "evals" / "commit" / "baseline.json").read_text("utf-8"))
    assert baseline["best"]["haiku"]["revision"] == head.stdout.strip()


@pytest.mark.parametrize(
    ("arguments", "changes", "told"),
    [
        ((), {"item": "tdd-flow"}, "the result is of 'tdd-flow', not of 'commit'"),
        ((), {"with": 2}, "$.with: 2 is greater than the maximum of 1"),
        (("--record",), {}, "--record needs --pr and --pages"),
        (("--record", "--pr", "#1"), {}, "--record needs --pr and --pages"),
        (("--record", "--pr", "#1", "--pages", "hook,nope"), {}, "no such page under wiki/patterns/: nope"),
        (("--pr", "#1"), {}, "--pr and --pages are for --record"),
        (("--accept-mismatch", "model"), {}, "'model' is not one of"),
    ],
)
def test_a_call_or_file_that_is_not_usable_exits_2_and_writes_nothing(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    changes: dict[str, object],
    told: str,
) -> None:
    file = project.parent / "result.json"
    file.write_text(json.dumps(document(**changes)), "utf-8")
    with pytest.raises(SystemExit) as exit_:
        main(["gate", "commit", str(file), *arguments])
    assert exit_.value.code == 2
    assert told in capsys.readouterr().err
    assert not (project / "wiki" / "skill-impact.md").exists()


def test_a_mismatch_exits_2_unless_it_is_meant(project: Path) -> None:
    write_best(project, {"haiku": {**BEST, "judge_model": "haiku"}})
    refused = assay(project, judge_model="opus")
    assert "judge_model was haiku and is opus" in str(refused.exception)
    accepted = assay(project, "--accept-mismatch", "judge_model", judge_model="opus")
    assert accepted.return_value == 0
    assert "meant, as --accept-mismatch says: judge_model was haiku and is opus" in accepted.output


def test_the_best_of_another_model_does_not_count(project: Path) -> None:
    done = assay(project, model="opus", **{"with": 0.6, "delta": 0.1})
    assert done.return_value == 0
    assert "no best is recorded" in done.output


def trials(with_: int, without: int, runs: int = 8) -> dict[str, object]:
    """Two cases with so many passes of so many runs on each arm."""
    arms = {
        arm: [[int(number < passed), 1] for number in range(runs)]
        for arm, passed in (("with", with_), ("without", without))
    }
    means = {"with": with_ / runs, "without": without / runs}
    plain = {**means, "delta": means["with"] - means["without"], "verdict": None, "trigger_rate": None}
    return {**plain, "cases": [{"name": name, **plain, "trials": arms} for name in ("a", "b")]}


def best_with_trials(passed: int, runs: int = 8) -> dict[str, object]:
    rows = {"with": [[int(number < passed), 1] for number in range(runs)], "without": [[0, 1]] * runs}
    return {**BEST, "score": passed / runs, "trigger_rate": None, "trials": {"a": rows, "b": rows}}


def test_the_evidence_rule_rejects_what_luck_may_have_lifted(project: Path) -> None:
    write_best(project, {"haiku": best_with_trials(6)})
    assert assay(project, **trials(7, 0)).return_value == 0, "strictly higher"
    done = assay(project, "--rule", "evidence", "--json", **trials(7, 0))
    assert done.return_value == 1
    decision = json.loads(done.output)
    assert decision["rule"] == "evidence"
    assert "inconclusive" in decision["reasons"][0]


def test_the_evidence_rule_accepts_what_the_trials_show(project: Path) -> None:
    write_best(project, {"haiku": best_with_trials(2)})
    done = assay(project, "--rule", "evidence", "--confidence", "high", **trials(8, 0))
    assert done.return_value == 0


def test_a_higher_confidence_asks_for_more(project: Path) -> None:
    write_best(project, {"haiku": best_with_trials(6)})  # against 8 of 8: p = .054
    codes = [
        assay(project, "--rule", "evidence", "--confidence", level, **trials(8, 0)).return_value
        for level in ("normal", "high")
    ]
    assert codes == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "changes", "told"),
    [
        (("--rule", "evidence"), trials(8, 0), "keeps only a mean"),
        (
            ("--rule", "evidence"),
            {"cases": [{**trials(8, 0), "name": "a", "cases": None}]},
            "this result keeps only means",
        ),
        (("--confidence", "high"), trials(8, 0), "--confidence is for --rule evidence"),
        (("--rule", "mood"), {}, "'mood' is not one of"),
    ],
)
def test_a_rule_that_cannot_decide_exits_2(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    changes: dict[str, object],
    told: str,
) -> None:
    file = project.parent / "result.json"
    file.write_text(json.dumps(document(**changes)), "utf-8")
    with pytest.raises(SystemExit) as exit_:
        main(["gate", "commit", str(file), *arguments])
    assert exit_.value.code == 2
    assert told in capsys.readouterr().err
