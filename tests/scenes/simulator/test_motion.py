"""Who moves how: along the way, along a line, with a change of speed; cases solved by hand."""

import math

import pytest
import torch

from attnviz.scenes.simulator.cast import USERS
from attnviz.scenes.simulator.motion import motion, travelled
from attnviz.scenes.simulator.street import Street

from .scenes import ahead, numbers, straight


@pytest.mark.parametrize(
    ("t", "metres", "speed"),
    [
        (0.0, 0.0, 0.0),
        (2.0, 0.0, 0.0),  # it sets off at 2 s
        (3.0, 0.5, 1.0),  # 1 m/s² · 1² / 2
        (4.0, 2.0, 2.0),  # full speed after 2 s: 1 · 2² / 2
        (7.0, 8.0, 2.0),  # and 3 s at 2 m/s
    ],
)
def test_setting_off_after_a_delay(t, metres, speed):
    found = travelled(*map(numbers, (t, 0.0, 1.0, 2.0, 2.0)))
    assert [float(part) for part in found] == pytest.approx([metres, speed])


def test_braking_to_a_stop_and_staying():
    # 10 m/s at −2 m/s²: after 3 s 30 − 9 = 21 m at 4 m/s; it stands after 5 s and 25 m.
    times = numbers(3.0, 5.0, 9.0)
    metres, speed = travelled(times, *(numbers(n).expand(3) for n in (10.0, -2.0, 0.0, 0.0)))
    assert metres.tolist() == pytest.approx([21, 25, 25])
    assert speed.tolist() == pytest.approx([4, 0, 0])


def test_who_set_off_before_the_moment_has_gone_its_metres():
    # From rest at 1 m/s² to 2 m/s, begun 3 s ago: 2 m while speeding up, 2 m after.
    assert float(travelled(*map(numbers, (0.0, 0.0, 1.0, 2.0, -3.0)))[0]) == pytest.approx(4.0)


def test_the_way_turns_right_by_a_quarter_of_a_circle():
    street = Street(radius=7.0, start=-20.0)
    # 14.7 m to the north, then a quarter of a circle around (5.3, −5.3).
    assert street.before_turn == pytest.approx(14.7)
    middle = 14.7 + 7 * math.pi / 4
    x, y, heading = street.place(numbers(0.0, 14.7, middle, 14.7 + 7 * math.pi / 2, 14.7 + 7 * math.pi / 2 + 3))
    root = 7 / math.sqrt(2)
    assert x.tolist() == pytest.approx([-1.7, -1.7, 5.3 - root, 5.3, 8.3])
    assert y.tolist() == pytest.approx([-20.0, -5.3, -5.3 + root, 1.7, 1.7])
    assert heading.tolist() == pytest.approx([math.pi / 2, math.pi / 2, math.pi / 4, 0.0, 0.0], abs=1e-12)
    assert float(street.way_to(numbers(8.3))) == pytest.approx(14.7 + 7 * math.pi / 2 + 3)


def test_the_ego_goes_its_way_and_others_go_straight():
    cast = ahead(straight(speed=5.0, way=10.0), x=60.0, speed=3.0).cast()
    moved = motion(cast, numbers(0.0, 2.0)[None])
    ego, car = USERS.index("ego"), USERS.index("oncoming-1")
    assert moved.x[0, ego].tolist() == pytest.approx([10, 20])
    assert moved.x[0, car].tolist() == pytest.approx([60, 54])
    assert moved.y[0, car].tolist() == pytest.approx([1.7, 1.7])


def test_the_way_is_no_shorter_than_the_metres_gone():
    street = Street()
    metres = torch.linspace(0, 45, 4501, dtype=torch.float64)
    x, y, _ = street.place(metres)
    steps = (x.diff() ** 2 + y.diff() ** 2).sqrt()
    assert steps.tolist() == pytest.approx([0.01] * 4500, rel=1e-4)
