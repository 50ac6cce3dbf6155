"""Who is hit when, solved by hand; what is taken away, and what is left alone."""

import math

import pytest
import torch

from attnviz.scenes.simulator.cast import ARROW, GREEN, LIGHT, OBJECTS, PARKED, SIGNS, USERS, obeying
from attnviz.scenes.simulator.drawing import draw
from attnviz.scenes.simulator.moments import judged, moments
from attnviz.scenes.simulator.outcome import outcome, relevance

from .scenes import ahead, straight

CAR = USERS.index("oncoming-1")


def test_driving_up_to_a_standing_car():
    # Middles 30 m apart, both 4.3 m long, 0.3 m margin: 30 − 4.3 − 0.3 = 25.4 m at 5 m/s are 5.08 s; simulated
    # ten times a second, the first moment that is closer is 5.1 s.
    cast = ahead(straight(speed=5.0), x=30.0).cast()
    assert float(outcome(cast).at[0, CAR]) == pytest.approx(5.1)
    assert bool(outcome(cast).conflict)


def test_passing_beside_a_car():
    # Half widths of 0.9 m each and 0.3 m margin: middles 2.1 m apart touch, 2.2 m do not.
    assert outcome(ahead(straight(), x=30.0, y=1.7 + 2.05).cast()).conflict
    assert not outcome(ahead(straight(), x=30.0, y=1.7 + 2.15).cast()).conflict


def test_two_that_meet():
    # 5 m/s and 10 m/s, 60 m apart: (60 − 4.6) / 15 = 3.69 s, seen at 3.7 s.
    assert float(outcome(ahead(straight(), x=60.0, speed=10.0).cast()).at[0, CAR]) == pytest.approx(3.7)


def test_nobody_further_away_than_is_looked_ahead():
    assert not outcome(ahead(straight(speed=1.0), x=30.0).cast(), horizon=9.0).conflict


def test_what_brakes_for_the_arrow():
    stage = straight()
    # Middle at y = 40 on x = 1.7, heading south, 10 m/s: its front is 40 − 2.15 − 9.4 = 28.45 m before the line.
    stage.put("oncoming-1", "car", x=1.7, y=40.0, heading=-math.pi / 2, speed=10.0)
    stage.signs[:, SIGNS.index(LIGHT)] = True
    stage.light[:] = GREEN
    assert float(obeying(stage.cast()).acceleration[0, CAR]) == 0
    stage.light[:] = ARROW
    lit = obeying(stage.cast())
    assert float(lit.acceleration[0, CAR]) == pytest.approx(-(10**2) / (2 * 28.45))
    assert float(lit.without(LIGHT).acceleration[0, CAR]) == 0
    # Too near to stop: at 10 m/s within 28.45 − 25 m it would take 14 m/s².
    stage.put("oncoming-1", "car", x=1.7, y=15.0, heading=-math.pi / 2, speed=10.0)
    assert float(obeying(stage.cast()).acceleration[0, CAR]) == 0


def test_a_vehicle_takes_its_child_with_it():
    found = moments(1, torch.arange(200), near=True, hazard=1.0)
    child = USERS.index("child-1")
    assert found.cast.present[:, child].all()
    assert not found.cast.without(PARKED).present[:, child].any()
    assert found.cast.alone(PARKED).present[:, child].all()
    assert not found.cast.alone("pedestrian-1").present[:, child].any()


def test_two_that_would_each_be_enough_are_both_relevant():
    cast = ahead(straight(), x=30.0).cast()
    both = ahead(straight(), x=30.0)
    both.put("oncoming-2", "car", x=31.0, y=1.7, heading=math.pi)
    alone, two = relevance(cast), relevance(both.cast())
    first, second = OBJECTS.index("oncoming-1"), OBJECTS.index("oncoming-2")
    assert not alone.without[0, first]
    assert two.conflict.all()
    assert two.without[0, [first, second]].all()  # without one of them the other is hit
    assert two.alone[0, [first, second]].all()
    assert two.relevant[0].nonzero()[:, 0].tolist() == [first, second]


def test_the_truth_of_what_is_taken_away_is_that_of_running_again():
    """The quick rule that training uses, beside scenes that are literally run again."""
    found = moments(7, torch.arange(150), near=True, hazard=0.5)
    for number, name in enumerate(OBJECTS):
        kept = torch.ones(len(found), len(OBJECTS), dtype=torch.bool)
        kept[:, number] = False
        assert torch.equal(found.conflict(kept), outcome(found.cast.without(name)).conflict), name
    nothing = torch.zeros(len(found), len(OBJECTS), dtype=torch.bool)
    hidden_stay = found.conflict(nothing)
    assert not hidden_stay[~found.cast.present[:, 1:].any(dim=1)].any()


def test_a_scene_is_the_same_on_any_batch_size():
    numbers = torch.arange(300)
    near = torch.ones(300, dtype=torch.bool)
    together = judged(draw(3, numbers, near=near, hazard=0.5))
    for at in (0, 131, 299):
        one = judged(draw(3, numbers[at : at + 1], near=near[:1], hazard=0.5))
        assert torch.equal(one.hit[0], together.hit[at])
        assert torch.equal(one.seen[0], together.seen[at])
        for name in ("x", "y", "speed", "delay", "length"):
            assert torch.equal(getattr(one.cast, name)[0], getattr(together.cast, name)[at]), name
    again = judged(draw(3, numbers, near=near, hazard=0.5))
    assert torch.equal(again.hit, together.hit)


def test_who_else_is_there_does_not_depend_on_the_vehicle_or_the_hazard():
    numbers = torch.arange(100)
    without = draw(3, numbers, near=torch.zeros(100, dtype=torch.bool), hazard=0.0)
    with_ = draw(3, numbers, near=torch.ones(100, dtype=torch.bool), hazard=1.0)
    others = [place for place, user in enumerate(USERS) if user not in (PARKED, "child-1")]
    assert torch.equal(without.present[:, others], with_.present[:, others])
    assert torch.equal(without.x[:, others], with_.x[:, others])
    some = draw(3, numbers, near=torch.ones(100, dtype=torch.bool), hazard=0.3).present[:, USERS.index("child-1")]
    more = draw(3, numbers, near=torch.ones(100, dtype=torch.bool), hazard=0.6).present[:, USERS.index("child-1")]
    assert bool((~some | more).all())
    assert 15 <= int(some.sum()) <= 45  # 30 expected of 100; three standard errors


def test_run_outs_hit_an_ego_that_goes_on_and_are_hidden_at_first():
    found = moments(11, torch.arange(400), near=True, hazard=1.0)
    child = USERS.index("child-1")
    far = found.cast.way[:, 0] < 20
    assert float(found.hit[far, child].double().mean()) > 0.8
    assert float(found.seen[far, child].double().mean()) < 0.05


def test_a_car_that_the_light_holds_is_not_relevant():
    # In the way of the ego, which is straight on to the east along y = 1.7: a car from the north on x = 1.7, 30 m off
    # at 10 m/s. It would be there; the arrow holds it at 9.4 m.
    stage = straight(speed=1.0, way=-4.0)
    stage.put("oncoming-1", "car", x=1.7, y=40.0, heading=-math.pi / 2, speed=10.0)
    stage.signs[:, SIGNS.index(LIGHT)] = True
    stage.light[:] = ARROW
    found = relevance(obeying(stage.cast()))
    car, light = OBJECTS.index("oncoming-1"), OBJECTS.index(LIGHT)
    assert not found.conflict.any()
    assert not found.alone[0, car]
    assert found.without[0, light]
    # What keeps them apart is the light.
    assert found.relevant[0].nonzero()[:, 0].tolist() == [light]
