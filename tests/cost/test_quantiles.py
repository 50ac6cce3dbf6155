"""What runs say of the slow ones: numbers of runs by Wilks, shares of misses by Clopper and Pearson."""

import pytest

from attnviz.cost.quantiles import most_misses, runs_needed, spread, upper_bound


@pytest.mark.parametrize(("quantile", "runs"), [(0.99, 299), (0.95, 59), (0.90, 29), (0.50, 5)])
def test_runs_needed(quantile, runs):
    assert runs_needed(quantile) == runs
    assert 1 - quantile**runs >= 0.95 > 1 - quantile ** (runs - 1)


def test_with_just_enough_runs_the_bound_is_the_largest():
    seconds = [float(n) for n in range(299)]
    assert upper_bound(seconds, 0.99) == 298.0
    assert upper_bound(seconds[:298], 0.99) is None
    assert upper_bound(seconds[:59], 0.95) == 58.0
    assert upper_bound(seconds[:58], 0.95) is None


# The least r with P(Binomial(N, q) ≤ r − 1) ≥ 0.95: for the median of 100 it is the 59th (scipy's binom.ppf(0.95, 100, 0.5) = 58).
@pytest.mark.parametrize(("runs", "quantile", "place"), [(100, 0.5, 59), (93, 0.95, 92), (473, 0.99, 472)])
def test_with_more_runs_the_bound_is_one_of_those_below(runs, quantile, place):
    # 93 and 473 are the published sample sizes for the second largest (Wilks, second order).
    assert upper_bound([float(n) for n in range(runs)], quantile) == float(place - 1)


def test_order_does_not_matter():
    assert upper_bound([5.0, 1.0, 4.0, 2.0, 3.0], 0.5) == 5.0


# Clopper–Pearson, upper end, 95 % one-sided.
@pytest.mark.parametrize(
    ("misses", "runs", "share"),
    [(0, 10, 0.25887), (1, 10, 0.39416), (5, 10, 0.77756), (0, 299, 0.0099691), (10, 10, 1.0)],
)
def test_misses_that_are_still_to_be_reckoned_with(misses, runs, share):
    assert most_misses(misses, runs) == pytest.approx(share, rel=2e-5)


@pytest.mark.parametrize("runs", [20, 30, 59, 299, 1000])
def test_the_rule_of_three_is_a_little_more(runs):
    assert 0.92 * 3 / runs < most_misses(0, runs) < 3 / runs


def test_quartiles_as_numpy_has_them():
    found = spread([4.0, 1.0, 3.0, 2.0])
    assert (found.low, found.median, found.high) == (1.75, 2.5, 3.25)
    assert (found.least, found.largest, found.runs) == (1.0, 4.0, 4)
