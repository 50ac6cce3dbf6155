import plotly.graph_objects as go

from attnviz.figures import Cones, cones, describe_cones, table_cones

# A 3 × 3 filter and two patches 19 apart: 10 and 19 layers.
SHOWN = Cones(19, 1, [0.0] * 21, met=10, seen=19)


def test_the_cones_begin_at_a_and_b_and_widen_by_a_radius_a_layer(plotted):
    figure = cones(SHOWN)
    first, second = plotted.trace(figure, "units that see A"), plotted.trace(figure, "units that see B")
    assert list(first.x) == [0, -20, 20, 0]
    assert list(second.x) == [19, -1, 39, 19]
    attention = plotted.trace(figure, "full attention: one layer")
    assert (list(attention.x), list(attention.y)) == ([0, 19], [1, 1])
    go.Figure(figure.to_dict())


def test_both_definitions_are_marked_and_said():
    (marks,) = [one for one in cones(SHOWN).data if one.mode == "markers"]
    assert (list(marks.x), list(marks.y)) == ([9.5, 0], [10, 19])
    said = describe_cones(SHOWN)
    assert "After 10 layers some unit between them sees both A and B." in said
    assert "After 19 layers the unit at A sees B." in said


def test_the_table_says_from_which_layer_on():
    table = table_cones(SHOWN)
    assert table["some unit sees both"].tolist().index(True) == 10
    assert table["A sees B"].tolist().index(True) == 19
