"""Softmax attention over the pairs that a mask lets through, and how much of it a block-sparse kernel works out."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.attention.attention import Attention, Form
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
    bias: Float[Tensor, "heads n m"] | None = None,
    softcap: float | None = None,
    sinks: Float[Tensor, " heads"] | None = None,
) -> Outcome:
    """The outcome of a softmax over the live pairs. kept: how many keys and values have to be kept, all if None.

    bias, softcap, sinks: as they stand before the temperature divides the scores.
    """
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
            bias=None if bias is None else bias / settings.temperature,
            # c·tanh(S/c) / T is (c/T)·tanh((S/T) / (c/T)).
            softcap=None if softcap is None else softcap / settings.temperature,
            sinks=None if sinks is None else sinks / settings.temperature,
            name=name,
            query_tokens=inputs.tokens,
            key_tokens=inputs.tokens,
        ),
    )


def outcome_of_weights(
    inputs: Inputs, weights: Float[Tensor, "heads n m"], name: str, form: Form, *, normalised: bool = True
) -> Outcome:
    """The outcome where every pair has a weight that was worked out in another way than from one dot product."""
    every = torch.ones(inputs.shape, dtype=torch.bool, device=inputs.query.device)
    return Outcome(
        output=weights @ inputs.value,
        live=every,
        computed=every,
        state=numbers_kept(inputs, inputs.shape[1]),
        attention=Attention.from_weights(
            weights,
            value=inputs.value,
            form=form,
            normalised=normalised,
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
