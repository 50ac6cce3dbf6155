"""A crossing from above: a line to everybody, as thick as the weight."""

import numpy as np
import pytest

from attnviz.figures import Body, describe_street_lines, palette, street_lines, table_street_lines

BODIES = [
    Body("ego <car>", 0.0, -10.0, np.pi / 2, 4.3, 1.8),
    Body("bike", 5.0, 0.0, 0.0, 1.8, 0.6),
    Body("child", -5.0, 2.0, 0.0, 0.7, 0.3),
]
WEIGHTS = np.array([0.2, 0.7, -0.1])


def test_lines_run_from_the_query_and_are_as_thick_as_their_weights():
    lines = [one for one in street_lines(BODIES, 0, WEIGHTS).data if one.name == "line"]
    assert [(list(one.x), list(one.y)) for one in lines] == [([0, 5], [-10, 0]), ([0, -5], [-10, 2])]
    assert [one.line.width for one in lines] == pytest.approx([palette.thickness(0.7), palette.thickness(0.1)])
    assert [one.line.dash for one in lines] == ["solid", "dash"]


def test_its_own_weight_is_a_ring_and_what_is_absent_has_no_line(plotted):
    figure = street_lines(BODIES, 0, WEIGHTS, np.array([True, True, False]))
    assert plotted.trace(figure, "own").marker.line.width == pytest.approx(palette.thickness(0.2))
    assert len([one for one in figure.data if one.name == "line"]) == 1
    texts = plotted.trace(figure, "users").text
    assert [plotted.seen(text) for text in texts] == ["ego <car>0.200", "bike0.700", "child—"]


def test_a_body_stands_where_it_heads(plotted):
    ego = next(one for one in street_lines(BODIES, 0, WEIGHTS).data if one.name == "body")
    # It looks north: 4.3 m long from south to north, 1.8 m wide from west to east.
    assert (max(ego.y) - min(ego.y), max(ego.x) - min(ego.x)) == pytest.approx((4.3, 1.8))


def test_words_and_table_say_the_same():
    assert describe_street_lines(BODIES, 0, WEIGHTS) == (
        "ego <car> looks at: bike 0.700, ego <car> 0.200, child −0.100."
    )
    assert table_street_lines(BODIES, WEIGHTS)["weight"].tolist() == WEIGHTS.tolist()


def test_a_name_hides_nobody(plotted):
    names = plotted.trace(street_lines(BODIES, 0, WEIGHTS), "names")
    # The bike is 1.8 m long and heads east: its name begins 0.4 m before its front; the ego's as far below its 4.3 m.
    assert (names.x[1], names.y[1]) == pytest.approx((6.3, 0.0))
    assert (names.x[0], names.y[0]) == pytest.approx((0.0, -12.55))
