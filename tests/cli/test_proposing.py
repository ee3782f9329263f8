"""The rounds that confirm an edit: fresh, beside the incumbent, and only after the strict rule let it pass."""

from contextlib import closing
from pathlib import Path

import pytest

from assay.cli.options import RunOptions
from assay.cli.project import open_project
from assay.cli.proposing import Proposed, Request, propose
from assay.errors import CannotRun
from assay.items import find_item
from assay.report.gate_text import gate_text
from assay.schemas.baseline import Best
from assay.schemas.skill_eval import SkillEval
from assay.store.trials import TrialStore
from assay.verdict.evidence_rule import evidence_rule
from assay.verdict.gate import Condition, Rule

HEAD = "---\nname: commit\ndescription: d\n---\n"
RULES = """
- {case: a, item_contains: GOOD, say: "fix: it", cost_usd: 0.1}
- {say: "done", cost_usd: 0.1}
"""


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    write(folder / "skills/commit/SKILL.md", f"{HEAD}PLAIN\n")
    write(folder / "rules.yaml", RULES)
    for case in ("a", "b"):
        write(folder / f"evals/commit/{case}/prompt.md", f"Commit {case}.\n")
        write(folder / f"evals/commit/{case}/graders/g.md", "---\ntype: regex\n---\nfix\n")
    return folder


class Judge:
    """A rule that remembers what it was asked, and answers as it is told."""

    def __init__(self, accepts: bool) -> None:
        self.accepts = accepts
        self.asked: list[tuple[SkillEval, Best | None]] = []

    @property
    def rule(self) -> Rule:
        return Rule("evidence", self.judge)

    def judge(self, result: SkillEval, best: Best | None) -> tuple[Condition, ...]:
        self.asked.append((result, best))
        return (Condition("told", self.accepts, "as the test says"),)


def measured(
    project: Path, words: str, rule: Rule, ceiling: float = 9.0, *, sequential: bool = False
) -> Proposed:
    write(project.parent / words / "SKILL.md", f"{HEAD}{words}\n")
    options = RunOptions(
        open_project(project), harness="scripted:rules.yaml", runs=2, max_cost_usd=ceiling, quiet=True, jobs=1
    )
    return propose(
        Request(options, "commit", str(project.parent / words), confirm=rule, sequential=sequential)
    )


def test_an_edit_that_passes_the_screen_is_confirmed_on_twice_as_many_fresh_rounds(project: Path) -> None:
    judge = Judge(accepts=True)
    done = measured(project, "GOOD", judge.rule)
    assert done.decision is not None
    assert (done.decision.accepted, done.decision.rule) == (True, "evidence")
    ((result, incumbent),) = judge.asked
    assert result == done.result, "what is recorded is the fresh estimate"
    assert {(case.runs_with, case.runs_without) for case in result.cases} == {(4, 4)}
    assert result.cost_usd == pytest.approx(24 * 0.1), "three arms, nothing from the store"
    with closing(TrialStore(project / ".assay/trials.sqlite", read_only=True)) as store:
        (stored,) = store.runs(1)
    assert stored.document is not None
    assert stored.document["cost_usd"] == pytest.approx(24 * 0.1), "what is stored says all of it too"
    assert incumbent is not None
    assert (incumbent.score, result.with_score) == (0.0, 0.5)
    assert incumbent.trials is not None
    assert len(incumbent.trials["a"].arms["with"]) == 4
    assert "GOOD" in find_item(project, "commit").text


def test_what_is_not_confirmed_is_rejected_and_put_back(project: Path) -> None:
    done = measured(project, "GOOD", Judge(accepts=False).rule)
    assert done.decision is not None
    assert done.decision.reasons == ("as the test says",)
    assert "PLAIN" in find_item(project, "commit").text


def test_an_edit_that_the_strict_rule_rejects_is_not_run_again(project: Path) -> None:
    judge = Judge(accepts=True)
    done = measured(project, "WORSE", judge.rule)
    assert judge.asked == []
    assert done.decision is not None
    assert (done.decision.accepted, done.decision.rule) == (False, "evidence")
    assert done.result.cost_usd is not None
    assert done.result.cost_usd <= 8 * 0.1


def test_the_ceiling_holds_for_both_measurements_together(project: Path) -> None:
    judge = Judge(accepts=True)
    done = measured(project, "GOOD", judge.rule, ceiling=1.2)
    assert done.result.partial_reason == "cost_ceiling"
    assert done.result.max_cost_usd == pytest.approx(0.4)


def test_a_screen_that_spent_everything_leaves_nothing_to_confirm_with(project: Path) -> None:
    with pytest.raises(CannotRun, match="the screen spent the whole ceiling"):
        measured(project, "GOOD", Judge(accepts=True).rule, ceiling=0.8)


def test_futile_rounds_are_ended_at_a_look(project: Path) -> None:
    """The edit passes the screen; beside the incumbent it turns out to be no better."""
    write(project / "rules.yaml", '- {case: a, arm: previous, say: "fix: it", cost_usd: 0.1}' + RULES)
    done = measured(project, "GOOD", evidence_rule())
    assert done.decision is not None
    assert (
        "inconclusive: the edit was not ahead by enough to go on with the fresh rounds"
        in done.decision.reasons
    )
    assert done.decision.evidence is not None
    assert done.decision.evidence["verdict"] == "inconclusive"
    assert "PLAIN" in find_item(project, "commit").text


def test_sequential_rounds_stop_once_they_are_settled(project: Path) -> None:
    done = measured(project, "GOOD", evidence_rule(), sequential=True)
    assert done.decision is not None
    assert done.decision.accepted, done.decision.reasons
    assert done.decision.evidence is not None
    assert done.decision.evidence["verdict"] == "improved"
    assert (
        done.decision.evidence["sentence"]
        == "Improved on the incumbent: the fresh rounds settled it (e-value)."
    )
    assert "GOOD" in find_item(project, "commit").text


def test_sequential_rounds_that_settle_nothing_reject_at_their_cap(project: Path) -> None:
    write(
        project / "rules.yaml",
        '- {case: a, arm: with, say: ["fix: it", "fix: it", "fix: it", "done"], cost_usd: 0}\n'
        '- {case: a, arm: previous, say: ["done", "done", "done", "fix: it"], cost_usd: 0}\n- {say: done, cost_usd: 0}\n',
    )
    done = measured(project, "GOOD", evidence_rule(), sequential=True)
    assert done.decision is not None
    assert "inconclusive: the fresh rounds reached their cap and settled nothing" in done.decision.reasons
    assert {case.runs_with for case in done.result.cases} == {10}


def test_trying_again_against_one_record_is_counted(project: Path) -> None:
    tries = []
    for words in ("WORSE", "WORSE still", "GOOD"):
        done = measured(project, words, Judge(accepts=False).rule)
        assert done.decision is not None
        assert done.decision.attempts is not None
        tries.append(done.decision.attempts["number"])
    assert tries == [1, 2, 3], "a screen and its fresh rounds are one try"
    assert "3 results were judged against this record so far" in " ".join(gate_text(done.decision).split())
