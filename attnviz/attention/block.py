"""A plain Transformer block: attention → add → feed-forward → add, with the norm before, after or nowhere.

"before" normalises what each part reads (pre-LN, Xiong et al. 2020, arXiv 2002.04745), "after" normalises each sum,
as the paper had it (Vaswani et al. 2017, arXiv 1706.03762).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from attnviz.attention.summands import Summand

NormPlace = Literal["before", "after", "none"]
NORM_PLACES: tuple[NormPlace, ...] = ("before", "after", "none")


@dataclass(frozen=True, eq=False)
class BlockWeights:
    """Of one block; none has a bias. Norms have γ = 1 and β = 0, as they begin.

    qkv: queries, keys and values one below the other. up, down: the two layers of the feed-forward part.
    """

    qkv: Float[Tensor, "three_d d"]
    out: Float[Tensor, "d d"]
    up: Float[Tensor, "inner d"]
    down: Float[Tensor, "d inner"]
    heads: int


def untrained(width: int, heads: int, layers: int, *, seed: int) -> list[BlockWeights]:
    """Blocks before any training: normal numbers with variance 1 / (numbers that are added up), float64."""
    generator = torch.Generator().manual_seed(seed)

    def drawn(rows: int, columns: int) -> Tensor:
        numbers: Tensor = torch.randn(rows, columns, generator=generator, dtype=torch.float64)
        return numbers / math.sqrt(columns)

    return [
        BlockWeights(
            drawn(3 * width, width), drawn(width, width), drawn(4 * width, width), drawn(width, 4 * width), heads
        )
        for _ in range(layers)
    ]


def attend(x: Float[Tensor, "n d"], weights: BlockWeights) -> Float[Tensor, "n d"]:
    """Every position looks at every position, in several heads."""
    together = F.linear(x, weights.qkv).view(len(x), 3, weights.heads, -1)
    queries, keys, values = together.permute(1, 2, 0, 3)
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    looked_at = scores.softmax(-1) @ values
    return F.linear(looked_at.transpose(0, 1).flatten(-2), weights.out)


def feed_forward(x: Float[Tensor, "n d"], weights: BlockWeights) -> Float[Tensor, "n d"]:
    """Each position by itself, four times as wide in the middle."""
    return F.linear(F.relu(F.linear(x, weights.up)), weights.down)


def normal(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
    """LayerNorm with γ = 1 and β = 0."""
    return F.layer_norm(x, x.shape[-1:])


def block(x: Float[Tensor, "n d"], weights: BlockWeights, norm: NormPlace) -> Float[Tensor, "n d"]:
    """One block: attention and then feed-forward, each added to what came in."""
    for part in (attend, feed_forward):
        x = _added(x, part, weights, norm)[-1]
    return x


def _added(
    x: Tensor, part: Callable[[Tensor, BlockWeights], Tensor], weights: BlockWeights, norm: NormPlace
) -> tuple[Tensor, Tensor]:
    """What a part adds, and what leaves."""
    added = part(normal(x) if norm == "before" else x, weights)
    left = x + added
    return added, normal(left) if norm == "after" else left


@dataclass(frozen=True, eq=False)
class Depth:
    """Vectors over depth. vectors: what came in, and what left each block. attention, feed_forward: what was added."""

    vectors: Float[Tensor, "layers_and_one n d"]
    attention: Float[Tensor, "layers n d"]
    feed_forward: Float[Tensor, "layers n d"]

    @property
    def lengths(self) -> Float[Tensor, "layers_and_one n"]:
        """How long the vectors are."""
        lengths: Tensor = self.vectors.norm(dim=-1)
        return lengths

    def summands(self, layer: int) -> tuple[Summand, ...]:
        """What came into a layer, and what its parts added; with the norm "after" they are normalised in between."""
        return (
            Summand("carried", self.vectors[layer]),
            Summand("attention", self.attention[layer]),
            Summand("feed-forward", self.feed_forward[layer]),
        )


def through(x: Float[Tensor, "n d"], blocks: list[BlockWeights], norm: NormPlace) -> Depth:
    """The vectors on their way through all blocks."""
    vectors, attended, fed = [x], [], []
    for weights in blocks:
        added, x = _added(x, attend, weights, norm)
        attended.append(added)
        added, x = _added(x, feed_forward, weights, norm)
        fed.append(added)
        vectors.append(x)
    return Depth(torch.stack(vectors), torch.stack(attended), torch.stack(fed))
