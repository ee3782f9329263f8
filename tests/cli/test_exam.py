"""`assay exam` from a shell: keep, disposable, undecided, and what cannot be answered."""

import json
from pathlib import Path

import pytest

from assay.cli import main
from assay.schemas import validate

RULES = """
- {item_contains: HELPS, say: "fix: it", cost_usd: 0.01}
- {item_contains: LOST, fail: usage_limit}
- {say: "done", cost_usd: 0.01}
"""


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def make(project: Path, words: str, cases: int = 6) -> Path:
    write(project / "skills/commit/SKILL.md", f"---\nname: commit\ndescription: d\n---\n{words}\n")
    write(project / "rules.yaml", RULES)
    for number in range(cases):
        write(project / f"evals/commit/c{number}/prompt.md", f"Commit {number}.\n")
        write(project / f"evals/commit/c{number}/graders/g.md", "---\ntype: regex\n---\nfix\n")
    return project


def exam(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(["exam", "commit", "--harness", "scripted:rules.yaml", "--quiet", *arguments])
    assert isinstance(end.value.code, int)
    return end.value.code


def test_an_item_that_helps_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(make(tmp_path, "HELPS"))
    assert exam() == 0
    assert capsys.readouterr().out == (
        "keep: commit: it helps: +1.00, p < 0.001\n  with 1.00, without 0.00, 3 runs a case\n"
    )


def test_an_item_that_changes_nothing_is_disposable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(make(tmp_path, "useless"))
    assert exam("--runs", "5") == 1
    assert capsys.readouterr().out.startswith(
        "disposable: commit: no help was seen, and an effect of 0.20 would"
    )


def test_too_few_trials_are_undecided_and_say_what_more_would_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(make(tmp_path, "useless", cases=2))
    assert exam("--json") == 4
    document = json.loads(capsys.readouterr().out)
    validate(document, "exam-1")
    assert (document["answer"], document["runs"]) == ("undecided", 3)
    more = (document["runs_needed"] - 3) * 4
    assert document["more_cost_usd"] == pytest.approx(more * 0.01)
    assert exam() == 4
    assert f"--runs {document['runs_needed']} would decide four times in five" in capsys.readouterr().out


def test_item_and_suite_may_come_from_another_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = make(tmp_path / "source", "HELPS")
    consumer = tmp_path / "consumer"
    write(consumer / "rules.yaml", RULES)
    monkeypatch.chdir(consumer)
    assert exam("--source", str(source)) == 0
    assert (consumer / ".assay").is_dir(), "it is run and kept where the item is used"
    assert not (source / ".assay").exists()
    capsys.readouterr()
    assert exam() == 3
    assert "no item is called 'commit'" in capsys.readouterr().err


def test_trials_that_all_died_could_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(make(tmp_path, "LOST"))
    assert exam() == 3
    assert "no case of commit has a score on both arms (errors)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--worth", "0"], "--worth 0: an effect on the mean score is more than 0"),
        (["--worth", "1.5"], "at most 1"),
        (["--max-cost-usd", "0"], "a ceiling must be more than 0"),
        (["--source", "nowhere"], "does not exist"),
    ],
)
def test_a_call_that_is_not_usable_exits_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(make(tmp_path, "HELPS"))
    assert exam(*arguments) == 2
    assert told in capsys.readouterr().err
