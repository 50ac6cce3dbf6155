"""What a key does to the output, against numbers worked out by hand and against attention run again without it."""

import pytest
import torch
import torch.nn.functional as F

from attnviz.attention.effects import output_if, outputs_without, weights_without
from attnviz.base.errors import InputError

# Dot products 4, 5, −1 over √2.
SCORES = torch.tensor([4.0, 5.0, -1.0]) / 2**0.5
WEIGHTS = torch.tensor([0.327090, 0.663377, 0.009532])
VALUES = torch.tensor([[0.6], [0.9], [0.1]])


def test_the_intersection_without_each_road_user():
    """(0.663377·0.9 + 0.009532·0.1) / 0.672909, and so on, worked out with a pocket calculator."""
    found = outputs_without(SCORES, VALUES)[:, 0]
    assert found.tolist() == pytest.approx([0.888667, 0.585842, 0.800928], abs=2e-6)
    assert weights_without(SCORES)[2].tolist() == pytest.approx([0.330238, 0.669762, 0], abs=1e-6)


def test_without_a_key_is_attention_that_was_never_given_it():
    draw = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(2, 5, 4, generator=draw, dtype=torch.float64) for _part in range(3))
    found = outputs_without(query @ key.mT / 2, value[:, None].expand(-1, 5, -1, -1))
    for gone in range(5):
        left = [position for position in range(5) if position != gone]
        expected = F.scaled_dot_product_attention(query, key[:, left], value[:, left])
        torch.testing.assert_close(found[:, :, gone], expected)


@pytest.mark.parametrize("score", [20.0, 103.2, 104.5, 1000.0])
def test_the_others_are_right_however_small_they_were(score):
    """Scores 0 and 0.8 alone: e^0.8 / (1 + e^0.8) = 0.689974 of the value 1, whatever the first one drowned."""
    found = outputs_without(torch.tensor([score, 0.0, 0.8]), torch.tensor([[0.5], [0.0], [1.0]]))
    assert found[0, 0].item() == pytest.approx(0.689974, abs=1e-6)


def test_a_masked_key_stays_masked():
    found = weights_without(torch.tensor([0.0, -torch.inf, 0.0]))
    assert found[0].tolist() == [0, 0, 1]


def test_without_the_only_key_there_is_no_output():
    assert torch.isnan(outputs_without(torch.tensor([1.0]), torch.tensor([[0.5]]))).all()


def test_another_value_for_the_parked_car():
    assert output_if(WEIGHTS, VALUES, 2, torch.tensor([1.0])).item() == pytest.approx(0.802826, abs=2e-6)
    assert output_if(WEIGHTS, VALUES, 2, torch.tensor([0.1])).item() == pytest.approx(0.794247, abs=2e-6)


@pytest.mark.parametrize("position", [-1, 3])
def test_a_key_that_is_not_there_is_named(position):
    with pytest.raises(InputError, match=f"no key at position {position}; there are 3"):
        output_if(WEIGHTS, VALUES, position, torch.tensor([1.0]))
