"""Blocks that do not see each other: by mask, by reshaping, and Swin's windows of an image."""

import pytest
import torch
from transformers.models.swin.modeling_swin import window_partition

from attnviz.attention.kinds import Inputs, Settings, kind
from attnviz.attention.kinds.block import block_attention, block_attention_reshaped, block_pairs
from attnviz.attention.kinds.full import full_attention
from attnviz.base.errors import InputError


@pytest.mark.parametrize("block", [1, 4, 8, 24])
def test_by_reshaping_it_is_the_mask(qkv, close, block):
    close(block_attention_reshaped(*qkv, block), block_attention(*qkv, block))


def test_one_block_is_full_attention(qkv, close):
    close(block_attention(*qkv, 24), full_attention(*qkv))


def test_each_block_is_an_attention_of_its_own(qkv, sdpa, close):
    first, second = (sdpa(*(each[:, part] for each in qkv)) for part in (slice(0, 12), slice(12, 24)))
    close(block_attention(*qkv, 12), torch.cat([first, second], 1))


def test_a_length_that_does_not_divide_cannot_be_reshaped_and_its_last_block_is_short(qkv):
    with pytest.raises(InputError, match="24 positions cannot be cut into blocks of 7"):
        block_attention_reshaped(*qkv, 7)
    assert block_pairs(24, 7).sum(1).tolist() == [7] * 21 + [3] * 3


def test_in_an_image_the_blocks_are_swins_windows():
    cells = torch.arange(48).view(1, 6, 8, 1)
    windows = window_partition(cells, 2).flatten(1)
    expected = torch.zeros(48, 48, dtype=torch.bool)
    for window in windows:
        expected[window[:, None], window] = True
    assert torch.equal(block_pairs(48, 2, (6, 8)), expected)


def test_causal_halves_what_is_live_and_not_what_is_computed():
    """Blocks of 4: 4 · 5 / 2 = 10 live pairs of 16."""
    found = kind("block").run(Inputs.drawn(16), Settings(block=4, causal=True))
    assert (int(found.live.sum()), int(found.computed.sum())) == (40, 64)
