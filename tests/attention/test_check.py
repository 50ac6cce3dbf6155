"""Weights × v against the model's own output."""

import torch

from attnviz.attention import Check


def check(expected, output, **options):
    known = {"largest_value": 1.0, "largest_score": 1.0, "dtype": torch.float32}
    return Check.of(torch.tensor(expected), torch.tensor(output), **(known | options))


def test_the_difference_is_the_greatest_one():
    found = check([[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.25], [3.5, 4.0]])
    assert found.difference == 0.5
    assert not found.agrees


def test_rounding_is_allowed_and_grows_with_scores_and_values():
    # One rounding of float32 is 1.2e-7; 36 of them are 4.3e-6.
    assert check([1.0], [1.0 + 4e-6]).agrees
    assert not check([1.0], [1.0 + 5e-6]).agrees
    assert check([1.0], [1.0 + 5e-6], largest_score=10.0).agrees
    assert check([1.0], [1.0 + 5e-6], largest_value=2.0).agrees
    # bfloat16 has 8 bits: a rounding of 0.0078; two and a half of them are 0.0195.
    assert check([1.0], [1.0156], dtype=torch.bfloat16).agrees
    assert not check([1.0], [1.03], dtype=torch.bfloat16).agrees


def test_rows_without_weights_are_left_out():
    found = check([[torch.nan, 1.0]], [[0.0, 1.0]])
    assert found.difference == 0
    assert found.agrees


def test_infinity_is_a_number_that_a_file_can_hold():
    assert check([torch.inf], [torch.inf]).agrees
    found = check([1.0], [torch.inf])
    assert not found.agrees
    assert found.difference < torch.inf
