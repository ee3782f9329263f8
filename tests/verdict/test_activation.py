"""Recall, specificity and effect apart; a signal that never changes is suspect."""

from pathlib import Path

from assay.model import WITH, WITHOUT, Activation, Case, GraderSpec, Location, Record
from assay.verdict.activation import activation_figures, should_fire


def case(name, **config):
    graders = (
        (GraderSpec("t", "tool_used", config={"tool": "Skill", **config}),)
        if config or name == "fires"
        else ()
    )
    return Case(name, name, "x", graders, Location(name), Path())


FIRES, QUIET, OTHER = case("fires"), case("quiet", min=0, max=0), case("other")


def record(name, arm, passed, fired=None, **more):
    seen = None if fired is None else Activation(int(fired), fired, False)
    return Record("r", "k", name, arm, 1, "scored", passed, 1, activation=seen, **more)


def figures(*records):
    return activation_figures((FIRES, QUIET, OTHER), records)


def test_what_a_case_expects_is_told_by_its_graders():
    assert [should_fire(one) for one in (FIRES, QUIET, OTHER)] == [True, False, None]


def test_recall_and_specificity_are_apart():
    told = figures(
        record("fires", WITH, 1, True),
        record("fires", WITH, 0, False),
        record("quiet", WITH, 1, False),
        record("quiet", WITH, 1, False),
        record("quiet", WITH, 1, False),
        record("quiet", WITH, 0, True),
    )
    assert (told.recall, told.specificity) == (0.5, 0.75)
    assert [(one.case, one.trials, one.fired) for one in told.cases] == [
        ("fires", 2, 1),
        ("quiet", 4, 1),
        ("other", 0, 0),
    ]
    assert told.warning is None


def test_the_effect_counts_only_trials_in_which_it_fired():
    told = figures(
        record("fires", WITH, 1, True),
        record("fires", WITH, 0, False),
        record("fires", WITHOUT, 0),
        record("fires", WITHOUT, 1),
        record("quiet", WITH, 0, True),
        record("quiet", WITHOUT, 1),
    )
    assert told.effect_given_activation == 0.5


def test_an_instrument_that_never_sees_anything_is_suspect():
    told = figures(record("fires", WITH, 0, False), record("quiet", WITH, 1, False))
    assert (told.recall, told.specificity) == (0, 1)
    assert "none of 2 trials" in told.warning
    assert "assay doctor" in told.warning


def test_one_that_always_does_is_suspect_too():
    told = figures(record("fires", WITH, 1, True), record("quiet", WITH, 0, True))
    assert "all of 2 trials" in told.warning


def test_nothing_known_is_no_figure():
    assert figures(record("fires", WITH, 1), record("fires", WITHOUT, 0)) is None


def test_unknown_shares_are_none():
    told = figures(record("other", WITH, 1, True))
    assert (told.recall, told.specificity, told.effect_given_activation) == (None, None, None)


def test_the_document_is_plain():
    document = figures(record("fires", WITH, 1, True)).to_document()
    assert document["cases"][0] == {
        "case": "fires",
        "should_fire": True,
        "trials": 1,
        "fired": 1,
        "fired_first": 1,
        "by_sub_agent": 0,
    }
