"""Lanes over time: what is drawn where, what is said, what stands in the table."""

import numpy as np
import pytest

from attnviz.figures import Lane, describe_lanes, lanes, table_lanes

TIMES = np.array([0.0, 0.5, 1.0])
NAN = np.nan
PARTS = [
    Lane("weight", np.array([[0.2, 0.3, 0.1], [NAN, 0.5, 0.6]]), "share", 1.0),
    Lane("effect", np.array([[1.0, -3.0, 0.0], [NAN, 0.5, 2.0]]), "change", 8.0),
    Lane("ttc", np.array([[NAN, 4.0, 3.5], [NAN, NAN, NAN]]), "seconds", 8.0),
]
FIRST = {0: 0.0, 1: 0.5}


def test_every_lane_has_its_numbers_and_its_fixed_scale():
    figure = lanes(["car", "child"], TIMES, PARTS, now=0.5, first_seen=FIRST)
    weight, effect, ttc = figure.data
    assert [list(line) for line in weight.z] == [[0.2, 0.3, 0.1], [None, 0.5, 0.6]]
    assert (weight.zmin, weight.zmax) == (0, 1)
    assert (effect.zmin, effect.zmax) == (-8, 8)
    assert (ttc.zmin, ttc.zmax, ttc.reversescale) == (0, 8, True)
    assert [one.yaxis for one in figure.data] == ["y", "y2", "y3"]
    assert list(weight.customdata[1]) == [1, 1, 1]


def test_who_comes_into_view_later_has_a_tick_and_the_moment_a_line():
    figure = lanes(["car", "child"], TIMES, PARTS, now=0.5, first_seen=FIRST)
    ticks = [shape for shape in figure.layout.shapes if shape.line.width == 3]
    # In each of three lanes one: the car was seen from the beginning.
    assert [(tick.x0, tick.y0, tick.y1) for tick in ticks] == [(0.5, 0.5, 1.5)] * 3
    (now,) = [shape for shape in figure.layout.shapes if shape.yref == "paper"]
    assert (now.x0, now.x1) == (0.5, 0.5)


def test_description_and_table():
    said = describe_lanes(["car", "child"], TIMES, PARTS, now=0.5, first_seen=FIRST)
    assert said == (
        "child is first seen at 0.5 s. weight: the most notable is child at 1.0 s, 0.600. "
        "effect: the most notable is car at 0.5 s, -3.00. ttc: the most notable is car at 1.0 s, 3.5 s. "
        "The moment shown is 0.5 s."
    )
    table = table_lanes(["car", "child"], TIMES, PARTS)
    assert len(table) == 5  # the child has no number at the beginning
    assert table.iloc[0].tolist()[:4] == ["car", 0.0, 0.2, 1.0]


def test_names_are_escaped():
    figure = lanes(["<b>car</b>", "child"], TIMES, PARTS, now=0.0, first_seen={})
    assert "<b>" not in "".join(figure.layout.yaxis.ticktext)
    assert figure.layout.height == pytest.approx(3 * (2 * 20 + 24 + 16) + 44 + 8)
