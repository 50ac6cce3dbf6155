"""Weights over a picture: on the right patches, in fixed colours, points where they lie."""

import numpy as np
import pytest

from attnviz.figures import Dots, describe_patch_map, palette, patch_map, table_patch_map

GRID = (2, 3)
PICTURE = np.zeros((20, 30, 3), np.uint8)
WEIGHTS = np.array([0.1, 0.2, 0.3, 0.05, 0.05, 0.3])


def test_the_picture_lies_under_the_patches(plotted):
    image = plotted.trace(patch_map(PICTURE, GRID), "picture")
    # 30 pixels over patches 0 … 2, whose outer edges are −0.5 and 2.5.
    assert image.x0 - image.dx / 2 == pytest.approx(-0.5)
    assert image.x0 + 29.5 * image.dx == pytest.approx(2.5)
    assert image.y0 + 19.5 * image.dy == pytest.approx(1.5)


def test_weights_lie_row_by_row_and_the_query_is_framed(plotted):
    figure = patch_map(PICTURE, GRID, query=4, weights=WEIGHTS)
    cells = plotted.trace(figure, "weights")
    assert cells.z.tolist() == [[0.1, 0.2, 0.3], [0.05, 0.05, 0.3]]
    assert (cells.zmin, cells.zmax) == (0, 1)
    assert cells.customdata.tolist() == [[0, 1, 2], [3, 4, 5]]
    (frame,) = figure.layout.shapes
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (0.5, 1.5, 0.5, 1.5)


def test_many_patches_have_the_fixed_logarithmic_scale_and_a_zero_is_still_a_number(plotted):
    weights = np.zeros(20)
    weights[3] = 0.01
    cells = plotted.trace(patch_map(PICTURE, (4, 5), weights=weights), "weights")
    assert cells.z[0][3] == pytest.approx(-2)
    assert cells.zmin == palette.log_range()[0]
    assert cells.text[0][0] == "0"


def test_what_is_not_allowed_is_veiled_and_has_no_weight(plotted):
    allowed = np.array([True, True, True, False, True, True])
    figure = patch_map(PICTURE, GRID, weights=WEIGHTS, allowed=allowed)
    assert np.isnan(plotted.trace(figure, "weights").z[1][0])
    veil = plotted.trace(figure, "absent").z
    assert np.isfinite(veil).sum() == 1
    assert np.isfinite(veil[1][0])


def test_weights_below_zero_have_the_colours_around_zero(plotted):
    cells = plotted.trace(patch_map(PICTURE, GRID, weights=np.array([0.6, -0.1, 0, 0, 0, 0.5])), "weights")
    assert (cells.zmin, cells.zmax) == pytest.approx((-0.6, 0.6))


def test_points_are_drawn_where_they_are_and_their_area_is_their_weight(plotted):
    dots = Dots(np.array([0.25, 1.0]), np.array([1.5, 2.0]), np.array([0.2, 0.8]))
    figure = patch_map(PICTURE, GRID, query=0, dots=dots)
    found = plotted.trace(figure, "points")
    assert (list(found.x), list(found.y)) == ([1.5, 2.0], [0.25, 1.0])
    small, large = found.marker.size
    assert (large / small) ** 2 == pytest.approx(4)
    assert describe_patch_map(GRID, query=0, dots=dots).endswith("It reads at 2 points between the patches.")
    assert table_patch_map(GRID, dots=dots)["weight"].tolist() == [0.2, 0.8]


def test_the_table_has_a_row_for_each_patch():
    table = table_patch_map(GRID, weights=WEIGHTS)
    assert table["weight"].tolist() == WEIGHTS.tolist()
    assert table["row"].tolist() == [0, 0, 0, 1, 1, 1]
