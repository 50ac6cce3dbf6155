import plotly.graph_objects as go

from attnviz.figures import cost_parts, describe_cost_parts, layout, table_cost_parts

ROWS = ["now", "twice"]
PARTS = {"core": [1.0, 4.0], "rest": [6.0, 12.0]}


def test_bars_are_stacked_and_numbers_stand_where_there_is_room(plotted):
    figure = cost_parts(ROWS, PARTS, axis="operations")
    assert figure.layout.barmode == "stack"
    assert list(plotted.trace(figure, "core").x) == [1, 4]
    # One sixteenth of the longest bar has no room for a number.
    assert list(plotted.trace(figure, "core").text) == ["", "4"]
    assert list(plotted.trace(figure, "rest").text) == ["6", "12"]
    assert figure.layout.xaxis.range[1] > 16
    go.Figure(figure.to_dict())


def test_in_words_and_as_a_table():
    assert describe_cost_parts(ROWS, PARTS) == "now: core 1, rest 6; together 7. twice: core 4, rest 12; together 16."
    assert table_cost_parts(ROWS, PARTS).loc["twice"].tolist() == [4, 12]


def test_the_longest_label_has_its_room():
    label = "twice the stride: 1,600"
    assert cost_parts([label], {"core": [1.0]}, axis="operations").layout.margin.l > layout.text_width(label)
