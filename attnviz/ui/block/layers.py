"""From what is set on the page to the masks of a stack, and to what each position can know of."""

import functools

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attnviz.attention.kinds.block import block_pairs
from attnviz.attention.kinds.fixed import fixed_pairs
from attnviz.attention.kinds.global_window_random import global_window_random_pairs
from attnviz.attention.kinds.strided import strided_pairs
from attnviz.attention.kinds.window import window_pairs
from attnviz.attention.patterns import dilated_pairs, shifted_block_pairs
from attnviz.attention.reach import reach
from attnviz.ui.views.block import Depth

_SHOWN = {"one": 0, "other": 0}


def layer(found: Depth, number: int) -> Bool[Tensor, "n n"]:
    """Who may look at whom in this layer, counted from 0."""
    n = found.positions
    shift = found.block // 2 if number % 2 else 0
    pairs = {
        "window": lambda: window_pairs(n, found.window),
        "dilated": lambda: dilated_pairs(n, found.window, found.dilation),
        "blocks": lambda: block_pairs(n, found.block),
        "shifted": lambda: shifted_block_pairs(n, found.block, shift),
        "strided": lambda: strided_pairs(n, found.stride),
        "fixed": lambda: fixed_pairs(n, found.stride),
        "global": lambda: global_window_random_pairs(n, found.window, found.tokens, found.random_keys),
        "full": lambda: torch.ones(n, n, dtype=torch.bool),
        # A filter of 3; a causal one lies behind its position.
        "convolution": lambda: window_pairs(n, 2 if found.causal else 1),
    }[found.kind]()
    return pairs.tril() if found.causal else pairs


def reached(found: Depth) -> Bool[Tensor, "depth n n"]:
    """What every position can know of, after 0, 1, 2 … layers."""
    return _reached(found.model_copy(update=_SHOWN))


def counts(found: Depth) -> Int[Tensor, " depth"]:
    """How many positions `found.one` can know of."""
    return reached(found)[:, found.one].sum(-1)


# Kept by what is set alone, not by which positions are looked at: a click draws again and works out nothing.
@functools.lru_cache(maxsize=24)
def _reached(found: Depth) -> Bool[Tensor, "depth n n"]:
    with torch.no_grad():
        return reach([layer(found, number) for number in range(found.depth)])
