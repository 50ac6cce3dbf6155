"""What is read of each format, against numbers that stand in the files of conftest.py."""

import json
import math

import pytest

from attnviz import scenes as rooms
from attnviz.base.errors import InputError
from attnviz.scenes import SIZES

FORMATS = (
    "argoverse", "interaction", "interaction-walking", "ind", "highd", "commonroad-2020a", "commonroad-2018b", "nuscenes",
    "walkers", "waymo", "own",
)  # fmt: skip


@pytest.fixture
def read(made):
    def reading(name, **more):
        raw, given = made[name]
        return rooms.read(raw, **(given | more))

    return reading


def agent(scenes, name, t):
    return scenes.moment(scenes.scene_ids[0], t).set_index("agent_id").loc[name]


def notes(scenes):
    return "\n".join(map(str, scenes.notes))


@pytest.mark.parametrize("name", FORMATS)
def test_every_scene_has_one_ego_and_whole_rows(read, name):
    scenes = read(name)
    for scene in scenes.scene_ids:
        rows = scenes.table[scenes.table["scene_id"] == scene]
        assert rows.loc[rows["is_ego"], "agent_id"].nunique() == 1
    assert scenes.table["valid"].all()
    assert scenes.origin


@pytest.mark.parametrize("name", FORMATS)
def test_the_name_of_the_file_tells_nothing(made, name, tmp_path):
    raw, given = made[name]
    path = tmp_path / "scene.dat"
    path.write_bytes(raw)
    assert len(rooms.read(path, **given).table) == len(rooms.read(raw, **given).table)
    with path.open("rb") as file:
        assert len(rooms.read(file, **given).table) == len(rooms.read(raw, **given).table)


@pytest.mark.parametrize("name", FORMATS)
def test_twice_mirrored_is_as_read(read, name):
    scenes = read(name)
    again = scenes.mirrored().mirrored()
    for column in ("x", "y", "vx", "vy", "length"):
        assert again.table[column].equals(scenes.table[column])
    turned = (again.table["heading"] - scenes.table["heading"]).map(math.cos)
    assert turned.to_numpy() == pytest.approx(1.0)


def test_argoverse(read):
    scenes = read("argoverse")
    assert scenes.scene_ids == ("0a1e",)
    assert scenes.times("0a1e").tolist() == [0.0, 0.1]
    ego = agent(scenes, "AV", 0.1)
    assert (ego["x"], ego["y"], ego["heading"], ego["vx"], ego["vy"]) == (11.0, 20.0, 0.5, 8.0, 4.0)
    assert ego["is_ego"]
    assert agent(scenes, "17", 0.1)["y"] == 24.0
    assert agent(scenes, "18", 0.0)["class"] == "obstacle"
    assert scenes.assumed.all()
    assert agent(scenes, "AV", 0.0)["length"] == SIZES["car"].length
    assert "“riderless_bicycle” are read as obstacles: 1" in notes(scenes)
    assert "3 of 3 road users" in notes(scenes)
    assert "up to 0.0 s" in notes(scenes)
    assert scenes.table["visible"].isna().all()
    assert scenes.traffic == "right"


def test_the_road_of_an_argoverse_map(read):
    road = read("argoverse").road
    assert road.lanes[0].left.tolist() == [[0, 4], [9, 4]]
    assert road.lanes[0].centre.tolist() == [[0, 2.5], [9, 2.5]]
    assert road.crossings[0].polygon.tolist() == [[5, 0], [5, 5], [7, 5], [7, 0]]
    assert road.drivable[0].polygon.tolist() == [[0, 0], [9, 0], [9, 9]]


def test_interaction(read):
    scenes = read("interaction", ego="2")
    assert scenes.times().tolist() == [0.1, 0.2]
    truck = agent(scenes, "2", 0.2)
    assert (truck["class"], truck["x"], truck["vx"], truck["length"], truck["heading"]) == ("truck", 19.2, -8, 9, 3.14)
    assert not scenes.assumed.any()
    assert list(scenes.moment(t=0.1)["agent_id"]) == ["2", "1"]


def test_pedestrians_of_interaction_have_neither_heading_nor_size(read):
    scenes = read("interaction-walking")
    walker = agent(scenes, "P1", 0.1)
    assert walker["heading"] == pytest.approx(math.pi / 2)
    assert (walker["length"], walker["width"]) == (SIZES["pedestrian"].length, SIZES["pedestrian"].width)
    assert "Headings are those of the velocities" in notes(scenes)
    assert "does not tell them apart" in notes(scenes)


def test_cases_of_interaction_are_scenes(made):
    lines = made["interaction"][0].decode().splitlines()
    cases = [f"case_id,{lines[0]}"] + [f"{case}.0,{line}" for case in (1, 2) for line in lines[1:]]
    scenes = rooms.read("\n".join(cases).encode(), ego="1")
    assert scenes.scene_ids == ("1", "2")
    assert list(scenes.moment("2", 0.2)["agent_id"]) == ["1", "2"]


def test_ind(read):
    scenes = read("ind")
    assert scenes.scene_ids == ("7",)
    car = agent(scenes, "0", 1.0)
    assert (car["x"], car["y"], car["vy"], car["length"], car["width"]) == (10, -15, 5, 4.2, 1.8)
    assert car["heading"] == pytest.approx(math.pi / 2)
    walker = agent(scenes, "1", 1.0)
    assert walker["class"] == "pedestrian"
    assert walker["length"] == SIZES["pedestrian"].length
    assert list(scenes.assumed) == [False, False, True]
    assert "1 of 2 road users" in notes(scenes)


def test_frames_a_second_are_assumed_only_where_nobody_says(made):
    raw, given = made["ind"]
    slow = given["companions"][0].replace(b"25.0", b"10.0")
    assert rooms.read(raw, ego="0", companions=(slow, given["companions"][1])).times("7").tolist() == [0.0, 2.5]
    assert "25.0 frames a second are assumed" in notes(rooms.read(raw, ego="0", companions=given["companions"][1:]))


def test_highd_gives_the_corner_of_the_box_and_y_downwards(read):
    """Box 4 × 2 m whose upper left corner is at (100, 10): its middle is at (102, 11), upwards at −11."""
    scenes = read("highd")
    car = agent(scenes, "1", 0.04)
    assert (car["x"], car["y"], car["vx"], car["vy"]) == (102, -11, -30, -0.5)
    assert (car["length"], car["width"]) == (4, 2)
    assert car["heading"] == pytest.approx(math.pi)
    truck = agent(scenes, "2", 0.04)
    assert (truck["class"], truck["x"], truck["y"], truck["heading"]) == ("truck", 56, -21.25, 0)


def test_lanes_of_highd_have_their_left_bound_on_the_left(read):
    """Upper lanes lead to −x: their left is −y. Lower ones lead to +x: their left is +y."""
    road = read("highd").road
    upper, lower = road.lanes[0], road.lanes[2]
    assert (upper.left[0, 1], upper.right[0, 1]) == (-12, -8)
    assert upper.centre[0, 0] > upper.centre[1, 0]
    assert (lower.left[0, 1], lower.right[0, 1]) == (-20, -24)
    assert upper.limit == 36.11


def test_commonroad_2020a(read):
    scenes = read("commonroad-2020a")
    scene = "DEU_Test-1_1_T-1"
    assert scenes.scene_ids == (scene,)
    assert scenes.traffic == "right"
    walker = agent(scenes, "31", 0.0)
    assert (walker["class"], walker["length"], walker["width"]) == ("pedestrian", 0.7, 0.7)
    assert walker["vx"] == pytest.approx(0, abs=1e-12)
    assert walker["vy"] == pytest.approx(1.5)
    ego = agent(scenes, "planning-100", 0.0)
    assert (ego["x"], ego["y"], ego["vx"], ego["is_ego"], ego["class"]) == (5, 2, 9, True, "car")
    assert "no recorded path" in notes(scenes)
    # What stands still is there at every moment.
    parked = scenes.table[scenes.table["agent_id"] == "30"]
    assert list(parked["t"]) == [0.0, 0.1]
    assert set(parked["class"]) == {"parked-car"}


def test_the_road_and_the_signs_of_commonroad(read):
    scenes = read("commonroad-2020a")
    lane, crossing = scenes.road.lanes[0], scenes.road.crossings[0]
    assert lane.centre.tolist() == [[0, 2], [50, 2]]
    assert lane.limit == 13.89
    assert crossing.polygon.tolist() == [[52, 0], [52, 9], [55, 9], [55, 0]]
    signs = scenes.signs_at(scenes.scene_ids[0], 0.1).set_index("sign_id")
    # The light has no place of its own: the end of its lanelet. Red for one step, then green.
    assert tuple(signs.loc["light-80", ["x", "y", "heading", "state"]]) == (50, 2, 0, "green")
    assert scenes.signs_at(scenes.scene_ids[0], 0.0).set_index("sign_id").loc["light-80", "state"] == "red"
    assert tuple(signs.loc["stop-1", ["class", "x", "y"]]) == ("stop-line", 49, 2)
    assert tuple(signs.loc["sign-90", ["class", "x", "y", "limit"]]) == ("speed-limit", 0, 2, 13.89)


def test_commonroad_2018b_and_an_ego_that_is_an_obstacle(read):
    scenes = read("commonroad-2018b")
    assert scenes.traffic == "left"
    assert agent(scenes, "7", 0.1)["is_ego"]
    assert agent(scenes, "7", 0.1)["x"] == 1.4
    assert "The ego is the obstacle 7" in notes(scenes)
    unknown = agent(scenes, "8", 0.0)
    assert (unknown["class"], unknown["length"], unknown["width"]) == ("obstacle", 2, 1)
    assert scenes.road.lanes[0].limit == 11.1


def test_another_ego_of_commonroad_by_its_id(read):
    scenes = read("commonroad-2020a", ego="31")
    assert agent(scenes, "31", 0.1)["is_ego"]
    assert "planning-100" not in scenes.agent_ids(scenes.scene_ids[0])


def test_nuscenes(read):
    scenes = read("nuscenes")
    assert scenes.scene_ids == ("scene-0061",)
    assert scenes.times("scene-0061").tolist() == [0.0, 0.5]
    assert scenes.traffic == "left"
    ego = agent(scenes, "ego", 0.5)
    assert (ego["x"], ego["y"], ego["vy"]) == (100, 192, 4)
    assert ego["heading"] == pytest.approx(math.pi / 2)
    # The tables say nothing of the size of the car that recorded them.
    assert list(scenes.table.loc[scenes.assumed, "agent_id"].unique()) == ["ego"]
    moving = agent(scenes, "moving", 0.0)
    assert (moving["x"], moving["y"], moving["vx"], moving["vy"]) == (110, 200, 0, 2)
    assert (moving["length"], moving["width"]) == (4.5, 1.9)
    parked = agent(scenes, "parked", 0.0)
    assert parked["class"] == "parked-car"
    assert math.isnan(parked["vx"])
    assert scenes.first_visible("scene-0061") == {"moving": 0.5, "parked": 0.0}
    assert "differences of positions" in notes(scenes)


def test_boston_drives_on_the_right(build):
    tables = build["nuscenes_tables"]("boston-seaport")
    annotations = tables.pop("sample_annotation")
    assert rooms.read(annotations, companions=tables.values()).traffic == "right"


def test_a_folder_of_nuscenes_tables(build, tmp_path):
    inside = tmp_path / "v1.0-mini"
    inside.mkdir()
    for number, raw in enumerate(build["nuscenes_tables"]().values()):
        (inside / f"{number}.json").write_bytes(raw)
    assert len(rooms.read(tmp_path).table) == 5
    assert len(rooms.read(inside).table) == 5


def test_the_pose_of_a_key_frame_where_sample_data_is_there(build):
    """The key frame of the first sample names the third pose; the other key frame comes later than its sample."""
    tables = build["nuscenes_tables"]()
    frames = [
        {"token": token, "sample_token": sample, "ego_pose_token": pose, "is_key_frame": key, "timestamp": time}
        for token, sample, pose, key, time in (
            ("d1", "s1", "p9", True, 1_500_000_000_000_000),
            ("d2", "s1", "p1", True, 1_500_000_000_040_000),
            ("d3", "s2", "p2", True, 1_500_000_000_500_000),
            ("d4", "s2", "p1", False, 1_500_000_000_500_000),
        )
    ]
    annotations = tables.pop("sample_annotation")
    scenes = rooms.read(annotations, companions=[*tables.values(), json.dumps(frames).encode()])
    assert [agent(scenes, "ego", t)["y"] for t in (0.0, 0.5)] == [999, 192]


def test_a_table_that_is_missing_is_named(build):
    tables = build["nuscenes_tables"]()
    with pytest.raises(InputError, match="needs the table “instance”"):
        rooms.read(tables["sample_annotation"], companions=[tables["sample"], tables["scene"], tables["ego_pose"]])


def test_eth_ucy(read):
    scenes = read("walkers")
    assert scenes.times().tolist() == [0.0, 0.4, 0.8]
    first = scenes.table[scenes.table["agent_id"] == "1"]
    assert list(first["vx"]) == pytest.approx([1.0, 1.0, 1.0])
    assert list(first["heading"]) == pytest.approx([0, 0, 0], abs=1e-6)
    alone = agent(scenes, "2", 0.0)
    assert math.isnan(alone["vx"])
    assert alone["is_ego"]
    assert "Ten frames are taken for 0.4 s" in notes(scenes)
    assert scenes.traffic is None


def test_waymo(read):
    scenes = read("waymo")
    assert scenes.scene_ids == ("s-1",)
    assert scenes.times("s-1").tolist() == [0.0, 0.1]
    ego = agent(scenes, "5", 0.1)
    assert (ego["class"], ego["x"], ego["vx"], ego["length"], ego["is_ego"]) == ("car", 1, 10, 4.5, True)
    walker = scenes.table[scenes.table["agent_id"] == "77"]
    # The second state is not valid: nobody knows where the pedestrian is then.
    assert list(walker["t"]) == [0.0]
    assert walker["vy"].iloc[0] == 1.25


def test_the_road_and_the_signals_of_waymo(read):
    scenes = read("waymo")
    lane = scenes.road.of("s-1").lanes[0]
    assert lane.centre.tolist() == [[0, -2], [0, 8]]
    # 25 miles an hour, 1,609.344 m each.
    assert lane.limit == pytest.approx(25 * 1609.344 / 3600)
    assert scenes.road.crossings[0].polygon.tolist() == [[5, 0], [6, 0], [6, 4]]
    before, after = (scenes.signs_at("s-1", t).set_index("sign_id") for t in (0.0, 0.1))
    assert before.loc["signal-40", "state"] == "red"
    assert tuple(after.loc["signal-40", ["state", "x", "y"]]) == ("arrow", 2, 9)
    assert after.loc["signal-40", "heading"] == pytest.approx(math.pi / 2)
    assert tuple(after.loc["stop-41", ["class", "x", "y"]]) == ("stop-line", 3, 3)


def test_several_scenarios_in_one_file(build):
    raw = build["record"](build["waymo_scenario"]()) + build["record"](build["waymo_scenario"](b"s-2", 0))
    scenes = rooms.read(raw)
    assert scenes.scene_ids == ("s-1", "s-2")
    assert list(scenes.moment("s-2", 0.0)["agent_id"]) == ["77", "5"]
    assert len(scenes.road.lanes) == 2
    assert len(scenes.road.of("s-2").lanes) == 1


def test_our_own_columns_need_five_of_them(read):
    scenes = read("own")
    ego, kid = agent(scenes, "ego", 0.0), agent(scenes, "kid", 0.5)
    assert (ego["vx"], ego["vy"]) == (10, 0)
    assert (kid["class"], kid["vy"], kid["length"]) == ("child", 2, SIZES["child"].length)
    assert kid["heading"] == pytest.approx(math.pi / 2)
    assert scenes.assumed.all()


@pytest.mark.parametrize("name", ["interaction", "ind", "highd", "walkers", "own"])
def test_a_last_line_without_an_end_is_noted(made, name):
    """A number of which the last digits are cut off is a number still."""
    raw, given = made[name]
    assert "may be cut short" in notes(rooms.read(raw.removesuffix(b"\n"), **given))
    assert "may be cut short" not in notes(rooms.read(raw, **given))


def test_what_stands_still_is_there_when_the_planning_problem_begins(build):
    """At 1 s there is an ego: the parked car that hides a child must not be missing just then."""
    state = build["state"]
    raw = (
        '<commonRoad timeStepSize="0.1" commonRoadVersion="2020a" benchmarkID="DEU_A">'
        f'<staticObstacle id="3"><type>parkedVehicle</type>{state("initialState", 0, 9, 9, 0, 0)}</staticObstacle>'
        f'<planningProblem id="1">{state("initialState", 10, 5, 2, 0, 9)}</planningProblem></commonRoad>'
    )
    scenes = rooms.read(raw.encode())
    assert scenes.moment(scenes.scene_ids[0], 1.0)["agent_id"].tolist() == ["planning-1", "3"]


def test_long_ids_of_walkers_stay_apart():
    """As floats these two would be one."""
    raw = b"0\t9007199254740992\t1.0\t2.0\n0\t9007199254740993.0\t3.0\t2.0\n"
    scenes = rooms.read(raw, ego="9007199254740993")
    assert scenes.table["agent_id"].tolist() == ["9007199254740992", "9007199254740993"]
