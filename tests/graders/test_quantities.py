from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.graders.quantities import NotAQuantity, quantities, read_wanted


def found(wanted: str, text: str) -> bool:
    return any(read_wanted(wanted).holds(quantity) for quantity in quantities(text))


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("3.5", "It weighs 3.50 in all."),
        ("1200", "about 1,200 of them"),
        ("1 km", "the path is 1000 m long"),
        ("1000 m", "the path is 1 kilometre long"),
        ("12.5 kg", "12500 g"),
        ("90 min", "1.5 hours"),
        ("$12.50", "It costs USD 12.5 or 12.5 USD"),
        ("12.5 USD", "It costs $12.50."),
        ("-3", "minus: −3"),
        ("1e3", "1000"),
        ("3 ± 0.1", "3.05"),
        ("100 kg ± 5%", "96 kg"),
        ("between 3 and 5 km", "4200 m"),
        ("3 apples", "there are 3 apples"),
        ("3 apple", "there are 3 apples"),
        ("5 %", "a share of 5 percent"),
        ("5", "between 3-5 of them"),
        ("42", "(42)"),
    ],
)
def test_a_quantity_is_found(wanted, text):
    assert found(wanted, text)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("3.5", "3.51"),
        ("1 km", "1 kg"),
        ("1 km", "1"),
        ("42", "G-042"),
        ("42", "142"),
        ("42", "42.5"),
        ("1.2", "version 1.2.3"),
        ("5 MB", "5 mB"),
        ("100 kg ± 5%", "94 kg"),
        ("3", "none at all"),
    ],
)
def test_a_quantity_is_not_found(wanted, text):
    assert not found(wanted, text)


@pytest.mark.parametrize("text", ["", "kg", "between 3", "3 ± 1 kg and 5", "3 kg ± 2 s", "1,2,3 x y", "--3"])
def test_what_is_no_quantity_is_refused(text):
    with pytest.raises(NotAQuantity):
        read_wanted(text)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9))
def test_a_number_finds_itself_however_it_is_written(number):
    text = f"{number:,f}"
    assert [quantity.value for quantity in quantities(f"is {text} so")] == [Fraction(number)]
    assert found(f"{number:f}", f"is {text}")


@given(st.text(max_size=80))
def test_no_text_breaks_the_search(text):
    assert all(isinstance(quantity.value, Fraction) for quantity in quantities(text))


def test_a_megabyte_of_digits_is_not_a_number():
    assert list(quantities("7" * 1_000_000)) == []
