"""The power with which times grow: exact powers, and a regression worked by hand."""

import math

import pytest

from attnviz.cost.exponent import growth


@pytest.mark.parametrize("power", [1.0, 2.0, 0.5])
def test_an_exact_power_is_found_without_error(power):
    found = growth([100, 200, 400, 800], [3e-6 * n**power for n in (100, 200, 400, 800)])
    assert found.exponent == pytest.approx(power, abs=1e-12)
    assert found.factor == pytest.approx(3e-6, rel=1e-9)
    assert found.error == pytest.approx(0, abs=1e-12)


def test_standard_error_and_interval_by_hand():
    # log n = 0, 1, 2; log t = 0, 1, 3: slope 1.5, residuals 1/6, −1/3, 1/6, so s² = 1/6 and the error √(1/12) = 0.288675.
    # One degree of freedom: t = 12.706.
    found = growth([1, 10, 100], [1.0, 10.0, 1000.0])
    assert found.exponent == pytest.approx(1.5)
    assert found.error == pytest.approx(math.sqrt(1 / 12))
    assert found.high - found.exponent == pytest.approx(12.706 * math.sqrt(1 / 12))


def test_two_sizes_are_not_enough():
    assert growth([100, 200], [1.0, 2.0]) is None
    assert growth([100, 100, 100], [1.0, 2.0, 3.0]) is None
    assert growth([], []) is None
