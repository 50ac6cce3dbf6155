"""Masks that are added to the scores: what in them forbids a pair, and what only makes it more or less likely."""

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from attnviz.attention.masks import Mask
from attnviz.attention.recognise import recognise
from attnviz.base.errors import InputError
from attnviz.base.language import _m

# Models forbid with −∞, with the smallest number of the mask's type, or with −1e9, which half precision
# rounds to −0.998e9. Two such numbers may have been added, and scores of some hundreds to either.
_MINUS_A_BILLION = -0.99e9


def four_dimensions(mask: Shaped[Tensor, "..."]) -> Shaped[Tensor, "items_or_1 heads_or_1 n_or_1 m_or_1"]:
    """A mask that broadcasts from the right, as PyTorch's `attn_mask` does, with all dimensions written out."""
    if mask.ndim > 4:
        raise InputError(
            _m("The mask has shape {found}; at most 4 dimensions were expected: items, heads, queries, keys."),
            found=tuple(mask.shape),
        )
    return mask.reshape((1,) * (4 - mask.ndim) + tuple(mask.shape))


def split_additive(
    mask: Float[Tensor, "..."],
) -> tuple[Mask | None, Float[Tensor, "items_or_1 heads_or_1 n_or_1 m_or_1"] | None]:
    """An additive mask as the pairs that it forbids and the bias that it adds to the others.

    Forbidden is −∞, anything at or below half the smallest number of the mask's type, and −1e9 or less.
    A part that changes nothing is None. NaN counts as bias. Raises `InputError` above 4 dimensions.
    """
    mask = four_dimensions(mask.detach())
    forbids = forbidden(mask)
    bias = mask.masked_fill(forbids, 0)
    return recognise(~forbids), bias if bool((bias != 0).any()) else None


def forbidden(mask: Float[Tensor, "*shape"]) -> Bool[Tensor, "*shape"]:
    """Where an additive mask is so low that it stands for "not allowed"."""
    return mask <= max(torch.finfo(mask.dtype).min / 2, _MINUS_A_BILLION)
