"""The least time that attention can take on a chip: a roofline.

Williams, Waterman and Patterson 2009, Communications of the ACM 52(4): nothing is faster than its operations at the
chip's full rate, nor than its bytes at the memory's full rate. It leaves out the start of each kernel (some
microseconds), exp and division of the softmax, the projections, and everything else that runs on the chip.
"""

from dataclasses import dataclass
from typing import Literal

from attnviz.cost.chips import Chip

Form = Literal["fused", "plain", "window"]
"""fused: the scores stay on the chip (Dao et al. 2022, arXiv 2205.14135). plain: they are written to memory, read by
the softmax, written again, read again. window: fused, and each query sees `window` positions on either side."""

BYTES = 2
"""Of a number in fp16 or bf16."""


@dataclass(frozen=True)
class Core:
    """The attention core of one layer, q kᵀ and weights × values, for one sequence: width d over all heads, as many key
    heads as query heads. window: positions on each side that the form "window" sees."""

    width: int = 256
    heads: int = 4
    form: Form = "fused"
    window: int = 64


@dataclass(frozen=True)
class Work:
    """What is to be done: floating-point operations (2 for a multiplication and its addition), bytes to and from memory."""

    operations: float
    bytes: float


@dataclass(frozen=True)
class Bound:
    """Seconds that it takes at least, and what they are needed for."""

    seconds: float
    by: Literal["compute", "memory"]


def pairs(n: int, core: Core) -> int:
    """Pairs of a query and a key that are live in one head: n², or n(2w + 1) − w(w + 1) in a window of w on each side."""
    if core.form != "window":
        return n * n
    reach = min(core.window, n - 1)
    return n * (2 * reach + 1) - reach * (reach + 1)


def work(n: int, core: Core) -> Work:
    """The work on n tokens, fp16: 4·pairs·d operations; q, k, v and the output once, 8nd bytes; plain 8hn² more."""
    moved = 4 * BYTES * n * core.width
    if core.form == "plain":
        moved += 4 * BYTES * core.heads * n * n
    return Work(float(4 * pairs(n, core) * core.width), float(moved))


def bound(done: Work, chip: Chip) -> Bound:
    """The least time of this work on this chip: max(operations / F, bytes / B)."""
    compute, memory = done.operations / (chip.tflops * 1e12), done.bytes / (chip.gigabytes * 1e9)
    return Bound(compute, "compute") if compute >= memory else Bound(memory, "memory")


def most_tokens(core: Core, chip: Chip, seconds: float) -> int:
    """The most tokens whose bound stays within so many seconds; 0 where not even one does."""

    def fits(tokens: int) -> bool:
        return bound(work(tokens, core), chip).seconds <= seconds

    high = 1
    while fits(high):
        high *= 2
    low = high // 2
    while low < high - 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
