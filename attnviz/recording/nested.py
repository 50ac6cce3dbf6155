"""Nested tensors: sequences of different lengths without padding. Here they are padded to the longest, as any batch."""

import torch
import torch.nn.functional as F
from torch import Tensor

from attnviz.attention import Ranges


def parts(tensor: Tensor) -> list[Tensor]:
    """The items of a nested tensor, "heads n d" each."""
    return [one.detach() for one in tensor.unbind()]


def padded(tensor: Tensor) -> Tensor:
    """Items, heads, positions, width, with zeros after the end of each item."""
    items = parts(tensor)
    longest = max((one.shape[-2] for one in items), default=0)
    return torch.stack([F.pad(one, (0, 0, 0, longest - one.shape[-2])) for one in items])


def ranges(query: Tensor, key: Tensor, *, causal: bool) -> Ranges:
    """Which keys each query may see: those of its item, up to its own place where it is causal; padding sees none."""
    queries, keys = ([one.shape[-2] for one in parts(tensor)] for tensor in (query, key))
    places = torch.arange(max(queries, default=0), device=query.device)
    stops = []
    for count, seen in zip(queries, keys, strict=True):
        stop = (places + 1).clamp(max=seen) if causal else torch.full_like(places, seen)
        stops.append(stop.where(places < count, 0))
    all_stops = torch.stack(stops)[:, None]
    return Ranges(torch.zeros_like(all_stops), all_stops)


def columns(value: Tensor, output: Tensor) -> tuple[Tensor, Tensor] | None:
    """One column of the values, and of the first row of the output, which every item has; None where one is empty."""
    values, outputs = parts(value), parts(output)
    if not values or any(0 in one.shape for one in (*values, *outputs)):
        return None
    middle = values[0].shape[-1] // 2
    longest = max(one.shape[-2] for one in values)
    column = [F.pad(one[..., middle : middle + 1], (0, 0, 0, longest - one.shape[-2])) for one in values]
    rows = [one[..., :1, middle : middle + 1] for one in outputs]
    return torch.stack(column), torch.stack(rows)


def nbytes(tensor: Tensor) -> int:
    """Bytes of a tensor, nested or not."""
    return sum(one.nbytes for one in parts(tensor)) if tensor.is_nested else tensor.nbytes
