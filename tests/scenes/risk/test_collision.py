"""Time to collision on cases worked by hand."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.scenes.boxes import corners, gap, overlap
from attnviz.scenes.risk import moved, time_to_collision, time_to_collision_along

DOUBLE = torch.float64
NEVER = math.inf


def box(x, y, heading=0.0, length=4.0, width=2.0):
    return corners(*(torch.tensor(float(value), dtype=DOUBLE) for value in (x, y, heading, length, width)))


def speed(x, y):
    return torch.tensor([float(x), float(y)], dtype=DOUBLE)


EGO = box(0, 0)


@pytest.mark.parametrize(
    ("own", "other", "velocity", "expected"),
    [
        # Behind a car at rest: the bumpers are 20 − 2 − 2 = 16 m apart, at 8 m/s.
        ((8, 0), box(20, 0), (0, 0), 2.0),
        # Behind a slower car: 16 m at 10 − 6 = 4 m/s; behind a faster one never.
        ((10, 0), box(20, 0), (6, 0), 4.0),
        ((10, 0), box(20, 0), (11, 0), NEVER),
        # Head on: 16 m at 10 + 6 = 16 m/s.
        ((10, 0), box(20, 0, math.pi), (-6, 0), 1.0),
        # Overlapping now, and what has just been passed.
        ((10, 0), box(1, 0), (0, 0), 0.0),
        ((10, 0), box(-5, 0), (0, 0), NEVER),
        # A parked car 1 m beside the path has no time to collision however fast the ego is.
        ((15, 0), box(20, 3), (0, 0), NEVER),
        # Crossing: the pedestrian (0.6 × 0.5 m, towards y) is in the ego's way while |y| < 1 + 0.3, from
        # (8 − 1.3)/1.34 = 5 s to 5 + 2.6/1.34 s = 6.94 s; the ego's box is about x = 52 from (52 − 2.25)/10 = 4.975 s
        # to (52 + 2.25)/10 = 5.425 s. Both from 5 s on.
        ((10, 0), box(52, -8, math.pi / 2, 0.6, 0.5), (0, 1.34), 5.0),
        # The same 5.1 m farther away: the ego is there from 5.485 s on, the pedestrian already.
        ((10, 0), box(57.1, -8, math.pi / 2, 0.6, 0.5), (0, 1.34), 5.485),
        # And 10 m nearer: gone at 4.425 s, before the pedestrian comes.
        ((10, 0), box(42, -8, math.pi / 2, 0.6, 0.5), (0, 1.34), NEVER),
    ],
)
def test_constant_velocity_by_hand(own, other, velocity, expected):
    found = time_to_collision(EGO, other, speed(*own), speed(*velocity)).item()
    assert found == pytest.approx(expected, abs=1e-9)
    times = torch.arange(161, dtype=DOUBLE) * 0.05
    along = time_to_collision_along(times, moved(EGO, speed(*own), times), moved(other, speed(*velocity), times)).item()
    assert along == pytest.approx(expected, abs=1e-6)


def test_beyond_the_horizon_is_never():
    assert time_to_collision(EGO, box(20, 0), speed(8, 0), speed(0, 0), horizon=1.9).item() == NEVER
    assert time_to_collision(EGO, box(20, 0), speed(8, 0), speed(0, 0), horizon=2.1).item() == pytest.approx(2)


def test_an_unknown_speed_gives_no_number():
    assert time_to_collision(EGO, box(20, 0), speed(8, 0), speed(math.nan, 0)).isnan()


def test_along_a_path_that_turns_into_something():
    # The ego goes 10 m east, is turned by 90° at 1 s, and goes 10 m/s north; what stands at (10, 20) is 4 m long and
    # faces north: touched when the ego's middle is at y = 20 − 2 − 2 = 16, hence at 1 + 1.6 s. Straight on it is never.
    times = torch.arange(81, dtype=DOUBLE) * 0.05
    x, y = (times * 10).clamp(max=10), (times * 10 - 10).clamp(min=0)
    heading = (times > 1 - 1e-9).double() * (math.pi / 2)
    ego = corners(x, y, heading, torch.full_like(x, 4), torch.full_like(x, 2))
    wall = box(10, 20, math.pi / 2).expand(81, 4, 2)
    assert time_to_collision_along(times, ego, wall).item() == pytest.approx(2.6, abs=1e-9)
    assert time_to_collision(EGO, wall[0], speed(10, 0), speed(0, 0)).item() == NEVER


states = st.tuples(*[st.floats(-15, 15)] * 2, st.floats(-math.pi, math.pi), st.floats(0.5, 5), st.floats(0.5, 3))
velocities = st.tuples(st.floats(-10, 10), st.floats(-10, 10))


@given(states, states, velocities, velocities)
@settings(max_examples=60, deadline=None)
def test_the_boxes_touch_then_and_not_before(first, second, own, theirs):
    a, b, u, v = box(*first), box(*second), speed(*own), speed(*theirs)
    found = time_to_collision(a, b, u, v, horizon=8.0).item()
    times = torch.linspace(0, min(found, 8.0), 200, dtype=DOUBLE)
    apart = gap(moved(a, u, times), moved(b, v, times))
    assert (apart[:-1] > 0).all() or found == 0
    if found <= 8:
        assert apart[-1].item() == pytest.approx(0, abs=1e-6)
    else:
        assert not overlap(moved(a, u, times), moved(b, v, times)).any()


@given(states, states, velocities, velocities, st.floats(-math.pi, math.pi), st.floats(-50, 50))
@settings(max_examples=60, deadline=None)
def test_it_depends_neither_on_the_place_nor_on_the_side_of_the_road(first, second, own, theirs, turn, shift):
    rotation = torch.tensor([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]], dtype=DOUBLE)
    flip = torch.tensor([1, -1])
    a, b, u, v = box(*first), box(*second), speed(*own), speed(*theirs)
    expected = time_to_collision(a, b, u, v, 8.0).item()
    assert time_to_collision(a * flip, b * flip, u * flip, v * flip, 8.0).item() == pytest.approx(expected, abs=1e-9)
    assert time_to_collision(b, a, v, u, 8.0).item() == pytest.approx(expected, abs=1e-9)
    moved_on = time_to_collision(a @ rotation.T + shift, b @ rotation.T + shift, u @ rotation.T, v @ rotation.T, 8.0)
    # A touch that only grazes may come or go with the last digit.
    grazing = gap(a + u * 0, b).item() < 1e-6 or math.isinf(moved_on.item()) != math.isinf(expected)
    assert grazing or moved_on.item() == pytest.approx(expected, abs=1e-6)


def test_a_batch_equals_one_by_one():
    torch.manual_seed(1)
    place = (torch.rand(2, 300, 2, dtype=DOUBLE) - 0.5) * 30
    boxes = corners(
        place[..., 0], place[..., 1], torch.rand(2, 300, dtype=DOUBLE) * 6, *torch.rand(2, 2, 300).double() + 1
    )
    velocity = (torch.rand(2, 300, 2, dtype=DOUBLE) - 0.5) * 20
    together = time_to_collision(boxes[0], boxes[1], velocity[0], velocity[1])
    alone = [time_to_collision(boxes[0, i], boxes[1, i], velocity[0, i], velocity[1, i]).item() for i in range(300)]
    assert together.tolist() == pytest.approx(alone, abs=1e-12)
    assert 20 < sum(math.isfinite(value) for value in alone) < 280


def test_what_touches_now_does_so_at_zero_and_not_before():
    # Corner to corner; “−0.0 s” would be read as something else.
    found = time_to_collision(EGO, box(4, 2), speed(10, 0), speed(0, 0)).item()
    assert (found, math.copysign(1, found)) == (0, 1)
