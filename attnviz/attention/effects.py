"""What one key does to the output of one attention: the output without it, and with another value in its place.

This is the effect within one attention, worked out exactly. What a whole model makes of it comes after.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.base.errors import InputError
from attnviz.base.language import _m


def weights_without(logits: Float[Tensor, "*any m"]) -> Float[Tensor, "*any m m"]:
    """For each key j, in row j, the weights when j is masked: the softmax of the other scores.

    logits: the scores before the softmax, −∞ where a mask forbids. The other weights are then scaled up to sum
    to 1; from the scores they come out right even where they had been too small for a float beside key j.
    NaN where there is no other key.
    """
    count = logits.shape[-1]
    own = torch.eye(count, dtype=torch.bool, device=logits.device)
    return torch.softmax(logits[..., None, :].masked_fill(own, -torch.inf), -1)


def outputs_without(logits: Float[Tensor, "*any m"], value: Float[Tensor, "*any m dv"]) -> Float[Tensor, "*any m dv"]:
    """For each key j the output when j is masked; NaN where there is no other key."""
    return weights_without(logits) @ value


def output_if(
    weights: Float[Tensor, "*any m"], value: Float[Tensor, "*any m dv"], position: int, other: Float[Tensor, " dv"]
) -> Float[Tensor, "*any dv"]:
    """The output when the key at this position hands over another value; the weights do not depend on values.

    Raises `InputError` where there is no such position.
    """
    if not 0 <= position < weights.shape[-1]:
        raise InputError(
            _m("There is no key at position {position}; there are {count}, counted from 0."),
            position=position,
            count=weights.shape[-1],
        )
    changed = value.clone()
    changed[..., position, :] = other
    return (weights[..., None] * changed).sum(-2)
