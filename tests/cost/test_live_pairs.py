import pytest
import torch

from attnviz.attention.kinds.block import block_pairs
from attnviz.attention.kinds.causal import causal_pairs
from attnviz.attention.kinds.fixed import fixed_pairs
from attnviz.attention.kinds.global_window_random import global_window_random_pairs
from attnviz.attention.kinds.strided import strided_pairs
from attnviz.attention.kinds.window import neighbourhood_pairs, window_pairs
from attnviz.cost import live_pairs

LENGTHS = (1, 2, 7, 16, 31)
BOTH = (False, True)


def test_the_windows_of_the_lessons():
    assert live_pairs.window(400, 8) == 6_728
    assert live_pairs.window(400, 8, is_causal=True) == 3_564
    assert live_pairs.causal(1_000, 1_000) == 500_500


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("causal", BOTH)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 40])
def test_what_is_counted_is_what_the_masks_let_through(n, causal, size):
    assert live_pairs.window(n, size, is_causal=causal) == window_pairs(n, size, causal).sum()
    assert live_pairs.strided(n, size, is_causal=causal) == strided_pairs(n, size, causal).sum()
    assert live_pairs.fixed(n, size, is_causal=causal) == fixed_pairs(n, size, causal).sum()
    looking = block_pairs(n, size).tril() if causal else block_pairs(n, size)
    assert live_pairs.blocks(n, size, is_causal=causal) == looking.sum()


@pytest.mark.parametrize(("queries", "keys"), [(1, 9), (4, 9), (9, 9)])
def test_causal_rows_end_at_the_last_key(queries, keys):
    assert live_pairs.causal(queries, keys) == causal_pairs(queries, keys).sum()


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize(("seen", "reach", "drawn"), [(0, 0, 1), (1, 2, 1), (3, 1, 4), (2, 9, 3), (40, 1, 1)])
def test_global_window_and_random_keys(n, seen, reach, drawn):
    expected = global_window_random_pairs(n, reach, seen, min(drawn, n)).sum()
    assert live_pairs.global_window_random(n, seen, reach, drawn) == expected


@pytest.mark.parametrize("grid", [(1, 1), (3, 7), (6, 5)])
@pytest.mark.parametrize("reach", [1, 2, 9])
@pytest.mark.parametrize("causal", BOTH)
@pytest.mark.parametrize("extra", [0, 2])
def test_neighbourhoods_and_tiles_of_an_image_with_extra_tokens(grid, reach, causal, extra):
    for count, mask in (
        (live_pairs.neighbourhood, neighbourhood_pairs(grid, reach)),
        (live_pairs.tiles, block_pairs(grid[0] * grid[1], reach, grid)),
    ):
        size = len(mask) + extra
        pairs = torch.ones(size, size, dtype=torch.bool)
        pairs[: len(mask), : len(mask)] = mask
        assert count(grid, reach, extra, is_causal=causal) == (pairs.tril() if causal else pairs).sum()


def test_random_keys_are_as_many_as_are_left_beyond_each_window():
    for n in range(1, 15):
        for reach in range(8):
            beyond = [sum(abs(i - j) > reach for j in range(n)) for i in range(n)]
            for drawn in range(6):
                expected = live_pairs.window(n, reach) + sum(min(drawn, one) for one in beyond)
                assert live_pairs.global_window_random(n, 0, reach, drawn) == expected
