"""Where two cost curves over the number of tokens cross."""

import math
from collections.abc import Callable, Sequence

from attnviz.cost.layer import Layer

Curve = Callable[[int], float]
_LOOKS = 160


def core_equals_projections(layer: Layer, *, skips: bool = True) -> float:
    """n at which the core costs as much as the projections: 2 d with as many key heads as heads.

    skips: whether a kernel leaves out what a causal mask hides: 2 n (n + 1) d instead of 4 n² d, so about twice as many.
    """
    return _with_mask(layer.width + float(layer.kv_width), layer, skips)


def core_equals_rest(layer: Layer, *, skips: bool = True) -> float:
    """n at which the core costs as much as the rest of the block: 6 d with the usual feed-forward."""
    return _with_mask(layer.width + float(layer.kv_width) + layer.feed_forward * layer.width, layer, skips)


def _with_mask(tokens: float, layer: Layer, skips: bool) -> float:
    """From 4 n² d = 4 n d · tokens, or 2 n (n + 1) d = 4 n d · tokens."""
    return 2 * tokens - 1 if layer.causal and skips else tokens


def crossings(first: Curve, second: Curve, least: int, most: int, looks: Sequence[int] = ()) -> tuple[int, ...]:
    """The smallest whole n at which what cost less no longer does, from `least` to `most`, found by halving.

    Only where it costs more later on: curves that begin as one and part, or touch, do not cross.
    looks: ascending, where the curves are known anyway; else 160, evenly apart on a logarithmic scale. Two changes
    between the same two looks are both missed.
    """
    if least >= most:
        return ()
    places = [least, *(look for look in looks or evenly_apart(least, most) if least < look < most), most]
    found = []
    before, order = least, 0
    for after in places:
        new = _order(first, second, after)
        if new and order and new != order:
            found.append(_between(first, second, before, after))
        if new:
            before, order = after, new
    return tuple(found)


def evenly_apart(least: int, most: int, count: int = _LOOKS) -> tuple[int, ...]:
    """Ascending whole numbers from `least` to `most`, evenly apart on a logarithmic scale, each once."""
    return tuple(sorted({round(least * (most / least) ** (place / count)) for place in range(count + 1)}))


def _between(first: Curve, second: Curve, low: int, high: int) -> int:
    order = _order(first, second, low)
    while high - low > 1:
        middle = (low + high) // 2
        if _order(first, second, middle) == order:
            low = middle
        else:
            high = middle
    return high


def _order(first: Curve, second: Curve, tokens: int) -> int:
    """1 where the first one costs more, −1 where the second does, 0 where both cost the same."""
    a, b = first(tokens), second(tokens)
    return 0 if math.isclose(a, b, rel_tol=1e-12) else 1 if a > b else -1
