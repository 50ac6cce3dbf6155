"""What a hand does where a model that learnt is asked; the numbers beside the street; the probe's mirror."""

import math

import pytest
import torch
from pydantic import ValidationError
from safetensors.torch import save

from attnviz.base.errors import InputError
from attnviz.models.turn import networks, study
from attnviz.safety.probe import probes
from attnviz.scenes.simulator.cast import OBJECTS
from attnviz.ui.components import ChartClick, SceneAdd, ScenePlace, SceneRemove, SceneRename, SceneSelect
from attnviz.ui.intersection.driving import choices, compute, exposure, numbers, octants, own, phantoms, remedies
from attnviz.ui.intersection.driving.street import PHANTOM, chosen, happened, hidden_ids
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


def test_nobody_is_put_farther_out_than_a_view_may_hold(store):
    happened(store, SceneAdd("car", 9e3, -9e3))
    assert drive(store).users[-1].place == Place(x=500.0, y=-500.0, heading=90.0)


def test_whoever_hides_a_phantom_is_meant_by_it(store):
    at = Drive(probe=True)
    judged = compute.judge(at)
    (child,) = phantoms.drawn(phantoms.found(at), judged)
    happened(store, SceneSelect(child.id))
    assert drive(store).selected == "parked"
    # The longest id that a road user may have: the phantom's is longer than a view may select.
    happened(store, SceneSelect(PHANTOM + "x" * 40))
    assert drive(store).selected == "x" * 40
    with pytest.raises(ValidationError):
        Mover(id=f"{PHANTOM}parked", kind="car", place=Place(x=0, y=0, heading=0))


def test_who_chooses_a_shipped_model_asks_no_longer_ones_own(store):
    store.change(**drive(store).but(own="0a1b"))
    click = ChartClick("dots", "x", 0.5, None, 0, 0, ["hazard 0.1", 2, 3])
    exposure._clicked(store, click)
    assert (drive(store).own, drive(store).name) == ("", "turn/ego/hazard-0.1/runouts-60/seed-3")
    for custom in (["hazard 0.1", 2.0, 3], ["hazard 7", 2, 3], ["hazard 0.1", 9, 3], [[], {}, None], 4):
        exposure._clicked(store, ChartClick("dots", "x", 0.5, None, 0, 0, custom))
    assert drive(store).runouts == 60


def test_reset_keeps_a_model_of_ones_own(store):
    store.change(**drive(store).but(own="0a1b", threshold=0.2, users=()))
    choices.back(store)
    assert (drive(store).own, drive(store).threshold, drive(store).users) == ("0a1b", 0.5, LESSON_MOVERS)


def _own(factor):
    """A model of one's own whose last bias alone counts: its log-odds are that bias, whoever is there."""
    torch.manual_seed(0)
    weights = {name: weight.clone() for name, weight in networks.build("ego").state_dict().items()}
    weights["decide.2.weight"] = torch.full_like(weights["decide.2.weight"], 0.0 if factor < 1e30 else factor)
    weights["decide.2.bias"] = torch.tensor([-factor if factor < 1e30 else 0.0])
    checksum, kind = own.opened(save(weights), "mine.safetensors")
    return Drive(own=checksum, kind=kind)


def test_a_model_of_ones_own_may_be_as_sure_as_it_likes():
    # exp(1000) is more than a float holds.
    at = _own(1000.0)
    judged = compute.judge(at)
    assert numbers.table(at, judged)["probability without it"].iloc[1:].tolist() == [0.0, 0.0, 0.0]
    assert "**0.000** instead of 0.000" in numbers._sentence(at, judged, "parked")
    assert [compute.probability_of(odds) for odds in (0.0, 1e6, -1e6)] == [0.5, 1.0, 0.0]
    assert compute.probability_of(-math.log(3)) == pytest.approx(0.25)


def test_a_model_of_ones_own_is_not_taken_for_the_other_kind():
    at = _own(1.0)
    assert at.kind == "ego"
    with pytest.raises(InputError, match="open its file again"):
        compute.judge(at.model_copy(update={"kind": "self", "layer": 1}))


def test_a_model_of_ones_own_that_answers_with_no_number_is_one_sentence():
    with pytest.raises(InputError, match=r"mine\.safetensors does not answer with a finite number"):
        compute.judge(_own(3e38))


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


def test_costs_by_hand():
    def counts(conflict, none):
        row = [[0] * 80, [0] * 80]
        for side, (below, above) in zip(row, (conflict, none), strict=True):
            side[39], side[40] = below, above
        return row

    # At the threshold of a half: of 8 scenes with a vehicle 2 are missed and 1 waits for nothing; of the others none.
    told = {"near": counts((2, 2), (3, 1)), "ordinary": counts((0, 1), (1, 0))}
    found = study.Measured(
        accuracy=0.0, accuracy_near=0.0, with_vehicle=0.0, without_vehicle=0.0, even=0.0, weight=[], avoidable=0,
        missed_avoidable=0, unavoidable=0, missed_unavoidable=0, child_weight=[], spearman=[], heaviest=[], reliability=[],
        log_odds=told,
    )  # fmt: skip
    at = study.LOGIT_EDGES[1:-1].index(0.0)
    assert remedies.cost(found, 10, near=True)[at] == pytest.approx(1000 * (10 * 2 / 8 + 1 / 8))
    assert remedies.cost(found, 10, near=False)[at] == pytest.approx(1000 * 0.01 * (10 * 2 / 8 + 1 / 8))
    # Whoever always waits misses nobody, and waits wherever nothing happens; whoever never does misses all.
    assert remedies.cost(found, 10, near=True)[0] == pytest.approx(1000 * 4 / 8)
    assert remedies.cost(found, 10, near=True)[-1] == pytest.approx(1000 * 10 * 4 / 8)
