"""Numbers are never rounded to nothing."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.figures.numerals import brief_text, numbers_text, signed_text, weight_text


@pytest.mark.parametrize(
    ("weight", "written"),
    [
        (1.0, "1.000"),
        (0.327090, "0.327"),
        (0.0995, "0.100"),
        (0.009532, "0.0095"),
        (0.01, "0.010"),
        (0.00034, "0.00034"),
        (3.4e-7, "3.4·10⁻⁷"),
        (0.0, "0"),
        (-0.0095, "−0.0095"),
        (math.nan, "NaN"),
    ],
)
def test_weights(weight, written):
    assert weight_text(weight) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (4.0, "4.000"),
        (-0.707107, "−0.707"),
        (12.345, "12.35"),
        (-512.25, "−512.2"),
        (1.5e6, "1.50·10⁶"),
        (-0.00021, "−0.00021"),
        (0.0, "0"),
        (-math.inf, "−∞"),
        (math.nan, "NaN"),
    ],
)
def test_scores(value, written):
    assert signed_text(value) == written


@given(st.floats(1e-30, 1))
def test_a_weight_above_zero_never_looks_like_zero(weight):
    assert any(digit in weight_text(weight) for digit in "123456789")


def test_with_two_decimals_small_scores_are_rounded():
    assert signed_text(-0.00021, 2) == "0.00"
    assert signed_text(1.2345, 2) == "1.23"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.327090, "0.33"),
        (0.996, "1.0"),
        (0.0095, "0.0095"),
        (2.449, "2.4"),
        (9.96, "10"),
        (-12.4, "−12"),
        (3.4e-7, "3.4·10⁻⁷"),
        (0.0, "0"),
        (math.nan, "NaN"),
    ],
)
def test_two_digits_where_there_is_no_room(value, written):
    assert brief_text(value) == written


def test_the_numbers_of_a_vector_are_written_as_they_were_typed():
    assert numbers_text((1.0, -2.0, 0.25, -0.0)) == "1, −2, 0.25, 0"
