"""What a hand on the street or on a slider does to the view."""

import pytest

from attnviz.ui.components import (
    SceneAdd,
    SceneHeadSwitch,
    ScenePlace,
    SceneRemove,
    SceneRename,
    SceneSelect,
)
from attnviz.ui.intersection.compute import look
from attnviz.ui.intersection.pictures import FORMAT, gauge_rows, table
from attnviz.ui.intersection.starts import crowd, lesson, own_weight, two_heads
from attnviz.ui.intersection.street import describe, exact, happened, not_drawn
from attnviz.ui.intersection.vectors import moved
from attnviz.ui.state import Store
from attnviz.ui.views.intersection import MOST_USERS
from attnviz.ui.views.street import EGO, Place


@pytest.fixture
def store():
    return Store(lesson())


def test_a_dragged_road_user_is_where_it_was_put_and_one_drag_is_one_step_back(store):
    for x in (10.0, 11.0, 12.5):
        happened(store, ScenePlace("parked", x, 3.0, 370.0, done=x == 12.5))
    assert store.view.user("parked").place == Place(x=12.5, y=3.0, heading=10.0)
    store.undo()
    assert store.view == store.initial


def test_the_ego_is_moved_too(store):
    happened(store, ScenePlace(EGO, 0.0, -14.0, 80.0, done=True))
    assert store.view.ego == Place(x=0, y=-14, heading=80)
    assert store.view.selected == EGO


def test_nobody_leaves_the_world(store):
    happened(store, ScenePlace("parked", 1e12, -1e12, 0.0, done=True))
    place = store.view.user("parked").place
    assert (place.x, place.y) == (500, -500)


def test_choosing_is_nothing_to_undo(store):
    happened(store, SceneSelect("pedestrian"))
    assert store.view.selected == "pedestrian"
    assert not store.can_undo
    happened(store, SceneSelect("who"))
    assert store.view.selected == "pedestrian"


def test_who_is_added_says_nothing_yet_and_gets_the_score_zero(store):
    happened(store, SceneAdd("child", 4.0, 2.0))
    added = store.view.users[-1]
    assert (added.id, added.kind, added.label()) == ("user-1", "child", "child 1")
    assert (added.keys, added.values) == (((0.0, 0.0),), (0.0,))
    assert store.view.selected == "user-1"
    happened(store, SceneRemove("user-1"))
    happened(store, SceneAdd("cyclist", 4.0, 2.0))
    assert store.view.users[-1].id == "user-1"
    store.undo()
    store.undo()
    store.undo()
    assert store.view == store.initial


def test_the_street_fills_up_with_a_sentence_not_with_a_failure():
    store = Store(crowd())
    for _more in range(MOST_USERS):
        happened(store, SceneAdd("car", 0.0, 0.0))
    assert len(store.view.users) == MOST_USERS
    assert str(MOST_USERS) in str(store.complaint)
    # Everybody keeps an id of their own.
    assert len({user.id for user in store.view.users}) == MOST_USERS


def test_who_left_in_the_meantime_is_not_missed(store):
    happened(store, SceneRemove("parked"))
    for late in (ScenePlace("parked", 1.0, 1.0, 1.0, done=True), SceneRemove("parked"), SceneRename("parked", "x")):
        happened(store, late)
    assert [user.id for user in store.view.users] == ["oncoming", "pedestrian"]


def test_another_name_and_a_head_switched_off_and_on():
    store = Store(two_heads())
    happened(store, SceneRename("parked", "<i>van</i>"))
    assert store.view.user("parked").label() == "<i>van</i>"
    happened(store, SceneHeadSwitch(1))
    assert store.view.hidden == (1,)
    happened(store, SceneHeadSwitch(1))
    assert store.view.hidden == ()


def test_moved_numbers_change_their_vector_alone(store):
    moved(store, "query:1", 0.5)
    assert store.view.queries == ((1.0, 0.5),)
    moved(store, "key:0", 1.5)
    moved(store, "value", 0.4)
    parked = store.view.user("parked")
    assert (parked.keys, parked.values) == (((1.5, 0.0),), (0.4,))
    moved(store, "value_if", 0.7)
    assert store.view.value_if == 0.7
    assert store.view.users[:2] == store.initial.users[:2]


def test_moved_numbers_belong_to_the_head_in_question():
    store = Store(two_heads())
    store.change(head=1)
    moved(store, "query:0", 3.0)
    moved(store, "key:1", 2.0)
    assert store.view.queries == ((1.0, 2.0), (3.0, 0.0))
    assert store.view.user("parked").keys == ((-1.0, 0.0), (-1.0, 2.0))


def test_the_egos_own_vectors_are_moved_when_it_is_chosen():
    store = Store(own_weight())
    store.change(selected=EGO)
    moved(store, "key:0", 2.0)
    moved(store, "value", 0.3)
    assert (store.view.own.keys, store.view.own.values) == (((2.0, 0.0),), (0.3,))


def test_an_ego_that_does_not_look_at_itself_has_nothing_to_move(store):
    store.change(selected=EGO)
    moved(store, "key:0", 2.0)
    assert dict(store.view) == {**dict(store.initial), "selected": EGO}


def test_small_weights_are_printed_with_their_digits():
    assert exact(0.009532461) == "0.009532"
    assert exact(1.2345e-6) == "1.2·10⁻⁶"
    assert exact(0.0) == "0.000000"
    assert exact(-0.25) == "−0.250000"
    assert exact(-3e-7) == "−3.0·10⁻⁷"
    assert float(FORMAT % 1e-7) == 1e-7


def test_gauge_and_table_tell_what_removing_and_another_value_do(store):
    found = look(store.view)
    assert [row.output for row in gauge_rows(store.view, found)] == pytest.approx(
        [0.794247, 0.800928, 0.802826], abs=2e-6
    )
    last = table(store.view, found).iloc[2]
    assert last["road user"] == "parked car"
    assert [last["weight"], last["× 1/N"], last["weight · value"], last["without it"], last["change"]] == pytest.approx(
        [0.009532, 0.028597, 0.000953, 0.800928, 0.006681], abs=2e-6
    )


def test_the_description_names_everybody_it_has_room_for(store):
    said = describe(store.view, look(store.view))
    assert said == (
        "A crossing with the ego car and 3 road users. "
        "Weights, largest first: pedestrian 0.663, oncoming car 0.327, parked car 0.0095. "
        "Uniform attention would give each 0.333. The vectors are typed in."
    )


def test_the_description_sums_up_who_it_does_not_name():
    view = crowd()
    assert "The other 32 keys have" in describe(view, look(view))


def test_heads_that_are_not_drawn_are_named():
    store = Store(two_heads())
    store.change(hidden=(1,))
    assert "Not drawn: head 2." in describe(store.view, look(store.view))
    assert not_drawn(two_heads()) == ""


def test_an_id_of_many_digits_from_a_link_is_no_number_to_count_on(store):
    odd = store.view.users[0].model_copy(update={"id": "user-" + "9" * 35})
    store.change(users=(odd, *store.view.users[1:]), selected="parked")
    happened(store, SceneAdd("car", 9999.0, 0.0))
    assert store.complaint is None
    assert store.view.users[-1].id == "user-1"
    assert store.view.users[-1].place.x == 500


def test_a_key_that_drowns_all_others_can_still_be_taken_away(store):
    """Beside a score gap of more than 100 the other has the weight 0 in float32, and alone it has 1."""
    left = store.view.users[:2]
    store.change(users=left, selected="oncoming")
    moved(store, "key:0", 200.0)
    found = look(store.view)
    assert found.weights[0, 1].item() == 0
    assert found.without[0, 0].item() == pytest.approx(0.9)
    assert [row.output for row in gauge_rows(store.view, found)][1] == pytest.approx(0.9)


def test_one_alone_has_no_row_without_it(store):
    store.change(users=store.view.users[:1], selected="oncoming")
    assert [row.name for row in gauge_rows(store.view, look(store.view))] == [
        "as it is",
        "oncoming car with value 1.00",
    ]
