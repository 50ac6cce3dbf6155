"""The forms of the attention core that are measured: the same numbers, reached in different ways."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from attnviz.cost.roofline import Form

Heads = Float[Tensor, "items heads n width"]
Values = Float[Tensor, "items heads n value_width"]


def plain(q: Heads, k: Heads, v: Values) -> Values:
    """softmax(q kᵀ / √d) v as it is written: scores and weights are both n × n, and stand in memory."""
    scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
    return torch.softmax(scores, -1) @ v


def fused(q: Heads, k: Heads, v: Values) -> Values:
    """One kernel that keeps the scores to itself (torch's scaled_dot_product_attention).

    Raises `RuntimeError` where torch has no such kernel for these inputs: the written-out form must not pass for it.
    """
    with sdpa_kernel(list(_KEEPING)):
        return F.scaled_dot_product_attention(q, k, v)


_KEEPING = (SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION)


def windowed(q: Heads, k: Heads, v: Values, window: int) -> Values:
    """Each query sees `window` positions on each side, in blocks as Beltagy et al. 2020 (arXiv 2004.05150) do it.

    The queries stand in blocks of `window`, and each block computes scores for its own and both neighbours' keys,
    3·window of them, of which 2·window + 1 are live. So it computes 1.5 times the live pairs, not n².
    """
    n, block = q.shape[-2], max(window, 1)
    blocks = -(-n // block)
    padding = blocks * block - n
    queries = F.pad(q, (0, 0, 0, padding)).view(*q.shape[:-2], blocks, block, q.shape[-1])
    around_k = F.pad(k, (0, 0, block, padding + block)).unfold(-2, 3 * block, block)
    around_v = F.pad(v, (0, 0, block, padding + block)).unfold(-2, 3 * block, block)
    scores = queries @ around_k * q.shape[-1] ** -0.5
    scores = scores.masked_fill(~_live(n, block, window, q.device), -torch.inf)
    weights = torch.softmax(scores, -1).nan_to_num()  # rows of padding have no key
    return (weights @ around_v.transpose(-2, -1)).flatten(-3, -2)[..., :n, :]


def _live(n: int, block: int, window: int, device: torch.device) -> Tensor:
    """blocks × block × 3·block: whether the key exists and is near enough."""
    starts = torch.arange(0, n, block, device=device)[:, None, None]
    query = starts + torch.arange(block, device=device)[None, :, None]
    key = starts - block + torch.arange(3 * block, device=device)[None, None, :]
    return (key >= 0) & (key < n) & ((query - key).abs() <= window)


def of(form: Form, window: int) -> Callable[[Heads, Heads, Values], Values]:
    """The function that computes this form."""
    if form == "window":
        return lambda q, k, v: windowed(q, k, v, window)
    return plain if form == "plain" else fused


def peak_bytes(form: Form, n: int, heads: int, width: int, window: int, size: int) -> int:
    """About how many bytes a form holds at its peak, `size` of them to a number; inputs and output included.

    plain: scores and weights at once, and the scaled scores beside the unscaled ones before that, 2hn². window:
    the same over 3·window keys, and a copy of keys and values for each block of queries.
    """
    held = 4 * n * width
    if form == "plain":
        held += 2 * heads * n * n
    if form == "window":
        across = 3 * max(window, 1)
        held += 4 * heads * n * across + 2 * 3 * n * width
    return held * size
