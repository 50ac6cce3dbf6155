"""Fused attention: the numbers of the formula without the n × m weights in memory, and what ran here to get them.

PyTorch chooses among kernels by device, type, shape and mask, so the kernel is read off what was executed, and
memory off what was allocated; neither is assumed (FlashAttention, Dao et al. 2022, arXiv 2205.14135).
"""

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import ProfilerActivity, profile

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.base.memory import amount, free_bytes

Form = Literal["plain", "fused"]

# What PyTorch calls the operations that do the work, with the name of the backend that each belongs to.
_OPERATIONS = {
    "aten::_scaled_dot_product_flash_attention": SDPBackend.FLASH_ATTENTION,
    "aten::_scaled_dot_product_flash_attention_for_cpu": SDPBackend.FLASH_ATTENTION,
    "aten::_scaled_dot_product_efficient_attention": SDPBackend.EFFICIENT_ATTENTION,
    "aten::_scaled_dot_product_cudnn_attention": SDPBackend.CUDNN_ATTENTION,
    "aten::_scaled_dot_product_fused_attention_overrideable": SDPBackend.OVERRIDEABLE,
    "aten::_scaled_dot_product_attention_math": SDPBackend.MATH,
    "aten::_scaled_dot_product_attention_math_for_mps": SDPBackend.MATH,
}
_TRIED = (
    SDPBackend.FLASH_ATTENTION,
    SDPBackend.EFFICIENT_ATTENTION,
    SDPBackend.CUDNN_ATTENTION,
    SDPBackend.MATH,
)

# A process has one profiler.
_profiling = threading.Lock()


@dataclass(frozen=True)
class Backend:
    """What ran. name: as in `torch.nn.attention.SDPBackend`, or "" for an operation that is not known here."""

    name: str
    operation: str

    @property
    def fused(self) -> bool:
        """Whether the weights stayed out of memory: MATH writes them down as the formula does."""
        return self.name not in ("MATH", "")


def plain(
    query: Float[Tensor, "items heads n d"],
    key: Float[Tensor, "items heads m d"],
    value: Float[Tensor, "items heads m dv"],
    mask: Bool[Tensor, "n m"] | None = None,
) -> Float[Tensor, "items heads n dv"]:
    """softmax(Q Kᵀ/√d) V as it is written: scores and weights are in memory together."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return torch.softmax(scores, -1) @ value


def fused(
    query: Float[Tensor, "items heads n d"],
    key: Float[Tensor, "items heads m d"],
    value: Float[Tensor, "items heads m dv"],
    mask: Bool[Tensor, "n m"] | None = None,
) -> Float[Tensor, "items heads n dv"]:
    """PyTorch's own function; 4 dimensions, because for 3 it does not take its fused kernels."""
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)


def which_backend(
    query: Float[Tensor, "items heads n d"],
    key: Float[Tensor, "items heads m d"],
    value: Float[Tensor, "items heads m dv"],
    mask: Bool[Tensor, "n m"] | None = None,
) -> Backend:
    """The kernel that PyTorch ran for these very tensors, by the name of the operation in its profiler."""
    with _profiling, profile(activities=[ProfilerActivity.CPU], acc_events=True) as seen:
        fused(query, key, value, mask)
    names = {event.name for event in seen.events()}
    for operation, backend in _OPERATIONS.items():
        if operation in names:
            return Backend(backend.name, operation)
    return Backend("", "")


def willing_backends(
    query: Float[Tensor, "items heads n d"],
    key: Float[Tensor, "items heads m d"],
    value: Float[Tensor, "items heads m dv"],
    mask: Bool[Tensor, "n m"] | None = None,
) -> dict[str, bool]:
    """For each kernel by name whether it runs when it is the only one allowed; a refusal is an error that is caught."""
    found = {}
    for backend in _TRIED:
        try:
            with sdpa_kernel(backend):
                fused(query, key, value, mask)
            found[backend.name] = True
        except RuntimeError:
            found[backend.name] = False
    return found


def largest_difference(
    query: Float[Tensor, "items heads n d"],
    key: Float[Tensor, "items heads m d"],
    value: Float[Tensor, "items heads m dv"],
    mask: Bool[Tensor, "n m"] | None = None,
) -> float:
    """The greatest |fused − plain| over all outputs, in the type of the queries. NaN where a row has no key."""
    return float((fused(query, key, value, mask) - plain(query, key, value, mask)).abs().max())


def peak_bytes(
    form: Form,
    query: Float[Tensor, "items heads n d"],
    key: Float[Tensor, "items heads m d"],
    value: Float[Tensor, "items heads m dv"],
    mask: Bool[Tensor, "n m"] | None = None,
) -> int:
    """The most memory that was allocated at once beyond the inputs, in bytes, the output among it; measured.

    Counted by PyTorch's allocator: on a GPU by its own statistics, elsewhere from the allocations that the profiler
    saw. What a library allocates past PyTorch is not in it. Raises `InputError` before memory runs out.
    """
    _check_memory(form, query, key)
    run = plain if form == "plain" else fused

    def once() -> Tensor:
        return run(query, key, value, mask)

    return peak_of(once, query.device)


def peak_of(run: Callable[[], object], device: torch.device) -> int:
    """The most bytes that were allocated on the device at once while this ran, beyond what was there before."""
    return _peak_on_cuda(run, device) if device.type == "cuda" else _peak_elsewhere(run)


def _peak_on_cuda(run: Callable[[], object], device: torch.device) -> int:
    # The first call also allocates workspaces that stay.
    run()
    torch.cuda.synchronize(device)
    torch.cuda.reset_peak_memory_stats(device)
    before = torch.cuda.memory_allocated(device)
    run()
    torch.cuda.synchronize(device)
    return torch.cuda.max_memory_allocated(device) - before


def _peak_elsewhere(run: Callable[[], object]) -> int:
    with _profiling, profile(activities=[ProfilerActivity.CPU], profile_memory=True, acc_events=True) as seen:
        run()
    steps = sorted(
        (event.start_ns(), event.nbytes())
        for event in seen.profiler.kineto_results.events()
        if event.name() == "[memory]"
    )
    now = peak = 0
    for _time, allocated in steps:
        now += allocated
        peak = max(peak, now)
    return peak


def _check_memory(form: Form, query: Float[Tensor, "items heads n d"], key: Float[Tensor, "items heads m d"]) -> None:
    items, heads, queries, _ = query.shape
    pairs = items * heads * queries * key.shape[2]
    # Scores, their scaled copy and the weights; MATH holds the same.
    needed, free = 3 * pairs * query.itemsize, free_bytes(query.device)
    if form == "plain" and free is not None and needed > free // 2:
        raise InputError(
            _m(
                "The plain form would take about {needed} for {queries} × {keys} pairs in {heads} heads; {free} are free."
            ),
            needed=amount(needed),
            queries=queries,
            keys=key.shape[2],
            heads=heads,
            free=amount(free),
        )
