"""Reach as a map: what is reached now, was reached before, and is not."""

import torch

from attnviz.attention.kinds.window import window_pairs
from attnviz.attention.reach import reach
from attnviz.figures import describe_reach_map, reach_map, table_reach_map

# A window of 1 on each side, five positions, two layers; seen from position 1.
REACHED = reach([window_pairs(5, 1)] * 2)[:, 1]


def test_a_cell_says_whether_it_is_reached_now_before_or_not(plotted):
    cells = plotted.trace(reach_map(REACHED, one=1, other=4), "reach")
    # 0 not reached, 1 before, 2 in this layer: only itself; its neighbours; one further, the ends of the line.
    assert cells.z.tolist() == [[0, 2, 0, 0, 0], [2, 1, 2, 0, 0], [1, 1, 1, 2, 0]]
    assert cells.customdata[2][3].tolist() == [2, 3]
    assert cells.text[0][1] == "reached in this layer"


def test_both_positions_are_marked_once(plotted):
    assert [shape.x0 for shape in reach_map(REACHED, one=1, other=4).layout.shapes] == [0.5, 3.5]
    assert len(reach_map(REACHED, one=1, other=1).layout.shapes) == 1


def test_description_and_table():
    assert describe_reach_map(REACHED, one=1) == (
        "Position 1 knows of 3 positions after 1 layer and of 4 of 5 after 2."
    )
    whole = reach([torch.ones(3, 3, dtype=torch.bool)])[:, 0]
    assert describe_reach_map(whole, one=0).endswith("It knows of all positions from layer 1 on.")
    table = table_reach_map(REACHED)
    assert table["reached after layers"].fillna(-1).tolist() == [1, 0, 1, 2, -1]
