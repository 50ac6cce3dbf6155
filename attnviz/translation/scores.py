"""How well predicted links agree with gold ones: precision, recall and alignment error rate.

Och and Ney 2003, “A Systematic Comparison of Various Statistical Alignment Models”, Computational Linguistics 29(1).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from attnviz.translation.sentence import Link, Links

RESAMPLES = 1000
_BATCH = 100


@dataclass(frozen=True)
class Counts:
    """Numbers of links in one sentence or in many: predicted, sure, predicted and sure, predicted and possible."""

    predicted: int
    sure: int
    hit_sure: int
    hit_possible: int

    @property
    def precision(self) -> float:
        """|A ∩ P| / |A|: how much of what was predicted is possible; NaN where nothing was predicted."""
        return self.hit_possible / self.predicted if self.predicted else float("nan")

    @property
    def recall(self) -> float:
        """|A ∩ S| / |S|: how much of what is sure was predicted; NaN where nothing is sure."""
        return self.hit_sure / self.sure if self.sure else float("nan")

    @property
    def error_rate(self) -> float:
        """1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|), the alignment error rate; NaN where there are no links at all."""
        links = self.predicted + self.sure
        return 1 - (self.hit_sure + self.hit_possible) / links if links else float("nan")


@dataclass(frozen=True)
class Score:
    """What a whole corpus gives, and an interval for the error rate.

    low, high: the 2.5th and 97.5th percentile of the error rate over `resamples` corpora of as many sentences, drawn
    from this one with replacement (Efron 1979).
    """

    counts: Counts
    sentences: int
    low: float
    high: float
    resamples: int = RESAMPLES


def count(predicted: Iterable[Link], gold: Links) -> Counts:
    """The counts of one sentence."""
    links = frozenset(predicted)
    return Counts(len(links), len(gold.sure), len(links & gold.sure), len(links & gold.possible))


def total(counts: Iterable[Counts]) -> Counts:
    """The counts of many sentences together."""
    summed = _table(list(counts)).sum(0)
    return Counts(*map(int, summed))


def score(counts: Sequence[Counts], *, resamples: int = RESAMPLES, seed: int = 0) -> Score:
    """The score of many sentences, with a bootstrap interval over sentences; the seed draws the resamples."""
    table = _table(counts)
    low, high = _interval(table, resamples, seed)
    return Score(total(counts), len(counts), low, high, resamples)


def _table(counts: Sequence[Counts]) -> Int[np.ndarray, "sentences 4"]:
    rows = [(one.predicted, one.sure, one.hit_sure, one.hit_possible) for one in counts]
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


def _interval(table: Int[np.ndarray, "sentences 4"], resamples: int, seed: int) -> tuple[float, float]:
    if len(table) < 2 or not resamples:  # one sentence drawn again and again tells nothing
        return float("nan"), float("nan")
    random = np.random.default_rng(seed)
    rates = [
        _error_rates(table[random.integers(len(table), size=(min(_BATCH, resamples - start), len(table)))].sum(1))
        for start in range(0, resamples, _BATCH)
    ]
    low, high = np.nanpercentile(np.concatenate(rates), [2.5, 97.5])
    return float(low), float(high)


def _error_rates(sums: Int[np.ndarray, "resamples 4"]) -> Float[np.ndarray, " resamples"]:
    links = sums[:, 0] + sums[:, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1 - (sums[:, 2] + sums[:, 3]) / links, dtype=np.float64)
