"""Causal attention: all at once, from a cache, and PyTorch's flag that is aligned to the other corner."""

import pytest
import torch
from torch.nn.attention.bias import causal_lower_right

from attnviz.attention.kinds import Inputs, Settings, kind
from attnviz.attention.kinds.causal import (
    cached_attention,
    causal_attention,
    causal_pairs,
    largest_difference_upper_left,
)


def test_it_is_pytorchs(qkv, sdpa, close):
    close(causal_attention(*qkv), sdpa(*qkv, is_causal=True))


def test_from_a_cache_it_is_the_same(qkv, close):
    close(cached_attention(*qkv), causal_attention(*qkv))
    close(cached_attention(*qkv, temperature=0.7), causal_attention(*qkv, temperature=0.7))


def test_new_queries_after_a_cache_meet_in_the_lower_right_corner(qkv, sdpa, close):
    query, key, value = qkv
    newest = query[:, -3:]
    close(causal_attention(newest, key, value), causal_attention(query, key, value)[:, -3:])
    close(causal_attention(newest, key, value), sdpa(newest, key, value, attn_mask=causal_lower_right(3, 24)))


def test_the_flag_lets_one_query_after_a_cache_see_the_first_key_alone(qkv, sdpa, close):
    query, key, value = qkv
    newest = query[:, -1:]
    close(sdpa(newest, key, value, is_causal=True), value[:, :1])
    wrong = (sdpa(newest, key, value) - value[:, :1]).abs().max()
    assert largest_difference_upper_left(newest, key, value) == pytest.approx(wrong.item())
    assert wrong > 0.5


def test_a_thousand_positions_have_500_500_pairs():
    assert int(causal_pairs(1000, 1000).sum()) == 500_500


def test_the_cache_holds_the_keys_and_values_of_all_positions():
    found = kind("causal").run(Inputs.drawn(10, width=8), Settings(heads=2))
    assert found.state == 10 * (8 + 8)
    assert torch.equal(found.computed, found.live)
