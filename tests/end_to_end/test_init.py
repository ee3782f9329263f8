"""`assay init` from the command line: planned, asked about, never overwriting."""

import pytest
import yaml

STARTER = ["evals/README.md", "evals/thresholds.yml", "evals/example/G-001-example.md"]


@pytest.fixture
def answers(monkeypatch):
    given = []

    def confirm(text, **_):
        given.append(text)
        return answer["yes"]

    answer = {"yes": True}
    monkeypatch.setattr("click.confirm", confirm)
    return answer, given


def files(project):
    return sorted(
        path.relative_to(project.root).as_posix()
        for path in project.root.rglob("*")
        if path.is_file() and "skills" not in path.parts
    )


def test_guardrail_6_one_example_task_and_no_baseline(project):
    done = project.assay("init", "--yes")
    assert done.code == 0
    assert files(project) == sorted(STARTER)
    assert done.out.startswith("".join(f"  create  {name}\n" for name in STARTER))


def test_the_example_runs_as_it_is(project):
    project.assay("init", "--yes")
    project.rules("{say: Hello Ada!}")
    done = project.run()
    assert done.code == 0
    assert "target: skill:commit" in done.out
    assert "G-001  1.00  pass" in done.out


def test_without_a_skill_the_target_is_named_as_missing(project):
    (project.root / "skills/commit/SKILL.md").unlink()
    project.assay("init", "--yes")
    done = project.run(harness="scripted")
    assert done.code == 2
    assert "evals/example/G-001-example.md:3: unknown target" in done.err


def test_it_asks_and_a_no_writes_nothing(project, answers):
    answer, given = answers
    answer["yes"] = False
    done = project.assay("init")
    assert (done.code, files(project), given) == (1, [], ["Write 3 files?"])


def test_nothing_is_overwritten(project):
    project.write("evals/README.md", "mine")
    project.write("evals/thresholds.yml", "pass_rate: 1\n")
    done = project.assay("init", "--yes")
    assert "  keep    evals/README.md" in done.out
    assert (project.read("evals/README.md"), project.read("evals/thresholds.yml")) == (
        "mine",
        "pass_rate: 1\n",
    )
    before = {name: project.read(name) for name in files(project)}
    again = project.assay("init", "--yes")
    assert "Nothing to write" in again.out
    assert {name: project.read(name) for name in files(project)} == before


def test_no_example_where_there_are_tasks(project):
    project.task("mine/G-001")
    project.assay("init", "--yes")
    assert not project.has("evals/example/G-001-example.md")


def test_a_draft_from_a_skill_refuses_to_run_until_a_person_wrote_the_oracle(project):
    project.skill("bake", description="Bakes cakes, with or without icing")
    done = project.assay("init", "--from", str(project.root / "skills/bake/SKILL.md"), "--yes")
    assert done.code == 0
    task = project.read("evals/bake/G-001-bake.md")
    assert "target: skill:bake" in task
    assert "> Bakes cakes, with or without icing" in task
    refused = project.run(harness="scripted")
    assert refused.code == 2
    assert "evals/bake/G-001-bake.md:12: TODO(oracle)" in refused.err


def test_a_draft_from_what_is_no_skill_is_refused(project):
    project.write("skills/odd/SKILL.md", "no frontmatter")
    assert project.assay("init", "--from", str(project.root / "skills/odd/SKILL.md"), "--yes").code == 2
    assert project.assay("init", "--from", str(project.root / "gone/SKILL.md"), "--yes").code in (2, 3)
    assert files(project) == []


def test_a_workflow_for_github_keeps_the_house_rules(project):
    project.task("mine/G-001")
    done = project.assay("init", "--ci", "github", "--yes")
    assert done.out.startswith("  create  .github/workflows/evals.yml\n")
    workflow = yaml.load(project.read(".github/workflows/evals.yml"), yaml.BaseLoader)
    assert set(workflow["on"]) == {"pull_request", "push", "workflow_dispatch"}
    assert "assay.toml" in workflow["on"]["push"]["paths"]
    assert workflow["concurrency"] == {"group": "evals", "cancel-in-progress": "false"}
    assert workflow["permissions"] == {"contents": "read"}
    steps = workflow["jobs"]["evals"]["steps"]
    secrets = [value for step in steps for value in step.get("env", {}).values()]
    assert secrets == ["${{ secrets.ANTHROPIC_API_KEY }}"]
    assert not any("--accept" in step.get("run", "") for step in steps)


def test_an_existing_workflow_is_left_alone(project):
    project.write(".github/workflows/evals.yml", "mine")
    project.assay("init", "--ci", "github", "--yes")
    assert project.read(".github/workflows/evals.yml") == "mine"
