"""Scores that a function changes before the softmax, as flex attention allows; it is asked for the wanted tile."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnviz.attention.bias import Bias
from attnviz.attention.scores import DotProduct
from attnviz.attention.tiles import Index, positions
from attnviz.base.errors import InputError
from attnviz.base.language import _m

# From scores of some heads, queries and keys of an item, to what goes into the softmax.
ScoreFunction = Callable[
    [Float[Tensor, "h n m"], int, Int[Tensor, " h"], Int[Tensor, " n"], Int[Tensor, " m"]], Float[Tensor, "h n m"]
]

# Above this, one number for each pair is more than a file should hold.
MOST_SCORES = 1 << 25
TOO_LARGE = _m(
    "“{name}” changes its scores by a function; written pair by pair they would take {size} MB, more than {most} MB."
)


@dataclass(frozen=True, eq=False)
class FunctionScores(DotProduct):
    """modify(softcap(scale · q kᵀ) + bias). adds: it adds something that does not depend on the score."""

    modify: ScoreFunction = lambda scores, item, heads, rows, cols: scores  # noqa: ARG005  the signature
    adds: bool = False

    def logits(
        self, item: int, head: int | None, rows: Index, cols: Index, keys: Float[Tensor, "kv m d"] | None = None
    ) -> Float[Tensor, "h n m"]:
        """The scores before the mask."""
        plain = super().logits(item, head, rows, cols, keys)
        heads = (
            torch.arange(self.sizes[1], device=self.device) if head is None else torch.tensor([head]).to(self.device)
        )
        found = self.modify(plain, item, heads, positions(rows, self.device), positions(cols, self.device))
        return found.to(self.dtype)

    def on_file(self, name: str) -> DotProduct | None:
        """The same scores with what is added pair by pair; None where something else is done to them.

        Raises `InputError` where they are too many.
        """
        items, heads, queries, keys = self.sizes
        numbers = math.prod(self.sizes)
        if numbers > MOST_SCORES:
            raise InputError(TOO_LARGE, name=name, size=numbers >> 18, most=MOST_SCORES >> 18)
        if not self.adds:
            return None
        places = [torch.arange(size, device=self.device) for size in (heads, queries, keys)]
        nothing = torch.zeros(heads, queries, keys, dtype=self.dtype, device=self.device)
        added = torch.stack([self.modify(nothing, item, *places) for item in range(items)])
        for dim in range(3):
            first = added.narrow(dim, 0, 1)
            added = first.clone() if bool((added == first).all()) else added
        bias = self.bias
        if isinstance(bias, Bias):
            every = (slice(0, queries), slice(0, keys))
            bias = torch.stack([bias.tile(item, None, *every) for item in range(items)])
        bias = added if bias is None else added + bias
        return DotProduct(self.query, self.key, self.scale, bias, self.softcap, self.sinks)
