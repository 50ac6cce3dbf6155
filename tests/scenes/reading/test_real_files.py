"""Real files of others, which are not part of the product: values read off the raw files."""

import os
from pathlib import Path

import pytest

from attnviz import scenes as rooms
from attnviz.base.errors import InputError

SHARED = Path(os.environ.get("ATTNVIZ_SHARED", Path(__file__).parents[3].parent / "shared")) / "scenes"
SCENARIO = "0a1e6f0a-1817-4a98-b02e-db8c9327d151"

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the sample files of other projects are not here")


def agent(scenes, name, t):
    return scenes.moment(scenes.scene_ids[0], t).set_index("agent_id").loc[name]


def test_argoverse_2():
    scenes = rooms.read(
        SHARED / f"scenario_{SCENARIO}.parquet", companions=[SHARED / f"log_map_archive_{SCENARIO}.json"]
    )
    assert scenes.scene_ids == (SCENARIO,)
    assert len(scenes.agent_ids(SCENARIO)) == 58
    assert len(scenes.times(SCENARIO)) == 110
    assert len(scenes.moment(SCENARIO, 4.9)) == 25
    ego = agent(scenes, "AV", 0.0)
    assert (ego["x"], ego["y"]) == pytest.approx((-433.710315, 1326.42298))
    assert (ego["heading"], ego["vx"], ego["vy"]) == pytest.approx((1.502292, 0.387826, 5.870244), abs=1e-6)
    road = scenes.road
    assert (len(road.lanes), len(road.crossings), len(road.drivable)) == (71, 6, 2)
    assert road.drivable[0].polygon[0].tolist() == [-433.1, 1355.72]
    assert road.lanes[0].centre[1].tolist() == [-438.39, 1319.26]


def test_commonroad():
    scenes = rooms.read(SHARED / "OSC_PedestrianCollision-1_1_T-1.xml")
    scene = scenes.scene_ids[0]
    assert scenes.agent_ids(scene) == ("34", "35")
    assert len(scenes.times(scene)) == 93
    car = agent(scenes, "34", 0.1)
    assert (car["x"], car["y"], car["heading"]) == (42.5124, -68.9977, 1.7776)
    assert (car["length"], car["width"], car["is_ego"]) == (5.039999961853027, 2.0, True)
    assert car["vx"] ** 2 + car["vy"] ** 2 == pytest.approx(81)
    assert agent(scenes, "35", 9.2)["class"] == "pedestrian"
    assert len(scenes.road.lanes) == 20
    assert scenes.road.lanes[0].left[0].tolist() == [27.2454, -10.1887]


def test_interaction():
    scenes = rooms.read(SHARED / "vehicle_tracks_000.csv", ego="1")
    assert agent(scenes, "1", 4.3)["x"] == 43
    assert agent(scenes, "1", 4.3)["vx"] == 10
    assert len(scenes.table) == 170


@pytest.mark.parametrize(
    ("name", "entities", "limits"),
    [
        ("CPNCO.xosc", ("Ego", "VRU", "ObstructionSmall", "ObstructionLarge"), {"ObstructionSmall_length": (4.1, 4.4)}),
        ("NCAP_AEB_VRU_CPTA_2023.xosc", ("Ego", "VRU"), {}),
    ],
)
def test_openscenario(name, entities, limits):
    plan = rooms.test_plan(SHARED / name)
    assert tuple(entity.name for entity in plan.entities) == entities
    assert plan.licence == "Mozilla Public License Version 2.0"
    assert {one.name: one.range for one in plan.parameters if one.range} | limits == {
        one.name: one.range for one in plan.parameters if one.range
    }
    assert next(one.value for one in plan.parameters if one.name == "VRU_finalSpeed_kph") == "5"


def test_a_script_is_no_scene():
    with pytest.raises(InputError, match=r"attnviz\.scenes\.test_plan reads it"):
        rooms.read(SHARED / "CPNCO.xosc")
