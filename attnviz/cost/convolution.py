"""Attention against convolution: how far a layer sees, when two positions meet, what it costs, where costs cross."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.cost.layer import Layer

SIGMA_COVERS = 2 * math.sqrt(2 * math.log(1 / 0.0455))
"""Widths σ of a Gaussian between the places where it falls to 4.55 % of its peak: Luo et al.'s measure of size."""


class Convolution(NamedTuple):
    """One layer: kernel size, stride, dilation, the same in both directions."""

    kernel: int
    stride: int = 1
    dilation: int = 1


def receptive_field(layers: Sequence[Convolution]) -> int:
    """Input positions along one side that one unit of the last layer may depend on: 1 + Σ (k − 1) · dilation · strides before it."""
    field, apart = 1, 1
    for layer in layers:
        field += (layer.kernel - 1) * layer.dilation * apart
        apart *= layer.stride
    return field


def layers_until_seen(distance: int, kernel: int) -> int:
    """Layers (stride 1) until the unit at A depends on what is `distance` positions away: ⌈D / p⌉, p = (k − 1) / 2.

    Raises `InputError` where they never meet: a kernel of 1 sees its own position alone.
    """
    _check_reach(kernel - 1)
    return -(-2 * distance // (kernel - 1)) if distance else 0


def layers_until_met(distance: int, kernel: int) -> int:
    """Layers until some unit between them depends on both: ⌈D / 2p⌉. Raises `InputError` as `layers_until_seen` does."""
    _check_reach(kernel - 1)
    return -(-distance // (kernel - 1)) if distance else 0


def attention_layers_until_seen(distance: int, window: int | None = None) -> int:
    """The same of attention: one layer, or with a window of w positions on each side ⌈D / w⌉.

    Raises `InputError` for a window of 0, which never meets anything.
    """
    if window is not None:
        _check_reach(window)
    if not distance:
        return 0
    return 1 if window is None else -(-distance // window)


def _check_reach(neighbours: int) -> None:
    if neighbours < 1:
        raise InputError(_m("A layer that sees its own position alone never meets another one."))


def operations(tokens: int, width: int, kernel: int) -> int:
    """A convolution of k × k from d to d channels with stride 1: 2 k² n d²."""
    return 2 * kernel**2 * tokens * width**2


def crossover(width: int, kernel: int) -> float:
    """From how many tokens on multi-head attention costs at least as much as a k × k convolution: (k² − 4) d / 2.

    8 n d² + 4 n² d = 2 k² n d². Zero or less (k ≤ 2): attention always costs more.
    """
    return (kernel**2 - 4) * width / 2


def core_crossover(width: int, kernel: int) -> float:
    """The same for the attention core alone: k² d / 2."""
    return kernel**2 * width / 2


def layer_crossovers(layer: Layer, kernel: int, *, skips: bool = True) -> tuple[float, float]:
    """Both crossovers for this very layer, attention and its core alone: with grouped key heads and a causal mask.

    4 n d² (1 + h_kv / h) + 4 n² d = 2 k² n d²; where a kernel skips what a causal mask hides, 2 n (n + 1) d for 4 n² d.
    """
    core = core_crossover(layer.width, kernel)
    whole = core - layer.width - layer.kv_width
    if layer.causal and skips:
        return 2 * whole - 1, 2 * core - 1
    return whole, core


def effective_sigma(layers: int, kernel: int) -> float:
    """Standard deviation, in positions, of what reaches a unit through L layers of even weights: √(L (k² − 1) / 12).

    Luo, Li, Urtasun, Zemel 2016: it grows as √L while the receptive field grows as L. Holds for even or random
    weights, so at the beginning of training; training makes it larger.
    """
    return math.sqrt(layers * (kernel**2 - 1) / 12)


def effective_size(layers: int, kernel: int) -> float:
    """The part of the receptive field above 4.55 % of its peak, were it exactly Gaussian; at most all of it."""
    whole = 1 + layers * (kernel - 1)
    return min(float(whole), SIGMA_COVERS * effective_sigma(layers, kernel))
