"""Normalisation of a sum, written as a sum again: which part of the normalised vector each summand is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from jaxtyping import Float
from torch import Tensor

from attnviz.attention.summands import Summand, total


@dataclass(frozen=True, eq=False)
class Normalising:
    """LayerNorm or RMSNorm over the last dimension.

    centred: the mean is taken away first, as LayerNorm does (Ba, Kiros, Hinton 2016, arXiv 1607.06450); RMSNorm
    does not (Zhang, Sennrich 2019, arXiv 1910.07467). gain: γ, or None for 1. bias: β, or None for 0.
    """

    centred: bool
    gain: Float[Tensor, " d"] | None
    bias: Float[Tensor, " d"] | None
    epsilon: float

    def shares(self, summands: Sequence[Summand]) -> list[Summand]:
        """The summands of the normalised sum.

        LayerNorm(x + f) = γ ⊙ (x + f − mean) / σ + β with mean and σ of the sum itself: for the row at hand it is
        linear. So a summand s becomes γ ⊙ (s − mean(s)) / σ, and β is a summand of its own.
        """
        whole = total(summands)
        squares = (whole - whole.mean(-1, keepdim=True) if self.centred else whole).square()
        factor = (squares.mean(-1, keepdim=True) + self.epsilon).rsqrt()
        if self.gain is not None:
            factor = factor * self.gain.to(whole.dtype)
        normal = [replace(one, vector=factor * self._centred(one.vector)) for one in summands]
        if self.bias is not None:
            normal.append(Summand("bias", self.bias.to(whole.dtype).expand_as(whole).clone()))
        return normal

    def of(self, vector: Float[Tensor, "*n d"]) -> Float[Tensor, "*n d"]:
        """The normalised vector."""
        return total(self.shares([Summand("carried", vector)]))

    def _centred(self, vector: Float[Tensor, "*n d"]) -> Float[Tensor, "*n d"]:
        return vector - vector.mean(-1, keepdim=True) if self.centred else vector
