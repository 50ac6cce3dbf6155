"""Whether recorded weights give the output that the model really produced."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

# A softmax turns an error e of a score into a relative error e of its weight, and scores are rounded in proportion to
# their size. In single precision sums of many terms add to that, and it is so fine that nothing is lost by allowing it.
_ROUNDINGS, _ROUNDINGS_A_SCORE = 32.0, 4.0
_ROUNDINGS_OF_HALF, _ROUNDINGS_A_SCORE_OF_HALF = 2.0, 0.5


@dataclass(frozen=True)
class Check:
    """A few rows of weights × v, compared with the output of the model for the same rows.

    difference: the greatest |weights × v − output|. allowed: what rounding in the model's own type may amount to.
    """

    difference: float
    allowed: float

    @property
    def agrees(self) -> bool:
        """Whether the weights are those that the model used, as far as its output tells."""
        return self.difference <= self.allowed

    @classmethod
    def of(
        cls,
        expected: Float[Tensor, "..."],
        output: Float[Tensor, "..."],
        *,
        largest_value: float,
        largest_score: float,
        dtype: torch.dtype,
    ) -> "Check":
        """Compares where neither is NaN: rows of NaN are those that have no weights.

        largest_value: the greatest |v|. largest_score: the greatest |score| of a pair that has a weight. dtype: what the model computed in.
        """
        difference = (expected - output).abs().where(expected != output, 0)
        known = difference[~expected.isnan() & ~output.isnan()].nan_to_num()
        half = torch.finfo(dtype).bits < 32
        once, for_each = (_ROUNDINGS_OF_HALF, _ROUNDINGS_A_SCORE_OF_HALF) if half else (_ROUNDINGS, _ROUNDINGS_A_SCORE)
        rounding = torch.finfo(dtype).eps * (once + for_each * largest_score)
        return cls(float(known.max()) if known.numel() else 0.0, max(largest_value * rounding, 1e-12))
