"""Relative bias, ALiBi and rotary positions against PyTorch, FlexAttention and transformers."""

import math

import pytest
import torch
from torch.nn.attention.flex_attention import flex_attention
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

from attnviz.attention.kinds import Inputs, Settings, kind
from attnviz.attention.kinds.alibi import alibi_attention
from attnviz.attention.kinds.relative import bias_of_an_image, distances, relative_attention
from attnviz.attention.kinds.rotary import rotary_attention, rotate
from attnviz.attention.positions import alibi_slopes
from attnviz.base.errors import InputError


def test_distances_by_hand():
    assert distances(4, 2).tolist() == [[2, 1, 0, 0], [3, 2, 1, 0], [4, 3, 2, 1], [4, 4, 3, 2]]


def test_a_relative_bias_is_pytorchs_float_mask(qkv, sdpa, close):
    table = torch.randn(3, 7, dtype=torch.float64)
    bias = torch.stack([torch.stack([table[:, max(-3, min(3, i - j)) + 3] for j in range(24)]) for i in range(24)])
    close(relative_attention(*qkv, table), sdpa(*qkv, attn_mask=bias.permute(2, 0, 1)))


def test_a_relative_bias_by_flex_attention(qkv, close):
    table = torch.randn(3, 7, dtype=torch.float64)
    found = flex_attention(
        *(each[None] for each in qkv), score_mod=lambda score, b, h, i, j: score + table[h, (i - j).clamp(-3, 3) + 3]
    )[0]
    close(relative_attention(*qkv, table), found)


def test_in_an_image_a_distance_has_rows_and_columns():
    """3 × 4 cells; from cell 5 (row 1, column 1) to cell 11 (row 2, column 3): −1 row and −2 columns, cut to −1."""
    table = torch.arange(9.0).view(1, 3, 3)
    assert bias_of_an_image((3, 4), table)[0, 5, 11] == table[0, -1 + 1, -1 + 1]
    assert bias_of_an_image((3, 4), table)[0, 11, 5] == table[0, 1 + 1, 1 + 1]
    assert bias_of_an_image((3, 4), table)[0, 4, 5] == table[0, 0 + 1, -1 + 1]


def test_alibi_by_flex_attention(qkv, close):
    slope = alibi_slopes(3)
    found = flex_attention(
        *(each[None] for each in qkv), score_mod=lambda score, b, h, i, j: score - slope[h] * (i - j).abs()
    )[0]
    close(alibi_attention(*qkv, slope), found)


def test_causal_alibi_is_the_papers_bias_of_the_position(qkv, close):
    """m · j instead of −m · (i − j): they differ by m · i, which a softmax over j does not see."""
    query, key, value = qkv
    scores = query @ key.mT / math.sqrt(8) + alibi_slopes(3)[:, None, None] * torch.arange(24)
    scores = scores.masked_fill(~torch.ones(24, 24, dtype=torch.bool).tril(), -torch.inf)
    close(kind("alibi").run(Inputs(*qkv), Settings(heads=3, causal=True)).output, scores.softmax(-1) @ value)


def test_rotation_is_a_product_of_complex_numbers(qkv, close):
    """Su et al., section 3.2.1: pair p as a complex number times e^(i · position · 10000^(−2p/d))."""
    pairs = torch.view_as_complex(qkv[0].unflatten(-1, (4, 2)).contiguous())
    angles = torch.arange(24, dtype=torch.float64)[:, None] * 10000.0 ** (-2 * torch.arange(4, dtype=torch.float64) / 8)
    close(rotate(qkv[0]), torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2))


def test_rotation_is_llamas_but_for_the_order_of_the_numbers(qkv, close):
    query, key, _ = qkv
    halves = torch.tensor([0, 2, 4, 6, 1, 3, 5, 7])
    angles = torch.arange(24, dtype=torch.float64)[:, None] * 10000.0 ** (
        -torch.arange(0, 8, 2, dtype=torch.float64) / 8
    )
    cosine, sine = (torch.cat([f, f], -1)[None] for f in (angles.cos(), angles.sin()))
    theirs = apply_rotary_pos_emb(query[None][..., halves], key[None][..., halves], cosine, sine)
    for ours, their in zip((rotate(query), rotate(key)), theirs, strict=True):
        close(ours[..., halves], their[0])


def test_scores_after_rotation_depend_on_the_distance_alone(qkv, close):
    query, key, _ = qkv
    here, there = (rotate(query, start) @ rotate(key, start).mT for start in (0, 1000))
    torch.testing.assert_close(here, there, rtol=1e-9, atol=1e-9)


def test_rotary_attention_is_pytorchs_on_turned_queries_and_keys(qkv, sdpa, close):
    query, key, value = qkv
    close(rotary_attention(*qkv), sdpa(rotate(query), rotate(key), value))
    close(rotary_attention(*qkv, causal=True), sdpa(rotate(query), rotate(key), value, is_causal=True))


def test_an_odd_width_cannot_be_turned():
    with pytest.raises(InputError, match="it is 3"):
        kind("rotary").run(Inputs.drawn(4, width=6), Settings(heads=2))
