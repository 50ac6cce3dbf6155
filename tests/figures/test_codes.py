"""One byte a weight: fixed points, order, precision, and what is no weight."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz.attention import RowState
from attnviz.base.errors import InputError
from attnviz.figures.codes import RELATIVE_ERROR, code_colours, codes, decode

weights = st.floats(2.0**-24, 1.0)


def test_fixed_points():
    """252 steps from 2⁻²⁴ to 1: 251 intervals on 24 octaves, so 2⁻¹² lies at 4 + 125.5, rounded to even."""
    found = codes(np.array([[1.0, 2.0**-24, 0.0, np.nan, 1e-12, 2.0**-12]]))
    assert found.tolist() == [[255, 4, 3, 2, 4, 130]]
    assert found.dtype == np.uint8


def test_what_is_no_weight():
    values = torch.tensor([[0.5, 0.5, 0.0], [torch.nan] * 3, [torch.nan] * 3])
    allowed = torch.tensor([[True, True, False], [False] * 3, [True, True, False]])
    states = torch.tensor([RowState.NORMAL, RowState.MASKED, RowState.NAN])
    found = codes(values, allowed, states)
    assert found[0].tolist() == [245, 245, 0]  # 4 + 23 · 251/24 = 244.5, rounded to even is 244
    assert found[1].tolist() == [1, 1, 1]
    assert found[2].tolist() == [2, 2, 0]


@given(weights, weights)
def test_codes_keep_the_order(first, second):
    small, large = sorted([first, second])
    low, high = codes(np.array([[small, large]]))[0]
    assert 4 <= low <= high <= 255


@given(weights)
def test_decoding_errs_by_less_than_half_a_step(weight):
    decoded = decode(codes(np.array([[weight]])))[0, 0]
    assert abs(decoded - weight) <= weight * (RELATIVE_ERROR + 1e-9)
    assert RELATIVE_ERROR < 0.034


def test_what_is_no_weight_decodes_to_none():
    found = decode(np.array([0, 1, 2, 3], dtype=np.uint8))
    assert np.isnan(found[:3]).all()
    assert found[3] == 0


@pytest.mark.parametrize("wrong", [-0.25, 1.5])
def test_signed_and_large_weights_are_refused_not_clipped(wrong):
    with pytest.raises(InputError, match="0 to 1"):
        codes(np.array([[wrong, 0.5]]))


def test_rounding_above_one_is_no_error():
    assert codes(np.array([[np.float32(1.0000001)]]))[0, 0] == 255


def test_every_code_has_a_colour_and_states_have_their_own():
    table = code_colours()
    assert table.shape == (256, 4)
    assert len({tuple(colour) for colour in table[:4].tolist()}) == 4
    assert not {tuple(colour) for colour in table[:4].tolist()} & {tuple(colour) for colour in table[4:].tolist()}
    # Viridis begins in violet and ends in yellow.
    assert table[4].tolist() == [68, 1, 84, 255]
    assert table[255].tolist() == [253, 231, 37, 255]
