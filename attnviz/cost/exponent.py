"""With which power of the tokens a measured time grows: a straight line on two logarithmic axes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

FEWEST = 3
"""Sizes: through two points a line always goes."""

# Student's t, 97.5 %, for 1, 2, 3 … degrees of freedom.
_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)


@dataclass(frozen=True)
class Growth:
    """time ≈ factor · nᵉˣᵖᵒⁿᵉⁿᵗ, in seconds; the exponent's standard error and 95 % interval, from the scatter of the
    sizes around the line. A bend that is no power law (starts of kernels, caches) is scatter to it."""

    exponent: float
    factor: float
    error: float
    low: float
    high: float
    sizes: int


def growth(tokens: Sequence[int], seconds: Sequence[float]) -> Growth | None:
    """Least squares of log seconds over log tokens; None for fewer than three sizes that differ."""
    if len(set(tokens)) < FEWEST:
        return None
    x, y = [math.log(n) for n in tokens], [math.log(second) for second in seconds]
    count = len(x)
    mean_x, mean_y = sum(x) / count, sum(y) / count
    across = sum((one - mean_x) ** 2 for one in x)
    slope = sum((one - mean_x) * (other - mean_y) for one, other in zip(x, y, strict=True)) / across
    start = mean_y - slope * mean_x
    left = sum((other - start - slope * one) ** 2 for one, other in zip(x, y, strict=True))
    error = math.sqrt(left / (count - 2) / across)
    reach = _T[min(count - 2, len(_T)) - 1] * error
    return Growth(slope, math.exp(start), error, slope - reach, slope + reach, count)
