"""One attention call: what is kept while the model runs, and what it means, worked out afterwards."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnviz.attention import Attention, Mask
from attnviz.recording.masks import Masks
from attnviz.recording.roles import Part


@dataclass(frozen=True, eq=False)
class Meaning:
    """A call in the terms of `Attention.from_qk`.

    causal: no query sees a later key. elsewhere: the keys come from another sequence than the queries;
    None where that cannot be seen.
    """

    query: Float[Tensor, "items heads n d"]
    key: Float[Tensor, "items kv_heads m d"]
    value: Float[Tensor, "items kv_heads m dv"] | None
    scale: float
    mask: Mask | None
    bias: Float[Tensor, "items_or_1 heads_or_1 n_or_1 m_or_1"] | None = None
    softcap: float | None = None
    sinks: Float[Tensor, " heads"] | None = None
    causal: bool = False
    elsewhere: bool | None = None


class NotRecorded(Exception):  # noqa: N818  not an error: the model ran, and the message says what is missing
    """Why a call has no weights to show: a message id with {name} for the layer, and its other fields."""

    def __init__(self, message: str, **fields: str | int | float) -> None:
        super().__init__(message, fields)
        self.message = message
        self.fields = fields


@dataclass(slots=True, eq=False)
class Call(ABC):
    """What is kept of a call: references to its tensors, detached; nothing is copied or computed.

    module: the one that attended. run: which forward pass of the model, from 0.
    autocast: the type that PyTorch cast the tensors to.
    """

    module: nn.Module
    run: int
    query: Tensor
    key: Tensor
    value: Tensor | None
    mask: Any
    autocast: torch.dtype | None

    @abstractmethod
    def meaning(self, masks: Masks, part: Part | None) -> Meaning:
        """What the call computed, in this part of the model. Raises `NotRecorded` where that cannot be told."""

    def tensors(self) -> tuple[Any, ...]:
        """Everything the meaning depends on: queries, keys, then the rest."""
        return (self.query, self.key, self.value, self.mask)

    def check(self, attention: Attention) -> None:  # noqa: B027  most families know what they call
        """Raises `NotRecorded` where the attention is not what the model computed."""


Versions = tuple[int | None, ...]


def versions_of(tensors: tuple[Any, ...]) -> Versions:
    """How often each was changed in place; None where PyTorch does not count, as in inference mode."""
    return tuple(
        [tensor._version if isinstance(tensor, Tensor) and not tensor.is_inference() else None for tensor in tensors]
    )


def kept(tensor: Tensor) -> Tensor:
    """The tensor without its part in autograd's graph."""
    return tensor.detach() if tensor.requires_grad else tensor


def autocast_of(tensor: Tensor) -> torch.dtype | None:
    """The type that autocast will compute in; None where it is off."""
    if not torch._C._is_any_autocast_enabled():
        return None
    device = tensor.device.type
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None
