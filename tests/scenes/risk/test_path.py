"""The ego's path, and the lines across it."""

import math

import pytest
import torch

from attnviz.scenes.risk import along_points, as_recorded, corridor_of, straight_on

DOUBLE = torch.float64
TIMES = torch.arange(161, dtype=DOUBLE) * 0.05


def numbers(*values):
    return torch.tensor(values, dtype=DOUBLE)


def test_along_points_from_where_they_are_nearest_and_on_beyond_the_last():
    # 10 m east to (10, 0), then 20 m north. The ego at (4, 1) is nearest to (4, 0); at 5 m/s it is at the corner at
    # 6/5 = 1.2 s, at (10, 4) at 2 s, at the end (10, 20) at 5.2 s, and at (10, 34) at 8 s.
    path = along_points(numbers([0, 0], [10, 0], [10, 0], [10, 20]), numbers(4, 1), 5.0, TIMES)
    assert path.origin == "given"
    for moment, place, heading in ((0, (4, 0), 0), (2, (10, 4), math.pi / 2), (8, (10, 34), math.pi / 2)):
        at = round(moment / 0.05)
        assert path.places[at].tolist() == pytest.approx(place)
        assert path.headings[at].item() == pytest.approx(heading)
    assert path.travelled()[-1].item() == pytest.approx(40)
    # 45 m along, 5 m beyond its last moment: (10, 39), 2 m longer box towards north.
    box = path.boxes_at(numbers(45)[0], 4.0, 2.0)
    assert box.mean(dim=0).tolist() == pytest.approx([10, 39])
    assert box[0].tolist() == pytest.approx([9, 41])


def test_recorded_between_its_moments_and_as_it_ended():
    # Headings of 170° and −170° are 20° apart: between them lies 180°.
    path = as_recorded(
        numbers(0, 1, 2), numbers([0, 0], [2, 0], [2, 4]), numbers(0, math.radians(170), math.radians(-170)), TIMES
    )
    assert path.places[10].tolist() == pytest.approx([1, 0])
    assert path.places[60].tolist() == pytest.approx([2, 8])  # 1 s after the end, at 4 m/s to the north.
    assert abs(math.degrees(path.headings[30].item())) == pytest.approx(180)


def test_the_corridor_of_a_straight_path():
    # At 5 m/s for 8 s: from the front, 2 m ahead, to 40 m, a line each 0.1 m; the front is 38 m further at 7.6 s.
    ahead = corridor_of(straight_on(numbers(1, 1), 0.0, numbers(5, 0), TIMES), 4.0, 2.0)
    assert ahead.places[0].tolist() == pytest.approx([3, 1])
    assert ahead.places[-1].tolist() == pytest.approx([41, 1])
    assert len(ahead.places) == 381
    assert ahead.arrivals[0].item() == pytest.approx(0)
    assert ahead.arrivals[-1].item() == pytest.approx(7.6)
    assert (ahead.bends == 0).all()


def test_the_corridor_of_a_circle_bends_with_one_over_its_radius():
    angle = TIMES * 0.3  # A left turn of 10 m radius at 3 m/s.
    places = torch.stack([10 * angle.sin(), 10 - 10 * angle.cos()], dim=1)
    ahead = corridor_of(as_recorded(TIMES, places, angle, TIMES), 4.0, 2.0)
    assert ahead.bends[5:-5].tolist() == pytest.approx([0.1] * (len(ahead.bends) - 10), abs=1e-3)
    # To the left of each line, 10 m away, is the middle of the circle.
    middles = ahead.places + 10 * ahead.left()
    assert (middles - numbers(0, 10)).abs().max().item() < 0.01


def test_an_ego_that_stands_has_no_corridor():
    assert len(corridor_of(straight_on(numbers(0, 0), 0.0, numbers(0, 0), TIMES), 4.0, 2.0).places) == 0
