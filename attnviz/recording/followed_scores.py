"""Scores on their way from q kᵀ to the softmax: what they are after an operator has worked on them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from attnviz.recording.tensors import kept

VIEWS = frozenset(("view", "_unsafe_view", "reshape", "_reshape_alias", "unsqueeze", "squeeze", "expand", "flatten"))
SAME = frozenset(("clone", "_to_copy", "to", "detach", "alias", "contiguous"))
# A score as low as this stands for "not allowed", as in additive masks.
_FORBIDDEN = -0.99e9


@dataclass(slots=True, frozen=True, eq=False)
class Scores:
    """scale · q kᵀ + added, where not forbidden, as a tensor of this shape.

    query, key: with the dimensions that the product had. softcap follows the scale.
    """

    query: Tensor
    key: Tensor
    shape: torch.Size
    scale: float = 1.0
    added: tuple[Tensor, ...] = ()
    forbidden: tuple[Tensor, ...] = ()


def followed(
    operator: str, known: Scores, place: int, given: dict[str, Any], args: tuple[Any, ...], result: Tensor
) -> Scores | None:
    """What the scores are after an operator; None where that is not known."""
    if operator in VIEWS:
        same = result.shape[-2:] == known.shape[-2:] and result.numel() == known.shape.numel()
        return _viewed(known, result.shape) if same else None
    if operator in SAME:
        return known
    if result.shape != known.shape or given.get("alpha", 1) != 1 or given.get("rounding_mode") is not None:
        return None
    step = _STEPS.get(operator)
    return None if step is None else step(known, place, args)


def _viewed(known: Scores, shape: torch.Size) -> Scores:
    """The same scores under other leading dimensions, which masks and biases follow."""

    def follow(tensor: Tensor) -> Tensor:
        if tensor.ndim == 2 or tensor.shape[:-2].numel() == 1:
            return tensor.reshape(tensor.shape[-2:]) if tensor.ndim > 2 else tensor
        return tensor.expand(*known.shape[:-2], *tensor.shape[-2:]).reshape(*shape[:-2], *tensor.shape[-2:])

    if len(shape) == len(known.shape):
        return replace(known, shape=shape)
    added, forbidden = (tuple(map(follow, tensors)) for tensors in (known.added, known.forbidden))
    return replace(known, shape=shape, added=added, forbidden=forbidden)


_Step = Callable[[Scores, int, tuple[Any, ...]], Scores | None]


def _multiply(known: Scores, place: int, args: tuple[Any, ...]) -> Scores | None:
    factor = _number(args[1 - place])
    return None if factor is None or known.added or known.forbidden else replace(known, scale=known.scale * factor)


def _divide(known: Scores, place: int, args: tuple[Any, ...]) -> Scores | None:
    divisor = _number(args[1]) if place == 0 else None
    return _multiply(known, 0, (None, 1 / divisor)) if divisor else None


def _add(known: Scores, place: int, args: tuple[Any, ...]) -> Scores | None:
    other = args[1 - place]
    if known.forbidden:
        return None
    if not isinstance(other, Tensor):
        # The same number for all scores changes no weight.
        return known
    return replace(known, added=(*known.added, kept(other)))


def _fill(known: Scores, place: int, args: tuple[Any, ...]) -> Scores | None:
    value = _number(args[2])
    if place != 0 or value is None or value > _lowest(known):
        return None
    return replace(known, forbidden=(*known.forbidden, args[1].bool()))


def _where(known: Scores, place: int, args: tuple[Any, ...]) -> Scores | None:
    condition, other = args[0], args[3 - place]
    value = float(other.max()) if isinstance(other, Tensor) and other.numel() == 1 else _number(other)
    if value is None or value > _lowest(known):
        return None
    return replace(known, forbidden=(*known.forbidden, ~condition if place == 1 else condition))


_STEPS: dict[str, _Step] = {
    "mul": _multiply,
    "div": _divide,
    "add": _add,
    "masked_fill": _fill,
    "where": _where,
}


def _lowest(known: Scores) -> float:
    """At or below this a score stands for "not allowed"."""
    return max(torch.finfo(known.query.dtype).min / 2, _FORBIDDEN)


def _number(value: Any) -> float | None:
    if isinstance(value, Tensor):
        return float(value) if value.ndim == 0 and not value.is_meta else None
    return float(value) if isinstance(value, int | float) else None
