"""Which pairs have a weight, which are computed for nothing, which are not computed."""

import itertools

import numpy as np

from attnviz.figures import describe_pair_map, pair_map, table_pair_map

# Three queries that look at themselves and their neighbour before, worked out in blocks of two.
LIVE = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1]], dtype=bool)
COMPUTED = np.array([[1, 1, 0], [1, 1, 0], [1, 1, 1]], dtype=bool)


def test_each_pair_is_told_and_counted(plotted):
    figure = pair_map(LIVE, COMPUTED, query=1)
    cells = plotted.trace(figure, "pairs")
    assert cells.z.tolist() == [[2, 1, 0], [2, 2, 0], [1, 2, 2]]
    assert [one.name for one in figure.data if one.showlegend] == [
        "has a weight: 5", "computed, thrown away: 2", "not computed: 2",
    ]  # fmt: skip
    (frame,) = figure.layout.shapes
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (-0.5, 2.5, 0.5, 1.5)


def test_a_weight_that_is_never_computed_is_no_computed_pair():
    nothing = np.zeros((3, 3), bool)
    assert describe_pair_map(~nothing, nothing) == (
        "Of 9 pairs: has a weight, its score is never computed: 9, computed, thrown away: 0, not computed: 0."
    )


def test_the_table_counts_for_each_query():
    table = table_pair_map(LIVE, COMPUTED)
    assert table["has a weight"].tolist() == [1, 2, 2]
    assert table["computed, thrown away"].tolist() == [1, 0, 1]
    assert table["not computed"].tolist() == [1, 1, 0]


def test_the_colour_of_a_cell_is_that_of_its_name_in_the_legend(plotted):
    figure = pair_map(LIVE, COMPUTED)
    cells = plotted.trace(figure, "pairs")
    for state, name in ((2, "has a weight: 5"), (1, "computed, thrown away: 2"), (0, "not computed: 2")):
        place = (state - cells.zmin) / (cells.zmax - cells.zmin)
        stops = list(cells.colorscale)
        colours = {low[1] for low, high in itertools.pairwise(stops) if low[0] <= place < high[0]}
        assert colours == {plotted.trace(figure, name).marker.color}
