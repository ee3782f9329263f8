"""Decisions are written whole, once, and completed after a crash at any step."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from assay.errors import CannotRun, Unusable, UsageError
from assay.gating import Gate, Proposal, gate_of
from assay.schemas.skill_eval import CaseScores, SkillEval
from assay.store.results import write_skill_eval

PROPOSAL = Proposal("#4300", ["commit-skipped-hook"])


def result(
    with_: float = 1.0, without: float = 0.5, *, run: str = "eval-commit-1", **changes: object
) -> SkillEval:
    trials = {"with": ((with_, 1),), "without": ((without, 1),)}
    plain = SkillEval(
        item="commit",
        run=run,
        date="2026-10-09",
        model="haiku",
        with_score=with_,
        without_score=without,
        trigger_rate=None,
        cases=(CaseScores("a", with_, without, trials=trials),),
        cost_usd=0.1,
        max_cost_usd=2,
    )
    return replace(plain, **changes)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "wiki" / "patterns").mkdir(parents=True)
    (tmp_path / "wiki" / "patterns" / "commit-skipped-hook.md").write_text("", "utf-8")
    (tmp_path / "evals" / "commit").mkdir(parents=True)
    return tmp_path


def everything(project: Path) -> dict[str, bytes]:
    return {
        path.relative_to(project).as_posix(): path.read_bytes()
        for path in project.rglob("*")
        if path.is_file()
    }


def rows(project: Path) -> list[str]:
    text = (project / "wiki" / "skill-impact.md").read_text("utf-8")
    return [line for line in text.splitlines() if line.endswith("-->")]


def best(project: Path) -> dict[str, object]:
    document = json.loads((project / "evals" / "commit" / "baseline.json").read_text("utf-8"))
    entry: dict[str, object] = document["best"]["haiku"]
    return entry


def test_an_accept_adds_a_row_and_raises_the_best(project: Path) -> None:
    decision, written = gate_of(project, "commit").record(result(), replace(PROPOSAL, revision="abc"))
    assert decision.accepted
    assert (written.row, written.baseline) == ("added", "raised")
    page = "[commit-skipped-hook](patterns/commit-skipped-hook.md)"
    assert rows(project) == [
        f"| 2026-10-09 | commit | #4300 | {page} | 0.50 (without) | 1.00 | accepted | <!-- run:eval-commit-1 -->"
    ]
    assert best(project) == {
        "score": 1.0,
        "without": 0.5,
        "trigger_rate": None,
        "run": "eval-commit-1",
        "date": "2026-10-09",
        "revision": "abc",
        "trials": {"a": {"with": [[1.0, 1]], "without": [[0.5, 1]]}},
    }


def test_a_reject_adds_a_row_and_leaves_the_baseline_byte_for_byte(project: Path) -> None:
    gate = gate_of(project, "commit")
    gate.record(result(0.75), PROPOSAL)
    before = gate.baseline.read_bytes()
    decision, written = gate.record(result(0.75, 0.75, run="eval-commit-2"), PROPOSAL)
    assert not decision.accepted
    assert (written.row, written.baseline) == ("added", "unchanged")
    assert gate.baseline.read_bytes() == before
    assert rows(project)[1].endswith(
        "| 0.75 | 0.75 | rejected: with 0.75 is not higher than the best recorded, 0.75 (2026-10-09); "
        "with 0.75 is not higher than without, 0.75 | <!-- run:eval-commit-2 -->"
    )


def test_a_first_reject_makes_no_baseline(project: Path) -> None:
    gate_of(project, "commit").record(result(0.5), PROPOSAL)
    assert not (project / "evals" / "commit" / "baseline.json").exists()


@pytest.mark.parametrize(
    ("proposal", "told"),
    [
        (Proposal("#1", ["commit-skipped-hook", "nope"]), "no such page under wiki/patterns/: nope"),
        (Proposal(" ", ["commit-skipped-hook"]), "--pr is empty"),
        (Proposal("#1", []), "--pages needs at least one page"),
    ],
)
def test_a_proposal_that_names_too_little_writes_nothing(
    project: Path, proposal: Proposal, told: str
) -> None:
    before = everything(project)
    with pytest.raises(UsageError, match=told):
        gate_of(project, "commit").record(result(), proposal)
    assert everything(project) == before


def test_a_result_of_another_item_writes_nothing(project: Path) -> None:
    before = everything(project)
    with pytest.raises(Unusable, match="the result is of 'tdd-flow', not of 'commit'"):
        gate_of(project, "commit").record(result(item="tdd-flow"), PROPOSAL)
    assert everything(project) == before


def test_what_is_not_comparable_writes_nothing(project: Path) -> None:
    gate = gate_of(project, "commit")
    gate.record(result(0.75, harness="claude@1"), PROPOSAL)
    before = everything(project)
    with pytest.raises(Unusable, match="harness was claude@1 and is claude@2"):
        gate.record(result(run="eval-commit-2", harness="claude@2"), PROPOSAL)
    assert everything(project) == before
    decision, _ = gate.record(
        result(run="eval-commit-2", harness="claude@2"), PROPOSAL, accept_mismatch=["harness"]
    )
    assert decision.accepted
    assert best(project)["harness"] == "claude@2"


@pytest.mark.parametrize("with_", [1.0, 0.5])
def test_recording_twice_changes_nothing_and_answers_the_same(project: Path, with_: float) -> None:
    gate = gate_of(project, "commit")
    first, _ = gate.record(result(with_), PROPOSAL)
    before = everything(project)
    second, written = gate.record(result(with_), PROPOSAL)
    assert everything(project) == before
    assert second.accepted is first.accepted
    assert written.row == "already there"
    if not first.accepted:
        assert "; ".join(first.reasons) == "; ".join(second.reasons)


def test_recording_an_old_run_again_does_not_lower_what_a_later_one_raised(project: Path) -> None:
    gate = gate_of(project, "commit")
    gate.record(result(0.75), PROPOSAL)
    gate.record(result(1.0, run="eval-commit-2"), PROPOSAL)
    before = everything(project)
    decision, written = gate.record(result(0.75), PROPOSAL)
    assert decision.accepted
    assert (written.row, written.baseline) == ("already there", "unchanged")
    assert everything(project) == before


def test_another_result_under_a_recorded_run_is_unusable(project: Path) -> None:
    gate = gate_of(project, "commit")
    gate.record(result(0.75), PROPOSAL)
    with pytest.raises(Unusable, match="two runs under one name, or one of them was changed"):
        gate.record(result(1.0), PROPOSAL)


DYING = """
import os, signal, sys
from pathlib import Path
from assay.gating import Proposal, gate_of
from assay.store.results import read_skill_eval
from assay.store.whole_file import RealDisk

class DyingDisk(RealDisk):
    steps_left = int(sys.argv[3])

    def _step(self):
        if not self.steps_left:
            os.kill(os.getpid(), signal.SIGKILL)
        self.steps_left -= 1

    def write(self, path, content):
        self._step()
        path.write_bytes(content[: len(content) // 2])
        self._step()
        path.unlink()
        super().write(path, content)

    def rename(self, source, target):
        self._step()
        super().rename(source, target)

gate = gate_of(Path(sys.argv[1]), "commit")
gate.record(read_skill_eval(Path(sys.argv[2])), Proposal("#4300", ["commit-skipped-hook"]), disk=DyingDisk())
"""
STEPS = 6
"""Three of the ledger (before, within and after the write of the temporary file), three of the baseline."""


def record_and_die(project: Path, measured: SkillEval, steps: int) -> int:
    file = project.parent / "result.json"
    write_skill_eval(file, measured)
    command = [sys.executable, "-c", DYING, str(project), str(file), str(steps)]
    return subprocess.run(command, check=False, env={**os.environ}).returncode


@pytest.fixture
def nested(tmp_path: Path, project: Path) -> Path:
    """The project in a folder of its own, so that the result lies outside of it."""
    inner = tmp_path / "inner"
    inner.mkdir()
    for name in ("wiki", "evals"):
        (project / name).rename(inner / name)
    return inner


@pytest.mark.parametrize("steps", range(STEPS + 1))
@pytest.mark.parametrize("with_", [1.0, 0.5], ids=["accept", "reject"])
def test_a_kill_at_any_step_leaves_whole_files_and_the_next_record_completes(
    nested: Path, steps: int, with_: float
) -> None:
    gate = gate_of(nested, "commit")
    gate.record(result(0.75, run="eval-commit-0"), PROPOSAL)
    measured = result(with_, run="eval-commit-1")
    is_last = steps == STEPS if with_ == 1.0 else steps >= STEPS // 2
    assert record_and_die(nested, measured, steps) == (0 if is_last else -signal.SIGKILL)

    assert len(rows(nested)) in (1, 2), "the ledger is whole"
    assert best(nested)["score"] in (0.75, 1.0), "the baseline is whole"
    if best(nested)["score"] == 1.0:
        assert len(rows(nested)) == 2, "the baseline is never ahead of the ledger"

    decision, _ = gate.record(measured, PROPOSAL)
    assert decision.accepted is (with_ == 1.0)
    assert len(rows(nested)) == 2
    assert best(nested)["score"] == max(with_, 0.75)
    assert [name for name in everything(nested) if name.endswith(".tmp")] == []
    finished = everything(nested)
    gate.record(measured, PROPOSAL)
    assert everything(nested) == finished


def test_two_records_at_once_lose_no_row(nested: Path) -> None:
    for number in range(2):
        write_skill_eval(nested.parent / f"{number}.json", result(0.5, run=f"eval-commit-{number}"))
    commands = [
        [sys.executable, "-c", DYING, str(nested), str(nested.parent / f"{number}.json"), "99"]
        for number in range(2)
    ]
    children = [subprocess.Popen(command) for command in commands]
    assert [child.wait(timeout=60) for child in children] == [0, 0]
    assert len(rows(nested)) == 2


def test_the_best_of_a_suite_directly_under_evals_lies_beside_it(tmp_path: Path) -> None:
    skill = tmp_path / "skills" / "commit"
    (skill / "evals" / "fires").mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: commit\ndescription: d\n---\n", "utf-8")
    assert gate_of(tmp_path, "commit").baseline == skill / "evals" / "baseline.commit.json"


def test_the_best_of_a_plugin_lies_in_its_evals(tmp_path: Path) -> None:
    (tmp_path / "evals" / "fires").mkdir(parents=True)
    (tmp_path / "plugin.json").write_text('{"name": "tools"}', "utf-8")
    assert gate_of(tmp_path, "tools").baseline == tmp_path / "evals" / "baseline.tools.json"


def test_a_suite_of_the_items_own_comes_first(project: Path) -> None:
    assert gate_of(project, "commit") == Gate(
        project, "commit", project / "evals" / "commit" / "baseline.json"
    )


@pytest.mark.parametrize("name", ["../../outside", "..", "a\\b", "a\nb"])
def test_no_name_leads_out_of_the_suites(project: Path, name: str) -> None:
    (project / "outside").mkdir()
    with pytest.raises(UsageError, match="cannot be an item's name"):
        gate_of(project / "evals", name)


def test_an_item_of_which_there_is_nothing_is_not_judged(tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match="no item is called 'ghost'"):
        gate_of(tmp_path, "ghost")
    (tmp_path / "evals/ghost").mkdir(parents=True)
    assert gate_of(tmp_path, "ghost").item == "ghost", (
        "its suite is enough: the gate needs no files of the item"
    )
