"""What a number of runs says of the slow ones, and what it cannot say.

All of it holds for runs that are independent and alike, which runs one after the other on one machine are not quite;
and for this machine as it was, not for the worst case in a vehicle.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Spread:
    """Seconds: the median and the quartiles (linear between neighbours, as numpy's default), the least and the largest."""

    median: float
    low: float
    high: float
    least: float
    largest: float
    runs: int


def spread(seconds: Sequence[float]) -> Spread:
    """The middle and the spread of some runs, of which there must be one."""
    ordered = sorted(seconds)
    return Spread(
        _between(ordered, 0.5), _between(ordered, 0.25), _between(ordered, 0.75), ordered[0], ordered[-1], len(ordered)
    )


def _between(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def runs_needed(quantile: float, confidence: float = CONFIDENCE) -> int:
    """The fewest runs of which the largest is above the quantile with this confidence: 1 − qᴺ ≥ confidence.

    59 for the 95th of a hundred, 299 for the 99th (Wilks 1941, Annals of Mathematical Statistics 12).
    """
    return math.ceil(math.log(1 - confidence) / math.log(quantile))


def upper_bound(seconds: Sequence[float], quantile: float, confidence: float = CONFIDENCE) -> float | None:
    """The least of the runs that is above the quantile with this confidence; None where there are too few runs.

    The r-th of N ordered runs is at least the quantile q with the probability that at most r − 1 of N fall below it,
    which is binomial (David and Nagaraja 2003, Order Statistics, 7.1). Distribution-free.
    """
    ordered = sorted(seconds)
    if len(ordered) < runs_needed(quantile, confidence):
        return None
    below = 0.0
    for place, second in enumerate(ordered):
        below += _binomial(place, len(ordered), quantile)
        if below >= confidence:
            return second
    return None


def most_misses(misses: int, runs: int, confidence: float = CONFIDENCE) -> float:
    """The largest share of misses that is still to be reckoned with after so many in N runs (Clopper and Pearson 1934).

    One-sided. Without a miss 1 − (1 − confidence)^(1/N), which is a little less than 3/N (the rule of three).
    """
    if misses >= runs:
        return 1.0
    if not misses:
        return float(1 - (1 - confidence) ** (1 / runs))
    low, high = misses / runs, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        if sum(_binomial(count, runs, middle) for count in range(misses + 1)) > 1 - confidence:
            low = middle
        else:
            high = middle
    return high


def _binomial(count: int, runs: int, share: float) -> float:
    if share in (0.0, 1.0):
        return float(count == runs * int(share))
    # Through logarithms: the factors alone are beyond what a float holds.
    return math.exp(
        math.lgamma(runs + 1) - math.lgamma(count + 1) - math.lgamma(runs - count + 1)
        + count * math.log(share) + (runs - count) * math.log1p(-share)
    )  # fmt: skip
