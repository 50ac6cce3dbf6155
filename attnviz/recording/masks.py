"""Recorded masks and biases: the layers of a model usually share a tensor, which is read once and stays shared."""

from collections.abc import Callable

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from attnviz.attention import All, ByFunction, Causal, Dense, Mask, Ranges, Window, split_additive
from attnviz.attention.recognise import recognise

Read = tuple[Mask | None, Float[Tensor, "items_or_1 heads_or_1 n_or_1 m_or_1"] | None]


class Masks:
    """Reads each tensor once."""

    def __init__(self) -> None:
        # The tensor is kept beside what was read in it, so that its memory stays its own.
        self._once: dict[tuple[object, ...], tuple[object, Mask | None]] = {}
        self._read: dict[tuple[object, ...], tuple[Tensor, Read]] = {}

    def read(self, mask: Shaped[Tensor, "_ _ _ _"], keys: int, *, forbids: bool = False) -> Read:
        """The rule and the finite bias in a mask of truth values or of numbers that are added.

        Columns beyond the number of keys are not used. A rule that forbids nothing is None, and so is a bias of 0.
        forbids: truth values say where a pair is not allowed.
        """
        mask = mask.detach()[..., :keys]
        version = None if mask.is_inference() else mask._version
        identity = (forbids, mask.data_ptr(), version, tuple(mask.shape), mask.stride(), mask.dtype, mask.device)
        if identity not in self._read:
            self._read[identity] = (mask, _read(~mask if forbids else mask))
        return self._read[identity][1]

    def once(self, key: tuple[object, ...], kept: object, make: Callable[[], Mask | None]) -> Mask | None:
        """The rule that was made for this key; `kept` is what the key stands for."""
        if key not in self._once:
            self._once[key] = (kept, make())
        return self._once[key][1]

    def read_both(self, mask: Tensor | None, bias: Tensor | None, keys: int) -> Read:
        """The same for a mask and a bias, which are added."""
        rule, added = (None, None) if mask is None else self.read(mask, keys)
        if bias is None:
            return rule, added
        forbids, finite = self.read(bias, keys)
        joined = forbids if rule is None else rule if forbids is None else rule & forbids
        return joined, finite if added is None else added if finite is None else added + finite


def _read(mask: Shaped[Tensor, "_ _ _ _"]) -> Read:
    for dim in range(3):
        first = mask.narrow(dim, 0, 1)
        if mask.shape[dim] > 1 and (mask.stride(dim) == 0 or bool((mask == first).all())):
            mask = first
    # Of what was narrowed, only that part stays in memory.
    mask = mask.contiguous()
    if mask.dtype == torch.bool:
        return recognise(mask), None
    # Whole numbers are added to the scores as the numbers they are.
    return split_additive(mask if mask.is_floating_point() else mask.float())


def looks_back_only(mask: Mask | None, shape: tuple[int, int]) -> bool:
    """Whether the rule for n queries and m keys is causal: no query sees a later key, but later queries see more."""
    queries, keys = shape
    if mask is None or queries == 1:
        return False
    if isinstance(mask, All):
        return any(looks_back_only(rule, shape) for rule in mask.rules)
    if isinstance(mask, Causal):
        return mask.offset <= keys - queries
    if isinstance(mask, Window):
        return mask.right is not None and mask.right + mask.offset <= keys - queries
    if isinstance(mask, Ranges | ByFunction):
        return mask.looks_back_only(keys - queries)
    if not isinstance(mask, Dense) or mask.pairs.shape[2] == 1:
        return False
    pairs = mask.pairs
    later = torch.ones(queries, keys, dtype=torch.bool, device=pairs.device).triu(1 + keys - queries)
    return not bool((pairs & later).any()) and bool((pairs[:, :, :1] != pairs).any())
