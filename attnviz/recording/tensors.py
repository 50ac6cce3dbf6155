"""What is asked of a tensor while a model runs."""

from typing import Any

import torch
from torch import Tensor

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
