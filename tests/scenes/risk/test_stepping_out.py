"""Hidden areas, and those who could step out of them, on cases worked by hand."""

import math

import pytest
import torch
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from attnviz.scenes.boxes import corners
from attnviz.scenes.occlusion import hides, sides
from attnviz.scenes.risk import (
    RUNNING,
    Path,
    Walker,
    as_recorded,
    corridor_of,
    phantom,
    phantom_ttc,
    shadow_area,
    step_out_time,
    straight_on,
    time_to_collision,
)

DOUBLE = torch.float64
ORIGIN = torch.zeros(2, dtype=DOUBLE)
LENGTH, WIDTH = 4.0, 2.0


def numbers(*values):
    return torch.tensor(values, dtype=DOUBLE)


def boxes(*places):
    return torch.stack([corners(*numbers(*place)) for place in places])


def straight(speed, horizon=8.0):
    times = torch.arange(round(horizon / 0.05) + 1, dtype=DOUBLE) * 0.05
    return straight_on(ORIGIN, 0.0, numbers(speed, 0), times)


def turn():
    """A left turn of 10 m radius at 5 m/s, a quarter of a circle and a little more."""
    times = torch.arange(81, dtype=DOUBLE) * 0.05
    angle = times * 0.5
    return as_recorded(times, torch.stack([10 * angle.sin(), 10 - 10 * angle.cos()], dim=1), angle, times)


def area(path, *places, reach):
    return shadow_area(path.places[0], boxes(*places), corridor_of(path, LENGTH, WIDTH), reach=reach).tolist()


# A parked car of 4 × 2 m whose side is 1 m beside the ego's: its middle is at (22, 3), its box 20 … 24 × 2 … 4.
PARKED = (22.0, 3.0, 0.0, 4.0, 2.0)


def test_the_hidden_area_by_hand():
    # A box over 10 … 12 × 2 … 4, counted up to |y| = 1 + 4 = 5 and x = 20. Lines of sight touch (12, 2) and (10, 4):
    # the shadow and the box lie between y = x/6 and y = 0.4 x, at x ≥ 10 and y ≥ 2.
    #   x = 10 … 12:   ∫ 0.4 x − 2        = 0.2 (144 − 100) − 4          = 4.8, less the box, 4: 0.8
    #   x = 12 … 12.5: ∫ 0.4 x − x/6      = 0.1166667 (156.25 − 144)     = 1.429167
    #   x = 12.5 … 20: ∫ 5 − x/6          = 37.5 − (400 − 156.25)/12     = 17.1875
    found = area(straight(2.5), (11.0, 3.0, 0.0, 2.0, 2.0), reach=4.0)
    assert found[0] == pytest.approx(0.8 + 1.429167 + 17.1875, abs=0.2)  # 0.1 m of the box's 2 m.


def test_a_straight_path_is_never_hidden_by_what_is_beside_it_but_a_bent_one_is():
    assert area(straight(5.0), PARKED, reach=0.0) == [0]
    assert area(straight(5.0), PARKED, reach=4.0)[0] > 5
    inside = (6.0, 6.0, 0.7, 3.0, 2.0)  # Within the bend, between the ego and where its path goes.
    assert area(turn(), inside, reach=0.0)[0] > 1


def test_the_hidden_area_of_what_is_in_the_way():
    # A wall across the path over x = 10 … 10.2, y = −0.5 … 0.5: beyond it |y| ≤ min(1, x/20) is hidden, up to x = 20:
    # ∫ from 10.2 to 20 of x/10 dx = (400 − 104.04)/20 = 14.798.
    found = area(straight(2.5), (10.1, 0.0, 0.0, 0.2, 1.0), reach=0.0)
    assert found[0] == pytest.approx(14.798, abs=0.1)


@given(st.floats(2, 9), st.floats(3, 12), st.floats(-math.pi, math.pi), st.floats(0.5, 4), st.floats(0.5, 2))
@settings(max_examples=20, deadline=None)
def test_the_hidden_area_in_a_bend_agrees_with_counted_squares(x, y, heading, length, width):
    path, box = turn(), boxes((x, y, heading, length, width))
    _, offsets = sides(box[0])
    assume(not (offsets >= 0).all())  # The eye is not within the box.
    ahead = corridor_of(path, LENGTH, WIDTH)
    found = shadow_area(ORIGIN, box, ahead, reach=2.0).item()
    # Squares of 0.05 m, turned so that none of their rows is along an edge: within 1 + 2 m of the circle of radius 10
    # about (0, 10), from the ego's front, at an angle of 2/10, to the last line.
    side = torch.arange(-13.5, 13.5, 0.05, dtype=DOUBLE)
    cosine, sine = math.cos(0.123), math.sin(0.123)
    away = torch.cartesian_prod(side, side) @ numbers([cosine, -sine], [sine, cosine])
    angle = torch.atan2(away[:, 0], -away[:, 1])
    counted = ((away.norm(dim=1) - 10).abs() <= 3) & (angle >= 0.2) & (angle <= ahead.headings[-1])
    expected = (counted & hides(ORIGIN, box[0], away + numbers(0, 10))).sum().item() * 0.05**2
    # Lines are 0.1 m apart: at the box's two ends some of it is counted, at most 0.1 m of its width of 4 m.
    assert found == pytest.approx(expected, abs=0.4)


def test_stepping_out_from_behind_a_parked_car_by_hand():
    # The ego (2 m wide) is at the origin at 10 m/s; the last line of sight touches (24, 2): y = x/12. Of a disc with
    # radius 0.3 the middle must be 0.3 m from it, y ≥ x/12 + 0.3 √(1 + 1/144), and from the car, x ≥ 24.3. The first
    # line there, 2 m + 0.1 k from the ego's middle, is x = 24.3 or 24.4: y = 2.3260 or 2.3344. It steps out when the
    # disc touches y = 1: (2.3260 − 0.3 − 1)/1.5 = 0.684 or 0.690 s. The ego's front is there at 2.23 or 2.24 s.
    walker = Walker(speed=1.5, radius=0.3)
    path = straight(10.0)
    ahead, car = corridor_of(path, LENGTH, WIDTH), boxes(PARKED)
    assert step_out_time(path, ahead, car, walker).item() == pytest.approx(0.687, abs=0.004)
    assert phantom_ttc(path, ahead, car, walker).item() == pytest.approx(2.235, abs=0.006)
    found = phantom(path, ahead, car, walker)
    assert found.hiding[0].tolist() == pytest.approx([24.35, 2.330], abs=0.06)
    assert found.entry[0].tolist() == pytest.approx([24.35, 1.3], abs=0.06)
    # And the car itself, which hides all this, has no time to collision at all.
    own = corners(*numbers(0, 0, 0, LENGTH, WIDTH))
    assert time_to_collision(own, car[0], numbers(10, 0), numbers(0, 0)).item() == math.inf


def test_the_warning_by_hand():
    # The disc's middle enters at (x, 1.3) at τ, with x = 24.3 … 24.4; u earlier it was at y = 1.3 + 1.5 u and the eye
    # at 10 (τ − u) = x − 2 − 10 u. In sight means below the line through the car's corner (24, 2), with x = 24.4:
    # (1.3 + 1.5 u)(1.6 + 10 u) ≤ 2 (2 + 10 u), 15 u² − 4.6 u − 1.92 ≤ 0, u ≤ (4.6 + √(21.16 + 115.2))/30 = 0.543;
    # with x = 24.3: 15 u² − 4.45 u − 1.79 ≤ 0, u ≤ (4.45 + √(19.8 + 107.4))/30 = 0.524. In steps of 0.05 s: 0.50 s.
    path = straight(10.0)
    found = phantom(path, corridor_of(path, LENGTH, WIDTH), boxes(PARKED), Walker(speed=1.5, radius=0.3))
    assert found.warning_time.item() == pytest.approx(0.5)


def test_who_runs_steps_out_sooner():
    path = straight(10.0)
    ahead, car = corridor_of(path, LENGTH, WIDTH), boxes(PARKED)
    walking, running = step_out_time(path, ahead, car), step_out_time(path, ahead, car, Walker(speed=RUNNING))
    assert (walking / running).item() == pytest.approx(2)  # 10 km/h against 5 km/h.


def test_a_fast_ego_has_passed_before_anybody_far_beside_can_be_there():
    # Hidden places are at least 8 + 8 · … m beside: a car whose near side is at y = 10, and a line of sight through
    # (24, 10), y = 10 x/24. At x = 24.4: y ≥ 10.16 + 0.3 √(1 + 0.1736) = 10.49, 9.19 m from the corridor: 9.19/1.5 =
    # 6.1 s, when the ego at 10 m/s is there after 2.2 s; further on the hidden places are further away, 10/24 m for
    # each metre: after 8 s, 0.28 s a metre against the ego's 0.1 s. It is never met.
    path = straight(10.0)
    far = boxes((22.0, 11.0, 0.0, 4.0, 2.0))
    found = phantom(path, corridor_of(path, LENGTH, WIDTH), far, Walker(speed=1.5, radius=0.3))
    assert found.step_out_time.item() == pytest.approx(6.12, abs=0.05)
    assert found.ttc.item() == math.inf
    assert found.warning_time.isnan()
    assert found.hiding.isnan().all()
    # At 3 m/s the ego's front is there at (24.3 − 2)/3 = 7.4 s, in time to meet them.
    slow = straight(3.0, horizon=12.0)
    met = phantom(slow, corridor_of(slow, LENGTH, WIDTH), far, Walker(speed=1.5, radius=0.3))
    assert met.ttc.item() == pytest.approx(22.35 / 3, abs=0.03)


def test_somebody_hidden_in_the_path_is_there_already():
    # A van across the path: beyond it somebody stands in the corridor, at the van's far side 22 + 0.3: 0 s.
    path = straight(10.0)
    van = boxes((21.0, 0.0, 0.0, 2.0, 3.0))
    found = phantom(path, corridor_of(path, LENGTH, WIDTH), van, Walker(speed=1.5, radius=0.3))
    assert found.step_out_time.item() == 0
    assert found.ttc.item() == pytest.approx((22.35 - 2) / 10, abs=0.01)
    # Hidden until the ego is there.
    assert found.warning_time.item() == pytest.approx(0, abs=0.2)


def test_a_pole_hides_nobody_and_an_ego_that_stands_meets_nobody():
    path = straight(10.0)
    pole = boxes((20.0, 3.0, 0.0, 0.1, 0.1))
    ahead = corridor_of(path, LENGTH, WIDTH)
    # 0.1 m wide at 20 m, its shadow is wide enough for a disc of 0.6 m from some 100 m on: beyond the corridor.
    assert phantom(path, ahead, pole, Walker(radius=0.3)).step_out_time.item() == math.inf
    standing = straight(0.0)
    found = phantom(standing, corridor_of(standing, LENGTH, WIDTH), boxes(PARKED))
    assert (found.step_out_time.item(), found.ttc.item()) == (math.inf, math.inf)
    assert shadow_area(ORIGIN, boxes(PARKED), corridor_of(standing, LENGTH, WIDTH)).item() == 0


def test_an_eye_within_a_blocker_has_no_hidden_area():
    path = straight(10.0)
    assert shadow_area(ORIGIN, boxes((0.0, 0.0, 0.0, 4.0, 2.0)), corridor_of(path, LENGTH, WIDTH)).isnan()
    # Not defined, which is another thing than that nobody comes.
    found = phantom(path, corridor_of(path, LENGTH, WIDTH), boxes((0.0, 0.0, 0.0, 4.0, 2.0)))
    assert found.step_out_time.isnan()
    assert found.ttc.isnan()


places = st.tuples(
    st.floats(6, 40), st.floats(2.2, 8), st.floats(-math.pi, math.pi), st.floats(0.5, 6), st.floats(0.5, 2.5)
)


@given(st.lists(places, min_size=1, max_size=3), st.floats(-math.pi, math.pi), st.floats(-50, 50), st.booleans())
@settings(max_examples=30, deadline=None)
@example([(6.0, 2.5, 1.0, 5.0, 2.0)], 1.0, 0.0, False)
def test_mirrored_turned_and_moved_it_is_the_same(others, angle, shift, bent):
    path = turn() if bent else straight(10.0)
    blockers = boxes(*others)
    ahead = corridor_of(path, LENGTH, WIDTH)
    expected = (phantom(path, ahead, blockers), shadow_area(path.places[0], blockers, ahead))
    flip = numbers(1, -1)
    rotation = numbers([math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)])
    mirrored = Path(path.times, path.places * flip, -path.headings, path.origin), blockers * flip
    turned = Path(path.times, path.places @ rotation.T + shift, path.headings + angle, path.origin)
    for other, boxes_there in (mirrored, (turned, blockers @ rotation.T + shift)):
        there = corridor_of(other, LENGTH, WIDTH)
        found = phantom(other, there, boxes_there), shadow_area(other.places[0], boxes_there, there)
        # A line that a blocker just touches may count or not: one line is 0.1 m.
        assert found[1].tolist() == pytest.approx(expected[1].tolist(), abs=0.5)
        assert found[0].step_out_time.tolist() == pytest.approx(expected[0].step_out_time.tolist(), abs=0.15)
    alone = [phantom(path, ahead, blockers[i : i + 1]).ttc.item() for i in range(len(blockers))]
    assert expected[0].ttc.tolist() == pytest.approx(alone)
