"""`assay judge calibrate` from the command line."""

import json

import pytest
from inline_snapshot import snapshot


def labels(project, met: int, unmet: int, name="evals/judge-labels.jsonl"):
    rows = [{"expectation": f"good {n}", "output": "fine", "met": True} for n in range(met)]
    rows += [{"expectation": f"bad {n}", "output": "poor", "met": False} for n in range(unmet)]
    project.write(name, "".join(f"{json.dumps(row)}\n" for row in rows))


def judge(project, *rules) -> list[str]:
    met = {"say": json.dumps({"evidence": "", "reason": "r", "met": True}), "input": "Expectation:\ngood"}
    unmet = {"say": json.dumps({"evidence": "", "reason": "r", "met": False})}
    project.write("judge.yaml", "".join(f"- {json.dumps(rule)}\n" for rule in [*rules, met, unmet]))
    return ["--judge-model", f"scripted:{project.root / 'judge.yaml'}", "--quiet"]


def says(met: bool, **conditions) -> dict:
    return {**conditions, "say": json.dumps({"evidence": "", "reason": "r", "met": met})}


def test_a_judge_that_agrees_on_enough_labels_is_certified(project):
    labels(project, 20, 20)
    done = project.assay("judge", "calibrate", *judge(project))
    assert done.code == 0
    assert done.out == snapshot("""\
JUDGE — scripted:judge.yaml · prompt rubric/1 · votes 1
  labels       40: 20 met, 20 not met
  agreement    1.00 (0.91 to 1.00)
  kappa        1.00
  met found    20/20 = 1.00 (0.83 to 1.00)
  unmet found  20/20 = 1.00 (0.83 to 1.00)
  flip rate    0.00 over 3 repeats
────────
certified: both rates are at least 0.80 with 95 % confidence each
""")


def test_too_few_labels_leave_it_uncalibrated(project):
    labels(project, 10, 10)
    done = project.assay("judge", "calibrate", *judge(project), "--json")
    assert (done.code, json.loads(done.out)["word"]) == (0, "uncalibrated")


def test_a_judge_that_passes_everything_is_unfit(project):
    labels(project, 20, 20)
    done = project.assay("judge", "calibrate", *judge(project, says(True)))
    assert done.code == 1
    assert done.out == snapshot("""\
JUDGE — scripted:judge.yaml · prompt rubric/1 · votes 1
  labels       40: 20 met, 20 not met
  agreement    0.50 (0.35 to 0.65)
  kappa        0.00
  met found    20/20 = 1.00 (0.83 to 1.00)
  unmet found  0/20 = 0.00 (0.00 to 0.17)
  flip rate    0.00 over 3 repeats
────────
unfit: a rate is below 0.80 with 95 % confidence
  people say not met, the judge says met: bad 0
  people say not met, the judge says met: bad 1
  people say not met, the judge says met: bad 2
  people say not met, the judge says met: bad 3
  people say not met, the judge says met: bad 4
  people say not met, the judge says met: bad 5
  people say not met, the judge says met: bad 6
  people say not met, the judge says met: bad 7
  people say not met, the judge says met: bad 8
  people say not met, the judge says met: bad 9
  and 10 more
""")


def test_labels_of_one_kind_only_never_certify(project):
    labels(project, 60, 0)
    assert (
        json.loads(project.assay("judge", "calibrate", *judge(project), "--json").out)["word"]
        == "uncalibrated"
    )


def test_flips_over_repeats_are_told(project):
    labels(project, 1, 0)
    answers = [says(met)["say"] for met in (True, False, True)]
    rule = {"input": "good 0", "say": answers}
    done = project.assay("judge", "calibrate", *judge(project, rule), "--json", "-j", "1")
    assert json.loads(done.out)["flip_rate"] == pytest.approx(2 / 3)


def test_a_missing_verdict_means_that_nothing_is_said_or_recorded(project):
    labels(project, 2, 2)
    done = project.assay(
        "judge", "calibrate", *judge(project, {"input": "bad 1", "fail": "auth"}), "--record"
    )
    assert done.code == 3
    assert "3 of 12 verdicts are missing" in done.err
    assert not project.has("evals/judge.json")


def test_reports_carry_the_word_that_was_recorded(project):
    labels(project, 20, 20)
    model = judge(project)
    assert project.assay("judge", "calibrate", *model, "--record").code == 0
    project.task("r/G-001", "- good", grader="rubric")
    project.rules("{say: fine}")
    arguments = ["--judge-model", model[1], "--allow-weaker-judge"]
    assert "votes 1 · certified" in project.run(*arguments).out
    assert "votes 3 · uncalibrated" in project.run(*arguments, "--votes", "3").out


def test_a_newer_record_takes_the_place_of_the_older(project):
    labels(project, 20, 20)
    project.assay("judge", "calibrate", *judge(project), "--record")
    labels(project, 2, 2)
    project.assay("judge", "calibrate", *judge(project), "--record")
    document = json.loads(project.read("evals/judge.json"))
    assert [(row["word"], row["met"]) for row in document["judges"]] == [("uncalibrated", 2)]


def test_yaml_labels(project):
    path = project.write("labels.yml", "- {expectation: good, output: fine, met: true, note: n}\n")
    done = project.assay("judge", "calibrate", str(path), *judge(project), "--json")
    assert json.loads(done.out)["met"] == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ":1: no labels"),
        ('{"expectation": "x", "output": "y", "met": "yes"}\n', ":1: `met` is true or false"),
        (
            '{"expectation": "x", "output": "y", "met": true}\n\n{"output": "y", "met": true}\n',
            ":3: `expectation`",
        ),
        ('{"expectation": "x", "output": 1, "met": true, "why": 2}\n', ":1: unknown key 'why'"),
        ("[1]\n", ":1: a label is an object"),
        ("{\n", "not JSON"),
    ],
)
def test_labels_that_cannot_be_read_name_their_line(project, text, told):
    project.write("evals/judge-labels.jsonl", text)
    done = project.assay("judge", "calibrate", *judge(project))
    assert done.code == 2
    assert told in done.err


def test_what_is_not_named_is_asked_for(project):
    assert "there are no labels" in project.assay("judge", "calibrate", "--judge-model", "constant:x").err
    labels(project, 1, 1)
    assert "name the judge" in project.assay("judge", "calibrate").err
