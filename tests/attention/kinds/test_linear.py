"""Linear attention in its three forms, and the weights that it never computes."""

import math

import pytest
import torch

from attnviz.attention.kinds import Inputs, Settings, kind
from attnviz.attention.kinds.linear import (
    features,
    linear_attention,
    pairwise_linear_attention,
    recurrent_linear_attention,
)


def test_the_features_by_hand():
    """elu(x) + 1 is x + 1 above 0 and eˣ below."""
    assert features(torch.tensor([[[2.0, 0.0, math.log(0.25)]]])).flatten().tolist() == pytest.approx([3, 1, 0.25])


def test_by_hand():
    """φ(q) = 2, φ(k) = 1 and 3: weights 2/8 and 6/8 of the values 4 and 8."""
    query, key = torch.tensor([[[1.0]]]), torch.tensor([[[0.0], [2.0]]])
    found = kind("linear").run(Inputs(query, key, torch.tensor([[[4.0], [8.0]]])), Settings(heads=1))
    assert found.output.item() == pytest.approx(7)
    assert found.attention.weights(0)[0].tolist() == pytest.approx([0.25, 0.75])
    assert found.state == 1 * 1 + 1


def test_either_bracket_gives_the_same(qkv, close):
    close(linear_attention(*qkv), pairwise_linear_attention(*qkv))


def test_one_by_one_it_is_the_same(qkv, close):
    close(recurrent_linear_attention(*qkv), pairwise_linear_attention(*qkv, causal=True))


@pytest.mark.parametrize("causal", [False, True])
def test_implicit_weights_are_above_zero_and_sum_to_1(qkv, causal):
    found = kind("linear").run(Inputs(*qkv), Settings(heads=3, causal=causal))
    weights = found.attention.weights(None)
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, 24))
    assert torch.equal(weights > 0, found.live.expand(3, -1, -1))
    torch.testing.assert_close(weights @ found.attention.value[0].float(), found.output.float())
    assert int(found.computed.sum()) == 0


def test_they_are_flatter_than_a_softmax_on_the_same_numbers(qkv):
    linear, softmax = (
        kind(id).run(Inputs(*qkv), Settings(heads=3)).attention.weights(None) for id in ("linear", "self")
    )
    assert linear.max() < softmax.max() / 3


def test_the_state_does_not_grow_with_the_length():
    """d²/h + d numbers: 4 heads of 8, 4 · (64 + 8)."""
    states = {kind("linear").run(Inputs.drawn(n, width=32), Settings(heads=4)).state for n in (8, 64)}
    assert states == {288}
