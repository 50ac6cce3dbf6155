"""Recorded masks as short rules: the same tensor is read once, and a rule is as exact as the tensor."""

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from attnviz.attention import All, Causal, Dense, Lengths, Mask, Window, split_additive


class Masks:
    """Reads masks; the layers of a model usually share one tensor, and then they share the rule."""

    def __init__(self) -> None:
        # The tensor is kept beside what was read in it, so that its memory stays its own.
        self._read: dict[tuple[object, ...], tuple[Tensor, Mask | None, Tensor | None]] = {}

    def read(
        self, mask: Shaped[Tensor, "items_or_1 heads_or_1 n_or_1 more_m"], keys: int
    ) -> tuple[Mask | None, Float[Tensor, "items_or_1 heads_or_1 n_or_1 m_or_1"] | None]:
        """The rule and the finite bias in a mask of truth values or of numbers that are added.

        Columns beyond the number of keys are not used. A rule that forbids nothing is None, and so is a bias of 0.
        """
        mask = mask.detach()[..., :keys]
        identity = (mask.data_ptr(), tuple(mask.shape), mask.stride(), mask.dtype, mask.device)
        if identity not in self._read:
            self._read[identity] = (mask, *_read(mask))
        _, rule, bias = self._read[identity]
        return rule, bias


def _read(mask: Shaped[Tensor, "items_or_1 heads_or_1 n_or_1 m"]) -> tuple[Mask | None, Tensor | None]:
    if mask.dtype == torch.bool:
        return simplest(mask), None
    # Whole numbers are added to the scores as the numbers they are.
    rule, bias = split_additive(mask if mask.is_floating_point() else mask.float())
    return (simplest(rule.pairs) if isinstance(rule, Dense) else rule), bias


def simplest(pairs: Bool[Tensor, "items_or_1 heads_or_1 n_or_1 m_or_1"]) -> Mask | None:
    """The shortest rule that allows exactly these pairs; None where all are allowed."""
    for dim in (1, 2, 0):
        first = pairs.narrow(dim, 0, 1)
        if pairs.shape[dim] > 1 and (pairs.stride(dim) == 0 or bool((pairs == first).all())):
            pairs = first
    if bool(pairs.all()):
        return None
    if pairs.shape[1:3] == (1, 1):
        return _padding(pairs[:, 0, 0])
    rule = _causal(pairs) if pairs.shape[1] == 1 else None
    # What was narrowed is a view that would keep the whole mask in memory.
    return Dense(pairs.clone(memory_format=torch.contiguous_format)) if rule is None else rule


def _causal(pairs: Bool[Tensor, "items_or_1 1 n m"]) -> Mask | None:
    """A causal rule, perhaps within a window, and the padding; None where that does not say exactly the same."""
    queries, keys = pairs.shape[2:]
    present = pairs.any(2, keepdim=True)
    most = int(pairs.sum(-1).max())
    for offset in dict.fromkeys((keys - queries, 0)):
        causal = torch.ones(queries, keys, dtype=torch.bool, device=pairs.device).tril(offset)
        rule: Mask | None = None
        if torch.equal(pairs, causal & present):
            rule = Causal(offset)
        elif torch.equal(pairs, causal.triu(offset - most + 1) & present):
            rule = Causal(offset) & Window(most - 1, 0, offset)
        if rule is not None:
            padding = simplest(present)
            return rule if padding is None else rule & padding
    return None


def _padding(present: Bool[Tensor, "items m"]) -> Mask:
    """One range of keys for each item where padding lies on the left or right, and the truth values otherwise."""
    count = present.sum(-1)
    start = present.to(torch.uint8).argmax(-1)
    place = torch.arange(present.shape[-1], device=present.device)
    ranges = (place >= start[:, None]) & (place < (start + count)[:, None])
    if torch.equal(ranges, present):
        return Lengths(tuple(start.tolist()), tuple((start + count).tolist()))
    return Dense(present[:, None, None].clone(memory_format=torch.contiguous_format))


def looks_back_only(mask: Mask | None, shape: tuple[int, int]) -> bool:
    """Whether the rule for n queries and m keys is causal: no query sees a later key, but later queries see more."""
    queries, keys = shape
    if isinstance(mask, All):
        return any(looks_back_only(rule, shape) for rule in mask.rules)
    if isinstance(mask, Causal):
        return queries > 1 and mask.offset <= keys - queries
    if not isinstance(mask, Dense) or mask.pairs.shape[2] == 1:
        return False
    pairs = mask.pairs
    later = torch.ones(queries, keys, dtype=torch.bool, device=pairs.device).triu(1 + keys - queries)
    return not bool((pairs & later).any()) and bool((pairs[:, :, :1] != pairs).any())
