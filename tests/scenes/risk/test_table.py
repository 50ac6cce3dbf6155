"""The table of all measures."""

import math
from dataclasses import replace

import pandas as pd
import pytest
import torch

from attnviz.base.errors import InputError
from attnviz.base.language import translate
from attnviz.scenes import Agent, Scenes
from attnviz.scenes.risk import describe, measures

EGO = Agent("ego", "car", 0.0, 0.0, 0.0, 10.0, 0.0, length=4.0, width=2.0, is_ego=True)
PARKED = Agent("parked", "parked-car", 22.0, 3.0, 0.0, 0.0, 0.0, length=4.0, width=2.0)
AHEAD = Agent("ahead", "car", 24.0, 0.0, 0.0, 4.0, 0.0, length=4.0, width=2.0)


def row(table, agent, t=0.0):
    return table[(table["agent_id"] == agent) & (table["t"] == t)].iloc[0]


def recorded(agents, seconds=3.0, step=0.1):
    """Rows of road users that move at their velocity, their speeds left out."""
    rows = []
    for count in range(round(seconds / step) + 1):
        t = count * step
        table = Scenes.of_moment(agents).table
        table = table.assign(t=t, x=table["x"] + table["vx"] * t, y=table["y"] + table["vy"] * t)
        rows.append(table.assign(vx=math.nan, vy=math.nan))
    return Scenes(pd.concat(rows, ignore_index=True))


def test_a_parked_car_has_no_time_to_collision_but_a_phantom():
    table = measures(Scenes.of_moment([EGO, PARKED, AHEAD]))
    assert table["agent_id"].tolist() == ["parked", "ahead"]
    parked, ahead = row(table, "parked"), row(table, "ahead")
    assert parked["distance"] == pytest.approx(math.hypot(18, 1))
    assert parked["ttc"] == parked["ttc_path"] == math.inf
    assert parked["dce"] == pytest.approx(1.0)
    assert parked["required_deceleration"] == 0
    assert parked["step_out_time"] < 1
    assert parked["phantom_ttc"] == pytest.approx(2.24, abs=0.02)
    # The car ahead: 20 m between the bumpers, at 6 m/s; 6²/(2 · 20) = 0.9.
    assert ahead["ttc"] == pytest.approx(20 / 6)
    assert ahead["required_deceleration"] == pytest.approx(0.9, rel=2e-3)
    assert set(table["path"]) == {"constant-velocity"}


def test_the_path_is_what_is_given_or_recorded_or_straight_on():
    given = measures(Scenes.of_moment([EGO, PARKED]), path=torch.tensor([[0.0, 0.0], [22.0, 3.0], [44.0, 6.0]]))
    assert row(given, "parked")["path"] == "given"
    assert row(given, "parked")["ttc_path"] < 2  # Now the path runs into the parked car,
    assert row(given, "parked")["ttc"] == math.inf  # which straight on would be missed.
    table = measures(recorded([EGO, AHEAD]))
    assert row(table, "ahead", 0.0)["path"] == "recorded"
    assert row(table, "ahead", table["t"].max())["path"] == "constant-velocity"


def test_speeds_that_are_not_in_the_table_come_from_the_tracks():
    table = measures(recorded([EGO, AHEAD], seconds=2.0))
    assert row(table, "ahead", 0.0)["ttc"] == pytest.approx(20 / 6)
    # After 1 s, 14 m are left; at the last moment, 8 m.
    assert row(table, "ahead", 1.0)["ttc"] == pytest.approx(14 / 6)
    assert row(table, "ahead", table["t"].max())["ttc"] == pytest.approx(8 / 6)


def test_a_speed_that_nobody_knows_gives_no_numbers():
    unknown = Agent("unknown", "car", 24.0, 0.0, 0.0)
    table = measures(Scenes.of_moment([EGO, unknown]))
    assert math.isnan(row(table, "unknown")["ttc"])
    assert math.isnan(row(table, "unknown")["required_deceleration"])
    assert row(table, "unknown")["step_out_time"] == 0  # Who is hidden by it is asked for its place alone.
    standing = measures(Scenes.of_moment([Agent("ego", "car", 0.0, 0.0, 0.0, is_ego=True), PARKED]))
    assert row(standing, "parked")["path"] == "unknown"
    assert math.isnan(row(standing, "parked")["phantom_ttc"])
    assert row(standing, "parked")["distance"] > 0


def test_post_encroachment_is_one_value_for_each_road_user():
    # The ego (4 × 2 m, from x = 0 at 10 m/s) is in the strip |x − 15| ≤ 1 from 1.2 to 1.8 s; somebody of 2 × 2 m at
    # 5 m/s to the north, from y = −12, is in |y| ≤ 1 from 2.0 to 2.8 s: 0.2 s.
    crosser = Agent("crosser", "obstacle", 15.0, -12.0, math.pi / 2, 0.0, 5.0, length=2.0, width=2.0)
    table = measures(recorded([EGO, crosser]))
    assert table["pet"].nunique() == 1
    assert table["pet"].iloc[0] == pytest.approx(0.2, abs=0.11)


def test_every_measure_is_described_and_ids_are_in_every_row():
    table = measures(Scenes.of_moment([EGO, PARKED]))
    assert list(table.columns) == ["scene_id", "t", "agent_id", "class", "path", *describe()]
    assert not table[["scene_id", "t", "agent_id", "class"]].isna().any().any()
    for column in describe().values():
        assert column.formula
        assert translate(column.name)
        assert column.unit in ("s", "m", "m²", "m/s²")


def test_all_at_once_is_the_same_as_each_alone():
    crosser = Agent("crosser", "child", 30.0, -6.0, math.pi / 2, 0.0, 1.5)
    together = measures(Scenes.of_moment([EGO, PARKED, AHEAD, crosser]))
    alone = [measures(Scenes.of_moment([EGO, agent])) for agent in (PARKED, AHEAD, crosser)]
    pd.testing.assert_frame_equal(together, pd.concat(alone, ignore_index=True), rtol=1e-9)


def test_mirrored_traffic_has_the_same_numbers():
    agents = [EGO, PARKED, Agent("crosser", "child", 30.0, -6.0, math.pi / 2, 0.1, 1.5)]
    flipped = [replace(agent, y=-agent.y, heading=-agent.heading, vy=-agent.vy) for agent in agents]
    left, right = (measures(Scenes.of_moment(some)) for some in (agents, flipped))
    pd.testing.assert_frame_equal(left, right, rtol=1e-9)
    assert left["phantom_ttc"].notna().all()


def test_an_ego_alone_has_an_empty_table():
    assert len(measures(Scenes.of_moment([EGO]))) == 0


@pytest.mark.parametrize(
    ("scenes", "scene_id", "path", "said"),
    [
        (Scenes.of_moment([PARKED]), "scene", None, "has no ego"),
        (Scenes.of_moment([EGO]), "other", None, "“other” has no ego"),
        (Scenes.of_moment([EGO, PARKED]), "scene", torch.zeros(1, 2), "has 1 points"),
        (Scenes.of_moment([EGO, PARKED]), "scene", torch.zeros(3, 2), "two different places"),
        (Scenes.of_moment([EGO, PARKED]), "scene", torch.tensor([[0.0, 0.0], [math.nan, 1.0]]), "two different places"),
    ],
)
def test_bad_input_gets_one_sentence(scenes, scene_id, path, said):
    with pytest.raises(InputError, match=said):
        measures(scenes, scene_id, path)


def test_times_that_files_round_are_one_moment():
    scenes = Scenes.of_moment([EGO, AHEAD])
    later = scenes.table.assign(t=[0.3, 0.1 + 0.2])
    assert later["t"].nunique() == 2
    table = measures(Scenes(later))
    assert table["agent_id"].tolist() == ["ahead"]
    assert table["ttc"].iloc[0] == pytest.approx(20 / 6)
