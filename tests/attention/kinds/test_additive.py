"""Additive attention against sums worked out by hand, pair by pair."""

import math

import pytest
import torch

from attnviz.attention.kinds import Inputs, Settings, kind
from attnviz.attention.kinds.additive import additive_attention, additive_weights, parameters
from attnviz.attention.kinds.fused import peak_of


def test_one_number_each_by_hand():
    """W = U = 1 and v = 2: scores 2·tanh(0) = 0 and 2·tanh(artanh ½) = 1, so weights 1/(1 + e) and e/(1 + e)."""
    one, numbers = torch.ones(1, 1), torch.tensor([[[0.0], [math.atanh(0.5)]]])
    weights = additive_weights(torch.zeros(1, 1, 1), numbers, one, one, torch.tensor([2.0]))
    assert weights.flatten().tolist() == pytest.approx([1 / (1 + math.e), math.e / (1 + math.e)])


def test_pair_by_pair(qkv, close):
    query, key, value = qkv
    w, u, v = parameters(8, 5, torch.float64)
    scores = torch.empty(3, 24, 24, dtype=torch.float64)
    for head in range(3):
        for i in range(24):
            for j in range(24):
                scores[head, i, j] = v @ torch.tanh(w.T @ query[head, i] + u.T @ key[head, j])
    close(additive_attention(query, key, value, w, u, v), scores.softmax(-1) @ value)
    close(additive_attention(query, key, value, w, u, v, temperature=3.0), (scores / 3).softmax(-1) @ value)


def test_a_broadcast_takes_two_numbers_for_each_pair_and_hidden_unit_at_once():
    """1 head, 200 × 300 pairs, 8 hidden units in float32: the sum and its tanh, 2 · 1.92 MB."""
    query, key = torch.randn(1, 200, 8), torch.randn(1, 300, 8)
    network = parameters(8, 0, torch.float32)
    peak = peak_of(lambda: additive_weights(query, key, *network), query.device)
    assert 2 <= peak / (200 * 300 * 8 * 4) < 2.2


def test_another_seed_is_another_network():
    inputs = Inputs.drawn()
    first, again, other = (kind("additive").run(inputs, Settings(seed=seed)).output for seed in (0, 0, 1))
    assert torch.equal(first, again)
    assert not torch.allclose(first, other)
