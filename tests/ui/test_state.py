from attnviz.ui import state
from attnviz.ui.state import WALK, Store
from attnviz.ui.views.intersection import IntersectionView
from attnviz.ui.views.playground import PlaygroundView


def _store():
    return Store(PlaygroundView.start("intersection"))


def test_undo_goes_back_one_change():
    store = _store()
    store.change(scale=False)
    store.change(temperature=2.0)
    store.undo()
    assert (store.view.scale, store.view.temperature) == (False, 1.0)
    store.undo()
    assert store.view == store.initial
    assert not store.can_undo


def test_one_drag_is_one_step_back():
    store = _store()
    for tenth in range(11, 30):
        store.change(gesture="temperature", temperature=tenth / 10)
    store.undo()
    assert store.view == store.initial


def test_another_control_begins_another_step():
    store = _store()
    store.change(gesture="temperature", temperature=2.0)
    store.change(gesture="scale", scale=False)
    store.undo()
    assert (store.view.scale, store.view.temperature) == (True, 2.0)


def test_reset_can_be_undone():
    store = _store()
    store.change(temperature=2.0)
    store.reset()
    assert store.view == store.initial
    store.undo()
    assert store.view.temperature == 2.0


def test_what_cannot_be_shown_is_said_and_changes_nothing():
    store = _store()
    store.change(heads=3)
    assert store.view == store.initial
    assert "3 heads" in str(store.complaint)
    store.change(scale=False)
    assert store.complaint is None


def test_there_and_back_within_a_moment_leaves_nothing_to_undo():
    store = _store()
    store.change("scale", scale=False)
    store.change("scale", scale=True)
    assert not store.can_undo


def test_an_address_that_lags_behind_the_hand_is_not_followed():
    store = _store()
    store.change(temperature=2.0)
    late = store.address()
    store.change(temperature=3.0)
    store.address()
    store.follow(late)
    assert store.view.temperature == 3.0


def test_an_address_from_elsewhere_is_followed():
    store = _store()
    store.address()
    store.follow(Store(PlaygroundView.start("quiz")).address())
    assert store.view == PlaygroundView.start("quiz")


def test_an_address_of_our_own_writing_is_followed_when_the_page_is_opened_again():
    store = _store()
    store.follow(first := store.address())
    store.change(temperature=2.0)
    store.address()
    store.arrive()  # by a link that holds the first view
    store.follow(first)
    assert store.view.temperature == 1.0


def test_a_walk_is_one_step_back_however_long_it_takes(monkeypatch):
    store = _store()
    store.change(temperature=2.0)
    own = store.view
    for hour, scale in enumerate((False, True, False)):
        monkeypatch.setattr("attnviz.ui.state.time.monotonic", lambda hour=hour: 3600.0 * (hour + 100))
        store.show(PlaygroundView(**{**dict(store.initial), "scale": scale, "temperature": 1.0 + hour / 10}), WALK)
    store.undo()
    assert store.view == own


def test_what_a_widget_chooses_and_a_part_of_the_view_cannot_hold_is_said(monkeypatch):
    session = {}
    monkeypatch.setattr(state.st, "session_state", session)
    store = Store(IntersectionView())
    tied = store.widget("scene", "", lambda chosen: store.view.recorded.but(scene=chosen))
    session[tied["key"]] = "s" * 201
    tied["on_change"]()
    assert "the text is longer than a page can show" in str(store.complaint)
    assert store.view == store.initial
    session[tied["key"]] = "s" * 200
    tied["on_change"]()
    assert store.complaint is None
    assert store.view.recorded.scene == "s" * 200
