"""Error rates against numbers worked out by hand and against two that were published."""

import math
import os
from pathlib import Path

import numpy as np
import pytest

from attnviz.translation import Links
from attnviz.translation.pharaoh import read_links, read_pairs
from attnviz.translation.scores import Counts, count, score, total

SHARED = Path(os.environ.get("ATTNVIZ_SHARED", Path(__file__).parents[2].parent / "shared")) / "align"


def links(sure: set[tuple[int, int]], possible: set[tuple[int, int]] = frozenset()) -> Links:  # type: ignore[assignment]
    return Links(frozenset(sure), frozenset(possible))


def test_sure_links_are_possible_ones_too():
    assert links({(0, 0)}, {(1, 1)}).possible == {(0, 0), (1, 1)}


def test_rates_by_hand():
    # Four predicted: two sure ones, one merely possible one, one that is wrong; one sure link is missed.
    gold = links({(0, 0), (1, 1), (2, 2)}, {(3, 2)})
    found = count({(0, 0), (1, 1), (3, 2), (3, 3)}, gold)
    assert (found.predicted, found.sure, found.hit_sure, found.hit_possible) == (4, 3, 2, 3)
    assert found.precision == pytest.approx(3 / 4)
    assert found.recall == pytest.approx(2 / 3)
    assert found.error_rate == pytest.approx(1 - 5 / 7)


def test_counts_are_summed_before_they_are_divided():
    together = total([Counts(1, 1, 1, 1), Counts(9, 9, 0, 0)])
    assert together.error_rate == pytest.approx(1 - 2 / 20)


def test_what_would_be_divided_by_zero_is_undefined():
    nothing = Counts(0, 0, 0, 0)
    assert math.isnan(nothing.precision)
    assert math.isnan(nothing.recall)
    assert math.isnan(nothing.error_rate)
    assert math.isnan(score([]).low)
    assert math.isnan(score([Counts(4, 3, 2, 3)]).low), "one sentence drawn again and again"


def test_interval_of_sentences_that_are_all_alike_is_a_point():
    found = score([Counts(4, 3, 2, 3)] * 20)
    assert (found.low, found.high) == pytest.approx((2 / 7, 2 / 7))


def test_interval_is_as_wide_as_theory_says():
    # Half of 400 sentences are right, half wrong: the share of wrong ones has a standard deviation of √(¼ / 400).
    found = score([Counts(1, 1, 1, 1), Counts(1, 1, 0, 0)] * 200, resamples=4000)
    assert found.counts.error_rate == 0.5
    assert (found.low, found.high) == pytest.approx((0.5 - 1.96 * 0.025, 0.5 + 1.96 * 0.025), abs=0.004)


def test_the_seed_decides_the_interval():
    counts = [Counts(3, 3, int(one), int(one)) for one in np.random.default_rng(1).integers(0, 4, 50)]
    assert score(counts) == score(counts)
    assert score(counts, resamples=50) != score(counts, resamples=50, seed=1)


@pytest.mark.parametrize(
    ("folder", "name", "published"), [("hansards-enfr", "enfr", 4.1), ("wpt05-roen", "roen", 20.7)]
)
def test_published_error_rates(folder: str, name: str, published: float):
    """Dou and Neubig 2021 (awesome-align), the figures in its README."""
    place = SHARED / folder
    if not place.is_dir():
        pytest.skip(f"the gold alignments of {folder} are not here: they are no part of the product")
    gold = read_pairs((place / f"{name}.src-tgt").read_bytes(), (place / f"{name}.gold").read_bytes(), base=1)
    predicted = read_links((place / f"{name}.awesome-align.out").read_bytes(), name, base=0)
    assert gold.out_of_range == ()
    assert gold.other_base is False
    found = score([count(one.possible, pair.links) for one, pair in zip(predicted, gold.pairs, strict=True)])
    assert round(100 * found.counts.error_rate, 1) == published
    assert found.low < found.counts.error_rate < found.high
