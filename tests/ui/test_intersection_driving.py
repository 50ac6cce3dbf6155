"""What a hand does where a model that learnt is asked; the numbers beside the street; the probe's mirror."""

import math

import pytest
import torch
from pydantic import ValidationError

from attnviz.safety.probe import probes
from attnviz.scenes.simulator.cast import OBJECTS
from attnviz.ui.components import SceneAdd, ScenePlace, SceneRemove, SceneRename, SceneSelect
from attnviz.ui.intersection.driving import choices, compute, numbers, octants, phantoms
from attnviz.ui.intersection.driving.street import chosen, happened, hidden_ids
from attnviz.ui.state import Store
from attnviz.ui.views.driving import LESSON_MOVERS, Drive, Mover
from attnviz.ui.views.intersection import IntersectionView
from attnviz.ui.views.street import EGO, Place


@pytest.fixture
def store():
    return Store(IntersectionView(source="model"))


def drive(store):
    return store.view.drive


def test_a_dragged_road_user_keeps_its_speed(store):
    happened(store, ScenePlace("pedestrian", 7.0, 1.0, 90.0, done=True))
    assert drive(store).user("pedestrian").place == Place(x=7.0, y=1.0, heading=90.0)
    assert drive(store).user("pedestrian").speed == 1.4
    store.undo()
    assert drive(store) == Drive()


def test_added_renamed_removed(store):
    happened(store, SceneAdd("child", 12.0, 3.0))
    assert drive(store).users[-1].speed == 1.4
    happened(store, SceneRename("user-1", "Kim"))
    assert drive(store).user("user-1").label() == "Kim"
    happened(store, SceneRemove("user-1"))
    assert drive(store).user("user-1") is None
    assert drive(store).users == LESSON_MOVERS


def test_a_simulated_scene_can_only_be_looked_at(store):
    store.change(**drive(store).but(moving=True))
    before = drive(store)
    happened(store, ScenePlace("parked-1", 0.0, 0.0, 0.0, done=True))
    happened(store, SceneAdd("car", 0.0, 0.0))
    assert drive(store) == before
    happened(store, SceneSelect("parked-1"))
    assert drive(store).selected == "parked-1"


def test_numbers_move_speeds_and_threshold(store):
    numbers.moved(store, "ego", 5.5)
    numbers.moved(store, "threshold", 0.2)
    store.change(**drive(store).but(selected="oncoming"))
    numbers.moved(store, "user", 9.0)
    assert (drive(store).ego_speed, drive(store).threshold, drive(store).user("oncoming").speed) == (5.5, 0.2, 9.0)


def test_the_other_side_of_the_road_is_a_mirror_and_the_model_says_the_same():
    left = Drive()
    right = Drive(**{**dict(left), **dict(choices.mirrored(left, "right")["drive"])})
    assert right.user("parked").place == Place(x=-15.5, y=4.5, heading=180.0 - 360)
    one, other = compute.judge(left), compute.judge(right)
    assert one.probability == pytest.approx(other.probability, abs=1e-5)
    assert one.weights(left) == pytest.approx(other.weights(right), abs=1e-5)


def test_who_is_hidden_has_no_weight():
    # A van right before the ego hides the car behind it.
    users = (
        Mover(id="van", kind="van", place=Place(x=-1.7, y=-4.0, heading=90), speed=1.0),
        Mover(id="behind", kind="car", place=Place(x=-1.7, y=6.0, heading=90), speed=1.0),
    )
    judged = compute.judge(Drive(users=users))
    assert hidden_ids(judged) == ["behind"]
    assert set(judged.weights(Drive(users=users))) == {EGO, "van"}


def test_the_table_is_the_models_own_arithmetic():
    at = Drive()
    judged = compute.judge(at)
    table = numbers.table(at, judged)
    assert table["weight"].sum() == pytest.approx(1.0, abs=1e-6)
    fewer = compute.judge(Drive(users=tuple(user for user in at.users if user.id != "oncoming")))
    row = table[table["object"] == "oncoming car"].iloc[0]
    assert row["probability without it"] == pytest.approx(fewer.probability, abs=1e-5)
    assert row["× 1/N"] == pytest.approx(4 * row["weight"])


def test_a_moment_taken_over_is_the_same_moment():
    moving = Drive(moving=True, scene=3, t=1.0)
    own = compute.taken_over(moving)
    assert not own.moving
    rows = compute.judge(moving).rows
    assert {user.id for user in own.users} == set(rows["agent_id"]) - {EGO}
    car = rows[rows["agent_id"] == "parked-1"].iloc[0]
    assert own.user("parked-1").place.x == pytest.approx(car["x"], abs=0.01)


def test_who_was_chosen_stays_or_the_parked_vehicle_is():
    moving = Drive(moving=True, scene=3, t=1.0)
    assert chosen(moving, compute.judge(moving)) == "parked-1"
    assert chosen(Drive(selected="nobody"), compute.judge(Drive())) == ""


@pytest.mark.parametrize(("field", "value"), [("hazard", 0.3), ("runouts", 61), ("live_runouts", 7)])
def test_a_model_that_was_not_trained_is_one_sentence(field, value):
    with pytest.raises(ValidationError, match="trained"):
        Drive(**{field: value})


class Even:
    """A model that says 1 where a child is read, and −1 where none is."""

    def seen(self, scenes, scene_id="scene", times=(0.0,)):
        return compute.model(Drive().name).seen(scenes, scene_id, times)

    def log_odds(self, seen):
        return torch.tensor([1.0 if "phantom" in seen.ids else -1.0])


def test_the_probe_puts_a_child_behind_the_parked_car_and_not_behind_the_pedestrian():
    at = Drive()
    scenes, t = compute.moment(at)
    (probe,) = probes(Even(), scenes, compute.SCENE, t, phantoms.way(at))
    assert probe.occluder == "parked"
    assert (probe.with_child, probe.without_child) == (1.0, -1.0)
    # It comes from past the far end of the car (15.5 + 2.15 m), from the north, into the lane from y = 0.8 to 2.6.
    assert probe.hiding[0] > 17.65
    assert 2.6 < probe.entry[1] < probe.first_seen[1] < probe.hiding[1] < 5.4
    # The ego's front is there after its way: 14.7 + 11 − 8.5 gone, then on to that x, at 4 m/s.
    gone = 8.5
    way = 14.7 + 7 * math.pi / 2 + (probe.entry[0] - 5.3) - gone - 2.15
    assert probe.meeting == pytest.approx(way / 4, abs=0.1)
    assert 0 < probe.warning < probe.meeting


def test_the_probe_in_a_mirror_is_the_probe():
    left = Drive()
    right = Drive(**{**dict(left), **dict(choices.mirrored(left, "right")["drive"])})
    found = [probes(Even(), *_moment(at), phantoms.way(at)) for at in (left, right)]
    (one,), (other,) = found
    assert other.entry[0] == pytest.approx(-one.entry[0])
    assert other.entry[1] == pytest.approx(one.entry[1])
    assert (other.meeting, other.warning) == pytest.approx((one.meeting, one.warning))


def _moment(at):
    scenes, t = compute.moment(at)
    return scenes, compute.SCENE, t


def test_every_object_at_every_moment_is_in_one_octant_and_a_model_that_never_saw_it_does_not_know_the_danger():
    blind, taught = Drive(moving=True, runouts=0), Drive(moving=True, runouts=15_000)
    tables = [octants.table(drive) for drive in (blind, taught)]
    played = compute.whole(blind.scene, near=blind.near, child=blind.child, name=blind.name)
    everything = int(played.present[::5, 1:].sum())
    for table in tables:
        assert len(table) == 8
        assert table["objects × moments"].sum() == everything
    # What is true of the street is the same for both; what they make of it is not.
    matter = [table[table["in truth"] == "matters"] for table in tables]
    assert matter[0]["objects × moments"].sum() == matter[1]["objects × moments"].sum() > 0
    unknown = [one[one["for the decision"] == "hardly any effect"] for one in matter]
    assert "parked car 1, 0.0 s" in set(unknown[0]["the first of them"])
    assert unknown[0]["objects × moments"].sum() > unknown[1]["objects × moments"].sum()


def test_what_matters_over_time_is_what_matters_at_each_moment():
    over = octants.relevant_over(3, (0.0, 2.0), near=True, child=True)
    for row, t in enumerate((0.0, 2.0)):
        conflict, without, alone = compute.played_truth(3, near=True, child=True, t=t)
        expected = [without[name] != conflict or alone[name] for name in OBJECTS]
        assert over[row].tolist() == expected
