"""Untrained stacks of blocks, equal but for where they normalise: lengths, shares and gradients over depth."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.block import NORM_PLACES, Depth, NormPlace, through, untrained
from attnviz.attention.block_gradients import gradient_sizes
from attnviz.attention.normalising import Normalising
from attnviz.attention.summands import Summand, shares
from attnviz.ui.views.block import Stack

HEADS = 4
POSITIONS = 16
# torch's own for LayerNorm.
_NORM = Normalising(centred=True, gain=None, bias=None, epsilon=1e-5)


@dataclass(frozen=True, eq=False)
class Measured:
    """Means over positions. lengths: of what came in and of what left each layer. shares: carried, attention, feed-forward.

    gradients: of each layer's weights.
    """

    lengths: Float[Tensor, " layers_and_one"]
    shares: Float[Tensor, "three layers"]
    gradients: Float[Tensor, " layers"]


def measured(stack: Stack) -> dict[NormPlace, Measured]:
    """The three stacks with the same weights and the same input, drawn from the seed."""
    return _measured(stack.depth, stack.width, stack.seed)


@functools.lru_cache(maxsize=64)
def _measured(depth: int, width: int, seed: int) -> dict[NormPlace, Measured]:
    generator = torch.Generator().manual_seed(seed)
    x, target = torch.randn(2, POSITIONS, width, generator=generator, dtype=torch.float64).unbind()
    blocks = untrained(width, HEADS, depth, seed=seed)
    found: dict[NormPlace, Measured] = {}
    for place in NORM_PLACES:
        with torch.no_grad():
            way = through(x, blocks, place)
            parts = torch.stack([shares(summands(way, layer, place)).share.mean(-1) for layer in range(depth)], -1)
        found[place] = Measured(way.lengths.mean(-1), parts, gradient_sizes(x, target, blocks, place))
    return found


def summands(way: Depth, layer: int, place: NormPlace) -> Sequence[Summand]:
    """What leaves a layer as the sum of carried, attention and feed-forward, through the norms of its sums."""
    carried, attention, feed_forward = way.summands(layer)
    if place != "after":
        return carried, attention, feed_forward
    return _NORM.shares([*_NORM.shares([carried, attention]), feed_forward])
