"""Numbers over layers."""

import math

import pytest

from attnviz.figures import depth_curve, describe_depth_curve, table_depth_curve

SERIES = {"before": [1.0, 2.0, 4.0], "after": [1.0, math.nan, -0.5]}


def test_a_line_for_each_with_a_gap_where_there_is_no_number(plotted):
    figure = depth_curve(SERIES, axis="length", first=1, chosen=2)
    assert list(plotted.trace(figure, "before").x) == [1, 2, 3]
    assert list(plotted.trace(figure, "after").y) == [1.0, None, -0.5]
    assert list(plotted.trace(figure, "after").customdata) == [1, 2, 3]
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (1.5, 2.5)
    assert figure.layout.yaxis.type is None


def test_a_logarithmic_axis_is_asked_for():
    figure = depth_curve(SERIES, axis="length", log=True)
    assert figure.layout.yaxis.type == "log"
    # From 1 to 4 with a little room; −0.5 has no place.
    assert list(figure.layout.yaxis.range) == pytest.approx([math.log10(1 / 1.2), math.log10(4.8)])


@pytest.mark.parametrize(
    ("most", "ticks"),
    [
        (40.0, ["1", "2", "5", "10", "20"]),
        (2000.0, ["1", "10", "100", "1000"]),
        (1e12, ["1", "100", "10000", "10<sup>6</sup>", "10<sup>8</sup>", "10<sup>10</sup>", "10<sup>12</sup>"]),
    ],
)
def test_every_tick_of_a_logarithmic_axis_has_its_whole_number(most, ticks):
    axis = depth_curve({"one": [1.0, most]}, axis="length", log=True).layout.yaxis
    assert list(axis.ticktext) == ticks
    assert axis.tickmode == "array"


@pytest.mark.parametrize(
    ("depth", "ticks"), [(13, list(range(13))), (25, list(range(0, 25, 2))), (49, list(range(0, 49, 4)))]
)
def test_layers_are_ticked_evenly_and_not_too_often(depth, ticks):
    figure = depth_curve({"one": [0.0] * depth}, axis="length")
    assert list(figure.layout.xaxis.tickvals) == ticks


def test_what_is_counted_is_said_wherever_it_is_counted():
    """After 1 layer is not layer 1: layers have numbers from 0."""
    counted = {"ticks": "after layers"}
    assert describe_depth_curve({"one": [3.0, 4.0]}, axis="length", **counted) == (
        "length. one: 3.000 (after layers: 0), 4.000 (after layers: 1)."
    )
    assert list(table_depth_curve(SERIES, **counted).columns) == ["after layers", "before", "after"]
    (line,) = depth_curve({"one": [3.0, 4.0]}, axis="length", **counted).data
    assert line.hovertemplate.startswith("after layers: %{x} · ")


def test_description_and_table():
    assert describe_depth_curve(SERIES, axis="length") == (
        "length. before: 1.000 at layer 0, 4.000 at layer 2. after: 1.000 at layer 0, −0.500 at layer 2."
    )
    assert table_depth_curve(SERIES)["before"].tolist() == [1, 2, 4]
