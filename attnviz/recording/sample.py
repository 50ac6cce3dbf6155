"""A little of the values and of the output of every attention, kept to see whether its weights are right.

One column of the values and the same column of a few rows of the output: weights × column must give the column.
That takes 1/d of the memory of the values, so it can be kept where the values are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention import Attention, Check, DotProduct
from attnviz.attention.scores import grouped_product

_MOST_ROWS = 3
_NEXT_TO_NOTHING = 1e-6


@dataclass(frozen=True, eq=False)
class Sample:
    """rows: the queries whose output is kept; the last one is among them."""

    rows: Sequence[int]
    value: Float[Tensor, "items value_heads m 1"]
    output: Float[Tensor, "items heads r 1"]

    def check(self, attention: Attention) -> Check:
        """What the attention's weights make of the column, against the model's own output."""
        expected, largest_score = [], 0.0
        for item in range(attention.items):
            weights = attention.weights(None, item, self.rows)
            value = torch.nan_to_num(self.value[item]).to(weights.dtype)
            expected.append(grouped_product(weights, value))
            if isinstance(attention.scores, DotProduct):
                # What has next to no weight adds nothing to the output, whatever its score.
                logits = attention.logits(None, item, self.rows).where(weights > _NEXT_TO_NOTHING, 0)
                largest_score = max(largest_score, float(logits.nan_to_num(0, 0, 0).abs().max()))
        coarsest = max(
            (self.value.dtype, self.output.dtype, attention.scores.tensors()[0].dtype, torch.float32),
            key=lambda dtype: torch.finfo(dtype).eps,
        )
        return Check.of(
            torch.stack(expected),
            self.output.float(),
            largest_value=float(self.value.float().nan_to_num(0).abs().max()),
            largest_score=largest_score,
            dtype=coarsest,
        )


@dataclass(frozen=True, eq=False)
class Samples:
    """Several, where not all rows of the output come from the same values."""

    parts: tuple[Sample, ...]

    def check(self, attention: Attention) -> Check:
        """The comparison that is furthest from what rounding explains."""
        checks = [part.check(attention) for part in self.parts]
        return max(checks, key=lambda check: check.difference / check.allowed)


def sampled_rows(queries: int) -> range:
    """At most three of the queries, spread evenly, the last one among them."""
    step = max(1, (queries - 1) // (_MOST_ROWS - 1))
    return range((queries - 1) % step, queries, step)


def column_of(tensor: Float[Tensor, "*lead d"], width: int) -> Float[Tensor, "*lead 1"]:
    """The middle one of so many columns, as a copy."""
    column = tensor.narrow(-1, width // 2, 1).clone()
    return column.detach() if column.requires_grad else column
