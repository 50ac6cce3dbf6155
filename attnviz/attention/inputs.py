"""What can be handed in as an attention, brought to one form: items, heads, positions, width."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from attnviz.attention.additive import four_dimensions, split_additive
from attnviz.attention.bias import Bias
from attnviz.attention.masks import Mask
from attnviz.attention.recognise import recognise
from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.tokens import Tokens


def with_items_and_heads(tensor: Shaped[Tensor, "..."], what: str) -> Shaped[Tensor, "items heads n d"]:
    """A tensor of 2, 3 or 4 dimensions with items and heads written out, detached.

    `what` names it in the `InputError` that is raised for other numbers of dimensions, empty ones and integers.
    """
    if not torch.is_floating_point(tensor):
        raise InputError(
            _m("“{tensor}” holds {found}; floating-point numbers were expected."), tensor=what, found=str(tensor.dtype)
        )
    if not 2 <= tensor.ndim <= 4:
        raise InputError(
            _m("“{tensor}” has shape {found}; 2, 3 or 4 dimensions were expected: items, heads, positions, width."),
            tensor=what,
            found=tuple(tensor.shape),
        )
    if 0 in tensor.shape:
        raise InputError(_m("“{tensor}” has shape {found} and so is empty."), tensor=what, found=tuple(tensor.shape))
    return tensor.detach().reshape((1,) * (4 - tensor.ndim) + tuple(tensor.shape))


def check_query_and_key(query: Float[Tensor, "items heads n d"], key: Float[Tensor, "..."]) -> None:
    """Raises `InputError` where queries and keys cannot be multiplied."""
    if query.shape[0] != key.shape[0]:
        raise _mismatch(_m("Queries and keys differ in their number of items: {query} and {key}."), query, key, 0)
    if query.shape[3] != key.shape[3]:
        raise _mismatch(_m("Queries and keys differ in width: {query} and {key}."), query, key, 3)
    if query.shape[1] % key.shape[1]:
        raise _mismatch(
            _m("The number of query heads, {query}, is not a multiple of the number of key heads, {key}."),
            query,
            key,
            1,
        )


def check_value(value: Float[Tensor, "..."], scores_sizes: tuple[int, int, int, int], kv_heads: int) -> None:
    """Raises `InputError` where the values do not go with the keys."""
    items, heads, _, keys = scores_sizes
    if value.shape[0] != items or value.shape[1] not in (kv_heads, heads) or value.shape[2] != keys:
        raise InputError(
            _m(
                "The values have shape {found}; items, heads and positions were expected to be {items}, {heads} and {keys}."
            ),
            found=tuple(value.shape),
            items=items,
            heads=kv_heads,
            keys=keys,
        )


def _mismatch(message: str, query: Tensor, key: Tensor, dim: int) -> InputError:
    return InputError(message, query=query.shape[dim], key=key.shape[dim])


def split_mask(
    mask: Mask | Shaped[Tensor, "..."] | None, bias: Float[Tensor, "..."] | Bias | None
) -> tuple[Mask | None, Float[Tensor, "..."] | Bias | None]:
    """A mask of any kind and a bias as one rule and one finite bias."""
    rule, added = (mask, None) if mask is None or isinstance(mask, Mask) else _split_tensor(mask)
    if isinstance(bias, Bias):
        if added is not None:
            raise InputError(_m("A mask that adds to the scores cannot be joined with a bias that is not a tensor."))
        return rule, bias
    if bias is None:
        return rule, added
    forbids, finite = split_additive(bias)
    joined = forbids if rule is None else rule if forbids is None else rule & forbids
    return joined, finite if added is None else added if finite is None else added + finite


def _split_tensor(mask: Shaped[Tensor, "..."]) -> tuple[Mask | None, Float[Tensor, "..."] | None]:
    if mask.dtype == torch.bool:
        return recognise(four_dimensions(mask.detach())), None
    if not torch.is_floating_point(mask):
        raise InputError(
            _m("The mask holds {found}; truth values or floating-point numbers were expected."), found=str(mask.dtype)
        )
    return split_additive(mask)


def check_extras(
    sizes: tuple[int, int, int, int],
    bias: Float[Tensor, "..."] | Bias | None,
    softcap: float | None,
    sinks: Float[Tensor, "..."] | None,
) -> None:
    """Raises `InputError` where bias, softcap or sinks do not go with items, heads, queries and keys of these sizes."""
    if isinstance(bias, Bias):
        bias.check(*sizes)
    elif bias is not None and any(
        found not in (1, expected) for found, expected in zip(bias.shape, sizes, strict=True)
    ):
        raise InputError(
            _m("The bias has shape {found}; items, heads, queries and keys are {expected}, and each may also be 1."),
            found=tuple(bias.shape),
            expected=sizes,
        )
    if sinks is not None and tuple(sinks.shape) != (sizes[1],):
        raise InputError(
            _m("The sinks have shape {found}; one number for each head was expected, {heads} in all."),
            found=tuple(sinks.shape),
            heads=sizes[1],
        )
    if softcap is not None and not softcap > 0:
        raise InputError(_m("The softcap is {found}; a number above 0 was expected."), found=softcap)


def tokens_by_item(
    tokens: Tokens | Sequence[Tokens] | None, items: int, length: int, complaint: str
) -> tuple[Tokens, ...]:
    """One `Tokens` an item; the same for all where one is given. `complaint` is said where the lengths differ."""
    if tokens is None:
        return (Tokens.numbered(length),) * items
    found = (tokens,) * items if isinstance(tokens, Tokens) else tuple(tokens)
    if len(found) != items:
        raise InputError(
            _m("The number of items that have tokens, {found}, is not the number of items of the attention, {items}."),
            found=len(found),
            items=items,
        )
    for one in found:
        if len(one) != length:
            raise InputError(complaint, found=len(one), expected=length)
    return found
