"""Why scores are divided by √d: what happens to them, to the weights and to the gradient as d grows.

For independent standard normal q and k the score q·k has variance d (Vaswani et al. 2017, arXiv 1706.03762,
footnote 4), so without the division the softmax saturates and its gradient vanishes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnviz.attention.attention import Attention
from attnviz.attention.statistics import entropy
from attnviz.base.errors import InputError
from attnviz.base.language import _m

# Numbers drawn at once, 32 MB: fewer and larger steps are faster, but a wide sweep must not fill the memory.
_MOST_NUMBERS = 8_000_000


@dataclass(frozen=True, eq=False)
class Curve:
    """Means over all samples, one for each dimension.

    variance: of the scores. entropy: of the weights, in bits. gradient: the sum of ∂weight_j/∂score_j over the
    keys, which is Σ w(1 − w), the trace of the softmax's Jacobian: 1 − 1/keys for uniform weights, 0 when one
    key takes all.
    """

    variance: Float[Tensor, " dimensions"]
    entropy: Float[Tensor, " dimensions"]
    gradient: Float[Tensor, " dimensions"]


@dataclass(frozen=True, eq=False)
class Sweep:
    """The three measures over d, without and with the division by √d, from the same random vectors."""

    dimensions: Int[Tensor, " dimensions"]
    keys: int
    samples: int
    unscaled: Curve
    scaled: Curve

    @property
    def most_entropy(self) -> float:
        """log₂(keys), the entropy of uniform weights."""
        return math.log2(self.keys)


def sweep(
    dimensions: Sequence[int] = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512),
    *,
    keys: int = 16,
    samples: int = 1024,
    seed: int = 0,
) -> Sweep:
    """Draws `samples` times one query and `keys` keys from a standard normal, for every dimension.

    Raises `InputError` for dimensions below 1, fewer than 2 keys or fewer than 2 samples.
    """
    if not dimensions or min(dimensions) < 1 or keys < 2 or samples < 2:
        raise InputError(_m("At least one dimension, two keys and two samples are needed to compare scores."))
    generator = torch.Generator().manual_seed(seed)
    pairs = [_measure(dimension, keys, samples, generator) for dimension in dimensions]
    return Sweep(
        dimensions=torch.tensor(list(dimensions)),
        keys=keys,
        samples=samples,
        unscaled=_curve([unscaled for unscaled, _scaled in pairs]),
        scaled=_curve([scaled for _unscaled, scaled in pairs]),
    )


def softmax_response(weights: Float[Tensor, "*any m"]) -> Float[Tensor, "*any"]:
    """The trace of the softmax's Jacobian diag(w) − w wᵀ: by how much the weights follow their own scores."""
    return (weights * (1 - weights)).sum(-1)


Measures = tuple[float, float, float]


def _measure(dimension: int, keys: int, samples: int, generator: torch.Generator) -> tuple[Measures, Measures]:
    """Variance, entropy and gradient at one dimension, unscaled and scaled."""
    scores: dict[bool, list[Tensor]] = {False: [], True: []}
    weights: dict[bool, list[Tensor]] = {False: [], True: []}
    block = max(_MOST_NUMBERS // (keys * dimension), 1)
    for start in range(0, samples, block):
        size = min(block, samples - start)
        query = torch.randn(size, 1, dimension, generator=generator)
        key = torch.randn(size, keys, dimension, generator=generator)
        for scaled in (False, True):
            # Every sample is one head, so that all are worked out at once.
            attention = Attention.from_qk(query, key, scale=1 / math.sqrt(dimension) if scaled else 1.0)
            scores[scaled].append(attention.logits(None))
            weights[scaled].append(attention.weights(None))
    unscaled, scaled_ = (_summary(torch.cat(scores[kind]), torch.cat(weights[kind])) for kind in (False, True))
    return unscaled, scaled_


def _summary(scores: Float[Tensor, "samples 1 m"], weights: Float[Tensor, "samples 1 m"]) -> Measures:
    return (
        float(scores.var()),
        float(entropy(weights).mean()),
        float(softmax_response(weights).mean()),
    )


def _curve(measures: Sequence[Measures]) -> Curve:
    variance, bits, gradient = torch.tensor(measures).unbind(1)
    return Curve(variance, bits, gradient)
