import pytest
from inline_snapshot import snapshot

from assay.errors import SuiteError
from assay.schemas.golden_baseline import Thresholds
from assay.suites.thresholds import load_thresholds


def write(tmp_path, text):
    (tmp_path / "thresholds.yml").write_text(text, "utf-8")
    return tmp_path


def test_defaults_without_a_file_and_with_an_empty_one(tmp_path):
    assert load_thresholds(tmp_path) == Thresholds(0.8, 0.7, False)
    assert load_thresholds(write(tmp_path, "# nothing\n")) == Thresholds()


def test_a_suite_inherits_what_it_does_not_say(tmp_path):
    text = "pass_rate: 0.9\nallow_regressions: true\nper_suite:\n  prose: {task_pass: 0.5}\n"
    thresholds = load_thresholds(write(tmp_path, text), ("prose", "commits"))
    assert thresholds.of("commits") == thresholds
    assert thresholds.of("prose") == Thresholds(0.9, 0.5, True)


def test_all_problems_at_once(tmp_path):
    text = """pass_rate: 80
task_pass: yes
task_pas: 1
allow_regressions: no
per_suite:
  comits: {pass_rate: 1}
  prose:
    pass_rate: .nan
    x: 1
"""
    with pytest.raises(SuiteError) as caught:
        load_thresholds(write(tmp_path, text), ("prose", "commits"))
    shown = [str(problem).partition("/")[2] for problem in caught.value.problems]
    assert shown == snapshot(
        [
            "thresholds.yml:1: 'pass_rate' is a number from 0 to 1, not 80",
            "thresholds.yml:2: 'task_pass' is a number from 0 to 1, not 'yes'",
            "thresholds.yml:3: unknown key 'task_pas'; did you mean 'task_pass'? The keys are pass_rate, task_pass, allow_regressions, per_suite",
            "thresholds.yml:4: 'allow_regressions' is true or false, not 'no'",
            "thresholds.yml:6: no suite is called 'comits'; did you mean 'commits'?",
            "thresholds.yml:8: 'pass_rate' is a number from 0 to 1, not nan",
            "thresholds.yml:9: unknown key 'x'. The keys are pass_rate, task_pass, allow_regressions, per_suite",
        ]
    )


@pytest.mark.parametrize(
    "text",
    ["- a\n", "pass_rate: [\n", "per_suite: x\n", "per_suite: {a: 1}\n", "task_pass: 1\ntask_pass: 0\n"],
)
def test_what_is_no_thresholds_file_is_refused(tmp_path, text):
    with pytest.raises(SuiteError):
        load_thresholds(write(tmp_path, text))
