"""Squeeze-and-Excitation: one gate for each channel. No queries, no keys, no pairs, and no map of places.

g = σ(W₂ relu(W₁ x̄ + b₁) + b₂), x̄ the mean over all places; y = g · x (Hu et al. 2017, arXiv 1709.01507, section 3).
Each gate lies between 0 and 1 by itself, so gates do not sum to 1.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.by_hand import split
from attnviz.attention.kinds.kind import WITHOUT_PAIRS, Inputs, Kind, Outcome, Paper, Settings
from attnviz.base.errors import InputError
from attnviz.base.language import _m

HU = Paper("Hu et al.", 2017, "1709.01507")


@dataclass(frozen=True, eq=False)
class Excitation:
    """The two layers between the channels' means and their gates."""

    down: Float[Tensor, "squeezed channels"]
    down_bias: Float[Tensor, " squeezed"]
    up: Float[Tensor, "channels squeezed"]
    up_bias: Float[Tensor, " channels"]

    @classmethod
    def drawn(
        cls, channels: int, reduction: int = 16, *, seed: int = 0, dtype: torch.dtype = torch.float32
    ) -> "Excitation":
        """Normal numbers over √inputs, biases 0; none of it learned.

        Raises `InputError` for a reduction below 1.
        """
        squeezed = hidden(channels, reduction)
        generator = torch.Generator().manual_seed(seed)
        down = torch.randn(squeezed, channels, generator=generator, dtype=torch.float64) / math.sqrt(channels)
        up = torch.randn(channels, squeezed, generator=generator, dtype=torch.float64) / math.sqrt(squeezed)
        zeros = torch.zeros(squeezed, dtype=dtype), torch.zeros(channels, dtype=dtype)
        return cls(down.to(dtype), zeros[0], up.to(dtype), zeros[1])

    def on(self, device: torch.device) -> "Excitation":
        """The same layers on another device."""
        return Excitation(*(part.to(device) for part in (self.down, self.down_bias, self.up, self.up_bias)))


def hidden(channels: int, reduction: int) -> int:
    """How many numbers the means are squeezed to: C/r rounded down, at least 1. Raises `InputError` below r = 1."""
    if reduction < 1:
        raise InputError(_m("A reduction is at least 1; it is {found}."), found=reduction)
    return max(channels // reduction, 1)


def gates(
    picture: Float[Tensor, "*items channels rows columns"], layers: Excitation
) -> Float[Tensor, "*items channels"]:
    """One gate for each channel, between 0 and 1. Tokens "n d" are the picture `tokens.mT[:, None]`, 1 row high."""
    squeezed = picture.mean((-2, -1)) @ layers.down.mT + layers.down_bias
    return torch.sigmoid(squeezed.relu() @ layers.up.mT + layers.up_bias)


def excite(
    picture: Float[Tensor, "*items channels rows columns"], layers: Excitation
) -> Float[Tensor, "*items channels rows columns"]:
    """Every channel times its gate, the same at all places."""
    return picture * gates(picture, layers)[..., None, None]


def parameters(channels: int, reduction: int = 16) -> int:
    """2C²/r weights and C/r + C biases."""
    squeezed = hidden(channels, reduction)
    return 2 * channels * squeezed + squeezed + channels


def flops(channels: int, places: int, reduction: int = 16) -> int:
    """4C²/r for the gates, 2nC for the means and for the products."""
    return 4 * channels * hidden(channels, reduction) + 2 * places * channels


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """The channels are the numbers of the values; queries and keys are not asked. The two layers are drawn at random."""
    _query, _key, value = inputs.joined
    channels = value.shape[1]
    layers = Excitation.drawn(channels, settings.reduction, seed=settings.seed, dtype=inputs.dtype).on(value.device)
    picture = value.mT[:, None]
    nobody = torch.zeros(inputs.shape, dtype=torch.bool, device=value.device)
    return Outcome(
        output=split(excite(picture, layers)[:, 0].mT, inputs.query.shape[0]),
        live=nobody,
        computed=nobody,
        state=channels,
        gates=gates(picture, layers),
    )


SQUEEZE = Kind(
    id="squeeze",
    name=_m("Squeeze-and-Excitation"),
    group=WITHOUT_PAIRS,
    formula=(
        r"g = \sigma\big(W_2 \operatorname{relu}(W_1 \bar{x} + b_1) + b_2\big), \qquad \bar{x} = \tfrac{1}{n} \textstyle\sum_i x_i",
        r"y_i = g \odot x_i",
    ),
    shapes=(
        r"X \in \mathbb{R}^{n \times C},\; W_1 \in \mathbb{R}^{C/r \times C},\; W_2 \in \mathbb{R}^{C \times C/r}",
        r"g \in (0, 1)^C \text{ (no softmax: their sum is not 1)}",
    ),
    state="C",
    who_looks=_m(
        "No position looks at another: one gate for each channel, from the mean over all positions, multiplies that "
        "channel everywhere."
    ),
    gives_up=_m("Every difference between places: it weighs what kind of thing is there, not where."),
    computes=_m("No pair: a mean over the positions, and two small layers on it."),
    papers=(HU,),
    torch_function="torchvision.ops.SqueezeExcitation(C, C // r)",
    trap=_m("Gates are independent of each other, so there is no uniform baseline; 0.5 is a gate of a score of 0."),
    drawn=_m("Both layers are random numbers, not learnt: which channel is opened has no meaning here."),
    sliders=("reduction", "seed"),
    run=run,
)
