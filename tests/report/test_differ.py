"""Where two texts differ."""

import time

from hypothesis import given
from hypothesis import strategies as st

from assay.report.differ import Piece, difference

TEXTS = st.text(alphabet="ab \n\t.é", max_size=60)


def own(pieces):
    return [piece.text for piece in pieces if piece.is_own]


def test_only_the_words_that_differ_are_marked():
    found = difference("Fix the parser", "Fix a parser")
    assert found.one == (Piece("Fix ", False), Piece("the", True), Piece(" ", False), Piece("parser", False))
    assert own(found.other) == ["a"]


def test_white_space_is_no_difference():
    assert difference("one two", "one\ntwo").is_same


@given(TEXTS, TEXTS)
def test_the_pieces_of_each_side_make_up_that_side(one, other):
    found = difference(one, other)
    assert "".join(piece.text for piece in found.one) == one
    assert "".join(piece.text for piece in found.other) == other


@given(TEXTS)
def test_a_text_is_the_same_as_itself(text):
    assert difference(text, text).is_same


def test_long_texts_are_compared_by_line_and_longer_ones_not_at_all():
    lines = "some words in a line\n" * 2000
    found = difference(lines + "mine\n", lines)
    assert found.unit == "lines"
    assert own(found.one) == ["mine"]
    assert difference("x\n" * 6000, "y\n" * 6000).unit is None


def test_two_unlike_texts_of_full_length_take_no_time_to_speak_of():
    one, other = ("".join(f"{letter}{number % 700} " for number in range(3000)) for letter in "ab")
    started = time.process_time()
    difference(one, other)
    assert time.process_time() - started < 2
