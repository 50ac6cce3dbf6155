"""Kinds of attention against full attention written out, over the tokens: time, memory, and how fast each grows.

The attention core of one layer, 4 heads of width 64, float32; queries, keys and values are at hand. On a CPU with one
thread, where nothing waits for another. All forms run at all sizes in every round, in a new order each time, so that
what else the machine does meets them alike; a ratio is of two runs of one round. The power of the tokens is fitted to the
medians over all rounds (`attnviz.cost.exponent`).
"""

import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext

import torch
from torch import Tensor

from attnviz.attention.kinds import fused
from attnviz.attention.kinds.block import block_attention_reshaped
from attnviz.attention.kinds.full import full_attention
from attnviz.attention.kinds.linear import linear_attention
from attnviz.attention.kinds.window import window_attention, window_attention_by_blocks
from attnviz.base import device as devices
from attnviz.base.threads import one_thread
from attnviz.cost.exponent import growth
from benchmarks.report import Result, ratios

TOKENS = (512, 1024, 2048, 3072, 4096)
HEADS, WIDTH = 4, 64
# On each side of the query's own position; a block is as long.
WINDOW = BLOCK = 64
ROUNDS = 9
WARM_UP = 2

Inputs = tuple[Tensor, Tensor, Tensor]
Form = Callable[[Tensor, Tensor, Tensor], Tensor]
FULL = "full attention, written out"
FUSED = "full attention, fused"
FORMS: dict[str, Form] = {
    FULL: full_attention,
    FUSED: lambda q, k, v: fused.fused(q[None], k[None], v[None])[0],
    f"window of {WINDOW} on each side, as a mask": lambda q, k, v: window_attention(q, k, v, WINDOW),
    f"window of {WINDOW} on each side, by blocks": lambda q, k, v: window_attention_by_blocks(q, k, v, WINDOW),
    f"block-local, blocks of {BLOCK}": lambda q, k, v: block_attention_reshaped(q, k, v, BLOCK),
    "linear": linear_attention,
}


def measure(tokens: Sequence[int] = TOKENS, rounds: int = ROUNDS) -> list[Result]:
    """The time of each form over that of full attention, fused memory over plain, and the power that each grows with."""
    device = devices.choose(None)
    numbers = {n: inputs(n, device) for n in tokens}
    found: list[Result] = []
    with torch.inference_mode(), one_thread() if device.type == "cpu" else nullcontext():
        seconds = _rounds(numbers, rounds)
        for n in tokens:
            for name in FORMS:
                if name != FULL:
                    found.append(Result(f"{name}, {n} tokens", ratios(seconds[name, n], seconds[FULL, n]), "× the time of full attention", None))  # fmt: skip
            found.append(_memory(n, *numbers[n]))
    for name in FORMS:
        found.append(_growth(name, tokens, [statistics.median(seconds[name, n]) for n in tokens]))
    return found


def inputs(n: int, device: torch.device) -> Inputs:
    """Queries, keys and values from a standard normal, heads × n × width."""
    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, HEADS, n, WIDTH, generator=generator).to(device)
    return q, k, v


def _rounds(numbers: Mapping[int, Inputs], rounds: int) -> dict[tuple[str, int], list[float]]:
    """Seconds of each form at each size in each round."""
    order = random.Random(0)  # noqa: S311 - which comes first
    seconds: dict[tuple[str, int], list[float]] = {(name, n): [] for name in FORMS for n in numbers}
    for turn in range(rounds + WARM_UP):
        for name, n in order.sample(list(seconds), len(seconds)):
            taken = _seconds(FORMS[name], *numbers[n])
            if turn >= WARM_UP:
                seconds[name, n].append(taken)
    return seconds


def _seconds(form: Form, q: Tensor, k: Tensor, v: Tensor) -> float:
    _wait(q.device)
    start = time.perf_counter()
    form(q, k, v)
    _wait(q.device)
    return time.perf_counter() - start


def _wait(device: torch.device) -> None:
    """A GPU answers before it has computed."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _memory(n: int, q: Tensor, k: Tensor, v: Tensor) -> Result:
    """What is allocated at once beyond the inputs, and which kernel it was."""
    fused_bytes, plain_bytes = (fused.peak_bytes(form, q[None], k[None], v[None]) for form in ("fused", "plain"))
    ran = fused.which_backend(q[None], k[None], v[None]).name or "unknown"
    return Result(f"{FUSED}, {n} tokens", (fused_bytes / plain_bytes,), "× the memory of full attention", None, f"Kernel: {ran}.")  # fmt: skip


def _growth(name: str, tokens: Sequence[int], medians: Sequence[float]) -> Result:
    line = growth(tokens, medians)
    if line is None:
        raise ValueError(f"{len(tokens)} sizes; at least 3 were expected")
    return Result(f"{name}, growth", (line.exponent,), "is the power of the tokens", None, f"95 %: {line.low:.2f} to {line.high:.2f}.")  # fmt: skip
