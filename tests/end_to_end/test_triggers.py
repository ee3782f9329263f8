"""`assay triggers` from the command line."""

import json

import pytest
from inline_snapshot import snapshot

SKILLS = {"commit": "writes commit messages", "save": "saves plans", "bake": "bakes cakes"}
CASES = {
    "commit": [("commit this", True), ("describe my change", True), ("bake a cake", False)],
    "save": [("save the plan", True), ("commit the plan", False)],
}


@pytest.fixture
def routed(project):
    for name, description in SKILLS.items():
        project.skill(name, body=f"SECRET BODY OF {name}", description=description)
    sets = {
        name: {"cases": [{"query": query, "should_trigger": fires} for query, fires in cases]}
        for name, cases in CASES.items()
    }
    project.write("evals/triggers.json", json.dumps({"skills": sets}))
    return project


def model(project, *rules) -> list[str]:
    project.write("router.yaml", "".join(f"- {json.dumps(rule)}\n" for rule in rules))
    return ["--model", f"scripted:{project.root / 'router.yaml'}"]


def says(value, **conditions) -> dict:
    return {**conditions, "say": json.dumps(value)}


RIGHT = (
    says({"route": True}, input="(?s)Skill: commit.*(commit this|describe my change)"),
    says({"route": True}, input="(?s)Skill: save.*save the plan"),
    says({"skill": "commit"}, input="(?s)Skills:.*(commit this|describe my change|commit the plan)"),
    says({"skill": "save"}, input="(?s)Skills:.*save the plan"),
    says({"skill": "bake"}, input="(?s)Skills:.*bake a cake"),
    says({"route": False}),
)


def test_every_query_is_routed_right(routed):
    done = routed.assay("triggers", *model(routed, *RIGHT), "--quiet")
    assert done.code == 0
    assert done.out == snapshot("""\
TRIGGERS — query and description only · scripted:router.yaml
  commit  pass  precision 2/2 (0.34 to 1.00) · recall 2/2 (0.34 to 1.00) · specificity 1/1 (0.21 to 1.00)
  save  pass  precision 1/1 (0.21 to 1.00) · recall 1/1 (0.21 to 1.00) · specificity 1/1 (0.21 to 1.00)

TRIGGERS PASSED
""")


def test_the_document_counts_and_is_valid(routed):
    done = routed.assay("triggers", *model(routed, says({"route": True})), "--quiet", "--json")
    document = json.loads(done.out)
    assert (done.code, document["verdict"]) == (1, "failed")
    commit = document["skills"][0]
    assert (commit["precision"], commit["recall"], commit["specificity"]) == (2 / 3, 1.0, 0.0)


def test_the_model_sees_the_query_and_the_description_only(routed):
    rules = [says({"route": True}, input="SECRET BODY"), says({"route": True}, system="SECRET BODY")]
    done = routed.assay("triggers", "commit", *model(routed, *rules, *RIGHT), "--quiet", "--json")
    assert json.loads(done.out)["verdict"] == "passed"


def test_only_the_skills_that_are_named(routed):
    done = routed.assay("triggers", "save", *model(routed, *RIGHT), "--quiet", "--json")
    assert [skill["skill"] for skill in json.loads(done.out)["skills"]] == ["save"]


def test_over_firing_fails(routed):
    rules = (says({"route": True}, input="(?s)Skill: save.*commit the plan"), *RIGHT)
    done = routed.assay("triggers", *model(routed, *rules), "--quiet")
    assert done.code == 1
    assert "fired, should not: 'commit the plan'" in done.out


@pytest.mark.parametrize(
    "broken", [{"fail": "auth"}, {"say": "I would say yes"}, {"say": '{"route": "yes"}'}]
)
def test_an_error_is_an_error_and_no_answer(routed, broken):
    rules = ({"input": "(?s)Skill: save.*commit the plan", **broken, "fail_times": None}, *RIGHT)
    done = routed.assay("triggers", "save", *model(routed, *rules), "--quiet", "--json")
    document = json.loads(done.out)
    assert (done.code, document["verdict"]) == (3, "incomplete")
    assert [case["fired"] for case in document["skills"][0]["cases"]] == [True, None]
    assert document["skills"][0]["specificity"] is None


def test_the_ceiling_holds(routed):
    rules = [{**rule, "cost_usd": 1} for rule in RIGHT]
    done = routed.assay(
        "triggers", *model(routed, *rules), "--max-cost-usd", "2", "-j", "1", "--json", "--quiet"
    )
    document = json.loads(done.out)
    assert done.code == 3
    assert document["cost_usd"] == 2
    assert sum(case["fired"] is None for skill in document["skills"] for case in skill["cases"]) == 3


def test_the_catalogue_shows_which_skills_overlap(routed):
    rules = (says({"skill": "save"}, input="(?s)Skills:.*describe my change"), *RIGHT)
    done = routed.assay("triggers", *model(routed, *rules), "--catalog", "--quiet")
    assert done.code == 1
    assert done.out.partition("CATALOG")[2] == snapshot("""\
 — which one skill, if any, out of all
  should be    bake  commit   save   none
  commit          ·       1      1      ·
  save            ·       ·      1      ·
  not commit      1       ·      ·      ·
  not save        ·       1      ·      ·
  'describe my change' goes to save, should be commit

TRIGGERS FAILED
""")


def test_a_skill_that_is_not_in_the_catalogue_is_no_answer(routed):
    rules = (says({"skill": "invented"}, input="(?s)Skills:.*bake a cake"), *RIGHT)
    assert routed.assay("triggers", *model(routed, *rules), "--catalog", "--quiet").code == 3


def test_the_real_client_is_asked_as_well_and_compared(routed):
    """A double of the client: it calls the Skill tool where its script says so."""
    fires = '{name: Skill, input: {skill: "plug:commit"}}'
    routed.rules(
        f"{{input_contains: commit this, tools: [{fires}]}}",
        f"{{input_contains: bake a cake, tools: [{fires}]}}",
    )
    arguments = ["--harness", "scripted:rules.yaml", "--judge-model", model(routed, *RIGHT)[1]]
    done = routed.assay("triggers", "commit", *arguments, "--quiet")
    assert done.code == 1
    assert done.out.partition("TRIGGERS — the real client")[2].partition("\n")[2] == snapshot("""\
  commit  FAIL  precision 1/2 (0.09 to 0.91) · recall 1/2 (0.09 to 0.91) · specificity 0/1 (0.00 to 0.79)
    did not fire, should: 'describe my change'
    fired, should not: 'bake a cake'

The description alone and the client agree on 1 of 3 queries
  commit: 'describe my change': the description would load it, the client did not
  commit: 'bake a cake': the description would not, the client did

TRIGGERS FAILED
""")


def test_a_client_that_died_is_an_error(routed):
    routed.rules("{input_contains: bake, fail: auth}")
    arguments = ["--harness", "scripted:rules.yaml", "--judge-model", model(routed, *RIGHT)[1]]
    assert routed.assay("triggers", "commit", *arguments, "--quiet").code == 3


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ([], 2, "name the model that is asked"),
        (["comit", "--model", "constant:x"], 2, "no trigger cases for comit; there are: commit, save"),
        (["--model", "constant:x", "--max-cost-usd", "0"], 2, "ceiling"),
    ],
)
def test_what_is_refused(routed, arguments, code, told):
    done = routed.assay("triggers", *arguments)
    assert done.code == code
    assert told in done.err


def test_without_trigger_cases_there_is_nothing_to_run(project):
    done = project.assay("triggers", "--model", "constant:x")
    assert done.code == 3
    assert "there are no trigger cases" in done.err


def test_a_skill_without_a_description_cannot_be_routed(routed):
    routed.write("skills/save/SKILL.md", "---\nname: save\n---\nx\n")
    done = routed.assay("triggers", "--model", "constant:x")
    assert done.code == 2
    assert "skill 'save' has no description to route by" in done.err
