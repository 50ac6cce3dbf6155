"""The sliding window: its pairs, its convention, by blocks, from a cache that forgets, and FlexAttention's."""

import pytest
import torch
import torch.nn.functional as F
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from attnviz.attention import Window
from attnviz.attention.kinds import Inputs, Settings, kind
from attnviz.attention.kinds.causal import causal_attention
from attnviz.attention.kinds.full import full_attention
from attnviz.attention.kinds.masked import masked_attention
from attnviz.attention.kinds.window import (
    cached_window_attention,
    live_pairs,
    neighbourhood_attention,
    neighbourhood_pairs,
    pairs_by_blocks,
    window_attention,
    window_attention_by_blocks,
    window_pairs,
)


def test_the_pairs_of_400_positions_and_a_window_of_8():
    assert int(window_pairs(400, 8).sum()) == live_pairs(400, 8) == 6_728
    assert int(window_pairs(400, 8, causal=True).sum()) == live_pairs(400, 8, causal=True) == 3_564


@pytest.mark.parametrize("window", [0, 1, 5, 9, 10, 30])
@pytest.mark.parametrize("causal", [False, True])
def test_the_number_of_pairs_in_closed_form_is_what_is_counted(window, causal):
    assert live_pairs(10, window, causal) == int(window_pairs(10, window, causal).sum())


def test_it_counts_positions_on_each_side():
    assert window_pairs(5, 1).int().tolist() == [
        [1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [0, 1, 1, 1, 0],
        [0, 0, 1, 1, 1],
        [0, 0, 0, 1, 1],
    ]


@pytest.mark.parametrize("window", [0, 1, 3, 5, 23, 40])
@pytest.mark.parametrize("causal", [False, True])
def test_by_blocks_it_is_the_mask(qkv, close, window, causal):
    by_mask = window_attention(*qkv, window, causal)
    close(window_attention_by_blocks(*qkv, window, causal), by_mask)
    shorter = tuple(each[:, :17] for each in qkv)
    close(window_attention_by_blocks(*shorter, window, causal), window_attention(*shorter, window, causal))


@pytest.mark.parametrize(("causal", "blocks"), [(False, 3), (True, 2)])
def test_by_blocks_it_computes_three_blocks_or_two_whatever_the_length(causal, blocks):
    """A row within has `blocks` · w scores; the live ones are fewer."""
    computed, live = pairs_by_blocks(400, 8, causal), window_pairs(400, 8, causal)
    assert computed.sum(1)[8:-8].unique().tolist() == [blocks * 8]
    assert not (live & ~computed).any()


def test_by_flex_attention(qkv, close):
    block_mask = create_block_mask(lambda b, h, i, j: (i - j).abs() <= 4, None, None, 24, 24, device="cpu")
    expected = flex_attention(*(each[None] for each in qkv), block_mask=block_mask)[0]
    close(window_attention(*qkv, 4), expected)


@pytest.mark.parametrize("window", [0, 3, 50])
def test_a_causal_window_needs_a_cache_of_w_plus_1_keys(qkv, close, window):
    found, largest = cached_window_attention(*qkv, window)
    close(found, window_attention(*qkv, window, causal=True))
    assert largest == min(window + 1, 24)
    state = kind("window").run(Inputs(*qkv), Settings(heads=3, window=window, causal=True)).state
    assert state == 3 * largest * (8 + 8)


def test_mistrals_window_of_4_keys_is_3_positions_back():
    found = kind("window").run(Inputs.drawn(12), Settings(window=3, causal=True)).attention.mask
    rows = cols = torch.arange(12)
    assert torch.equal(found.allowed(0, rows, cols), Window(4 - 1, 0).allowed(0, rows, cols))


def test_a_window_as_wide_as_the_sequence_is_full_attention(qkv, close):
    close(window_attention(*qkv, 23), full_attention(*qkv))
    close(window_attention(*qkv, 23, causal=True), causal_attention(*qkv))


def test_in_an_image_it_reaches_over_rows_and_columns():
    """3 × 3 neighbours, fewer at the edge: as many as a 3 × 3 filter of ones finds in 5 × 6 ones."""
    counted = F.conv2d(torch.ones(1, 1, 5, 6), torch.ones(1, 1, 3, 3), padding=1).flatten()
    assert neighbourhood_pairs((5, 6), 1).sum(1).tolist() == counted.int().tolist()


@pytest.mark.parametrize("window", [0, 1, 2, 6])
def test_in_an_image_gathered_cells_are_the_mask(qkv, close, window):
    expected = masked_attention(*qkv, neighbourhood_pairs((4, 6), window))
    close(neighbourhood_attention(*qkv, (4, 6), window), expected)


def test_a_query_in_an_image_looks_no_further_than_its_state():
    """9 × 7 cells, w = 2: from 2 rows and 2 columns before to 2 rows and 2 columns after, 2·(2·7 + 2) + 1 = 33 cells."""
    found = kind("window").run(Inputs.drawn(63, grid=(9, 7)), Settings(window=2))
    seen = found.live[4 * 7 + 3].nonzero().flatten()
    assert len(seen) == 25
    assert int(seen[-1] - seen[0]) + 1 == 33
    assert found.state == 33 * (16 + 16)
