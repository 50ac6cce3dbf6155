"""Numbers that describe weights: how spread out, how far, on what.

All take a tile of whole rows. A row that is NaN or all zero has no such number: it gives NaN and is left out
of means.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor

from attnviz.attention.attention import Attention
from attnviz.attention.rows import row_strips


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

    Without unit, 1/m where everything is uniform. NaN for a key that no normal row may see. The column means of
    the weights; counting only the rows that may see the key is ours, so that late keys of a causal mask are
    not small for being late.
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


@dataclass(frozen=True, eq=False)
class HeadSummary:
    """Each head in a few numbers: means over its normal rows without padding, NaN where there are none.

    mean_entropy: bits. mean_largest: the greatest weight of a row. mean_distance: positions.
    mean_on_special: mass on special keys. mean_on_itself, mean_on_previous: weight of the query's own position
    and of the one before it. None where it cannot be said: no tokens marked special, or two different sequences.
    """

    normal_rows: Int[Tensor, " heads"]
    mean_entropy: Float[Tensor, " heads"]
    mean_largest: Float[Tensor, " heads"]
    mean_distance: Float[Tensor, " heads"] | None
    mean_on_special: Float[Tensor, " heads"] | None
    mean_on_itself: Float[Tensor, " heads"] | None
    mean_on_previous: Float[Tensor, " heads"] | None


def head_summary(attention: Attention, item: int = 0) -> HeadSummary:
    """Every head of one item in a few numbers, worked out in strips.

    In self-attention the last query stands at the last key, so with a cache query i is at i + m − n.
    """
    queries, keys = attention.shape
    one_sequence = attention.role in ("encoder", "decoder")
    found: list[dict[str, Tensor]] = []
    for strip, _ in row_strips(attention.scores, None, item, None, slice(0, queries)):
        weights = attention.weights(None, item, strip)
        here: dict[str, Tensor] = {"entropy": entropy(weights), "largest": weights.amax(-1)}
        if attention.key_tokens_of(item).special is not None:
            special = torch.tensor(attention.key_tokens_of(item).special, device=weights.device)
            here["special"] = weights[..., special].sum(-1)
        if one_sequence:
            offset = strip.start + keys - queries
            here["distance"] = mean_distance(weights, offset)
            here["itself"], here["previous"] = _diagonal(weights, offset), _diagonal(weights, offset - 1)
        counted = normal_rows(weights) & _present(attention, item)[strip]
        found.append({name: numbers.where(counted, torch.nan) for name, numbers in here.items()} | {"rows": counted})
    rows = {name: torch.cat([one[name] for one in found], -1) for name in found[0]}
    count = rows.pop("rows").sum(-1)
    means = {name: mean_of_normal(numbers) for name, numbers in rows.items()}
    return HeadSummary(
        normal_rows=count,
        mean_entropy=means["entropy"],
        mean_largest=means["largest"],
        mean_distance=means.get("distance"),
        mean_on_special=means.get("special"),
        mean_on_itself=means.get("itself"),
        mean_on_previous=means.get("previous"),
    )


def _present(attention: Attention, item: int) -> Bool[Tensor, " n"]:
    padding = attention.query_tokens_of(item).padding or (False,) * attention.shape[0]
    return ~torch.tensor(padding, device=attention.device)


def _diagonal(weights: Float[Tensor, "heads n m"], offset: int) -> Float[Tensor, "heads n"]:
    """Each row's weight at its own place plus an offset; NaN where there is no such key."""
    place = torch.arange(weights.shape[1], device=weights.device) + offset
    there = (place >= 0) & (place < weights.shape[2])
    index = place.clamp(0, weights.shape[2] - 1)[None, :, None].expand(len(weights), -1, 1)
    return weights.gather(2, index)[..., 0].where(there, torch.nan)


def _where_normal(numbers: Shaped[Tensor, "..."], weights: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    return numbers.where(normal_rows(weights), torch.nan)
