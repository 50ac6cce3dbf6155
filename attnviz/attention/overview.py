"""All weights of a head at a glance, exactly, without ever holding n × n of them."""

from dataclasses import dataclass

from jaxtyping import Float, Int, Int8
from torch import Tensor

from attnviz.attention.masks import Mask
from attnviz.attention.scores import DotProduct, Stored


@dataclass(frozen=True, eq=False)
class Overview:
    """Being written."""

    maximum: Float[Tensor, "heads R C"]
    mean: Float[Tensor, "heads R C"]
    entropy: Float[Tensor, "heads n"]
    top_keys: Int[Tensor, "heads n k"]
    top_weights: Float[Tensor, "heads n k"]
    mass_received: Float[Tensor, "heads m"]
    row_state: Int8[Tensor, "heads n"]
    cell: tuple[int, int]


def overview(scores: DotProduct | Stored, mask: Mask | None, item: int, head: int | None, size: int) -> Overview:
    """Being written."""
    raise NotImplementedError
