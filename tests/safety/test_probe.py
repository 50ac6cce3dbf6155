"""The child that is put behind a parked car, on a case worked by hand."""

import math
from dataclasses import replace

import pytest
import torch

from attnviz.base.errors import InputError
from attnviz.models.turn.turn_model import Seen
from attnviz.safety.probe import CHILD, probes
from attnviz.scenes import Agent, Scenes
from attnviz.scenes.risk import Walker

WALKER = Walker(speed=1.5, radius=0.3)
EGO = Agent("ego", "car", 0.0, 0.0, 0.0, 10.0, 0.0, length=4.0, width=2.0, is_ego=True)
PARKED = Agent("parked", "parked-car", 22.0, 3.0, 0.0, 0.0, 0.0, length=4.0, width=2.0)
STRAIGHT = torch.tensor([[0.0, 0.0], [100.0, 0.0]])


class Counting:
    """A model whose log-odds are the number of road users; it keeps the scenes that it is shown."""

    def __init__(self):
        self.shown = []

    def seen(self, scenes, scene_id="scene", times=(0.0,)):
        self.shown.append(scenes.table.set_index("agent_id"))
        present = torch.ones(1, len(scenes.table), dtype=torch.bool)
        return Seen(tuple(scenes.table["agent_id"]), torch.zeros(1, len(scenes.table), 2), present)

    def log_odds(self, seen):
        return seen.present.sum(-1).float()


def mirrored(agent):
    return replace(agent, y=-agent.y, heading=-agent.heading, vy=-agent.vy)


@pytest.mark.parametrize("side", [1, -1])
def test_the_child_by_hand(side):
    # As in tests/scenes/risk/test_stepping_out.py: the ego's front meets the child at x = 24.3 or 24.4 after 2.23 or
    # 2.24 s; it has been in sight for 0.50 s, and was then at y = 1.3 + 1.5 · 0.5 = 2.05, the ego at 10 · 1.735 m.
    agents = [EGO, PARKED] if side > 0 else [mirrored(EGO), mirrored(PARKED)]
    model = Counting()
    (found,) = probes(model, Scenes.of_moment(agents), "scene", 0.0, STRAIGHT, WALKER)
    assert found.occluder == "parked"
    assert found.meeting == pytest.approx(2.235, abs=0.006)
    assert found.warning == pytest.approx(0.5)
    assert found.hiding == pytest.approx((24.35, 2.330 * side), abs=0.06)
    assert found.entry == pytest.approx((24.35, 1.3 * side), abs=0.06)
    assert found.first_seen == pytest.approx((24.35, 2.05 * side), abs=0.06)
    assert (found.with_child, found.without_child) == (3, 2)
    with_child, without = model.shown
    assert set(without.index) == {"ego", "parked"}
    child = with_child.loc[CHILD]
    assert (child["x"], child["y"]) == pytest.approx(found.first_seen)
    assert (child["vx"], child["vy"]) == pytest.approx((0, -1.5 * side))
    assert math.sin(child["heading"]) == pytest.approx(-side)
    # Moments of the ego's path are 0.05 s, 0.5 m, apart.
    assert with_child.loc["ego", "x"] == pytest.approx(17.35, abs=0.3)


def test_who_goes_on_is_where_it_will_be():
    oncoming = Agent("oncoming", "car", 90.0, 3.5, math.pi, -8.0, 0.0)
    model = Counting()
    found = probes(model, Scenes.of_moment([EGO, PARKED, oncoming]), "scene", 0.0, STRAIGHT, WALKER)
    assert found[0].occluder == "parked"
    assert model.shown[0].loc["oncoming", "x"] == pytest.approx(90 - 8 * 1.735, abs=0.06)
    assert model.shown[0].loc["parked", "x"] == 22


def test_a_road_user_that_is_called_so_already_stays():
    namesake = Agent(CHILD, "pedestrian", 60.0, -9.0, 0.0, 0.0, 0.0)
    model = Counting()
    (found,) = probes(model, Scenes.of_moment([EGO, PARKED, namesake]), "scene", 0.0, STRAIGHT, WALKER)
    assert found.with_child - found.without_child == 1
    assert model.shown[0].loc[CHILD, "x"] == 60


def test_nobody_is_hidden_by_a_child_or_met_by_an_ego_that_stands():
    child = Agent("child", "child", 22.0, 3.0, 0.0, 0.0, 0.0)
    assert probes(Counting(), Scenes.of_moment([EGO, child]), "scene", 0.0, STRAIGHT, WALKER) == []
    standing = replace(EGO, vx=0.0)
    assert probes(Counting(), Scenes.of_moment([standing, PARKED]), "scene", 0.0, STRAIGHT, WALKER) == []
    with pytest.raises(InputError, match="has no ego"):
        probes(Counting(), Scenes.of_moment([PARKED]), "scene", 0.0, STRAIGHT, WALKER)
