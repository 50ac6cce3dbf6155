"""Each pattern against pictures drawn by hand."""

import pytest
import torch

from attnviz.attention.kinds.block import block_pairs
from attnviz.attention.kinds.window import window_pairs
from attnviz.attention.patterns import dilated_pairs, shifted_block_pairs
from attnviz.base.errors import InputError


def _drawn(pairs):
    return ["".join(".x"[int(one)] for one in row) for row in pairs.tolist()]


def test_a_dilated_window_leaves_out_what_lies_between():
    assert _drawn(dilated_pairs(6, 1, 2)) == ["x.x...", ".x.x..", "x.x.x.", ".x.x.x", "..x.x.", "...x.x"]


def test_without_dilation_it_is_a_window():
    assert torch.equal(dilated_pairs(20, 3, 1), window_pairs(20, 3))


def test_shifted_blocks_have_a_shorter_one_at_the_border():
    assert _drawn(shifted_block_pairs(6, 4, 2)) == ["xx....", "xx....", "..xxxx", "..xxxx", "..xxxx", "..xxxx"]
    assert torch.equal(shifted_block_pairs(10, 4, 0), block_pairs(10, 4))


@pytest.mark.parametrize("made", [lambda: shifted_block_pairs(4, 0, 0), lambda: dilated_pairs(4, 1, 0)])
def test_a_block_of_nothing_is_one_sentence(made):
    with pytest.raises(InputError, match="at least 1 position; 0 was given"):
        made()
