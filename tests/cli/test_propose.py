"""`assay propose` from a shell: real files, a real git repository, the scripted harness."""

import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from assay.cli import main
from assay.items import find_item

HEAD = "---\nname: commit\ndescription: Writes a commit message.\n---\n"
RULES = """
- {case: a, item_contains: GOOD, say: "fix: it"}
- {case: b, item_contains: BEST, say: "fix: it"}
- {case: held, item_contains: HELD, say: "fix: it"}
- {item_contains: LOST, fail: server}
- {say: "done"}
"""
RUN = ["--harness", "scripted:rules.yaml", "--runs", "2", "--quiet"]
RECORD = ["--record", "--pr", "#7", "--pages", "why"]


def git(project: Path, *arguments: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    told = subprocess.run(["git", *who, *arguments], cwd=project, check=True, capture_output=True, text=True)
    return told.stdout.strip()


def case(project: Path, name: str, tags: str = "[]") -> None:
    folder = project / "evals" / "commit" / name
    (folder / "graders").mkdir(parents=True)
    (folder / "prompt.md").write_text(f"---\ntags: {tags}\n---\nCommit {name}.\n", "utf-8")
    (folder / "graders" / "says-why.md").write_text("---\ntype: regex\n---\nfix\n", "utf-8")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "skills" / "commit").mkdir(parents=True)
    (folder / "skills" / "commit" / "SKILL.md").write_text(f"{HEAD}PLAIN\n", "utf-8")
    (folder / "wiki" / "patterns").mkdir(parents=True)
    (folder / "wiki" / "patterns" / "why.md").write_text("", "utf-8")
    (folder / "rules.yaml").write_text(RULES, "utf-8")
    (folder / ".gitignore").write_text(".assay/\n", "utf-8")
    case(folder, "a")
    case(folder, "b")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "start")
    monkeypatch.chdir(folder)
    return folder


def edit(project: Path, words: str) -> str:
    """A folder that holds the skill with these words in it."""
    folder = project.parent / words.replace(" ", "-")
    folder.mkdir(exist_ok=True)
    (folder / "SKILL.md").write_text(f"{HEAD}{words}\n", "utf-8")
    return str(folder)


def commit(project: Path, words: str) -> str:
    """A revision that holds the skill with these words; the project stays as it was."""
    (project / "skills" / "commit" / "SKILL.md").write_text(f"{HEAD}{words}\n", "utf-8")
    git(project, "commit", "-qam", words)
    revision = git(project, "rev-parse", "HEAD")
    git(project, "reset", "-q", "--hard", "HEAD~1")
    return revision


def propose(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(["propose", "commit", *RUN, *arguments])
    assert isinstance(end.value.code, int)
    return end.value.code


def words(project: Path) -> str:
    return (project / "skills" / "commit" / "SKILL.md").read_text("utf-8").removeprefix(HEAD).strip()


def best(project: Path) -> dict[str, object]:
    document = json.loads((project / "evals" / "commit" / "baseline.json").read_text("utf-8"))
    entry: dict[str, object] = document["best"]["default"]
    return entry


def rows(project: Path) -> list[str]:
    text = (project / "wiki" / "skill-impact.md").read_text("utf-8")
    return [line for line in text.splitlines() if line.endswith("-->")]


def test_an_edit_that_helps_is_accepted_and_becomes_the_item(project: Path) -> None:
    assert propose("--edit", edit(project, "GOOD"), *RECORD) == 0
    assert words(project) == "GOOD"
    assert (best(project)["score"], best(project)["without"]) == (0.5, 0.0)
    assert best(project)["item_digest"] == find_item(project, "commit").digest
    assert "| 0.00 (without) | 0.50 | accepted | <!-- item:sha256:" in rows(project)[0]


def test_an_edit_that_does_not_help_is_rejected_and_only_the_item_is_put_back(project: Path) -> None:
    (project / "notes.md").write_text("mine", "utf-8")
    assert propose("--edit", edit(project, "NO BETTER"), *RECORD) == 1
    assert words(project) == "PLAIN"
    assert (project / "notes.md").read_text("utf-8") == "mine"
    assert git(project, "status", "--porcelain") == "?? notes.md\n?? wiki/skill-impact.md"
    assert not (project / "evals" / "commit" / "baseline.json").exists()
    assert "rejected: " in rows(project)[0]


def test_a_reject_puts_back_an_item_that_already_held_the_edit(project: Path) -> None:
    propose("--edit", edit(project, "GOOD BEST"), *RECORD)
    git(project, "add", ".")
    git(project, "commit", "-qm", "best")
    (project / "skills" / "commit" / "SKILL.md").write_text(f"{HEAD}GOOD\n", "utf-8")
    (project / "other.md").write_text("mine", "utf-8")
    assert propose("--edit", "skills/commit") == 1
    assert words(project) == "GOOD BEST"
    assert git(project, "status", "--porcelain") == "?? other.md"
    kept = list((project / ".assay" / "replaced").glob("*/commit/SKILL.md"))
    assert f"{HEAD}GOOD\n" in [path.read_text("utf-8") for path in kept], "the edit is not lost"


def test_without_record_nothing_is_written_but_the_item(project: Path) -> None:
    assert propose("--edit", edit(project, "GOOD")) == 0
    assert git(project, "status", "--porcelain") == "M skills/commit/SKILL.md"


@pytest.mark.parametrize("kind", ["revision", "patch", "folder"])
def test_an_edit_may_be_a_revision_a_patch_or_a_folder(project: Path, kind: str) -> None:
    revision = commit(project, "GOOD")
    patch = project.parent / "e.patch"
    patch.write_text(git(project, "diff", "HEAD", revision) + "\n", "utf-8")
    given = {"revision": revision, "patch": str(patch), "folder": edit(project, "GOOD")}[kind]
    assert propose("--edit", given, *RECORD) == 0
    assert words(project) == "GOOD"
    assert best(project).get("revision") == (revision if kind == "revision" else None)


def test_the_next_edit_has_to_beat_the_recorded_best(project: Path) -> None:
    assert propose("--edit", edit(project, "GOOD"), *RECORD) == 0
    assert propose("--edit", edit(project, "GOOD but no better"), *RECORD) == 1
    assert propose("--edit", edit(project, "GOOD BEST"), *RECORD) == 0
    assert best(project)["score"] == 1.0
    assert ["accepted" in row for row in rows(project)] == [True, False, True]


def test_a_rejected_edit_is_refused_until_again(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    worse = edit(project, "NO BETTER")
    propose("--edit", worse, *RECORD)
    assert propose("--edit", worse, *RECORD) == 2
    assert "these very files were rejected before" in capsys.readouterr().err
    assert len(rows(project)) == 1
    assert propose("--edit", worse, "--again", *RECORD) == 1
    assert len(rows(project)) == 2


def test_an_edit_that_changes_nothing_is_a_usage_error(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    propose("--edit", edit(project, "GOOD"), *RECORD)
    assert propose("--edit", edit(project, "GOOD")) == 2
    assert "is the recorded best itself" in capsys.readouterr().err


def test_a_certain_rejection_stops_the_run(project: Path) -> None:
    propose("--edit", edit(project, "GOOD BEST"), *RECORD)
    few, all_ = project.parent / "few.json", project.parent / "all.json"
    worse = edit(project, "NO BETTER")
    assert propose("--edit", worse, "-j", "1", "--runs", "120", "--out", str(few)) == 1
    assert (
        propose("--edit", worse, "-j", "1", "--runs", "120", "--fresh", "--no-curtail", "--out", str(all_))
        == 1
    )
    curtailed, whole = (json.loads(path.read_text("utf-8")) for path in (few, all_))
    assert (curtailed["curtailed"], curtailed["partial"]) == (True, False)
    assert (whole["curtailed"], whole["partial"]) == (False, False)
    assert sum(case["runs_with"] for case in curtailed["cases"]) < 240
    assert sum(case["runs_with"] for case in whole["cases"]) == 240


def test_held_out_cases_alone_decide_and_the_incumbent_runs_beside(project: Path) -> None:
    case(project, "held", "[held-out]")
    git(project, "add", ".")
    git(project, "commit", "-qm", "held")
    out = project.parent / "r.json"
    better_elsewhere = edit(project, "GOOD BEST")
    assert propose("--edit", better_elsewhere, "--out", str(out)) == 1
    assert [row["name"] for row in json.loads(out.read_text("utf-8"))["cases"]] == ["held"]
    assert propose("--edit", edit(project, "HELD"), *RECORD) == 0
    assert (best(project)["score"], words(project)) == (1.0, "HELD")
    git(project, "add", ".")
    git(project, "commit", "-qm", "accepted")
    assert propose("--edit", edit(project, "HELD as before"), "--json") == 1


def test_the_incumbent_is_found_in_git_by_its_files(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case(project, "held", "[held-out]")
    propose("--edit", edit(project, "HELD"), *RECORD)
    git(project, "add", ".")
    git(project, "commit", "-qm", "accepted, committed later than it was recorded")
    (project / "skills" / "commit" / "SKILL.md").write_text(f"{HEAD}SOMETHING ELSE\n", "utf-8")
    git(project, "commit", "-qam", "not measured")
    capsys.readouterr()
    assert propose("--edit", edit(project, "NO BETTER"), "--no-curtail", "--json") == 1
    decision = json.loads(capsys.readouterr().out)
    assert decision["best"]["score"] == 1.0, "the version with the files of the best ran beside the edit"
    assert words(project) == "SOMETHING ELSE"


def test_held_out_without_an_incumbent_says_what_to_name(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case(project, "held", "[held-out]")
    assert propose("--edit", "skills/commit") == 2
    assert "nothing says which version the edit has to beat" in capsys.readouterr().err


def test_held_out_cases_cannot_run_on_the_platform(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "scripted")
    case(project, "held", "[held-out]")
    client = project.parent / "claude"
    client.write_text("#!/bin/sh\necho '2.1.328 (Claude Code)'\n", "utf-8")
    client.chmod(0o755)
    assert propose("--edit", edit(project, "HELD"), "--harness", f"plugin-eval:{client}") == 2
    assert "an incumbent beside them needs --harness claude" in capsys.readouterr().err


def test_the_incumbent_may_be_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case(project, "held", "[held-out]")
    git(project, "add", ".")
    git(project, "commit", "-qm", "held")
    strong = commit(project, "HELD")
    assert propose("--edit", edit(project, "HELD too"), "--incumbent", strong, "--json") == 1
    decision = json.loads(capsys.readouterr().out)
    assert decision["best"]["score"] == 1.0
    assert decision["reasons"][0].startswith("the run was stopped early") or "1.00" in decision["reasons"][0]


def test_the_evidence_rule_confirms_on_fresh_rounds_beside_the_incumbent(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = edit(project, "GOOD")
    assert propose("--edit", good, "--rule", "evidence") == 1, "eight fresh trials an arm are too few"
    assert "underpowered" in capsys.readouterr().out
    assert words(project) == "PLAIN"
    out = project.parent / "r.json"
    assert propose("--edit", good, "--rule", "evidence", "--runs", "4", "--out", str(out), *RECORD) == 0
    assert words(project) == "GOOD"
    assert {row["runs_with"] for row in json.loads(out.read_text("utf-8"))["cases"]} == {8}
    assert best(project)["run"] == json.loads(out.read_text("utf-8"))["run"]


def test_what_cannot_be_compared_is_refused_before_anything_is_run(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    propose("--edit", edit(project, "GOOD"), *RECORD)
    case(project, "new")
    assert propose("--edit", edit(project, "GOOD BEST")) == 2
    assert "suite_digest was sha256:" in capsys.readouterr().err
    assert propose("--edit", edit(project, "GOOD BEST"), "--accept-mismatch", "suite_digest") == 0


def test_trials_that_died_make_it_partial_and_so_a_reject(project: Path) -> None:
    lost = edit(project, "LOST")
    assert propose("--edit", lost, *RECORD) == 1
    assert "rejected: the run is partial (errors)" in rows(project)[0]
    assert "<!-- item:" not in rows(project)[0], "a run that was not complete rejects no files for good"
    assert words(project) == "PLAIN"


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--edit", "nope"], 2, "git knows no revision 'nope'"),
        (["--edit", "rules.yaml"], 2, "folder and file"),
        (["--edit", "GOOD", "--record"], 2, "--record needs --pr and --pages"),
        (["--edit", "GOOD", "--pr", "#7"], 2, "--pr and --pages are for --record"),
        (["--edit", "GOOD", "--record", "--pr", "#7", "--pages", "nope"], 2, "no such page"),
        (["--edit", "GOOD", "--max-cost-usd", "0"], 2, "a ceiling must be more than 0"),
        (["--edit", "GOOD", "--harness", "nope"], 2, "no harness is called 'nope'"),
        ([], 2, "Missing option '--edit'"),
    ],
)
def test_a_call_that_is_not_usable_changes_nothing(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, told: str
) -> None:
    given = [edit(project, "GOOD") if argument == "GOOD" else argument for argument in arguments]
    assert propose(*given) == code
    assert told in capsys.readouterr().err
    assert git(project, "status", "--porcelain") == ""


def test_an_item_without_a_suite_could_not_run(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "skills" / "other").mkdir()
    (project / "skills" / "other" / "SKILL.md").write_text(HEAD, "utf-8")
    with pytest.raises(SystemExit) as end:
        main(["propose", "other", *RUN, "--edit", edit(project, "GOOD")])
    assert end.value.code == 3
    assert "has no suite" in capsys.readouterr().err


def test_the_text_says_what_became_of_the_files(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    propose("--edit", edit(project, "GOOD"), *RECORD)
    out = capsys.readouterr().out
    assert out.startswith("accept: commit on default (eval-commit-")
    assert "wrote ledger row added; baseline raised" in out
    assert "files the item holds the edit; what it held before is kept in" in out
    assert max(map(len, out.splitlines())) <= 80


def start_slow(project: Path) -> subprocess.Popen[str]:
    """A proposal whose trials take an hour, once it has said its plan."""
    (project / "rules.yaml").write_text("- {seconds: 3600}\n", "utf-8")
    command = ["-m", "assay", "propose", "commit", "--harness", "scripted:rules.yaml", "--runs", "1"]
    given = ["--edit", edit(project, "GOOD"), *RECORD]
    child = subprocess.Popen(
        [sys.executable, *command, *given], stderr=subprocess.PIPE, text=True, cwd=project
    )
    assert child.stderr is not None
    assert any(line.startswith("Plan:") for line in child.stderr)
    return child


@pytest.mark.parametrize(("end", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_a_proposal_that_is_stopped_decides_nothing_and_touches_no_file(
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    end: signal.Signals,
    code: int,
) -> None:
    temporary = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    child = start_slow(project)
    child.send_signal(end)
    child.communicate(timeout=60)
    assert child.returncode == code
    assert git(project, "status", "--porcelain") == "M rules.yaml"
    if end == signal.SIGINT:
        assert list(temporary.iterdir()) == []
    else:
        (project / "rules.yaml").write_text(RULES, "utf-8")
        propose("--edit", edit(project, "GOOD"))
        assert list(temporary.iterdir()) == [], "what the killed one left is gone"
