"""Curves over the number of tokens: right values, readable ends, crossings in words."""

import itertools

import plotly.graph_objects as go
import pytest

from attnviz.base.language import LANGUAGES, speaking
from attnviz.figures import Crossing, cost_over_tokens, describe_cost_over_tokens, table_cost_over_tokens
from attnviz.figures.cost_over_tokens import apart

TOKENS = (10, 100, 1000)
CURVES = {"square": [100.0, 1e4, 1e6], "line": [500.0, 5e3, 5e4], "nearly the line": [501.0, 5_001.0, 50_001.0]}
GIVEN = {"unit": "operations", "axis": "operations"}
CROSSED = [Crossing(50.0, 2500.0, "square", "line")]


def test_every_cost_is_drawn_and_ones_own_number_is_marked(plotted):
    figure = cost_over_tokens(TOKENS, CURVES, log=True, at=100, crossings=CROSSED, **GIVEN)
    assert list(plotted.trace(figure, "square").y) == CURVES["square"]
    own = [one for one in figure.data if one.mode == "markers" and list(one.x) == [100]]
    assert [one.y[0] for one in own] == [1e4, 5e3, 5_001]
    (crossed,) = [one for one in figure.data if one.name == "costs cross"]
    assert (list(crossed.x), list(crossed.y)) == ([50], [2500])
    go.Figure(figure.to_dict())  # valid attributes


@pytest.mark.parametrize("log", [True, False])
def test_names_at_the_ends_do_not_touch(log):
    figure = cost_over_tokens(TOKENS, CURVES, log=log, **GIVEN)
    inner = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
    places = sorted((1 - note.y) * inner for note in figure.layout.annotations if note.xref == "paper")
    assert len(places) == 3
    assert all(later - earlier >= 14.9 for earlier, later in itertools.pairwise(places))
    assert places[0] >= -0.1
    assert places[-1] <= inner + 0.1


def test_what_costs_nothing_is_left_out_of_a_logarithmic_curve(plotted):
    figure = cost_over_tokens((1, 2), {"zero": [0.0, 4.0]}, log=True, at=1, **GIVEN)
    assert list(plotted.trace(figure, "zero").y) == [None, 4]


def test_places_move_no_further_than_needed():
    assert apart([0.0, 50.0, 52.0], 10.0, 100.0) == [0, 50, 60]
    assert apart([90.0, 95.0, 99.0], 10.0, 100.0) == [80, 90, 100]
    assert apart([], 10.0, 100.0) == []


def test_in_words_and_as_a_table():
    said = describe_cost_over_tokens(TOKENS, CURVES, at=100, crossings=CROSSED, **GIVEN)
    assert "operations at 100 tokens: square 10,000, line 5,000, nearly the line 5,001." in said
    assert "From 50 tokens on square costs at least as much as line." in said
    assert table_cost_over_tokens(TOKENS, CURVES)["line"].tolist() == CURVES["line"]
    for language in LANGUAGES:
        with speaking(language):
            assert describe_cost_over_tokens(TOKENS, CURVES, **GIVEN)
