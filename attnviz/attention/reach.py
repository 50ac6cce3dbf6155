"""Which positions can have an effect on which, layer by layer: the receptive field of stacked attention.

A mask says who may look at whom in one layer. What a position knows after L layers can come from every position
that L such steps, or fewer, lead to: the residual connection keeps each position's own vector, so every layer sees
at least as far as the one below it. Reach says what is possible; how much really arrives is for weights and effects.

Matrices are truth values, row i the position that asks, column j the position that may be looked at.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attnviz.attention.masks import Mask
from attnviz.base.errors import InputError
from attnviz.base.language import _m

NEVER = -1
"""In place of a number of layers, where no depth that was looked at is enough."""


def pairs_of(mask: Mask, positions: int, *, item: int = 0, head: int | None = None) -> Bool[Tensor, "n n"]:
    """A mask over `positions` tokens that look at each other, as one matrix; of several heads, what any of them may see."""
    every = torch.arange(positions)
    return mask.allowed(item, every, every, head).any(0)


def reach(layers: Sequence[Bool[Tensor, "n n"]]) -> Bool[Tensor, "depth n n"]:
    """Entry [L, i, j]: whether position j of the input can have an effect on position i after L layers.

    layers: the allowed pairs of each layer, the first layer first. The first entry, L = 0, is the input itself, so
    there is one more than layers. Position i of layer L asks in that layer's mask, and what it finds there has
    already seen as far as the layers below let it: R_L = (M_L ∨ I) R_(L−1), as a Boolean product.

    Raises `InputError` without a layer.
    """
    if not layers:
        raise InputError(_m("At least one layer is needed to see how far attention reaches."))
    itself = torch.eye(layers[0].shape[0], dtype=torch.bool, device=layers[0].device)
    reached = [itself]
    for allowed in layers:
        # Counts of paths, at most n of them: exact in float32, and a product that every device has.
        paths = (allowed | itself).float() @ reached[-1].float()
        reached.append(paths > 0)
    return torch.stack(reached)


def fewest(reached: Bool[Tensor, " depth *any"]) -> Int[Tensor, "*any"]:
    """How many layers it takes until j reaches i; `NEVER` (−1) where no depth in `reached` is enough."""
    return torch.where(reached.any(0), reached.int().argmax(0), NEVER)


def sees(reached: Bool[Tensor, "depth n n"], one: int, other: int) -> int:
    """After how many layers position `one` can know of position `other`; `NEVER` where not within the depth."""
    return int(fewest(reached[:, one, other]))


def meets(reached: Bool[Tensor, "depth n n"], one: int, other: int) -> int:
    """After how many layers some position, be it one of the two, can know of both; `NEVER` where not within the depth."""
    return int(fewest((reached[:, :, one] & reached[:, :, other]).any(-1)))
