"""Scenes later on, first sight, and the driver who brakes."""

import math

import pytest
import torch

from attnviz.scenes.simulator.cast import CHILD, PARKED, USERS
from attnviz.scenes.simulator.drawing import draw
from attnviz.scenes.simulator.later import first_seen, later
from attnviz.scenes.simulator.motion import motion
from attnviz.scenes.simulator.outcome import outcome
from attnviz.scenes.simulator.reference_driver import Driver, avoids, braked

from .scenes import ahead, numbers, straight


def test_later_is_where_everybody_would_have_been():
    cast = draw(2, torch.arange(200), near=torch.ones(200, dtype=torch.bool), hazard=1.0)
    after = torch.full((200,), 1.3, dtype=torch.float64)
    moved = later(cast, after)
    expected, found = motion(cast, numbers(1.3, 3.0).expand(200, -1)), motion(moved, numbers(0.0, 1.7).expand(200, -1))
    for name in ("x", "y", "heading", "speed"):
        assert torch.allclose(getattr(found, name), getattr(expected, name), atol=1e-9), name
    before, then = outcome(cast).at, outcome(moved).at
    comes = (before > 1.5) & before.isfinite()
    assert torch.allclose(then[comes], before[comes] - 1.3, atol=1e-9)


def test_first_sight_past_a_parked_car():
    stage = straight(speed=5.0)
    # A van-high wall of a car from x = 17.85 to 22.15 and y = 3.6 to 5.4; behind it, at (24, 4.5), somebody stands.
    stage.put(PARKED, "parked-car", x=20.0, y=4.5)
    stage.put("pedestrian-1", "pedestrian", x=24.0, y=4.5)
    cast = stage.cast()
    # The pedestrian is 0.6 × 0.5 m. Past the corner (22.15, 3.6) the eye, at height 1.7, sees up to
    # y = 3.6 + 1.9 · (x − 22.15) / (22.15 − eye). Its near right corner is (23.7, 4.25): that is reached where
    # 0.65 / 1.55 = 1.9 / (22.15 − eye), eye = 17.62; the eye is 0.5 m ahead: 17.12 m of way, 3.42 s. 40 % of its
    # width is seen a little later, and all of it before the ego is beside the car's end.
    first = float(first_seen(cast, "pedestrian-1", 9.0)[0])
    assert 3.42 < first < 4.4
    stage.present[:, USERS.index(PARKED)] = False
    assert float(first_seen(stage.cast(), "pedestrian-1", 9.0)[0]) == 0
    assert float(first_seen(stage.cast(), CHILD, 9.0)[0]) == math.inf


def test_braking_by_hand():
    # 10 m/s, noticed at once: 7.5 m of reaction. With 5 m/s² built up over 0.6 s speed falls by 1.5 m/s and the way
    # is 10 · 0.6 − 5 · 0.6² / 6 = 5.7 m; then 8.5² / (2 · 5) = 7.225 m.
    driver = Driver(delay=0.75, build_up=0.6, deceleration=5.0)
    way = braked(numbers(0.75, 1.35, 60.0)[None], numbers(10.0), numbers(0.0), driver)[0]
    assert way.tolist() == pytest.approx([7.5, 13.2, 20.425])
    # So slow that it stands while the brake builds up: 0.5 m/s at 5 / 0.6 m/s³ takes √(2 · 0.5 · 0.6 / 5) = 0.3464 s
    # and 0.5 · 0.3464 − (5 / 0.6) · 0.3464³ / 6 = 0.11547 m.
    slow = braked(numbers(60.0)[None], numbers(0.5), numbers(0.0), driver)[0]
    assert slow.tolist() == pytest.approx([0.5 * 0.75 + 0.11547], abs=1e-5)


def test_who_is_noticed_in_time_is_not_hit():
    # 25.4 m to the standing car. At 5 m/s: 3.75 m of reaction, 2.77 m while building up, 0.27 of it … far less than 25 m.
    cast = ahead(straight(speed=5.0), x=30.0).cast()
    assert avoids(cast, numbers(0.0)).all()
    # Noticed after 5 s, 0.4 m before: nothing helps.
    assert not avoids(cast, numbers(5.0)).any()
    assert not avoids(cast, numbers(math.inf)).any()
