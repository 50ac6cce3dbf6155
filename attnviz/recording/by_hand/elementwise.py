"""What an operation on each entry makes of scores: None where it is not known here."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attnviz.recording.by_hand.axes import Dims, Factor, aligned
from attnviz.recording.by_hand.provenance import Forbidden, Scores, Term

# exp of a score this low is 0 beside any other, and it is what models write for "not allowed" in half precision;
# rows in which all is set to it are looked at, for their weights are all the same then.
LOW = -5e3
# Below this, a row that is low throughout counts as masked.
LOWEST = -1e6


def number(value: Any) -> float | None:
    """A number, also one in a tensor of one entry."""
    if isinstance(value, Tensor):
        if value.numel() != 1 or value.is_meta or value.is_complex():
            return None
        return float(value.detach())
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def times(scores: Scores, factor: float) -> Scores | None:
    """All of it times a number."""
    if factor == 0 or (factor < 0 and scores.forbidden) or scores.sink is not None:
        return None
    capped = scores.cap is not None
    return replace(
        scores,
        scale=scores.scale if capped else scores.scale * factor,
        cap=None if scores.cap is None else scores.cap * factor,
        shift=scores.shift * factor,
        terms=tuple(Term(term.factor * factor, term.tensor) for term in scores.terms),
        forbidden=tuple(replace(one, low=one.low * factor) for one in scores.forbidden),
    )


def times_tensor(scores: Scores, other: Tensor, output: Tensor) -> Scores | None:
    """Times a tensor that is the same for all keys or the same for all queries, as a temperature of each head is."""
    placed = _placed(scores, other, output)
    if placed is None or not scores.is_plain:
        return None
    factor, dims = placed
    left, right = scores.product.left.axes(), scores.product.right.axes()
    if factor.axes() <= left or factor.axes() <= right:
        return replace(scores, dims=dims, gains=(*scores.gains, factor))
    return None


def plus(scores: Scores, other: Any, output: Tensor, factor: float = 1.0) -> Scores | None:
    """Plus factor × a number or a tensor."""
    if scores.sink is not None:
        return None
    if not isinstance(other, Tensor):
        value = number(other)
        return None if value is None else replace(scores, shift=scores.shift + factor * value)
    if other.dtype == torch.bool or other.is_complex():
        return None
    placed = _placed(scores, other, output)
    if placed is None:
        return None
    tensor, dims = placed
    return replace(scores, dims=dims, terms=(*scores.terms, Term(factor, tensor)))


def forbid(scores: Scores, mask: Tensor, value: Any, output: Tensor, *, when: bool = True) -> Scores | None:
    """Set to a value where the mask is `when`: known where the value is so low that it means "not allowed"."""
    low = lowest(value)
    if low is None or low > LOW or mask.dtype not in (torch.bool, torch.uint8) or scores.sink is not None:
        return None
    placed = _placed(scores, mask, output)
    if placed is None:
        return None
    tensor, dims = placed
    return replace(scores, dims=dims, forbidden=(*scores.forbidden, Forbidden(tensor, when, low)))


def lowest(value: Any) -> float | None:
    """A number; of a tensor that is low throughout, its greatest."""
    if isinstance(value, Tensor) and value.numel() > 1:
        return None if value.is_meta else float(value.detach().amax())
    return number(value)


def tanh(scores: Scores) -> Scores | None:
    """The tanh of a softcap, which is divided by its cap before and multiplied by it afterwards."""
    return replace(scores, cap=1.0) if scores.is_plain else None


def at_least(scores: Scores, low: Any) -> Scores | None:
    """Not below a bound that is as good as none."""
    if low is None:
        return scores
    bound = number(low)
    return scores if bound is not None and bound <= LOW else None


def at_most(scores: Scores, high: Any) -> Scores | None:
    """Not above a bound that no score reaches."""
    if high is None:
        return scores
    bound = number(high)
    return scores if bound is not None and bound >= -LOW else None


def _placed(scores: Scores, other: Tensor, output: Tensor) -> tuple[Factor, Dims] | None:
    found = aligned(scores.dims, other.shape, output.shape)
    if found is None:
        return None
    factor = Factor.of(other, found[0])
    return factor, found[1]
