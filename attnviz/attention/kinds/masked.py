"""Softmax attention over the pairs that a mask lets through, and how much of it a block-sparse kernel works out."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.attention.attention import Attention
from attnviz.attention.kinds.kind import Inputs, Outcome, Settings


def masked_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads m d"],
    value: Float[Tensor, "heads m dv"],
    live: Bool[Tensor, "n m"],
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """softmax(S / T) V with S = Q Kᵀ/√d, and −∞ where a pair is not live. Every score is worked out."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~live, -torch.inf)
    return torch.softmax(scores / temperature, -1) @ value


def outcome(
    inputs: Inputs,
    settings: Settings,
    name: str,
    output: Float[Tensor, "heads n dv"],
    *,
    live: Bool[Tensor, "n m"] | None = None,
    computed: Bool[Tensor, "n m"] | None = None,
    kept: int | None = None,
) -> Outcome:
    """The outcome of a softmax over the live pairs. kept: how many keys and values have to be kept, all if None."""
    queries, keys = inputs.shape
    every = torch.ones(queries, keys, dtype=torch.bool, device=inputs.query.device)
    return Outcome(
        output=output,
        live=every if live is None else live,
        computed=every if computed is None else computed,
        state=numbers_kept(inputs, keys if kept is None else kept),
        attention=Attention.from_qk(
            inputs.query,
            inputs.key,
            value=inputs.value,
            scale=1 / (math.sqrt(inputs.query.shape[-1]) * settings.temperature),
            mask=live,
            name=name,
            query_tokens=inputs.tokens,
            key_tokens=inputs.tokens,
        ),
    )


def numbers_kept(inputs: Inputs, positions: int) -> int:
    """The numbers in the keys and values of so many positions, in all their heads."""
    heads, keys, width = inputs.key.shape
    return heads * min(positions, keys) * (width + inputs.value.shape[2])


def in_touched_blocks(live: Bool[Tensor, "n m"], block: int) -> Bool[Tensor, "n m"]:
    """All pairs of those blocks of block × block pairs that hold a live one: what a block-sparse kernel computes.

    FlexAttention's blocks are 128 × 128 unless told otherwise.
    """
    queries, keys = live.shape
    padded = F.pad(live, (0, -keys % block, 0, -queries % block))
    touched = torch.unflatten(torch.unflatten(padded, 0, (-1, block)), 2, (-1, block)).any(3).any(1)
    return touched.repeat_interleave(block, 0).repeat_interleave(block, 1)[:queries, :keys]


def looking_back(live: Bool[Tensor, "n m"], causal: bool) -> Bool[Tensor, "n m"]:
    """The same pairs, without those whose key is later than the query where attention is causal."""
    return live.tril() if causal else live
