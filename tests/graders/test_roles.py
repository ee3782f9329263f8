"""With-only graders, and how grades add up."""

from __future__ import annotations

from assay.graders.roles import fault_of, is_trigger, roles, weights
from assay.model import Case, Fault, Grade, GraderSpec, Location, exact


def case(*specs):
    graders = tuple(GraderSpec(f"g{i}", kind, config=config) for i, (kind, config) in enumerate(specs))
    return Case("c", "c", "hi", graders, Location("c/prompt.md"))


TEXT = ("regex", {"pattern": "x"})
FIRES = ("tool_used", {"tool": "Skill"})
QUIET = ("tool_used", {"tool": "Skill", "min": 0, "max": 0, "arm": "both"})
WITH_ONLY = ("regex", {"pattern": "x", "arm": "with-only"})
BOTH = ["with", "without"]


def test_with_only_graders_are_indicators_on_one_arm_and_off_on_the_other():
    mixed = case(TEXT, FIRES, QUIET, WITH_ONLY)
    assert roles(mixed, BOTH, "with") == ("scored", "indicator", "scored", "indicator")
    assert roles(mixed, BOTH, "without") == ("scored", "off", "scored", "off")


def test_a_case_of_nothing_but_with_only_graders_is_scored_on_both_arms():
    assert roles(case(FIRES, WITH_ONLY), BOTH, "without") == ("scored", "scored")


def test_one_arm_scores_everything():
    assert roles(case(TEXT, FIRES), ["with"], "with") == ("scored", "scored")


def test_quiet_graders_ask_for_the_trigger_too():
    assert [is_trigger(spec) for spec in case(TEXT, FIRES, QUIET).graders] == [False, True, True]


def test_weights_add_up_as_they_were_written():
    grades = [Grade("a", "regex", True, 0.1), Grade("b", "regex", True, 0.2), Grade("c", "regex", False, 0.3)]
    assert weights(grades) == (0.3, 0.6)
    assert exact(weights(grades)[0]) / exact(weights(grades)[1]) == exact(0.5)


def test_what_is_not_scored_does_not_count():
    fault = Fault("grader", "slow")
    aside = Grade("a", "regex", None, fault=fault, scored=False)
    grades = [aside, Grade("b", "regex", True, 2)]
    assert weights(grades) == (2, 2)
    assert fault_of(grades) is None
    assert fault_of([Grade("b", "regex", None, fault=fault)]) is fault
