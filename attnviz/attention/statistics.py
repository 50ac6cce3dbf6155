"""Numbers that describe weights: how spread out, how far, on what.

All take a tile of whole rows. A row that is NaN or all zero has no such number: it gives NaN and is left out
of means.
"""

import math

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor


def normal_rows(weights: Float[Tensor, "*heads n m"]) -> Bool[Tensor, "*heads n"]:
    """Which rows have weights to look at: no NaN, and not all zero."""
    return ~weights.isnan().any(-1) & (weights != 0).any(-1)


def entropy(weights: Float[Tensor, "*heads n m"]) -> Float[Tensor, "*heads n"]:
    """−Σⱼ wⱼ log₂ wⱼ of each row, in bits: 0 where one key has everything, log₂ of their number where all are equal.

    A weight of 0 adds nothing. With sinks the sum is over the keys alone. NaN where a weight is negative.
    Source: Shannon 1948, "A Mathematical Theory of Communication", section 6.
    """
    bits = torch.special.entr(weights).sum(-1) / math.log(2)
    return _where_normal(bits.masked_fill((weights < 0).any(-1), torch.nan), weights)


def mass_received(
    weights: Float[Tensor, "*heads n m"], allowed: Bool[Tensor, "*heads_or_1 n m"] | None = None
) -> Float[Tensor, "*heads m"]:
    """Σᵢ wᵢⱼ / number of rows i: the mean weight of each key over the normal rows that may see it.

    Without unit, 1/m where everything is uniform. NaN for a key that no normal row may see. Column sums of the
    weights under the name "attention received" are used in Vig 2019, arXiv 1906.05714, among others.
    """
    normal = normal_rows(weights)[..., None]
    counted = normal.expand_as(weights) if allowed is None else normal & allowed
    return weights.where(counted, 0).sum(-2) / counted.sum(-2)


def relative_to_uniform(
    weights: Float[Tensor, "*heads n m"], allowed: Bool[Tensor, "*heads_or_1 n m"]
) -> Float[Tensor, "*heads n m"]:
    """wᵢⱼ × number of keys allowed in row i: how many times as much as if all allowed keys had the same.

    Without unit; 1 is the baseline. It says something only where the weights are a softmax.
    """
    return weights * allowed.sum(-1, keepdim=True)


def mean_distance(weights: Float[Tensor, "*heads n m"], offset: int = 0) -> Float[Tensor, "*heads n"]:
    """Σⱼ wⱼ |i + offset − j| / Σⱼ wⱼ of each row, in positions: how far away the attended keys are.

    Only for queries and keys of one sequence. `offset` is the position of the first query among the keys.
    Source: "mean attention distance", Dosovitskiy et al. 2020, arXiv 2010.11929, figure 7, there in pixels.
    """
    queries, keys = weights.shape[-2:]
    place = torch.arange(queries, device=weights.device)[:, None] + offset
    distance = (place - torch.arange(keys, device=weights.device)).abs()
    return _where_normal((weights * distance).sum(-1) / weights.sum(-1), weights)


def top_keys(
    weights: Float[Tensor, "*heads n m"], count: int
) -> tuple[Float[Tensor, "*heads n k"], Int[Tensor, "*heads n k"]]:
    """The greatest weights of each row and the keys that have them, greatest first; as many as there are keys at most.

    NaN and key −1 in rows that are not normal.
    """
    values, keys = weights.topk(min(count, weights.shape[-1]), -1)
    normal = normal_rows(weights)[..., None]
    return values.where(normal, torch.nan), keys.where(normal, -1)


def mean_of_normal(numbers: Float[Tensor, "*heads n"]) -> Float[Tensor, "*heads"]:
    """The mean over rows without the NaN ones; NaN where there is no other."""
    return numbers.nanmean(-1)


def _where_normal(numbers: Shaped[Tensor, "..."], weights: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return numbers.where(normal_rows(weights), torch.nan)
