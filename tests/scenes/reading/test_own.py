"""Our own files: what is written is read back."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from attnviz import scenes as rooms
from attnviz.base.errors import InputError
from attnviz.scenes import SIZES, Agent, Scenes
from attnviz.scenes.signs import SIGN_COLUMNS

ENDS = ("csv", "parquet", "json")
PLAIN = {"scene_id": str, "agent_id": str, "class": str, "visible": object}


def same(one, other):
    pd.testing.assert_frame_equal(one.table.astype(PLAIN), other.table.astype(PLAIN))
    assert (one.traffic, one.origin, one.licence) == (other.traffic, other.origin, other.licence)
    assert list(map(str, one.notes)) == list(map(str, other.notes))
    kept = {"scene_id": object, "sign_id": object, "class": object, "state": object}
    pd.testing.assert_frame_equal(one.signs.astype(kept), other.signs.astype(kept))
    assert [(lane.id, lane.limit, lane.scene_id) for lane in one.road.lanes] == [
        (lane.id, lane.limit, lane.scene_id) for lane in other.road.lanes
    ]
    for mine, yours in zip(one.road.lanes, other.road.lanes, strict=True):
        assert mine.left.tolist() == yours.left.tolist()
        assert mine.centre.tolist() == yours.centre.tolist()
    for mine, yours in zip(one.road.crossings, other.road.crossings, strict=True):
        assert mine.polygon.tolist() == yours.polygon.tolist()


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("name", ["argoverse", "commonroad-2020a", "nuscenes", "waymo", "walkers"])
def test_what_is_written_is_read_back(made, name, end, tmp_path):
    raw, given = made[name]
    scenes = rooms.read(raw, **given)
    path = tmp_path / f"scenes.{end}"
    rooms.write(scenes, path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    same(rooms.read(path), scenes)


@pytest.mark.parametrize("end", ENDS)
def test_odd_names_and_unknown_speeds_survive(end, tmp_path):
    agents = [
        Agent('a "quoted", name', "car", 1 / 3, -0.1, 0.0, is_ego=True),
        Agent("歩行者", "pedestrian", 1e-9, 2.0, 3.0, vx=0.1, vy=0.2),
        Agent("nan", "child", 0.0, 0.0, 0.0),
    ]
    scenes = Scenes.of_moment(agents, traffic="left", origin="typed in")
    path = tmp_path / f"a.{end}"
    rooms.write(scenes, path)
    again = rooms.read(path)
    same(again, scenes)
    assert again.agent_ids() == ('a "quoted", name', "歩行者", "nan")


def test_scenes_without_an_ego_are_read_as_they_were_written(tmp_path):
    rooms.write(Scenes.of_moment([Agent("1", "car", 0.0, 0.0, 0.0)]), tmp_path / "a.csv")
    assert not rooms.read(tmp_path / "a.csv").table["is_ego"].any()
    assert rooms.read(tmp_path / "a.csv", ego="1").table["is_ego"].all()


def test_a_list_of_rows_is_enough():
    raw = b'[{"t": 0, "agent_id": 3, "class": "car", "x": 1, "y": 2, "vx": null, "vy": null, "visible": true}]'
    scenes = rooms.read(raw, ego="3")
    assert scenes.moment()["x"].tolist() == [1.0]
    assert scenes.first_visible() == {"3": 0.0}


@pytest.mark.parametrize("name", ["a.xlsx", "nowhere/a.csv", ""])
def test_where_nothing_can_be_written(name, tmp_path):
    with pytest.raises(InputError, match="is no place for scenes"):
        rooms.write(Scenes.of_moment([Agent("1", "car", 0.0, 0.0, 0.0)]), tmp_path / name)


ROWS = [
    {"t": 0, "agent_id": "7", "class": "car", "x": 0, "y": 0},
    {"t": 0, "agent_id": "8", "class": "bus", "x": 9, "y": 0, "length": 14, "width": 2.4, "is_ego": True},
]


def test_keys_that_come_later_than_in_the_first_row_are_read():
    table = rooms.read(json.dumps(ROWS).encode()).table
    assert table["is_ego"].tolist() == [False, True]
    assert table["length"].tolist() == [SIZES["car"].length, 14]
    assert table["assumed"].tolist() == [True, False]


@pytest.mark.parametrize("name", ["own", "walkers", "interaction", "ind", "nuscenes", "commonroad-2020a"])
def test_a_byte_order_mark_and_line_ends_of_windows_change_nothing(made, name):
    raw, given = made[name]
    marked = {
        key: tuple(b"\xef\xbb\xbf" + file for file in value) if key == "companions" else value
        for key, value in given.items()
    }
    found = rooms.read(b"\xef\xbb\xbf" + raw.replace(b"\n", b"\r\n"), **marked)
    same(found, rooms.read(raw, **given))


@pytest.mark.parametrize("end", ["csv", "json"])
def test_a_byte_order_mark_before_what_was_written(made, end, tmp_path):
    scenes = rooms.read(made["nuscenes"][0], **made["nuscenes"][1])
    path = tmp_path / f"scenes.{end}"
    rooms.write(scenes, path)
    same(rooms.read(b"\xef\xbb\xbf" + path.read_bytes()), scenes)


def test_times_of_signs_may_be_those_of_a_clock(tmp_path):
    scenes = Scenes.of_moment([Agent("7", "car", 0.0, 0.0, 0.0, 0.0, 0.0, is_ego=True)])
    row = ("scene", 1.7e9, "light", "traffic-light", 1.0, 2.0, 0.0, "red", float("nan"))
    signs = pd.DataFrame([row], columns=list(SIGN_COLUMNS))
    rooms.write(replace(scenes, signs=signs), tmp_path / "a.csv")
    assert rooms.read(tmp_path / "a.csv").signs["t"].tolist() == [1.7e9]
