"""`assay power` from a shell: what a suite could show, of a shape, of its files and of what it has run."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from assay.cli import main

RULES = """
- {item_contains: HELPS, say: "fix: it", cost_usd: 0.5}
- {say: "done", cost_usd: 0.5}
"""


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path / "skills/commit/SKILL.md", "---\nname: commit\ndescription: d\n---\nHELPS\n")
    write(tmp_path / "rules.yaml", RULES)
    for number in range(4):
        write(tmp_path / f"evals/commit/c{number}/prompt.md", f"Commit {number}.\n")
        write(tmp_path / f"evals/commit/c{number}/graders/g.md", "---\ntype: regex\n---\nfix\n")
    for number in range(1, 6):
        write(
            tmp_path / f"evals/tasks/G-00{number}-t.md",
            f"---\nid: G-00{number}\ntarget: skill:commit\ngrader: exact\n---\n\n"
            "## Input\n\nhi\n\n## Expected\n\nfix: it\n",
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def assay(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    assert isinstance(end.value.code, int)
    return end.value.code


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    capsys.readouterr()
    assert assay("power", *arguments, "--json") == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_so_many_cases_and_runs_say_what_they_could_show(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert assay("power", "--cases", "20", "--usd-per-trial", "0.02") == 0
    told = capsys.readouterr().out
    assert told.startswith("20 cases of 3 runs see a gain of 0.17 and a drop of 0.17 four times in five")
    assert "about $2.40" in told
    assert all(len(line) <= 80 for line in told.splitlines())


def test_the_rules_differ_most_where_nothing_changed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, "--cases", "20")
    rules = {
        rule["name"]: {point["change"]: point["rate"] for point in rule["says_yes"]}
        for rule in found["rules"]  # type: ignore[attr-defined]
    }
    assert rules["strict"][0.0] > 0.35
    assert rules["evidence"][0.0] < 0.06 < 0.6 < rules["evidence"][0.1]
    assert rules["golden, any drop"][0.0] > 0.9 > 0.03 > rules["golden, confirmed"][0.0]


@pytest.mark.parametrize(("name", "cases"), [("commit", 4), ("tasks", 5)])
def test_a_suite_that_has_not_run_is_counted(
    project: Path, capsys: pytest.CaptureFixture[str], name: str, cases: int
) -> None:
    found = document(capsys, name, "--runs", "2")
    assert (found["cases"], found["runs"], found["basis"]) == (cases, 2, "the shape bimodal")
    assert found["usd_per_trial"] is None


@pytest.mark.parametrize(("name", "target"), [("commit", "commit"), ("tasks", "evals/tasks")])
def test_what_has_run_says_how_cases_pass_and_what_a_trial_costs(
    project: Path, capsys: pytest.CaptureFixture[str], name: str, target: str
) -> None:
    given = ["--harness", "scripted:rules.yaml", "--runs", "2", "--quiet", "--max-cost-usd", "90"]
    assert assay("run", target, *given) == 0
    found = document(capsys, name)
    assert found["runs"] == 2
    assert str(found["basis"]).startswith(("eval-commit-", "golden-"))
    assert found["usd_per_trial"] == pytest.approx(0.5)
    assert float(str(found["mean"])) > 0.75, "all passed"
    assert document(capsys, name, "--shape", "mature")["basis"] == "the shape mature"


def test_the_picture_is_whole_svg(project: Path) -> None:
    assert assay("power", "--cases", "5", "--svg", "power.svg") == 0
    root = ElementTree.fromstring((project / "power.svg").read_text("utf-8"))
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"strict", "evidence", "evidence, sequential", "100%"} <= set(texts)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}polyline"))) == 3


@pytest.mark.parametrize("arguments", [(), ("commit", "--cases", "3")])
def test_what_is_meant_has_to_be_said_once(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    assert assay("power", *arguments) == 2
    assert "one of the two" in capsys.readouterr().err


def test_no_change_is_drawn_that_the_rates_cannot_make(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert assay("power", "--cases", "6", "--shape", "saturated") == 0
    assert "not possible here" in capsys.readouterr().out
