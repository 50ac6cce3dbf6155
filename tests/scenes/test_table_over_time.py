"""Scenes that last: moments, times, other egos, the mirror, first sight, and what is refused."""

import math

import numpy as np
import pandas as pd
import pytest

from attnviz.base.errors import InputError
from attnviz.scenes import COLUMNS, Scenes
from attnviz.scenes.road import Area, Lane, Road, points
from attnviz.scenes.signs import SIGN_COLUMNS
from attnviz.scenes.table import MOST_AT_ONCE


def row(agent, t, x=0.0, y=0.0, heading=0.0, *, scene="a", ego=False, visible=None, kind="car", vx=0.0, vy=0.0):
    return dict(zip(COLUMNS, (scene, t, agent, kind, x, y, heading, vx, vy, 4.0, 2.0, ego, True, visible), strict=True))


def table(*rows):
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"visible": object})


@pytest.fixture
def scenes():
    return Scenes(
        table(
            row("ego", 0.0, ego=True),
            row("7", 0.0, 3.0, 4.0, visible=False),
            row("ego", 0.1, ego=True),
            row("7", 0.1, 3.0, 5.0, math.pi / 6, visible=True, vx=2.0, vy=-1.0),
            row("9", 0.1, visible=False),
            row("x", 0.0, scene="b"),
        ),
        traffic="left",
        road=Road(lanes=(Lane("1", points([(1, 0), (1, 9)]), points([(4, 0), (4, 9)]), points(), 13.9),)),
        signs=pd.DataFrame(
            [
                ("a", 0.1, "light", "traffic-light", 2.0, 3.0, 0.0, "red", math.nan),
                ("a", math.nan, "stop", "stop-line", 2.0, 1.0, 0.0, None, math.nan),
            ],
            columns=list(SIGN_COLUMNS),
        ),
    )


def test_scenes_times_and_road_users_in_their_order(scenes):
    assert scenes.scene_ids == ("a", "b")
    assert scenes.times("a").tolist() == [0.0, 0.1]
    assert scenes.with_ego("9").times("a", of_ego=True).tolist() == [0.1]
    assert scenes.agent_ids("a") == ("ego", "7", "9")
    with pytest.raises(InputError, match="no scene “c”; the first ones here are a, b"):
        scenes.times("c")


def test_a_moment_is_found_though_its_time_was_rounded(scenes):
    assert list(scenes.moment("a", 0.1 + 1e-9)["agent_id"]) == ["ego", "7", "9"]


def test_first_sight_is_the_first_moment_at_which_the_ego_can_see(scenes):
    """The ego's own visibility is not known, so nothing is said of it."""
    assert scenes.first_visible("a") == {"7": 0.1, "9": None}


def test_signs_of_a_moment_are_those_of_then_and_those_that_stand(scenes):
    assert list(scenes.signs_at("a", 0.0)["sign_id"]) == ["stop"]
    assert list(scenes.signs_at("a", 0.1)["sign_id"]) == ["light", "stop"]


def test_another_ego_in_the_scenes_that_have_it(scenes):
    other = scenes.with_ego("7")
    assert list(other.moment("a", 0.0)["agent_id"]) == ["7", "ego"]
    assert other.table["is_ego"].sum() == 2
    assert next(iter(scenes.moment("a", 0.0)["agent_id"])) == "ego"
    with pytest.raises(InputError, match="no road user “70”"):
        scenes.with_ego("70")


def test_the_mirror_exchanges_left_and_right(scenes):
    """East-north-east at 30° becomes west-north-west at 150°; a lane's left bound becomes its right one."""
    other = scenes.mirrored()
    seven = other.moment("a", 0.1).set_index("agent_id").loc["7"]
    assert (seven["x"], seven["y"], seven["vx"], seven["vy"]) == (-3.0, 5.0, -2.0, -1.0)
    assert seven["heading"] == pytest.approx(math.radians(150))
    assert other.traffic == "right"
    lane = other.road.lanes[0]
    assert lane.left.tolist() == [[-4.0, 0.0], [-4.0, 9.0]]
    assert lane.right.tolist() == [[-1.0, 0.0], [-1.0, 9.0]]
    assert list(other.signs["x"]) == [-2.0, -2.0]


def test_twice_mirrored_is_as_before(scenes):
    again = scenes.mirrored().mirrored()
    pd.testing.assert_frame_equal(again.table, scenes.table)
    assert again.traffic == "left"
    assert again.road.lanes[0].left.tolist() == scenes.road.lanes[0].left.tolist()


def test_unknown_traffic_stays_unknown():
    assert Scenes(table(row("1", 0.0, ego=True))).mirrored().traffic is None


def test_sizes_are_as_given_unless_they_are_said_to_be_assumed(scenes):
    assert not scenes.assumed.any()
    said = Scenes(table(row("1", 0.0), row("2", 0.0)).assign(assumed=[True, False]))
    assert list(said.assumed) == [True, False]


def test_ids_may_be_categories():
    kept = table(row("1", 0.0, ego=True), row("2", 0.0)).astype({"agent_id": "category", "class": "category"})
    moment = Scenes(kept).moment("a")
    assert list(moment["agent_id"] + "!") == ["1!", "2!"]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([row("1", 0.2), row("2", 0.0), row("1", 0.1)], "time of the road user “1” goes back from 0.2 s to 0.1 s"),
        ([row("1", math.inf)], "“t” of the table of road users holds what is no number"),
        ([row(str(i), 0.5) for i in range(MOST_AT_ONCE + 1)], "At 0.5 s there are 1001 road users; at most 1000"),
    ],
)
def test_bad_times_and_crowds_are_one_sentence(rows, sentence):
    with pytest.raises(InputError, match=sentence):
        Scenes(table(*rows))


def test_times_of_two_scenes_or_two_road_users_have_nothing_to_do_with_each_other():
    Scenes(table(row("1", 0.2), row("2", 0.1), row("1", 0.0, scene="b")))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"state": "blue"}, "“blue” in the column “state”"),
        ({"class": "tree"}, "“tree” in the column “class”"),
        ({"x": math.nan}, "“x” of the table of signs"),
        ({"t": math.nan, "sign_id": "one"}, "“one” has two rows"),
    ],
)
def test_bad_signs_are_one_sentence(scenes, change, sentence):
    with pytest.raises(InputError, match=sentence):
        Scenes(scenes.table, signs=scenes.signs.assign(**change))


def test_a_road_that_is_no_road_is_one_sentence():
    with pytest.raises(InputError, match="“zebra” of the road has a point that is no number"):
        Road(crossings=(Area("zebra", points([(0.0, np.nan)])),))
