"""Sparse patterns against the sets in the papers, FlexAttention, and its block masks."""

import pytest
import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from attnviz.attention.kinds import Inputs, Settings, kind
from attnviz.attention.kinds.fixed import fixed_attention, fixed_pairs
from attnviz.attention.kinds.global_window_random import global_window_random_pairs
from attnviz.attention.kinds.masked import in_touched_blocks
from attnviz.attention.kinds.strided import strided_attention, strided_pairs


def _rows(pairs):
    return [row.nonzero().flatten().tolist() for row in pairs]


def test_strided_by_hand():
    """Child et al., section 4.2, l = 3: the last l positions and the own one, and every third before it."""
    assert _rows(strided_pairs(9, 3, causal=True))[:9] == [
        [0],
        [0, 1],
        [0, 1, 2],
        [0, 1, 2, 3],
        [1, 2, 3, 4],
        [2, 3, 4, 5],
        [0, 3, 4, 5, 6],
        [1, 4, 5, 6, 7],
        [2, 5, 6, 7, 8],
    ]


def test_fixed_by_hand():
    """l = 3, c = 1: the own block up to here, and the last position of every block before."""
    assert _rows(fixed_pairs(8, 3, causal=True)) == [
        [0],
        [0, 1],
        [0, 1, 2],
        [2, 3],
        [2, 3, 4],
        [2, 3, 4, 5],
        [2, 5, 6],
        [2, 5, 6, 7],
    ]


@pytest.mark.parametrize("pattern", [strided_pairs, fixed_pairs])
def test_what_looks_both_ways_is_causal_below_the_diagonal(pattern):
    both, back = pattern(20, 4), pattern(20, 4, causal=True)
    assert torch.equal(both.tril(), back)
    assert bool(both.triu(1).any())


@pytest.mark.parametrize("pattern", [strided_pairs, fixed_pairs])
def test_any_two_positions_meet_within_two_layers(pattern):
    """Child et al., section 4.2: information from any earlier position arrives after p + 1 = 2 steps or fewer."""
    back, both = pattern(36, 6, causal=True).float(), pattern(36, 6).float()
    assert torch.equal(back @ back > 0, torch.ones(36, 36, dtype=torch.bool).tril())
    assert (both @ both > 0).all()


def test_by_flex_attention(qkv, close):
    query, key, value = (each[None] for each in qkv)

    def strided(b, h, i, j):
        return (i >= j) & ((i - j <= 4) | ((i - j) % 4 == 0))

    def fixed(b, h, i, j):
        return (i >= j) & ((i // 4 == j // 4) | (j % 4 == 3))

    for rule, ours in ((strided, strided_attention), (fixed, fixed_attention)):
        mask = create_block_mask(rule, None, None, 24, 24, device="cpu")
        close(ours(*qkv, 4, causal=True), flex_attention(query, key, value, block_mask=mask)[0])


def test_global_window_and_random_positions():
    pairs = global_window_random_pairs(40, window=2, global_tokens=3, random_keys=4)
    assert pairs[:3].all()
    assert pairs[:, :3].all()
    # 3 global, 5 in the window, 4 random ones, which are none of those.
    assert pairs[5:-2].sum(1).unique().tolist() == [12]
    near = (torch.arange(40)[:, None] - torch.arange(40)).abs() <= 2
    assert pairs[near].all()


def test_there_are_no_more_random_keys_than_keys():
    assert global_window_random_pairs(6, window=1, global_tokens=1, random_keys=50).all()


def test_the_seed_draws_the_random_keys():
    first, again, other = (global_window_random_pairs(40, 1, 1, 3, seed) for seed in (4, 4, 5))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize("size", [16, 32, 128])
def test_the_computed_pairs_are_those_of_flex_attentions_blocks(size):
    live = global_window_random_pairs(256, window=5, global_tokens=2, random_keys=0)
    mask = create_block_mask(lambda b, h, i, j: live[i, j], None, None, 256, 256, device="cpu", BLOCK_SIZE=size)
    blocks = int(mask.kv_num_blocks.sum())
    if mask.full_kv_num_blocks is not None:
        blocks += int(mask.full_kv_num_blocks.sum())
    assert int(in_touched_blocks(live, size).sum()) == blocks * size**2


def test_a_block_wider_than_half_the_stride_saves_nothing():
    """2b − 1 differences i − j in a block: from b = 9 on, 17 of them hold a multiple of 16."""
    found = {block: kind("strided").run(Inputs.drawn(144), Settings(stride=16, block=block)) for block in (8, 9)}
    assert int(found[9].live.sum()) < 144 * 144
    assert found[9].computed.all()
    assert not found[8].computed.all()


def test_flex_attentions_own_blocks_hold_a_live_pair_of_every_stride_below_256():
    for stride, all_of_them in ((255, True), (256, False)):
        live = strided_pairs(1024, stride)
        assert bool(in_touched_blocks(live, 128).all()) == all_of_them
    for stride, all_of_them in ((128, True), (257, False)):
        assert bool(in_touched_blocks(fixed_pairs(1024, stride), 128).all()) == all_of_them


def test_a_block_that_does_not_divide_the_length_is_cut():
    live = torch.zeros(5, 5, dtype=torch.bool)
    live[4, 4] = True
    assert _rows(in_touched_blocks(live, 3)) == [[], [], [], [3, 4], [3, 4]]
