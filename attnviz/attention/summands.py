"""What each summand of a sum of vectors has to do with the whole: its share, its length and its direction."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

PartKind = Literal["attention", "cross-attention", "feed-forward", "other"]
SummandKind = Literal["carried", "attention", "cross-attention", "feed-forward", "other", "bias"]


@dataclass(frozen=True, eq=False)
class Summand:
    """One of several vectors that are added up, at each position.

    kind: "carried" is what came in and was passed on; "bias" what is added whatever came in, as a normalisation
    does. name: what the model calls its origin; "" where it has no name.
    """

    kind: SummandKind
    vector: Float[Tensor, "*n d"]
    name: str = ""


@dataclass(frozen=True, eq=False)
class Shares:
    """What s summands have to do with the vector that they add up to.

    share: dot(summand, whole) / ‖whole‖², signed, and 1 over all summands together. length: ‖summand‖ / ‖whole‖,
    which does not add up to 1, since summands may point against each other. cosine: with the whole, −1 to 1.
    Positions where the whole is zero have NaN in all three; summands of length zero have NaN as cosine.
    """

    share: Float[Tensor, "summands ..."]
    length: Float[Tensor, "summands ..."]
    cosine: Float[Tensor, "summands ..."]


def total(summands: Sequence[Summand]) -> Float[Tensor, "*n d"]:
    """The sum of all."""
    return torch.stack([summand.vector for summand in summands]).sum(0)


def shares(summands: Sequence[Summand]) -> Shares:
    """What each summand has to do with the sum of all, position by position, in float64."""
    vectors = torch.stack([summand.vector.double() for summand in summands])
    whole = vectors.sum(0)
    size, sizes = whole.norm(dim=-1), vectors.norm(dim=-1)
    along = (vectors * whole).sum(-1)
    return Shares(share=along / size**2, length=sizes / size, cosine=along / (sizes * size))


def cosine(one: Float[Tensor, "*n d"], other: Float[Tensor, "*n d"]) -> Float[Tensor, "*n"]:
    """The cosine of the angle between two vectors, in float64; NaN where one of them is zero."""
    one, other = one.double(), other.double()
    found: Tensor = (one * other).sum(-1) / (one.norm(dim=-1) * other.norm(dim=-1))
    return found
