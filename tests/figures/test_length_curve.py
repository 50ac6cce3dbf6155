"""Shares of right translations over length, with intervals known from elsewhere."""

import pytest

from attnviz.figures import describe_length_curve, length_curve, table_length_curve
from attnviz.figures.length_curve import wilson

MODELS = {"with": {3: (10, 10), 6: (10, 9)}, "without": {3: (10, 8), 6: (10, 0)}}


@pytest.mark.parametrize(
    ("right", "count", "low", "high"),
    # 5 of 10: (0.5 + z²/20 ± z·√(0.025 + z²/400)) / (1 + z²/10), z² = 3.8415. None of n: 0 to z²/(n + z²).
    [(5, 10, 0.23659, 0.76341), (0, 10, 0.0, 0.27754), (10, 10, 0.72246, 1.0), (0, 0, 0.0, 1.0)],
)
def test_wilsons_interval(right, count, low, high):
    assert wilson(right, count) == pytest.approx((low, high), abs=1e-5)


def test_a_curve_for_each_model_in_per_cent_with_its_whiskers(plotted):
    line = plotted.trace(length_curve(MODELS), "without")
    assert list(line.y) == [80, 0]
    assert line.error_y.array[1] == pytest.approx(27.754, abs=1e-3)
    assert line.error_y.arrayminus[1] == pytest.approx(0)
    assert [list(entry) for entry in line.customdata] == [[3, 10, 8], [6, 10, 0]]


def test_whiskers_of_models_stand_beside_each_other(plotted):
    figure = length_curve(MODELS)
    assert list(plotted.trace(figure, "with").x) == pytest.approx([2.94, 5.94])
    assert list(plotted.trace(figure, "without").x) == pytest.approx([3.06, 6.06])
    assert {one.marker.symbol for one in figure.data} == {"circle", "square"}


def test_description_and_table():
    assert describe_length_curve(MODELS) == (
        "with: 100 % of sentences up to 3 words, 90 % of longer ones. "
        "without: 80 % of sentences up to 3 words, 0 % of longer ones."
    )
    table = table_length_curve(MODELS)
    assert table["exactly right"].tolist() == [10, 9, 8, 0]
    assert table["to"].tolist()[3] == pytest.approx(27.754, abs=1e-3)
