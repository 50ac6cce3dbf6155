"""Who may look at whom, as cells, words and a table."""

from attnviz.attention.kinds.fixed import fixed_pairs
from attnviz.attention.kinds.window import window_pairs
from attnviz.figures import describe_pattern_map, pattern_map, table_pattern_map


def test_allowed_pairs_are_ones_and_the_query_is_outlined(plotted):
    figure = pattern_map(window_pairs(3, 1), row=2)
    assert plotted.trace(figure, "pairs").z.tolist() == [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    (frame,) = figure.layout.shapes
    assert (frame.y0, frame.y1) == (1.5, 2.5)
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1], "queries run downwards"


def test_description_and_table():
    pairs = fixed_pairs(6, 3)
    # Two blocks of three: 18 pairs, and the last of the other block for everybody: 6 more.
    assert describe_pattern_map(pairs, row=0) == "24 of 36 pairs are allowed. Query 0 may look at 4 keys."
    table = table_pattern_map(pairs)
    assert table["keys"].tolist()[0] == "0–2, 5"
    assert table["number of keys"].sum() == 24
