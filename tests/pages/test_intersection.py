import re

import pytest

from attnviz.ui import address
from attnviz.ui.intersection.starts import STARTS, lesson
from attnviz.ui.views.intersection import IntersectionView
from attnviz.ui.views.street import EGO

from .conftest import no_trace_of_failure, said


def _view(app):
    return app.session_state["store:intersection"].view


def _changed(**fields):
    return IntersectionView(**{**dict(lesson()), **fields})


def test_the_page_says_the_lessons_numbers_and_that_they_were_typed_in(open_page):
    app = open_page("intersection")
    no_trace_of_failure(app)
    words = said(app)
    for number in ("0.0095", "0.333", "0.794247", "0.800928", "0.802826"):
        assert f"**{number}**" in words or f" {number}." in words
    assert "no model has learnt these weights" in words
    assert "not a reason to ignore it" in words


def test_the_table_has_every_effect(open_page):
    table = open_page("intersection").dataframe[0].value
    assert table["weight"].tolist() == pytest.approx([0.327090, 0.663377, 0.009532], abs=1e-6)
    assert table["without it"].tolist() == pytest.approx([0.888667, 0.585842, 0.800928], abs=2e-6)


@pytest.mark.parametrize("start", STARTS)
def test_every_start_opens_and_reset_comes_back_to_it(open_page, start):
    app = open_page("intersection")
    app.selectbox(key="intersection:start").set_value(start).run()
    no_trace_of_failure(app)
    assert _view(app) == STARTS[start][1]()
    app.toggle(key="intersection:own").set_value(start != "own").run()
    no_trace_of_failure(app)
    app.button(key="intersection:reset").click().run()
    assert _view(app) == STARTS[start][1]()


def test_the_side_of_the_road_heads_and_undo(open_page):
    app = open_page("intersection")
    app.segmented_control(key="intersection:traffic").set_value("right").run()
    assert _view(app).users[2].place.x == -15.5
    app.number_input(key="intersection:heads").set_value(2).run()
    no_trace_of_failure(app)
    assert _view(app).heads == 2
    app.segmented_control(key="intersection:head").set_value(1).run()
    no_trace_of_failure(app)
    # The new head asks nothing: an even share of 0.6, 0.9 and 0.1.
    assert "0.533333" in said(app)
    for _step in range(3):
        app.button(key="intersection:undo").click().run()
    assert _view(app) == lesson()


def test_an_empty_street_is_a_sentence(open_page):
    app = open_page("intersection", view=address.encode(_changed(users=(), selected=EGO)))
    no_trace_of_failure(app)
    assert "nobody on the street" in app.error[0].value


def test_a_name_from_a_link_is_only_shown(open_page):
    view = lesson()
    named = view.users[2].model_copy(update={"name": "<img src=x> **bold** $x$"})
    app = open_page("intersection", view=address.encode(_changed(users=(*view.users[:2], named))))
    no_trace_of_failure(app)
    # In the formula it stands inside \\text{…}, which KaTeX takes letter by letter; elsewhere every sign is escaped.
    words = [text for text in said(app).split("$$") if "aligned" not in text]
    assert any("\\<img src\\=x\\>" in text or "\\<img src=x\\>" in text for text in words)
    assert not any(re.search(r"(?<!\\)<img", text) for text in words)


@pytest.mark.parametrize("count", [1, 2, 25, 29, 64])
def test_an_even_share_is_called_one_whatever_the_number(open_page, count):
    """Query (0, 0): every score is 0 and every weight 1/N, however 1/N is rounded."""
    first = lesson().users[0]
    users = tuple(first.model_copy(update={"id": f"user-{index + 1}", "known": ""}) for index in range(count))
    view = _changed(queries=((0.0, 0.0),), users=users, selected="user-1")
    app = open_page("intersection", view=address.encode(view))
    no_trace_of_failure(app)
    (told,) = app.info
    assert told.value.startswith("Its weight is an even share" if count > 1 else "It is alone")


def test_an_output_of_nothing_has_no_shares(open_page):
    silent = tuple(user.model_copy(update={"values": (0.0,)}) for user in lesson().users)
    app = open_page("intersection", view=address.encode(_changed(users=silent)))
    no_trace_of_failure(app)
    app.toggle(key="intersection-pictures:as-text").set_value(True).run()
    assert "NaN" not in said(app)


def test_presenting_keeps_the_choice_of_the_head(open_page):
    app = open_page("intersection", present="1", view=address.encode(STARTS["two-heads"][1]()))
    no_trace_of_failure(app)
    app.segmented_control(key="intersection:head").set_value(1).run()
    assert _view(app).head == 1
    assert not [button for button in app.button if button.key == "intersection:reset"]
