"""Fresh rounds that are watched: when they are futile, when they are settled, and what luck alone does."""

import random

import pytest

from assay.model import PREVIOUS, WITH, Record
from assay.verdict.sequential import CAP, Pairs, Watch, rounds_of, standing


def record(case, arm, repeat, score):
    outcome = "error" if score is None else "scored"
    weights = (0.0, 0.0) if score is None else (score, 1.0)
    return Record("r", f"{case}{arm}{repeat}", case, arm, repeat, outcome, *weights)


def rounds(*scores):
    """Trials of one case: (candidate, incumbent) a round."""
    return [
        record("a", arm, repeat, score)
        for repeat, pair in enumerate(scores, 1)
        for arm, score in zip((WITH, PREVIOUS), pair, strict=True)
    ]


def stops_after(scores, **settings):
    """The number of rounds after which the watch says stop, and where it stands then."""
    watch, records = Watch(1, **settings), rounds(*scores)
    for count in range(2, len(records) + 1, 2):
        if watch(records[:count]):
            break
    return watch.pairs.rounds, watch.standing


def test_an_edit_that_is_not_ahead_is_futile_at_the_first_look():
    assert stops_after([(1, 1)] * 10) == (3, "futile")
    assert stops_after([(1, 0)] + [(0, 1)] * 9) == (3, "futile")


def test_an_edit_that_is_barely_ahead_is_futile_at_the_second_look():
    assert stops_after([(1, 0), (1, 0), (0, 1)] * 4) == (6, "futile")


def test_without_an_e_value_nothing_settles_it_early():
    assert stops_after([(1, 0)] * 10) == (10, "open")


@pytest.mark.parametrize(("alpha", "after"), [(0.10, 5), (0.05, 7)])
def test_an_e_value_settles_it_as_the_reference_values_say(alpha, after):
    assert stops_after([(1, 0)] * 10, alpha=alpha) == (after, "improved")


def test_it_is_not_settled_before_there_are_enough_trials():
    assert stops_after([(1, 0)] * 10, alpha=0.10, least=9) == (9, "improved")


def test_a_fall_is_settled_too():
    assert standing(Pairs(2, 0, 7), 0.05) == "regressed"


def test_a_pair_with_a_trial_that_died_is_left_out_and_an_open_round_is_not_counted():
    records = rounds((1, 0), (None, 0), (1, 0))
    assert rounds_of(records, 1) == [(1, 0), (0, 0), (1, 0)]
    assert rounds_of(records[:-1], 1) == [(1, 0), (0, 0)]
    assert rounds_of(records[:3], 2) == []


def test_luck_alone_is_called_an_improvement_no_oftener_than_alpha():
    chance, alpha, settled = random.Random(7), 0.10, 0
    for _ in range(700):
        watch, records = Watch(1, alpha=alpha), []
        for repeat in range(1, 41):
            pair = [chance.random() < 0.6 for _ in range(2)]
            records += [
                record("a", arm, repeat, float(value))
                for arm, value in zip((WITH, PREVIOUS), pair, strict=True)
            ]
        for count in range(2, len(records) + 1, 2):
            if watch(records[:count]):
                break
        settled += watch.standing == "improved"
    assert settled / 700 <= alpha + 3 * (alpha * (1 - alpha) / 700) ** 0.5
    assert CAP == 10
