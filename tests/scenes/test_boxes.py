"""Boxes against cases worked by hand and against dense points."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.scenes.boxes import corners, gap, overlap

numbers = st.floats(-20, 20)
angles = st.floats(-math.pi, math.pi)
sizes = st.floats(0.2, 12)
boxes = st.tuples(numbers, numbers, angles, sizes, sizes)


def box(x, y, heading, length, width):
    return corners(*(torch.tensor(float(value), dtype=torch.float64) for value in (x, y, heading, length, width)))


def outline(corner, steps=400):
    """Points along the four sides."""
    along = torch.linspace(0, 1, steps, dtype=torch.float64)[:, None, None]
    return (corner + along * (corner.roll(-1, 0) - corner)).reshape(-1, 2)


def test_corners_go_around_anticlockwise_from_the_front_left():
    # A car of 4 × 2 m at (1, 2) that faces north: its front is 2 m above the middle, its left is west.
    found = box(1, 2, math.pi / 2, 4, 2)
    torch.testing.assert_close(found, torch.tensor([[0.0, 4], [0, 0], [2, 0], [2, 4]], dtype=torch.float64))


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ((6, 0, 0, 4, 2), 2.0),  # Bumper to bumper: 6 − 2 − 2.
        ((0, 5, 0, 4, 2), 3.0),  # Side by side: 5 − 1 − 1.
        ((7, 6, 0, 4, 2), 5.0),  # Corner to corner: √((7 − 4)² + (6 − 2)²) = √(9 + 16).
        ((4, 0, 0, 4, 2), 0.0),  # The bumpers touch.
        ((1, 0.5, 0.3, 4, 2), 0.0),  # One in the other.
        ((0, 0, 0, 1, 1), 0.0),  # Wholly inside.
        # A square of side 2 on its corner: it reaches √2 from its middle, so 6 − 2 − √2.
        ((6, 0, math.pi / 4, 2, 2), 4 - math.sqrt(2)),
    ],
)
def test_the_gap_by_hand(other, expected):
    a, b = box(0, 0, 0, 4, 2), box(*other)
    assert gap(a, b).item() == pytest.approx(expected, abs=1e-12)
    assert overlap(a, b).item() is (expected == 0)


def test_a_cross_overlaps_though_no_corner_lies_in_the_other():
    assert overlap(box(0, 0, 0, 10, 1), box(0, 0, math.pi / 2, 10, 1)).item()


def test_corners_that_come_close_do_not_touch():
    # The bounding boxes overlap, the boxes do not: the side of the turned square passes the corner (1, 1) at
    # (|3 − 1| + |3 − 1|)/√2 − 1 = 4/√2 − 1.
    a, b = box(0, 0, 0, 2, 2), box(3, 3, math.pi / 4, 2, 6)
    assert not overlap(a, b)
    assert gap(a, b).item() == pytest.approx(4 / math.sqrt(2) - 1, abs=1e-12)


@given(boxes, boxes)
@settings(max_examples=60, deadline=None)
def test_the_gap_agrees_with_dense_points_on_both_outlines(first, second):
    a, b = box(*first), box(*second)
    found = gap(a, b).item()
    nearest = torch.cdist(outline(a), outline(b)).min().item()
    # Points are at most 12/399 m apart on each side, so the nearest pair is at most half of that off on both.
    if found > 0:
        assert found - 1e-9 <= nearest <= found + 12 / 399
    else:
        inside = overlap(a, b).item()
        assert inside


@given(boxes, boxes, numbers, numbers, angles)
@settings(max_examples=60, deadline=None)
def test_the_gap_does_not_depend_on_where_one_stands_nor_on_the_order(first, second, x, y, turn):
    rotation = torch.tensor([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]], dtype=torch.float64)
    a, b = box(*first), box(*second)
    moved = [corner @ rotation.T + torch.tensor([x, y], dtype=torch.float64) for corner in (a, b)]
    mirrored = [corner * torch.tensor([1, -1]) for corner in (a, b)]
    expected = gap(a, b).item()
    assert gap(b, a).item() == pytest.approx(expected, abs=1e-9)
    assert gap(*moved).item() == pytest.approx(expected, abs=1e-9)
    assert gap(*mirrored).item() == pytest.approx(expected, abs=1e-9)


def test_a_batch_equals_one_by_one_and_broadcasts():
    torch.manual_seed(0)
    first = corners(*torch.rand(5, 7, 1, dtype=torch.float64) * 5 + 0.1)
    second = corners(*torch.rand(5, 3, dtype=torch.float64) * 5 + 0.1)
    together = gap(first, second)
    assert together.shape == (7, 3)
    for i in range(7):
        for j in range(3):
            assert together[i, j].item() == pytest.approx(gap(first[i, 0], second[j]).item(), abs=1e-12)
