"""Self- and cross-attention against PyTorch, and against numbers that were worked out elsewhere."""

import math

import pytest
import torch

from attnviz.attention.kinds import Inputs, Memory, Settings, kind
from attnviz.attention.kinds.full import full_attention

ONE_HEAD = Settings(heads=1)


def test_it_is_pytorchs(qkv, sdpa, close):
    close(full_attention(*qkv), sdpa(*qkv))


def test_a_temperature_divides_the_scores(qkv, sdpa, close):
    close(full_attention(*qkv, temperature=2.5), sdpa(*qkv, scale=1 / (2.5 * math.sqrt(8))))


def test_the_weights_of_seed_zero():
    torch.manual_seed(0)
    query, key, value = (torch.randn(1, 4, 8) for _ in range(3))
    attention = kind("self").run(Inputs(query, key, value), ONE_HEAD).attention
    expected = [
        [0.121079, 0.740962, 0.105953, 0.032006],
        [0.257707, 0.265083, 0.170507, 0.306703],
        [0.336031, 0.017149, 0.186941, 0.459879],
        [0.203221, 0.623467, 0.102497, 0.070815],
    ]
    torch.testing.assert_close(attention.weights(0), torch.tensor(expected), rtol=0, atol=1e-6)
    scores = torch.tensor([-0.005167, 1.806338, -0.138616, -1.335688])
    torch.testing.assert_close(attention.logits(0)[0], scores, rtol=0, atol=1e-6)
    bits = -(attention.weights(0) * attention.weights(0).log2()).sum(-1)
    torch.testing.assert_close(bits, torch.tensor([1.1913, 1.9700, 1.5969, 1.4995]), rtol=0, atol=5e-5)


def _intersection():
    """An ego car, and an oncoming car, a pedestrian and a parked car: dot products 4, 5 and −1."""
    query = torch.tensor([[[1.0, 2.0]]], dtype=torch.float64)
    key = torch.tensor([[[2.0, 1.0], [1.0, 2.0], [-1.0, 0.0]]], dtype=torch.float64)
    value = torch.tensor([[[0.6], [0.9], [0.1]]], dtype=torch.float64)
    return query, key, value


def test_the_intersection():
    query, key, value = _intersection()
    assert (query @ key.mT).flatten().tolist() == [4, 5, -1]
    # Its queries are another sequence than its keys, so it is a cross-attention.
    found = kind("cross").run(Inputs(query, key, value, other=Memory(key, value)), ONE_HEAD)
    assert found.attention.logits(0)[0].tolist() == pytest.approx([2.828427, 3.535534, -0.707107], abs=1e-6)
    assert found.attention.weights(0)[0].tolist() == pytest.approx([0.327090, 0.663377, 0.009532], abs=1e-6)
    assert found.output.item() == pytest.approx(0.794247, abs=1e-6)


def test_the_intersection_without_the_division():
    """A temperature of 1/√2 undoes the division by √2."""
    query, key, value = _intersection()
    settings = Settings(heads=1, temperature=1 / math.sqrt(2))
    found = kind("cross").run(Inputs(query, key, value, other=Memory(key, value)), settings)
    assert found.attention.weights(0)[0].tolist() == pytest.approx([0.268455, 0.729736, 0.001809], abs=1e-6)
    assert found.output.item() == pytest.approx(0.818016, abs=1e-6)


def test_several_heads_are_those_of_multihead_attention(close):
    """`nn.MultiheadAttention` with its own projections, 4 heads of 4."""
    torch.manual_seed(1)
    module = torch.nn.MultiheadAttention(16, 4, batch_first=True, dtype=torch.float64)
    tokens = torch.randn(1, 10, 16, dtype=torch.float64)
    expected, weights = module(tokens, tokens, tokens, average_attn_weights=False)
    projected = (tokens[0] @ module.in_proj_weight.mT + module.in_proj_bias).chunk(3, -1)
    inputs = Inputs(*(each[None] for each in projected))
    found = kind("self").run(inputs, Settings(heads=4))
    close(module.out_proj(found.output.transpose(0, 1).flatten(1)), expected[0])
    torch.testing.assert_close(found.attention.weights(None), weights[0].float())


def test_across_sequences_of_different_length(qkv, sdpa, close):
    query, key, value = qkv
    memory = Memory(key[:, :5], value[:, :5])
    found = kind("cross").run(Inputs(query, key, value, other=memory), Settings(heads=3))
    close(found.output, sdpa(query, memory.key, memory.value))
    assert found.live.shape == (24, 5)
    assert found.attention.role == "cross"
    assert found.state == 3 * 5 * (8 + 8)


def test_a_row_without_a_key_is_nan_written_out_and_zero_in_pytorch(qkv, sdpa):
    from attnviz.attention.kinds.masked import masked_attention

    live = torch.ones(24, 24, dtype=torch.bool)
    live[3] = False
    assert masked_attention(*qkv, live)[:, 3].isnan().all()
    assert (sdpa(*qkv, attn_mask=live)[:, 3] == 0).all()
