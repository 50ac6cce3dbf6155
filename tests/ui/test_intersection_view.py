"""The Intersection's state: what an address may hold, and how it changes."""

import json
from typing import get_args

import pytest

from attnviz.base.errors import InputError
from attnviz.base.language import speaking
from attnviz.ui import address
from attnviz.ui.intersection import controls
from attnviz.ui.intersection.compute import look
from attnviz.ui.intersection.starts import STARTS, crowd, lesson
from attnviz.ui.views.intersection import MOST_HEADS, MOST_USERS, IntersectionView, RoadUser, Start
from attnviz.ui.views.street import EGO, Place


def _changed(**fields):
    return IntersectionView(**{**dict(lesson()), **fields})


def _user(name, **fields):
    given = {"kind": "car", "place": Place(x=0, y=0, heading=0), "keys": ((0.0, 0.0),), "values": (0.0,)}
    return RoadUser(id=name, **(given | fields))


@pytest.mark.parametrize("start", STARTS)
def test_every_start_survives_its_address(start):
    view = STARTS[start][1]()
    text = address.encode(view)
    assert len(text) < address.ADDRESS_LIMIT
    assert address.decode(text, IntersectionView) == view


def test_the_lesson_has_its_literal_numbers():
    found = look(lesson())
    assert found.ids == ("oncoming", "pedestrian", "parked")
    assert found.weights[0].tolist() == pytest.approx([0.327090, 0.663377, 0.009532], abs=1e-6)
    assert found.output.item() == pytest.approx(0.794247, abs=1e-6)
    assert found.without[0].tolist() == pytest.approx([0.888667, 0.585842, 0.800928], abs=2e-6)
    assert found.valued[0, 2].item() == pytest.approx(0.802826, abs=1e-6)


def test_a_child_with_the_pedestrians_key_gets_the_pedestrians_weight():
    """e^(5/√2) twice beside e^(4/√2) and e^(−1/√2): 34.31 / 86.04 = 0.3988."""
    found = look(STARTS["step-out"][1]())
    assert found.weights[0, found.ids.index("child")].item() == pytest.approx(0.3988, abs=1e-4)
    assert found.weights[0, found.ids.index("pedestrian")].item() == pytest.approx(0.3988, abs=1e-4)


def test_the_crowd_has_forty_and_none_stands_on_another():
    users = STARTS["crowd"][1]().users
    assert len(users) == 40
    for index, one in enumerate(users):
        for other in users[index + 1 :]:
            distance = ((one.place.x - other.place.x) ** 2 + (one.place.y - other.place.y) ** 2) ** 0.5
            assert distance > 1.2, (one.id, other.id)


@pytest.mark.parametrize(
    "raw",
    [
        {"queries": [[1.0, 2.0], [1.0, 2.0]]},  # two heads, but road users have keys for one
        {"queries": [[1.0, 2.0, 3.0]]},
        {"users": [{"id": "ego", "kind": "car", "place": {"x": 0, "y": 0, "heading": 0}, "keys": [[0, 0]], "values": [0]}]},
        {"users": [{"id": "a b", "kind": "car", "place": {"x": 0, "y": 0, "heading": 0}, "keys": [[0, 0]], "values": [0]}]},
        {"users": [{"id": "a", "kind": "tram", "place": {"x": 0, "y": 0, "heading": 0}, "keys": [[0, 0]], "values": [0]}]},
        {"users": [{"id": "a", "kind": "car", "place": {"x": 1e9, "y": 0, "heading": 0}, "keys": [[0, 0]], "values": [0]}]},
        {"users": [{"id": "a", "kind": "car", "place": {"x": 0, "y": 0, "heading": 0}, "keys": [[0]], "values": [0]}]},
        {"users": [{"id": "a", "kind": "car", "place": {"x": 0, "y": 0, "heading": 0}, "keys": [[0, 0]], "values": []}]},
        {"selected": "nobody"},
        {"start_from": "nowhere"},
        {"head": 1},
        {"hidden": [3]},
        {"value_if": 1e9},
        {"own": {"keys": [[1.0]], "values": [0.0]}},
        {"traffic": "middle"},
        {"<script>": 1},
    ],
)  # fmt: skip
def test_an_address_that_no_page_can_show_is_one_sentence(raw):
    with pytest.raises(InputError):
        address.from_json(json.dumps({"page": "intersection", **raw}).encode(), IntersectionView)


def test_two_road_users_of_one_id_are_refused():
    with pytest.raises(ValueError, match="same id"):
        _changed(users=(_user("a"), _user("a")), selected="a")


def test_more_road_users_than_fit_are_refused():
    with pytest.raises(ValueError, match="users"):
        _changed(users=tuple(_user(f"u{index}") for index in range(MOST_USERS + 1)), selected="u0")


def test_names_of_ours_are_said_in_the_readers_language():
    oncoming, pedestrian, _parked = lesson().users
    assert (oncoming.label(), pedestrian.label()) == ("oncoming car", "pedestrian")
    with speaking("ru"):
        assert oncoming.label() != "oncoming car"
    assert oncoming.model_copy(update={"name": "<b>tram</b>"}).label() == "<b>tram</b>"
    assert _user("user-7").label() == "car 7"


def test_taking_the_chosen_one_away_chooses_the_next():
    view = _changed(selected="pedestrian")
    assert view.without("pedestrian") == {"users": (view.users[0], view.users[2]), "selected": "parked"}
    assert view.without("parked") == {"users": view.users[:2]}
    alone = _changed(users=view.users[:1], selected="oncoming")
    assert alone.without("oncoming") == {"users": (), "selected": EGO}


def test_the_other_side_of_the_road_is_a_mirror_and_twice_is_the_same():
    view = lesson()
    right = _changed(**controls.mirrored(view, "right"))
    assert (right.ego.x, right.ego.heading) == (-view.ego.x, 90)
    assert right.users[2].place == Place(x=-15.5, y=4.4, heading=-180)
    assert controls.mirrored(right, "right") == {}
    back = IntersectionView(**{**dict(right), **controls.mirrored(right, "left")})
    assert back == view


def test_a_new_head_asks_nothing_and_so_looks_evenly():
    view = _changed(**controls.with_heads(lesson(), 2))
    assert look(view).weights[1].tolist() == pytest.approx([1 / 3] * 3)
    assert IntersectionView(**{**dict(view), **controls.with_heads(view, 1)}) == lesson()
    own = _changed(**controls.with_own(lesson(), True))
    many = IntersectionView(**{**dict(own), **controls.with_heads(own, MOST_HEADS)})
    assert look(many).weights.shape == (MOST_HEADS, 4)


def test_fewer_heads_forget_what_was_hidden_and_chosen():
    view = _changed(**controls.with_heads(lesson(), 3), **{})
    view = IntersectionView(**{**dict(view), "hidden": (0, 2), "head": 2})
    fewer = IntersectionView(**{**dict(view), **controls.with_heads(view, 2)})
    assert (fewer.hidden, fewer.head) == ((0,), 1)


def test_the_egos_own_key_begins_with_zeros():
    """Score 0 beside 4/√2, 5/√2, −1/√2: 1 / 52.72."""
    view = _changed(**controls.with_own(lesson(), True))
    found = look(view)
    assert found.ids[0] == EGO
    assert found.weights[0, 0].item() == pytest.approx(1 / 52.7225, abs=1e-5)
    assert IntersectionView(**{**dict(view), **controls.with_own(view, False)}) == lesson()


def test_a_summary_names_a_few_and_counts_the_rest():
    assert lesson().summary() == "oncoming car, pedestrian, parked car · parked car: (−1, 0), 0.1"
    assert "… (40 road users) · car 1" in crowd().summary()


def test_every_start_has_a_title_and_a_maker():
    assert tuple(STARTS) == get_args(Start)


def test_an_empty_street_is_said():
    with pytest.raises(InputError, match="nobody"):
        look(_changed(users=(), selected=EGO))
