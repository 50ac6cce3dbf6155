"""Closest encounter and post-encroachment time on tracks worked by hand."""

import math

import pytest
import torch

from attnviz.scenes.boxes import corners
from attnviz.scenes.risk import closest_encounter, post_encroachment_time

DOUBLE = torch.float64
TIMES = torch.arange(0, 101, dtype=DOUBLE) * 0.1


def track(x, y, heading, length, width):
    every = [torch.as_tensor(value, dtype=DOUBLE).expand(len(TIMES)) for value in (x, y, heading, length, width)]
    return corners(*every)


# A car (4 × 2 m) at 10 m/s along y = 0, its middle at x = 0 at 5 s.
CAR = track(10 * (TIMES - 5), 0, 0.0, 4.0, 2.0)


def test_the_closest_encounter_of_two_that_pass():
    # Oncoming in the next lane, 3.5 m beside: 3.5 − 1 − 1 = 1.5 m, from when the bumpers are level. The fronts are
    # 2 m ahead of both middles, which are 100 − 20 t apart: level at 96/20 = 4.8 s.
    oncoming = track(50 - 10 * TIMES, 3.5, math.pi, 4.0, 2.0)
    when, nearest = closest_encounter(TIMES, CAR, oncoming)
    assert nearest.item() == pytest.approx(1.5, abs=1e-9)
    assert when.item() == pytest.approx(4.8, abs=1e-9)


def test_the_closest_encounter_of_a_collision_is_zero_at_its_beginning():
    # A box from x = −2 to 2 stands in the way: the front is at −2 when the middle is at −4, hence at 4.6 s.
    when, nearest = closest_encounter(TIMES, CAR, track(0, 0, 0.0, 4.0, 2.0))
    assert (when.item(), nearest.item()) == (pytest.approx(4.6), 0)


def crosser(at):
    """A box of 2 × 2 m at 5 m/s along x = 0 to the north, its middle at y = 0 at this time."""
    return track(0, 5 * (TIMES - at), math.pi / 2, 2.0, 2.0)


@pytest.mark.parametrize("mirror", [1, -1])
def test_post_encroachment_by_hand(mirror):
    # The car is in the crossing's strip |x| ≤ 1 while |10 (t − 5)| ≤ 1 + 2, from 4.7 to 5.3 s. The other is in the
    # car's strip |y| ≤ 1 while |5 (t − T)| ≤ 1 + 1, from T − 0.4 to T + 0.4. With T = 7: 6.6 − 5.3 = 1.3 s; with
    # T = 2 the other goes first: 4.7 − 2.4 = 2.3 s.
    flip = torch.tensor([1, mirror])
    for at, expected in ((7, 1.3), (2, 2.3)):
        found = post_encroachment_time(TIMES, CAR, TIMES, crosser(at) * flip)
        assert found.item() == pytest.approx(expected, abs=0.11)  # A step at one end at most: touching is rounding.
        back = post_encroachment_time(TIMES, crosser(at) * flip, TIMES, CAR)
        assert back.item() == found.item()


def test_post_encroachment_of_those_who_never_meet_collide_or_follow():
    assert post_encroachment_time(TIMES, CAR, TIMES, track(0, 10, 0.0, 4.0, 2.0)).item() == math.inf
    assert post_encroachment_time(TIMES, CAR, TIMES, crosser(5)).item() == 0
    # 20 m behind on the same line, both are in the common strip at once: not defined.
    follower = track(10 * (TIMES - 7), 0, 0.0, 4.0, 2.0)
    assert post_encroachment_time(TIMES, CAR, TIMES, follower).isnan()


def test_tracks_that_were_recorded_at_other_times():
    # Only the crossing's part from 6 s on is recorded: the same 1.3 s.
    later = TIMES >= 6
    found = post_encroachment_time(TIMES, CAR, TIMES[later], crosser(7)[later])
    assert found.item() == pytest.approx(1.3, abs=0.11)


def test_a_car_that_leaps_over_the_crossing_at_two_hertz_has_crossed_it():
    # 15 m/s at 2 Hz is 7.5 m a step; the car (4.5 × 1.8 m) stands at −30 + 7.5 k and covers −2.25 … 2.25 and
    # 5.25 … 9.75, but never 3.5 … 4.0, where somebody (0.6 × 0.5 m, to the north at 1.4 m/s) goes. The car's rear
    # leaves 4.0 at (30 + 4 + 2.25)/15 = 2.417 s; the other's front is at −0.9 at (6 − 0.9 − 0.3)/1.4 = 3.429 s.
    times = torch.arange(12, dtype=DOUBLE) * 0.5
    car, walker = (
        corners(*(torch.as_tensor(value, dtype=DOUBLE).expand(12) for value in place))
        for place in ((15 * times - 30, 0, 0, 4.5, 1.8), (3.75, 1.4 * times - 6, math.pi / 2, 0.6, 0.5))
    )
    # Known to half of the shorter sides, 0.9 m at 15 m/s and 0.25 m at 1.4 m/s.
    expected = pytest.approx(3.429 - 2.417, abs=0.06 + 0.18)
    assert post_encroachment_time(times, car, times, walker).item() == expected
    assert post_encroachment_time(times, walker, times, car).item() == expected
    # Seen just before and long after, nobody knows what was in between.
    apart = torch.tensor([0, 11])
    assert post_encroachment_time(times[apart], car[apart], times, walker).item() == math.inf


def test_two_that_touch_between_the_moments_of_one_track_have_none_left():
    # The car's track has a moment at 4.5 s and one at 5.5 s; the wall, from −1 to 1, is known at 5 s alone, when the
    # car stands in it.
    some = torch.tensor([45, 55])
    assert post_encroachment_time(TIMES[some], CAR[some], TIMES[50:51], track(0, 0, 0.0, 2.0, 2.0)[50:51]).item() == 0
