"""Required deceleration on cases worked by hand."""

import math

import pytest
import torch

from attnviz.scenes.boxes import corners
from attnviz.scenes.risk import along_points, required_deceleration, straight_on

DOUBLE = torch.float64
TIMES = torch.arange(161, dtype=DOUBLE) * 0.05


def required(speed, others, velocities, path=None):
    boxes = torch.stack([corners(*torch.tensor(other, dtype=DOUBLE)) for other in others])
    path = path or straight_on(torch.zeros(2, dtype=DOUBLE), 0.0, torch.tensor([speed, 0.0], dtype=DOUBLE), TIMES)
    return required_deceleration(path, speed, 4.0, 2.0, boxes, torch.tensor(velocities, dtype=DOUBLE)).tolist()


def test_by_hand():
    found = required(
        10.0,
        [
            (24.0, 0.0, 0.0, 4.0, 2.0),  # At rest, 24 − 4 = 20 m ahead: 10²/(2 · 20) = 2.5.
            (24.0, 0.0, 0.0, 4.0, 2.0),  # Drives at 4 m/s: (10 − 4)²/(2 · 20) = 0.9.
            (24.0, 0.0, 0.0, 4.0, 2.0),  # Drives away faster.
            (24.0, 3.0, 0.0, 4.0, 2.0),  # Parked beside the path.
            (1.0, 0.0, 0.0, 4.0, 2.0),  # Touches already.
            (-14.0, 0.0, 0.0, 4.0, 2.0),  # Comes from behind at 15 m/s: braking makes it worse.
            (24.0, 0.0, 0.0, 4.0, 2.0),  # Nobody knows how fast.
        ],
        [[0, 0], [4, 0], [12, 0], [0, 0], [0, 0], [15, 0], [math.nan, 0]],
    )
    assert found[0] == pytest.approx(2.5, rel=2e-3)
    assert found[1] == pytest.approx(0.9, rel=2e-3)
    assert found[2:4] == [0, 0]
    assert found[4:6] == [math.inf, math.inf]
    assert math.isnan(found[6])


@pytest.mark.parametrize("side", [1, -1])
def test_letting_somebody_pass_takes_less_than_stopping(side):
    # A pedestrian (0.6 × 0.6 m) crosses x = 30 at 1.3 m/s and is in the way |y| < 1.3 from 1 s, starting at
    # ∓(1.3 + 1.3), to 3 s. At 10 m/s the front is at 29.7 at 2.77 s: braking must delay it to 3 s,
    # 10 · 3 − b · 9/2 = 29.7 − 2, hence b = 2.3/4.5 = 0.511. Stopping takes 10²/(2 · 27.7) = 1.805.
    found = required(10.0, [(30.0, -2.6 * side, math.pi / 2, 0.6, 0.6)], [[0, 1.3 * side]])
    assert found[0] == pytest.approx(2.3 / 4.5, rel=5e-3)
    assert found[0] < 1.0


def test_a_standing_ego_requires_nothing():
    assert required(0.0, [(24.0, 0.0, 0.0, 4.0, 2.0)], [[0, 0]]) == [0]


def test_distance_is_counted_along_the_path():
    # 10 m east, then north; at (10, 24), facing north, something stands 10 + 24 − 4 = 30 m away: 100/60 = 1.667.
    points = torch.tensor([[0, 0], [10, 0], [10, 60.0]], dtype=DOUBLE)
    path = along_points(points, torch.zeros(2, dtype=DOUBLE), 10.0, TIMES)
    found = required(10.0, [(10.0, 24.0, math.pi / 2, 4.0, 2.0)], [[0, 0]], path)
    assert found[0] == pytest.approx(100 / 60, rel=2e-3)


@pytest.mark.parametrize("side", [1, -1])
def test_what_comes_slantwise_takes_more_than_stopping_where_they_would_touch(side):
    # A box of 1 × 1 m at (37 − 5 t, −2.5 + t): it is in the way, |y| ≤ 1 + 0.5, from 1 to 4 s, and is then at
    # x = 37 − 20 = 17, its near side at 16.5. At 10 m/s they touch at 2 + 10 t = 36.5 − 5 t, after 23 m; stopping
    # there takes 2.2, and the box would still drive into the ego. It has to stand after 16.5 − 2 = 14.5 m:
    # 100/29 = 3.448.
    found = required(10.0, [(37.0, -2.5 * side, 0.0, 1.0, 1.0)], [[-5.0, 1.0 * side]])
    assert found[0] == pytest.approx(100 / 29, rel=2e-3)
