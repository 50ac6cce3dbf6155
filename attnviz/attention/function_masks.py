"""Masks that are a function of the positions, and masks whose rows each see one stretch of keys.

A function is asked for the tile that is wanted. Its rows are looked through once, strip by strip, so that it is
known where each begins and ends; where nothing is left out between, that is all there is to know.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attnviz.attention.masks import Dense, Mask
from attnviz.attention.recognise import guess
from attnviz.attention.tiles import strip_elements
from attnviz.base.errors import InputError
from attnviz.base.language import _m

# For an item, a head (None: any), queries and keys: which pairs are allowed.
PairFunction = Callable[[int, int, Int[Tensor, " n"], Int[Tensor, " m"]], Bool[Tensor, "n m"]]

# Above this, one truth value for each pair is more than a file should hold.
_MOST_PAIRS = 1 << 26
_TOO_LARGE = _m(
    "The mask is a function of the positions; written pair by pair it would take {size} MB, more than {most} MB."
)


@dataclass(frozen=True, eq=False)
class Ranges(Mask):
    """Query i sees the keys start[i] ≤ j < stop[i], and none where they are equal: documents, causal or not, windows."""

    starts: Int[Tensor, "items_or_1 heads_or_1 n"]
    stops: Int[Tensor, "items_or_1 heads_or_1 n"]

    def __post_init__(self) -> None:
        if self.starts.shape != self.stops.shape:
            raise InputError(_m("The mask's ranges have {starts} starts and {stops} stops."), **_shapes(self))

    def allowed(
        self, item: int, rows: Int[Tensor, " n"], cols: Int[Tensor, " m"], head: int | None = None
    ) -> Bool[Tensor, "h n m"]:
        """Start ≤ j < stop."""
        starts, stops = (_of(tensor, item, head)[:, rows, None] for tensor in (self.starts, self.stops))
        return (cols >= starts) & (cols < stops)

    def reach(self, item: int, first: int, last: int, keys: int) -> tuple[int, int]:
        """From the first start to the last stop of these rows."""
        return _reach(self.starts, self.stops, item, first, last, keys)

    def check(self, items: int, heads: int, queries: int, keys: int) -> None:
        """One range for each query, of keys that exist."""
        fits = self.starts.shape[0] in (1, items) and self.starts.shape[1] in (1, heads)
        if not fits or self.starts.shape[2] != queries or not self._within(keys):
            raise InputError(
                _m("The mask's ranges, of shape {found}, do not fit {queries} queries and {keys} keys."),
                found=tuple(self.starts.shape),
                queries=queries,
                keys=keys,
            )

    def _within(self, keys: int) -> bool:
        if not self.starts.numel():
            return True
        return bool((self.starts >= 0).all() & (self.stops >= self.starts).all() & (self.stops <= keys).all())

    def on(self, device: torch.device) -> "Ranges":
        """The same ranges on this device."""
        return self if self.starts.device == device else Ranges(self.starts.to(device), self.stops.to(device))

    def looks_back_only(self, offset: int) -> bool:
        """Whether no query sees a key later than its own, which `offset` is added to, and later ones see more."""
        queries = torch.arange(self.stops.shape[2], device=self.stops.device)
        return _looks_back_only(self.starts, self.stops, queries, offset)

    def to_json(self) -> dict[str, Any]:
        """The rule without its tensors."""
        return {"rule": "ranges"}

    def tensors(self) -> dict[str, Tensor]:
        """Starts and stops, as files hold them: in float64, which is exact for any position."""
        return {"starts": self.starts.double(), "stops": self.stops.double()}


@dataclass(frozen=True, eq=False)
class ByFunction(Mask):
    """Allowed where a function of item, head, query and key says so.

    starts, stops: outside of these a query sees nothing. sizes: items or 1, heads or 1, queries, keys.
    """

    function: PairFunction
    starts: Int[Tensor, "items_or_1 heads_or_1 n"]
    stops: Int[Tensor, "items_or_1 heads_or_1 n"]
    sizes: tuple[int, int, int, int]

    def allowed(
        self, item: int, rows: Int[Tensor, " n"], cols: Int[Tensor, " m"], head: int | None = None
    ) -> Bool[Tensor, "h n m"]:
        """What the function says."""
        item = item if self.sizes[0] > 1 else 0
        heads = range(self.sizes[1]) if head is None or self.sizes[1] == 1 else (head,)
        # The function's own tensors stay where they are.
        here, place = rows.device, self.starts.device
        rows, cols = rows.to(place), cols.to(place)
        return torch.stack([self.function(item, one, rows, cols) for one in heads]).to(here)

    def reach(self, item: int, first: int, last: int, keys: int) -> tuple[int, int]:
        """From the first key that one of these rows sees to the last."""
        return _reach(self.starts, self.stops, item, first, last, keys)

    def check(self, items: int, heads: int, queries: int, keys: int) -> None:
        """The sizes that it was made for."""
        fits = (items, heads, queries, keys)
        if any(found not in (1, expected) for found, expected in zip(self.sizes, fits, strict=True)):
            raise InputError(
                _m(
                    "The mask has shape {found}; items, heads, queries and keys are {expected}, and each may also be 1."
                ),
                found=self.sizes,
                expected=fits,
            )

    def looks_back_only(self, offset: int) -> bool:
        """Whether no query sees a key later than its own, which `offset` is added to, and later ones see more."""
        queries = torch.arange(self.stops.shape[2], device=self.stops.device)
        return _looks_back_only(self.starts, self.stops, queries, offset)

    def on_file(self) -> Mask:
        """The pairs themselves. Raises `InputError` where they are too many."""
        pairs = math.prod(self.sizes)
        if pairs > _MOST_PAIRS:
            raise InputError(_TOO_LARGE, size=pairs >> 20, most=_MOST_PAIRS >> 20)
        rows, cols = (torch.arange(size, device=self.starts.device) for size in self.sizes[2:])
        return Dense(torch.stack([self.allowed(item, rows, cols) for item in range(self.sizes[0])]))

    def to_json(self) -> dict[str, Any]:
        """A function cannot be written: `on_file` comes first."""
        raise TypeError("a function is not plain values")


def mask_by_function(function: PairFunction, sizes: tuple[int, int, int, int], device: torch.device) -> Mask | None:
    """The simplest mask that allows what the function allows: None for all pairs, a rule, ranges, or the function.

    sizes: items, heads, queries, keys; 1 item or 1 head where the function does not look at it.
    """
    starts, stops, counts = _look_through(function, sizes, device)
    keys = sizes[3]
    if bool((counts == keys).all()):
        return None
    if not bool((counts == stops - starts).all()):
        return ByFunction(function, starts, stops, sizes)
    ranges = Ranges(starts, stops)
    # Recognised from the ends of the rows, and compared with them.
    rule = guess(starts[:, 0], stops[:, 0] - 1, counts[:, 0] > 0, keys) if sizes[1] == 1 else None
    return rule if rule is not None and _same(rule, ranges, sizes) else ranges


def _look_through(
    function: PairFunction, sizes: tuple[int, int, int, int], device: torch.device
) -> tuple[Int[Tensor, "items heads n"], Int[Tensor, "items heads n"], Int[Tensor, "items heads n"]]:
    """For each row its first key, the one after its last, and how many it sees."""
    items, heads, queries, keys = sizes
    starts, stops, counts = (torch.zeros(items, heads, queries, dtype=torch.long, device=device) for _ in range(3))
    cols = torch.arange(keys, device=device)
    step = max(1, strip_elements(device) // max(keys, 1))
    for item in range(items):
        for head in range(heads):
            for start in range(0, queries, step):
                here = slice(start, min(start + step, queries))
                pairs = function(item, head, torch.arange(here.start, here.stop, device=device), cols)
                as_bytes = pairs.contiguous().view(torch.uint8)
                seen = pairs.any(1)
                starts[item, head, here] = as_bytes.argmax(1).where(seen, 0)
                stops[item, head, here] = (keys - as_bytes.flip(1).argmax(1)).where(seen, 0)
                counts[item, head, here] = pairs.sum(1)
    return starts, stops, counts


def _same(rule: Mask, ranges: Ranges, sizes: tuple[int, int, int, int]) -> bool:
    items, _, queries, keys = sizes
    device = ranges.starts.device
    cols, step = torch.arange(keys, device=device), max(1, strip_elements(device) // max(keys, 1))
    for item in range(items):
        for start in range(0, queries, step):
            rows = torch.arange(start, min(start + step, queries), device=device)
            if not torch.equal(rule.allowed(item, rows, cols)[0], ranges.allowed(item, rows, cols)[0]):
                return False
    return True


def _of(tensor: Tensor, item: int, head: int | None) -> Int[Tensor, "h n"]:
    chosen = tensor[item if tensor.shape[0] > 1 else 0]
    return chosen if head is None or chosen.shape[0] == 1 else chosen[head : head + 1]


def _reach(starts: Tensor, stops: Tensor, item: int, first: int, last: int, keys: int) -> tuple[int, int]:
    begin, end = (_of(tensor, item, None)[:, first : last + 1] for tensor in (starts, stops))
    seen = end > begin
    if not bool(seen.any()):
        return 0, 0
    return int(begin[seen].min()), min(keys, int(end[seen].max()))


def _looks_back_only(starts: Tensor, stops: Tensor, queries: Tensor, offset: int) -> bool:
    if len(queries) < 2 or bool((stops > queries + 1 + offset).any()):
        return False
    return bool((stops != stops[..., :1]).any() or (starts != starts[..., :1]).any())


def _shapes(ranges: Ranges) -> dict[str, tuple[int, ...]]:
    return {"starts": tuple(ranges.starts.shape), "stops": tuple(ranges.stops.shape)}
