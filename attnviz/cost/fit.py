"""What would make attention fit a budget: which window, stride, number of tokens or kind, and what each gives up."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from attnviz.attention.kinds.kind import Settings
from attnviz.base.language import _m
from attnviz.cost.chips import Chip
from attnviz.cost.layer import Layer
from attnviz.cost.price import Price, price
from attnviz.cost.roofline import Work, bound
from attnviz.cost.tokens import ImageTokens

Loss = Literal["nothing", "weights", "pairs", "tokens"]
"""nothing: the same numbers. weights: every pair still has one, another one. pairs: some are never compared. tokens: some are gone."""

LOSSES: tuple[Loss, ...] = ("nothing", "weights", "pairs", "tokens")

Laid = Callable[[int], ImageTokens]
"""The tokens of the image at a stride."""


@dataclass(frozen=True)
class Need:
    """What has to fit: tokens, a layer of which there are `layers`, one after another. grid, stride, laid: of an image."""

    tokens: int
    layer: Layer
    layers: int = 1
    grid: tuple[int, int] | None = None
    stride: int = 1
    laid: Laid | None = None


Costing = Callable[[Price], float]
"""What a price is in the budget's unit, all layers together; with a fused kernel, where there is one."""


@dataclass(frozen=True)
class Way:
    """One way, at the mildest setting that meets the budget, or at its strongest where none does.

    name: which way. setting: its number, 0 where it has none. cost: in the budget's unit. kept: how many pairs have
    a weight, as a share of those that the attention has as it is.
    """

    name: str
    setting: int
    tokens: int
    cost: float
    meets: bool
    loss: Loss
    kept: float


def seconds(need: Need, chip: Chip, *, projections: bool) -> Costing:
    """Seconds at the least on a chip: operations of core (and projections) or bytes moved, whichever takes longer."""
    counted = operations(replace(need, layers=1), projections=projections)

    def cost(found: Price) -> float:
        moved = found.plain_traffic if found.fused_traffic is None else found.fused_traffic
        if projections:
            moved += found.parameters * need.layer.bytes_per_number
        return need.layers * bound(Work(counted(found), float(moved)), chip).seconds

    return cost


def operations(need: Need, *, projections: bool) -> Costing:
    """Operations of core (and projections)."""

    def cost(found: Price) -> float:
        return float(need.layers * (found.operations.attention if projections else found.operations.core))

    return cost


def held(found: Price) -> float:
    """Bytes held beyond inputs and output, of one layer at a time."""
    return float(found.plain_bytes if found.fused_bytes is None else found.fused_bytes)


def kept_for_the_next(need: Need) -> Costing:
    """Bytes that all layers keep for the next query: the key–value cache, or a state."""

    def cost(found: Price) -> float:
        return float(need.layers * found.state_bytes)

    return cost


def ways(need: Need, costing: Costing, most: float) -> tuple[Way, ...]:
    """Every way, those that meet the budget first; among them by what is given up, then by how many pairs are kept."""
    found = [way for make in _MAKERS for way in make(need, costing, most)]
    return tuple(sorted(found, key=lambda way: (not way.meets, LOSSES.index(way.loss), -way.kept, way.cost)))


GIVES_UP = {
    "plain": _m("Nothing: every weight is there to be looked at."),
    "fused": _m("Nothing in the output; the weights are never written down, so they cannot be looked at."),
    "grouped": _m("Keys and values of their own for each head; trained anew or converted."),
    "linear": _m("The softmax: flatter weights, nothing is looked up sharply; trained anew."),
    "deformable": _m("All but a few points for each query and head; which ones is learnt; trained anew."),
    "window": _m("What is further away than the window; it arrives over several layers."),
    "block": _m("Everything beyond the block's edge, even the neighbour across it."),
    "global_window_random": _m("Most far pairs; what is far meets through the global tokens."),
    "pooled keys": _m("The places of keys within a pooled square; small things blend into their surroundings."),
    "stride": _m("Detail: a larger patch has more pixels and one vector. What is small may vanish."),
    "fewer tokens": _m("Tokens: merged into similar ones or cropped away. A child can be merged into a parked car."),
}


def _way(
    need: Need,
    name: str,
    setting: int,
    found: Price,
    costing: Costing,
    most: float,
    loss: Loss,
    tokens: int | None = None,
) -> Way:
    cost = costing(found)
    whole = price(_whole(need), need.tokens, need.tokens, need.layer).live_pairs
    kept = min(1.0, found.live_pairs / whole)
    return Way(name, setting, need.tokens if tokens is None else tokens, cost, cost <= most, loss, kept)


def _whole(need: Need) -> str:
    return "causal" if need.layer.causal else "self"


def _as_it_is(need: Need, costing: Costing, most: float) -> Iterator[Way]:
    found = price(_whole(need), need.tokens, need.tokens, need.layer)
    written_out = replace(found, fused_bytes=None, fused_traffic=None)
    yield _way(need, "plain", 0, written_out, costing, most, "nothing")
    yield _way(need, "fused", 0, found, costing, most, "nothing")


def _grouped(need: Need, costing: Costing, most: float) -> Iterator[Way]:
    fewer = [count for count in range(1, need.layer.kv_heads) if need.layer.kv_heads % count == 0]

    def made(count: int) -> Way:
        layer = replace(need.layer, kv_heads=count)
        found = price("grouped", need.tokens, need.tokens, layer)
        return _way(need, "grouped", count, found, costing, most, "weights")

    yield from _mildest(fewer, made)


def _linear(need: Need, costing: Costing, most: float) -> Iterator[Way]:
    found = price("linear", need.tokens, need.tokens, need.layer)
    yield _way(need, "linear", 0, found, costing, most, "weights")


def _deformable(need: Need, costing: Costing, most: float) -> Iterator[Way]:
    if need.grid is None or need.layer.causal:
        return

    def made(points: int) -> Way:
        found = price("deformable", need.tokens, need.tokens, need.layer, Settings(points=points))
        return _way(need, "deformable", points, found, costing, most, "pairs")

    yield from _mildest((1, 2, 4, 8, 16, 32), made)


def _window(need: Need, costing: Costing, most: float) -> Iterator[Way]:
    def made(reach: int) -> Way:
        chosen = Settings(window=reach)
        found = price("window", need.tokens, need.tokens, need.layer, chosen, grid=need.grid)
        return _way(need, "window", reach, found, costing, most, "pairs")

    # One that reaches from end to end hides nothing: that is attention as it is.
    yield from _mildest(range(1, _longest(need) - 1), made)


def _block(need: Need, costing: Costing, most: float) -> Iterator[Way]:
    def made(size: int) -> Way:
        found = price("block", need.tokens, need.tokens, need.layer, Settings(block=size), grid=need.grid)
        return _way(need, "block", size, found, costing, most, "pairs")

    yield from _mildest(range(2, _longest(need)), made)


def _global_window_random(need: Need, costing: Costing, most: float) -> Iterator[Way]:
    if need.layer.causal:
        return

    def made(reach: int) -> Way:
        chosen = Settings(window=reach, global_tokens=2, random_keys=3)
        found = price("global_window_random", need.tokens, need.tokens, need.layer, chosen)
        return _way(need, "global_window_random", reach, found, costing, most, "pairs")

    # Any wider, and the random keys would fill what the window leaves.
    yield from _mildest(range(1, min(need.tokens // 2, need.tokens - 6)), made)


def _pooled_keys(need: Need, costing: Costing, most: float) -> Iterator[Way]:
    """All queries; keys and values are means of squares (Wang et al. 2021, PVT). Extra tokens stay as they are."""
    if need.grid is None or need.layer.causal:
        return
    rows, columns = need.grid
    extra = need.tokens - rows * columns

    def made(shrunk: int) -> Way:
        side = -shrunk
        keys = -(-rows // side) * -(-columns // side) + extra
        found = price("cross", need.tokens, keys, need.layer)
        return _way(need, "pooled keys", side, found, costing, most, "pairs")

    # Negative, so that the mildest is the largest, as everywhere.
    yield from _mildest([-side for side in (16, 8, 6, 4, 3, 2) if side <= max(rows, columns)], made)


def _stride(need: Need, costing: Costing, most: float) -> Iterator[Way]:
    laid = need.laid
    if laid is None or need.grid is None:
        return
    rows, columns = need.grid
    # Multiples: what pooling, or a deeper level of a network, can do.
    strides = [-need.stride * times for times in range(min(16, rows, columns), 1, -1)]

    def made(shrunk: int) -> Way:
        tokens = laid(-shrunk).count
        found = price(_whole(need), tokens, tokens, need.layer)
        return _way(need, "stride", -shrunk, found, costing, most, "tokens", tokens)

    yield from _mildest(strides, made)


def _fewer(need: Need, costing: Costing, most: float) -> Iterator[Way]:
    def made(tokens: int) -> Way:
        found = price(_whole(need), tokens, tokens, need.layer)
        return _way(need, "fewer tokens", tokens, found, costing, most, "tokens", tokens)

    yield from _mildest(range(1, need.tokens), made)


def _longest(need: Need) -> int:
    return need.tokens if need.grid is None else max(need.grid)


def _mildest(settings: Sequence[int], made: Callable[[int], Way]) -> Iterator[Way]:
    """The largest of the ascending settings that meets the budget, the smallest where none does; costs never fall."""
    if not settings:
        return
    low, high = 0, len(settings) - 1
    best = made(settings[low])
    while low <= high and best.meets:
        middle = (low + high) // 2
        tried = made(settings[middle])
        if tried.meets:
            best, low = tried, middle + 1
        else:
            high = middle - 1
    yield best


_MAKERS = (
    _as_it_is, _grouped, _linear, _deformable, _window, _block, _global_window_random, _pooled_keys, _stride, _fewer,
)  # fmt: skip
