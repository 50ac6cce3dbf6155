"""Softmax attention with a number added to each score."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.attention.kinds.kind import Inputs, Outcome, Settings
from attnviz.attention.kinds.masked import looking_back, outcome


def biased_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads m d"],
    value: Float[Tensor, "heads m dv"],
    bias: Float[Tensor, "heads n m"],
    temperature: float = 1.0,
    live: Bool[Tensor, "n m"] | None = None,
) -> Float[Tensor, "heads n dv"]:
    """softmax((Q Kᵀ/√d + B) / T) V over the live pairs, all if None."""
    scores = query @ key.mT / math.sqrt(query.shape[-1]) + bias
    if live is not None:
        scores = scores.masked_fill(~live, -torch.inf)
    return torch.softmax(scores / temperature, -1) @ value


def biased_outcome(inputs: Inputs, settings: Settings, name: str, bias: Float[Tensor, "heads n m"]) -> Outcome:
    """The outcome with this bias, of earlier keys alone where the settings say causal."""
    every = torch.ones(inputs.shape, dtype=torch.bool, device=inputs.query.device)
    live = looking_back(every, settings.causal)
    output = biased_attention(inputs.query, inputs.key, inputs.value, bias, settings.temperature, live)
    return outcome(inputs, settings, name, output, live=live, computed=every, bias=bias)
