"""An attention written out in float64, one line a step, to hold everything else against."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor


def _weights(
    query: Tensor,
    key: Tensor,
    *,
    scale: float | None = None,
    allowed: Tensor | None = None,
    bias: Tensor | None = None,
    softcap: float | None = None,
    sinks: Tensor | None = None,
) -> Tensor:
    """Items, heads, n, m; rows without an allowed key are NaN; the sinks are a real extra column, cut off at the end."""
    key = key.repeat_interleave(query.shape[1] // key.shape[1], 1)
    scores = query.double() @ key.double().mT * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if softcap is not None:
        scores = softcap * torch.tanh(scores / softcap)
    if bias is not None:
        scores = scores + bias.double()
    if allowed is not None:
        scores = scores.masked_fill(~allowed, -torch.inf)
    nothing = (scores == -torch.inf).all(-1, keepdim=True)
    if sinks is not None:
        column = sinks.double()[None, :, None, None].expand(*scores.shape[:3], 1)
        scores = torch.cat([scores, column], -1)
    return torch.softmax(scores, -1)[..., : key.shape[2]].masked_fill(nothing, torch.nan)


@pytest.fixture(scope="session")
def in_float64() -> Callable[..., Tensor]:
    return _weights
