"""Milliseconds over tokens: dotted where memory decides, a mark where the budget is crossed, quartiles as whiskers."""

import math

from attnviz.figures import TimeDots, TimeLine, describe_time_curve, table_time_curve, time_curve

LINE = TimeLine("<b>chip</b>", [100, 400, 1600], [0.1, 0.4, 6.4], [False, False, True], crosses=800, chosen=True)
DOTS = TimeDots("measured here", [100, 400], [1.0, 2.0], [0.5, 1.5], [1.25, 4.0])


def figure(lines=(LINE,), dots=(DOTS,)):
    return time_curve(list(lines), list(dots), budget=1.0, least=100, most=1600)


def test_a_line_changes_its_dash_where_what_decides_changes_and_has_no_gap():
    legend, memory, compute = figure().data[:3]
    assert (memory.line.dash, list(memory.x)) == ("dot", [100, 400, 1600])
    assert (compute.line.dash, list(compute.x)) == ("solid", [1600])
    assert [one.showlegend for one in (legend, memory, compute)] == [True, False, False]
    assert "<b>" not in legend.name


def test_the_crossing_lies_on_the_budget(plotted):
    marks = [one for one in figure().data if one.mode == "markers+text"]
    assert [(list(one.x), list(one.y), list(one.text)) for one in marks] == [([800], [1.0], ["<b>800</b>"])]
    budget = plotted.trace(figure(), "budget: 1 ms")
    assert list(budget.y) == [1.0, 1.0]


def test_a_line_that_stays_on_one_side_has_no_mark():
    lines = [TimeLine("chip", [100, 400], [0.1, 0.4], [False, False])]
    assert not [one for one in figure(lines, ()).data if one.mode == "markers+text"]


def test_whiskers_reach_from_the_lower_to_the_upper_quartile(plotted):
    found = plotted.trace(figure(), "measured here")
    assert list(found.error_y.array) == [0.25, 2.0]
    assert list(found.error_y.arrayminus) == [0.5, 0.5]


def test_both_axes_are_logarithmic_and_hold_everything():
    made = figure()
    assert (made.layout.xaxis.type, made.layout.yaxis.type) == ("log", "log")
    assert list(made.layout.yaxis.range) == [-1, 1]
    assert made.layout.xaxis.range[0] < 2 < math.log10(1600) < made.layout.xaxis.range[1]
    assert list(made.layout.xaxis.tickvals) == [100, 400, 1600]


def test_what_somebody_has_is_an_upright_line_where_it_is_on_the_axis(plotted):
    made = time_curve([LINE], [], budget=1.0, least=100, most=1600, given=400)
    assert list(plotted.trace(made, "what you have: 400 tokens").x) == [400, 400]
    beyond = time_curve([LINE], [], budget=1.0, least=100, most=1600, given=6400)
    assert not [one for one in beyond.data if "what you have" in one.name]


def test_in_words_and_as_a_table():
    said = describe_time_curve([LINE], [DOTS], budget=1.0)
    assert "within it up to 800 tokens at best" in said
    assert "measured here: median 2 ms at 400 tokens." in said
    table = table_time_curve([LINE], [DOTS])
    assert len(table) == 5
    assert table["origin"].tolist()[2:4] == ["lower bound, computing decides", "measured here"]
