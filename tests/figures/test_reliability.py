"""Predicted against observed: intervals, what is too small for the axes, and words."""

import pytest

from attnviz.figures import Bin, describe_reliability, reliability, table_reliability

BINS = [Bin(50, 0.0002, 0), Bin(0, 0.0, 0), Bin(10, 0.5, 5)]


def test_what_is_too_small_for_the_axis_is_drawn_at_its_beginning_and_told_as_it_is():
    _perfect, points = reliability(BINS).data
    assert list(points.x) == [0.001, 0.5]
    assert list(points.y) == [0.001, 0.5]
    assert list(points.marker.symbol) == ["circle-open", "circle"]
    assert [list(one) for one in points.customdata] == [[50, 0, 0, 0.0002], [10, 5, 0.5, 0.5]]
    assert points.hovertemplate.startswith("%{customdata[3]:.3g}: %{customdata[2]:.3g}")
    # Wilson 1927 for 5 of 10: 0.2366 to 0.7634.
    assert points.error_y.array[1] == pytest.approx(0.2634, abs=1e-4)
    assert points.error_y.arrayminus[1] == pytest.approx(0.2634, abs=1e-4)


def test_in_words_and_as_a_table():
    assert describe_reliability(BINS) == (
        "Of 50 predictions around 0.0002, 0 came true. Of 10 predictions around 0.5, 0.5 came true."
    )
    assert table_reliability(BINS)["share that came true"].tolist() == [0, 0.5]
