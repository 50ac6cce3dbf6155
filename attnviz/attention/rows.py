"""What a softmax needs to know about each row of scores: its maximum and its sum, worked out strip by strip.

The two are kept apart. A single log-sum-exp loses the sum where all scores are very low, as in a row that
is masked with the smallest finite number: there maximum + log(n) is rounded to the maximum.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import torch
from jaxtyping import Bool, Float, Int8
from torch import Tensor

from attnviz.attention.masks import Mask
from attnviz.attention.scores import DotProduct, Given
from attnviz.attention.tiles import Index, count, part, positions, strip_elements


class RowState(IntEnum):
    """What can be said about the weights of one query.

    NORMAL: weights to look at; where they are a softmax, they and the sinks' mass sum to 1.
    MASKED: no key is allowed, so there are no weights. NAN: the scores hold NaN or +∞. ZERO: every stored weight is 0.
    """

    NORMAL = 0
    MASKED = 1
    NAN = 2
    ZERO = 3


@dataclass(frozen=True, eq=False)
class RowStatistics:
    """For every row the greatest score and the sum of exp(score − greatest), sinks included.

    A row without allowed keys has maximum −∞ and sum 0; one with NaN has NaN in both or in the sum.
    """

    maximum: Float[Tensor, "h n"]
    total: Float[Tensor, "h n"]

    def lse(self) -> Float[Tensor, "h n"]:
        """Natural logarithm of the sum of exp(score): −∞ where nothing is allowed."""
        return self.maximum + self.total.log()

    def state(self) -> Int8[Tensor, "h n"]:
        """One `RowState` a row."""
        masked = self.maximum == -torch.inf
        return states(masked, self.total.isnan())

    def of(self, heads: slice, rows: Index) -> "RowStatistics":
        """The same for some heads and rows."""
        return RowStatistics(self.maximum[heads][:, rows], self.total[heads][:, rows])


def states(
    masked: Bool[Tensor, "h n"], nan: Bool[Tensor, "h n"], zero: Bool[Tensor, "h n"] | None = None
) -> Int8[Tensor, "h n"]:
    """The state of rows of which this is known; masked goes before NaN and NaN before zero."""
    state = torch.zeros(masked.shape, dtype=torch.int8, device=masked.device)
    if zero is not None:
        state[zero] = RowState.ZERO
    state[nan] = RowState.NAN
    state[masked] = RowState.MASKED
    return state


def masked_logits(
    scores: DotProduct,
    mask: Mask | None,
    item: int,
    head: int | None,
    rows: Index,
    cols: Index,
    keys: Float[Tensor, "kv m d"] | None = None,
) -> Float[Tensor, "h n m"]:
    """The scores with −∞ where the mask forbids."""
    logits = scores.logits(item, head, rows, cols, keys)
    if mask is not None:
        device = logits.device
        allowed = mask.allowed(item, positions(rows, device), positions(cols, device), head)
        forbid(logits, allowed)
    return logits


def forbid(logits: Float[Tensor, "h n m"], allowed: Bool[Tensor, "h_or_1 n_or_1 m"]) -> None:
    """Puts −∞ where a pair is not allowed; on a CPU in half the time that `masked_fill_` takes."""
    torch.where(allowed, logits, logits.new_tensor(-torch.inf), out=logits)


def statistics_of(logits: Float[Tensor, "h n m"], sinks: Float[Tensor, "h 1"] | None) -> RowStatistics:
    """The statistics of rows whose scores are all there."""
    greatest = logits.amax(-1)
    maximum = greatest if sinks is None else torch.maximum(greatest, sinks)
    total = (logits - maximum[..., None]).exp_().sum(-1)
    if sinks is not None:
        total += (sinks - maximum).exp()
    masked = greatest == -torch.inf
    return RowStatistics(maximum.masked_fill(masked, -torch.inf), total.masked_fill(masked, 0))


def row_statistics(scores: DotProduct, mask: Mask | None, item: int, head: int | None, rows: Index) -> RowStatistics:
    """The statistics of some rows over all keys, in strips of bounded size."""
    keys = scores.keys(item, head, slice(0, scores.sizes[3]))
    heads = scores.sizes[1] if head is None else 1
    maximum = torch.empty(heads, count(rows), dtype=scores.dtype, device=scores.device)
    total = torch.empty_like(maximum)
    for strip, cols in row_strips(scores, mask, item, head, rows):
        logits = masked_logits(scores, mask, item, head, part(rows, strip.start, strip.stop), cols, keys[:, cols])
        found = statistics_of(logits, scores.sinks_of(head))
        maximum[:, strip], total[:, strip] = found.maximum, found.total
    return RowStatistics(maximum, total)


def row_strips(
    scores: DotProduct | Given, mask: Mask | None, item: int, head: int | None, rows: Index, unit: int = 1
) -> Iterator[tuple[slice, slice]]:
    """Strips of bounded size: which of the rows, counted within them, and the keys outside of which they see nothing.

    A strip is a multiple of `unit` rows where that many fit, and otherwise lies within one unit.
    """
    heads, keys = (scores.sizes[1] if head is None else 1), scores.sizes[3]
    most, start = strip_elements(scores.device), 0

    def cols(start: int, stop: int) -> slice:
        return reach(mask, item, part(rows, start, stop), keys)

    def width(size: int) -> int:
        seen = cols(start, min(start + size, count(rows)))
        return heads * count(seen)

    while start < count(rows):
        size = unit
        while start + size < count(rows) and 2 * size * width(2 * size) <= most:
            size *= 2
        stop, step = min(start + size, count(rows)), size
        if size == unit:
            step = max(1, min(unit, most // width(unit)))
        for first in range(start, stop, step):
            last = min(first + step, stop)
            yield slice(first, last), cols(first, last)
        start = stop


def reach(mask: Mask | None, item: int, rows: Index, keys: int) -> slice:
    """The keys that some of these rows may see, never none: a masked row is found by looking at one key."""
    if mask is None or count(rows) == 0:
        return slice(0, keys)
    if isinstance(rows, slice):
        first, last = rows.start, rows.stop - 1
    else:
        first, last = int(rows.min()), int(rows.max())
    start, stop = mask.reach(item, first, last, keys)
    start = min(max(start, 0), keys - 1)
    return slice(start, max(min(stop, keys), start + 1))


def stored_states(scores: Given, mask: Mask | None, item: int, head: int | None, rows: Index) -> Int8[Tensor, "h n"]:
    """The state of some rows of stored weights, in strips of bounded size."""
    every = slice(0, scores.sizes[3])
    heads = scores.sizes[1] if head is None else 1
    found = torch.empty(heads, count(rows), dtype=torch.int8, device=scores.device)
    for strip, _ in row_strips(scores, None, item, head, rows):
        here = part(rows, strip.start, strip.stop)
        weights = scores.tile(item, head, here, every)
        nan = weights.isnan().any(-1)
        masked = torch.zeros_like(nan)
        if mask is not None:
            allowed = mask.allowed(item, positions(here, scores.device), positions(every, scores.device), head)
            masked |= ~allowed.any(-1)
        found[:, strip] = states(masked, nan, (weights == 0).all(-1))
    return found
