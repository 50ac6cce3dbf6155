"""Whom the ego can see, on cases seen by eye."""

from dataclasses import replace

import pandas as pd

from attnviz.scenes import Agent, Scenes
from attnviz.scenes.sighting import with_sight

# A wall of a truck from 18 to 22 m ahead; behind it, on the same line, somebody.
AGENTS = (
    Agent("ego", "car", 0.0, 0.0, 0.0, is_ego=True),
    Agent("truck", "truck", 20.0, 0.0, 0.0, length=4.0, width=6.0),
    Agent("child", "child", 30.0, 0.0, 0.0),
    Agent("beside", "child", 10.0, 4.0, 0.0),
)


def visible(scenes):
    table = with_sight(scenes).table
    return dict(zip(table["agent_id"], table["visible"], strict=True))


def test_behind_a_truck_nobody_is_seen():
    assert visible(Scenes.of_moment(AGENTS)) == {"ego": True, "truck": True, "child": False, "beside": True}


def test_what_the_file_says_stays():
    table = Scenes.of_moment(AGENTS).table.assign(visible=pd.Series([None, None, True, False], dtype=object))
    assert visible(Scenes(table)) == {"ego": True, "truck": True, "child": True, "beside": False}


def test_times_that_files_round_are_one_moment():
    scenes = Scenes.of_moment(AGENTS)
    rounded = replace(scenes, table=scenes.table.assign(t=[0.3, 0.1 + 0.2, 0.3, 0.1 + 0.2]))
    assert visible(rounded) == visible(scenes)
