"""Lines of sight against hand-made cases and against dense rays."""

import math

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attnviz.scenes.boxes import corners, gap
from attnviz.scenes.occlusion import hides, seen, shadow, visible

ORIGIN = torch.zeros(2, dtype=torch.float64)


def box(x, y, heading, length, width):
    return corners(*(torch.tensor(float(value), dtype=torch.float64) for value in (x, y, heading, length, width)))


def share(target, *blockers, eye=ORIGIN, present=None):
    there = torch.ones(len(blockers), dtype=torch.bool) if present is None else torch.tensor(present)
    return seen(eye, target, torch.stack(blockers), there).item()


def wall(x, low, high):
    """A thin wall across the x axis whose near face is at x."""
    return box(x + 0.005, (low + high) / 2, 0, 0.01, high - low)


def first_hit(directions, corner):
    """How far each ray from the origin goes to the first side that it crosses; infinite where it meets none."""
    side = corner.roll(-1, 0) - corner
    across = directions[:, 0, None] * side[:, 1] - directions[:, 1, None] * side[:, 0]
    distance = (corner[:, 0] * side[:, 1] - corner[:, 1] * side[:, 0]) / across
    along = (corner[:, 0] * directions[:, 1, None] - corner[:, 1] * directions[:, 0, None]) / across
    met = (distance > 0) & (along >= 0) & (along <= 1)
    return torch.where(met, distance, math.inf).amin(dim=1)


def by_rays(target, blockers, count=20_001):
    """The share of rays within the target's angle that reach it first, in float64; another way to the same number."""
    middle = target.mean(dim=0)
    bearing = torch.atan2(middle[1], middle[0])
    relative = torch.atan2(target[:, 1], target[:, 0]) - bearing
    relative = (relative + math.pi) % (2 * math.pi) - math.pi
    angle = torch.linspace(relative.min().item(), relative.max().item(), count + 2, dtype=torch.float64)[1:-1] + bearing
    directions = torch.stack([angle.cos(), angle.sin()], dim=1)
    others = torch.stack([first_hit(directions, blocker) for blocker in blockers]).amin(dim=0)
    return (first_hit(directions, target) < others).double().mean().item()


# The target's near face is a wall at x = 10 that reaches from y = −1 to y = 1.
TARGET = wall(10, -1, 1)


@pytest.mark.parametrize(
    ("blocker", "expected"),
    [
        (wall(5, -0.6, 0.6), 0.0),  # Hidden: at x = 5 the target fills −0.5 … 0.5.
        (wall(5, 0, 3), 0.5),  # Everything left of the middle.
        (wall(5, 1, 3), 1.0),  # Beside.
        (wall(-5, -3, 3), 1.0),  # Behind the eye.
        (wall(12, -5, 5), 1.0),  # Beyond the target.
        # A box over x = 4.5 … 5.5 from y = 0.5 on: its corner (5.5, 0.5) stands before the target's left end.
        (box(5, 3, 0, 1, 5), (math.atan(0.5 / 5.5) + math.atan(0.1)) / (2 * math.atan(0.1))),
    ],
)
def test_one_blocker_by_hand(blocker, expected):
    assert share(TARGET, blocker) == pytest.approx(expected, abs=1e-9)


def test_a_blocker_whose_corner_touches_the_line_of_sight_hides_nothing():
    # The corner (4.5, 0.45) is on the line from the eye to (10, 1); the box is left of it.
    assert share(TARGET, box(4.5, 0.45 + 1, 0, 1e-6, 2)) == pytest.approx(1, abs=1e-6)


def test_half_of_the_angle_is_not_half_of_the_metres():
    # A wall over x = 5 … 5.01 from y = 0.25 on hides what is left of its far corner, at the angle atan(0.25/5.01).
    expected = (math.atan(0.1) + math.atan(0.25 / 5.01)) / (2 * math.atan(0.1))
    assert share(TARGET, wall(5, 0.25, 2)) == pytest.approx(expected, abs=1e-9)


def test_two_blockers_count_their_common_part_once():
    # Walls at x = 5 over y = −1 … 0 and at x = 4 over y = −1 … 0.2: together they hide up to the angle atan(0.05).
    expected = (math.atan(0.1) - math.atan(0.05)) / (2 * math.atan(0.1))
    assert share(TARGET, wall(5, -1, 0), wall(4, -1, 0.2)) == pytest.approx(expected, abs=1e-9)


def test_what_is_absent_hides_nothing_even_without_a_place():
    nowhere = torch.full((4, 2), math.nan, dtype=torch.float64)
    assert share(TARGET, wall(5, -1, 1), nowhere, present=[False, False]) == 1
    assert share(TARGET, wall(5, -1, 1), nowhere, present=[True, False]) == 0


def test_a_target_does_not_hide_itself_and_a_flush_blocker_hides_it():
    assert share(TARGET, TARGET) == 1
    flush = box(9, 0, 0, 2, 2)  # From x = 8 to x = 10, where the target begins.
    assert share(TARGET, flush, TARGET) == 0


def test_an_eye_within_the_target_sees_it_and_within_a_blocker_nothing():
    assert share(box(0, 0, 0, 4, 2), wall(5, -1, 1)) == 1
    assert share(TARGET, box(0, 0, 0, 4, 2)) == 0
    assert share(TARGET, box(-1.9, 0.9, 0, 4, 2)) == 0  # Ten centimetres from the corner.
    assert share(TARGET, box(-2.1, 0, 0, 4, 2)) == 1  # The eye is ten centimetres ahead of it.
    assert share(TARGET, box(0, 0, 0, 4, 2), present=[False]) == 1


def test_a_long_blocker_beside_the_eye_hides_what_is_obliquely_ahead():
    # A wall along y = 1 from x = −100 to 10 hides what is left of the line to (10, 1). The target's near face, at
    # x = 20, reaches from y = 0 to y = 4, and its angles from 0 to atan(4/20); seen is up to atan(1/10).
    target, side = wall(20, 0, 4), box(-45, 1.5, 0, 110, 1)
    low = 0.0
    assert share(target, side) == pytest.approx((math.atan(0.1) - low) / (math.atan(0.2) - low), abs=1e-9)
    # Turned so that its middle is straight behind, and mirrored.
    assert share(target * torch.tensor([1, -1]), side * torch.tensor([1, -1])) == pytest.approx(
        math.atan(0.1) / math.atan(0.2), abs=1e-9
    )


def test_visible_is_a_threshold_on_the_share():
    half = wall(5, 0, 3)[None]
    there = torch.tensor([True])
    assert visible(ORIGIN, TARGET, half, there).item()  # 0.5 is more than the 0.4 that is stated.
    assert not visible(ORIGIN, TARGET, half, there, share=0.6).item()


places = st.tuples(
    st.floats(-25, 25), st.floats(-25, 25), st.floats(-math.pi, math.pi), st.floats(0.3, 8), st.floats(0.3, 3)
)


def apart(*boxes):
    eye = box(0, 0, 0, 0.02, 0.02)
    every = [eye, *boxes]
    return all(gap(a, b) > 0.05 for i, a in enumerate(every) for b in every[:i])


@given(places, st.lists(places, min_size=1, max_size=3))
@settings(max_examples=80, deadline=None)
def test_the_share_agrees_with_dense_rays(place, others):
    target, blockers = box(*place), [box(*other) for other in others]
    # Boxes that lie in each other have no order along a ray; blockers may overlap each other.
    assume(all(apart(target, blocker) for blocker in blockers))
    # Each interval's two ends fall between two rays: at most 2 of 20,001 rays for each blocker.
    assert share(target, *blockers) == pytest.approx(by_rays(target, blockers), abs=1e-3)


@given(places, places, st.floats(-30, 30), st.floats(-30, 30), st.floats(-math.pi, math.pi))
@settings(max_examples=60, deadline=None)
def test_the_share_does_not_depend_on_where_one_stands_nor_on_the_side_of_the_road(place, other, x, y, turn):
    target, blocker = box(*place), box(*other)
    assume(apart(target, blocker))
    rotation = torch.tensor([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]], dtype=torch.float64)
    shift = torch.tensor([x, y], dtype=torch.float64)
    expected = share(target, blocker)
    assert share(target @ rotation.T + shift, blocker @ rotation.T + shift, eye=shift) == pytest.approx(
        expected, abs=1e-6
    )
    flip = torch.tensor([1, -1])
    assert share(target * flip, blocker * flip) == pytest.approx(expected, abs=1e-9)


def test_a_batch_equals_one_by_one_in_both_precisions():
    torch.manual_seed(3)
    centre = (torch.rand(200, 5, 2, dtype=torch.float64) - 0.5) * 40
    size = torch.rand(200, 5, 2, dtype=torch.float64) * 3 + 0.3
    every = corners(centre[..., 0], centre[..., 1], torch.rand(200, 5, dtype=torch.float64) * 6, *size.unbind(-1))
    eye = torch.rand(200, 2, dtype=torch.float64)
    there = torch.rand(200, 4) < 0.8
    together = seen(eye, every[:, 0], every[:, 1:], there)
    alone = torch.stack([seen(eye[i], every[i, 0], every[i, 1:], there[i]) for i in range(200)])
    torch.testing.assert_close(together, alone, rtol=0, atol=1e-12)
    single = seen(eye.float(), every[:, 0].float(), every[:, 1:].float(), there)
    assert single.dtype == torch.float32
    assert ((single.double() - together).abs() < 1e-4).double().mean() > 0.99
    assert (together < 1).any()
    assert (together > 0).any()
    # One eye and the same blockers for several targets.
    assert seen(eye[:1], every[:, 0], every[:1, 1:], there[:1]).shape == (200,)


def test_a_shadow_by_hand():
    # A box from x = 10 to 12 and y = −1 to 1: from the origin the near corners (10, ±1) bound the wedge |y| ≤ x/10.
    blocker = box(11, 0, 0, 2, 2)
    points = torch.tensor(
        [
            [20.0, 1.9],  # Below the line y = x/10, hence hidden …
            [20.0, 2.1],  # … and above it, seen.
            [9.0, 0.0],  # In front.
            [11.0, 0.0],  # Within the box: nobody hides there.
            [12.5, 1.2],  # Beyond and below 1.25.
            [-20.0, 0.0],  # Behind the eye.
        ],
        dtype=torch.float64,
    )
    assert hides(ORIGIN, blocker, points).tolist() == [True, False, False, False, True, False]


def test_how_deep_in_a_shadow_is_in_metres():
    # (20, 0) lies 20/√101 from both lines y = ±x/10, and 10 beyond the side that faces the eye, at x = 10.
    outwards, offsets = shadow(ORIGIN, box(11, 0, 0, 2, 2))
    depth = offsets - outwards @ torch.tensor([20.0, 0], dtype=torch.float64)
    finite = depth[depth.isfinite()].sort().values
    torch.testing.assert_close(
        finite, torch.tensor([20 / math.sqrt(101), 20 / math.sqrt(101), 10], dtype=torch.float64)
    )


@given(places, st.floats(-20, 20), st.floats(-20, 20))
@settings(max_examples=60, deadline=None)
def test_a_shadow_is_where_a_small_box_is_not_seen(place, x, y):
    blocker, speck = box(*place), box(x, y, 0, 0.002, 0.002)
    assume(apart(blocker, speck))
    found = hides(ORIGIN, blocker, torch.tensor([[x, y]], dtype=torch.float64)).item()
    part = share(speck, blocker)
    assume(part in (0, 1))  # On the edge of the shadow a small box is half seen.
    assert found is (part == 0)
