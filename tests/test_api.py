"""`import assay`: the commands as functions, on real suites."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import assay

DOCS = Path(__file__).parents[1] / "docs/python.md"
RULES = "- {item_contains: please, case: asks, say: 'please {input}', cost_usd: 0.01}\n- {say: hello}\n"


@pytest.fixture
def project(tmp_path):
    files = {
        "skills/polite/SKILL.md": "---\nname: polite\ndescription: says please\n---\nAlways say please.\n",
        "rules.yaml": RULES,
        "evals/greetings/G-001-hello.md": "---\nid: G-001\ntarget: skill:polite\ngrader: assert\n---\n"
        "## Input\nsay\n\n## Expected\n- contains: hello\n",
    }
    for case in ("asks", "quiet"):
        files[f"evals/polite/{case}/prompt.md"] = f"Ask for {case} salt\n"
        files[f"evals/polite/{case}/graders/please.md"] = "---\ntype: regex\npattern: please\n---\n"
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    return tmp_path


def test_a_run_is_a_value_that_the_gate_takes(project, capfd):
    result = assay.run("polite", project=project, harness="scripted:rules.yaml", runs=2)
    assert isinstance(result, assay.SkillEval)
    assert (result.with_score, result.without_score, result.cost_usd) == (0.5, 0.0, pytest.approx(0.02))
    decision = assay.gate(result, project=project)
    assert decision.accepted
    assert (project / ".assay/trials.sqlite").is_file()
    assert capfd.readouterr() == ("", "")


def test_golden_tasks_are_run_by_name(project):
    result = assay.run_tasks("G-001", project=project, harness="scripted:rules.yaml")
    assert (result.verdict, result.exit_code) == ("informational", 0)


def test_any_suite_is_loaded_by_its_path(project):
    assert [case.id for case in assay.load(project / "evals/polite").cases] == ["asks", "quiet"]
    assert [case.id for case in assay.load(str(project / "evals/greetings")).cases] == ["G-001"]
    evals = project / "skills/polite/evals.json"
    evals.write_text('[{"id": 7, "prompt": "ask", "assertions": ["says please"]}]', "utf-8")
    assert assay.load(evals).name == "polite"


def test_a_result_is_read_from_a_file_and_judged(project):
    result = assay.run("polite", project=project, harness="scripted:rules.yaml", runs=1)
    (project / "r.json").write_text(json.dumps(result.to_document()), "utf-8")
    read = assay.read_result(project / "r.json", "polite")
    assert assay.gate(read, project=project).accepted


@pytest.mark.parametrize("ceiling", [0, -1])
def test_a_ceiling_that_allows_nothing_is_refused_before_anything_runs(project, ceiling):
    with pytest.raises(assay.UsageError, match="a ceiling must be more than 0 dollars"):
        assay.run("polite", project=project, harness="scripted:rules.yaml", max_cost_usd=ceiling)
    assert not (project / ".assay").exists()


def test_problems_are_raised_all_at_once(project):
    (project / "evals/polite/asks/graders/please.md").write_text("---\ntype: regx\n---\n", "utf-8")
    (project / "evals/polite/quiet/graders/please.md").write_text("---\ntype: regex\n---\n", "utf-8")
    with pytest.raises(assay.SuiteError) as raised:
        assay.load(project / "evals/polite")
    assert len(raised.value.problems) == 2


def test_every_public_name_is_there_and_none_is_imported_before_it_is_used():
    for name in set(assay.__all__) - {"__version__"}:
        assert getattr(assay, name).__name__ == name
    code = "import sys, assay; print([name for name in sys.modules if name.startswith('assay.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['assay.version']\n"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        assay.nothing  # noqa: B018


def test_the_documented_program_runs_and_names_every_setting(project):
    text = DOCS.read_text("utf-8")
    program = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=project, capture_output=True, text=True, check=True
    )
    assert done.stdout == "2 cases\n0.5 0.0 False\nTrue ()\ninformational 0\n"
    from assay.api import RunSettings

    assert [name for name in RunSettings.__annotations__ if f"`{name}`" not in text] == []
    functions = [name for name in assay.__all__ if inspect.isfunction(getattr(assay, name))]
    assert [name for name in functions if f"| `{name}(" not in text] == []
