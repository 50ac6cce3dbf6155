"""A small matrix with its numbers."""

import numpy as np
import pytest
import torch

from attnviz.figures import Grid, describe_number_grid, number_grid, table_number_grid

KEYS = ("car ahead", "bike", "parked <car>")


def test_every_number_is_printed(intersection, plotted):
    figure = number_grid(intersection.scaled[0], ["ego"], KEYS, "÷ √2", "signed")
    assert plotted.printed(figure, 1, 3) == [["2.828", "3.536", "−0.707"]]
    np.testing.assert_allclose(plotted.trace(figure, "numbers").z, [[2.828427, 3.535534, -0.707107]], atol=1e-6)


def test_a_small_weight_keeps_its_digits(intersection, plotted):
    figure = number_grid(intersection.weights[0], ["ego"], KEYS, "softmax", "weights")
    assert plotted.printed(figure, 1, 3) == [["0.327", "0.663", "0.0095"]]


def test_zero_is_in_the_middle_of_the_signed_colours_and_the_range_moves_in_steps(plotted):
    for values, limit in (([4.0, 5.0, -1.0], 5), ([0.1, -0.2], 1), ([5.5, -12.0], 20)):
        cells = plotted.trace(number_grid(torch.tensor([values]), kind="signed"), "numbers")
        assert (cells.zmin, cells.zmax) == (-limit, limit)
        assert cells.colorscale[1][0] == 0.5


def test_weights_are_coloured_on_zero_to_one(plotted):
    cells = plotted.trace(number_grid(torch.tensor([[0.2, 0.3]]), kind="weights"), "numbers")
    assert (cells.zmin, cells.zmax) == (0, 1)


@pytest.mark.parametrize("kind", ["signed", "weights", "plain"])
def test_absent_entries_are_a_dash_and_no_number(kind, plotted):
    absent = torch.tensor([[False, True]])
    figure = number_grid(torch.tensor([[0.25, 0.0]]), kind=kind, absent=absent)
    assert plotted.printed(figure, 1, 2)[0][1] == "—"
    assert np.isnan(np.asarray(plotted.trace(figure, "numbers").z)[0, 1])


def test_the_chosen_row_is_outlined():
    (shape,) = number_grid(torch.zeros(3, 2), highlighted_row=1).layout.shapes
    assert (shape.y0, shape.y1) == (0.5, 1.5)


def test_labels_are_escaped_and_equal_ones_stay_apart(plotted):
    axis = number_grid(torch.zeros(1, 2), None, ["<s>", "<s>"]).layout.xaxis
    assert [plotted.seen(text) for text in axis.ticktext] == ["<s>", "<s>"]
    assert list(axis.tickvals) == [0, 1]


def test_a_moved_slider_is_a_small_message():
    """Sixteen by sixteen numbers, redrawn on every move."""
    assert len(number_grid(torch.randn(16, 16), kind="signed").to_json()) < 30_000


def test_other_numbers_are_the_same_figure_with_other_numbers():
    """So that the chart component need not lay out the whole figure anew while a slider moves."""
    one, other = (
        number_grid(torch.tensor(values), kind="signed").to_dict() for values in ([[4.0, 0.1]], [[-3.5, 3.9]])
    )
    assert one["layout"] == other["layout"]
    for before, after in zip(one["data"], other["data"], strict=True):
        differing = {name for name in before if str(before[name]) != str(after[name])}
        assert differing <= {"z", "text"}


def test_the_description_reads_the_row(intersection):
    grid = Grid(intersection.dots[0], ["ego"], KEYS, "Dot products", "signed")
    assert describe_number_grid(grid, 0) == "Dot products, row ego: car ahead 4.000, bike 5.000, parked <car> −1.000."
    assert describe_number_grid(grid) == "Dot products: 1 × 3 numbers."


def test_the_table_is_exact_and_equal_labels_do_not_merge():
    grid = Grid(torch.tensor([[0.1, 0.2]]), ["q"], ["the", "the"], absent=torch.tensor([[False, True]]))
    table = table_number_grid(grid)
    assert list(table.columns) == ["0: the", "1: the"]
    assert table.iloc[0, 0] == np.float32(0.1)
    assert np.isnan(table.iloc[0, 1])
