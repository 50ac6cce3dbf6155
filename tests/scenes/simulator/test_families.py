"""The families of tests: everybody meets as the published figures have it."""

import pytest
import torch

from attnviz.scenes.simulator.cast import CHILD, PARKED, USERS
from attnviz.scenes.simulator.families import all_concrete, car_across, child_from_behind, pedestrian_on_turn
from attnviz.scenes.simulator.later import first_seen
from attnviz.scenes.simulator.motion import motion
from attnviz.scenes.simulator.outcome import outcome

from .scenes import numbers


def test_every_combination_is_there_and_ends_in_the_conflict_it_is_made_for():
    found = all_concrete()
    # 3 × 3 for the car, 3 × 2 for the pedestrian, 6 × 3 for the child.
    assert len(found) == 33
    assert len({one.name for one in found}) == 33
    for one in found:
        hit = outcome(one.cast).at[0].isfinite().nonzero()[:, 0].tolist()
        assert len(hit) == 1, one.name
        assert float(outcome(one.cast).at[0, hit[0]]) == pytest.approx(4.0, abs=0.25), one.name


def test_the_child_is_where_cpnco_has_it():
    cast = child_from_behind(30, 50).cast
    child, parked = USERS.index(CHILD), USERS.index(PARKED)
    # 4 m beside the middle of the ego's way; a metre past the nearer car; that car a metre beside the ego's side.
    assert float(cast.y[0, child]) == pytest.approx(1.7 + 4.0)
    assert float(cast.x[0, child] - cast.x[0, parked] - cast.length[0, parked] / 2) == pytest.approx(1.0)
    assert float(cast.y[0, parked] - cast.width[0, parked] / 2 - 1.7 - 0.9) == pytest.approx(1.0)
    # 5 km/h reached within a metre: v² / 2.
    assert float(cast.final[0, child]) == pytest.approx(5 / 3.6)
    assert float(cast.acceleration[0, child]) == pytest.approx((5 / 3.6) ** 2 / 2)


@pytest.mark.parametrize("impact", [25, 50, 75])
def test_the_child_is_hit_where_it_should_be(impact):
    cast = child_from_behind(36, impact).cast
    # The ego's front reaches the near side of the child after 4 s less half of the child's width (0.149 m) at 10 m/s.
    moved = motion(cast, numbers(4.0 - 0.0149)[None])
    child = USERS.index(CHILD)
    front = float(moved.y[0, child, 0]) - 0.711 / 2
    side = 1.7 + 0.9
    assert (side - front) / 1.8 * 100 == pytest.approx(impact, abs=0.1)
    assert float(moved.x[0, 0, 0]) + 4.3 / 2 == pytest.approx(20.0 - 0.149)


def test_the_child_is_hidden_when_it_starts():
    for ego in (10, 30, 60):
        first = first_seen(child_from_behind(ego, 50).cast, CHILD, 9.0)
        assert 1.0 < float(first) < 4.0


def test_the_pedestrian_walks_both_ways():
    same, opposite = pedestrian_on_turn(10, "same").cast, pedestrian_on_turn(10, "opposite").cast
    walker = USERS.index("pedestrian-1")
    assert float(same.y[0, walker]) == pytest.approx(1.7 - 9.5)
    assert float(opposite.y[0, walker]) == pytest.approx(1.7 + 6.0)
    for cast in (same, opposite):
        moved = motion(cast, numbers(4.0)[None])
        assert float(moved.y[0, walker, 0]) == pytest.approx(1.7, abs=1e-6)


def test_the_oncoming_car_and_the_ego_meet_in_its_lane():
    cast = car_across(20, 60).cast
    moved = motion(cast, numbers(4.0)[None])
    # The turn of radius 14.75 m is a lane's width to the side at cos⁻¹(1 − 3.4 / 14.75) = 39.70°.
    angle = torch.acos(torch.tensor(1 - 3.4 / 14.75, dtype=torch.float64))
    y = -30 + (1.7 - 14.75 + 30) + 14.75 * float(angle.sin())
    assert float(moved.y[0, USERS.index("oncoming-1"), 0]) - 4.3 / 2 == pytest.approx(y)
