"""What one key does to the output of one attention: the output without it, and with another value in its place.

This is the effect within one attention, worked out exactly. What a whole model makes of it comes after.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.base.errors import InputError
from attnviz.base.language import _m


def outputs_without(weights: Float[Tensor, "*any m"], value: Float[Tensor, "*any m dv"]) -> Float[Tensor, "*any m dv"]:
    """For each key j the output when j is masked: the other weights divided by their sum, times their values.

    A softmax over fewer keys is the same softmax with its weights scaled up, so no score is needed. The sum is
    taken over the others themselves, not as 1 − weight, which would lose all digits where the weight is near 1.
    NaN where no other key has any weight: there is nothing left to look at.
    """
    count = weights.shape[-1]
    others = weights[..., None, :] * (1 - torch.eye(count, dtype=weights.dtype, device=weights.device))
    return (others / others.sum(-1, keepdim=True)) @ value


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
