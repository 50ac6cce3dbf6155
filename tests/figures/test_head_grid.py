"""One number for each head of each layer."""

import numpy as np
import pytest
import torch

from attnviz.figures import describe_head_grid, head_grid, table_head_grid

VALUES = torch.tensor([[0.5, 1.5], [2.5, torch.nan]])


def test_every_head_has_its_number(plotted):
    figure = head_grid(VALUES, "Mean entropy", "bits")
    np.testing.assert_array_equal(plotted.trace(figure, "heads").z, VALUES.numpy())
    assert plotted.printed(figure, 2, 2) == [["0.50", "1.5"], ["2.5", "—"]]


def test_layers_keep_their_own_numbers(plotted):
    figure = head_grid(VALUES, "x", layers=(3, 7), selected=(7, 0))
    assert plotted.trace(figure, "heads").customdata.tolist() == [[[3, 0], [3, 1]], [[7, 0], [7, 1]]]
    assert list(figure.layout.yaxis.ticktext) == ["3", "7"]
    (outline,) = figure.layout.shapes
    assert (outline.x0, outline.y0) == (-0.5, 0.5)


@pytest.mark.parametrize(("limits", "ends"), [(None, (0, 3)), ((0, 4), (0, 4))])
def test_the_colour_scale_starts_at_zero_or_is_fixed(limits, ends, plotted):
    cells = plotted.trace(head_grid(VALUES, "x", limits=limits), "heads")
    assert (cells.zmin, cells.zmax) == ends


def test_a_name_with_markup_is_shown(plotted):
    assert plotted.seen(head_grid(VALUES, "mass on <s>").layout.title.text) == "mass on <s>"


def test_description_and_table():
    assert describe_head_grid(VALUES, "Mean entropy", "bits", layers=(3, 7)) == (
        "Mean entropy: from 0.500 bits (layer 3, head 0) to 2.500 bits (layer 7, head 0)."
    )
    assert describe_head_grid(VALUES * torch.nan, "x") == "x: no head has a value."
    table = table_head_grid(VALUES, "Mean entropy", "bits", layers=(3, 7))
    assert table["layer"].tolist() == [3, 3, 7, 7]
    np.testing.assert_array_equal(table["Mean entropy (bits)"], VALUES.double().flatten())
