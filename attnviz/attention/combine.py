"""Several heads as one picture, and pictures with positions left out."""

from collections.abc import Sequence
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.statistics import normal_rows


def combine(weights: Float[Tensor, "heads n m"], how: Literal["mean", "maximum"]) -> Float[Tensor, "n m"]:
    """The mean or the greatest weight over heads, for each pair.

    A head whose row is NaN or all zero does not take part in that row; where no head is left, the row is NaN,
    or zero if it is zero in every head. A mean of softmaxes is one again; a maximum is not: its rows sum to more.
    """
    takes_part = normal_rows(weights)[..., None]
    if how == "mean":
        combined = weights.where(takes_part, 0).sum(0) / takes_part.sum(0)
    else:
        combined = weights.where(takes_part, -torch.inf).amax(0)
    return combined.where(takes_part.any(0), weights.sum(0))


def hide(
    weights: Float[Tensor, "*heads n m"],
    keep_rows: Sequence[int],
    keep_cols: Sequence[int],
    renormalise: bool = False,
) -> tuple[Float[Tensor, "*heads rows cols"], Float[Tensor, "*heads rows"]]:
    """The kept rows and columns, and for each kept row the mass on the columns that are left out.

    With `renormalise` the kept weights of a row are divided by their sum, and are NaN where that is 0;
    the hidden mass stays the one before.
    """
    rows, kept = _positions(keep_rows, weights), _positions(keep_cols, weights)
    left_out = torch.ones(weights.shape[-1], dtype=torch.bool, device=weights.device)
    left_out[kept] = False
    of_rows = weights.index_select(-2, rows)
    hidden = of_rows[..., left_out].sum(-1)
    shown = of_rows.index_select(-1, kept)
    return shown / shown.sum(-1, keepdim=True) if renormalise else shown, hidden


def _positions(wanted: Sequence[int], like: Tensor) -> Tensor:
    return torch.tensor(list(wanted), dtype=torch.long, device=like.device)
