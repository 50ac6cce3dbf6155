"""The section of the page of kinds that shuffles words."""

import re

import pytest

from attnviz.base.language import LANGUAGES, speaking, translate
from attnviz.ui import address
from attnviz.ui.kinds import positions
from attnviz.ui.views.kinds import KindsView
from attnviz.ui.views.kinds_positions import Positions

from .conftest import no_trace_of_failure, said


def opened(open_page, language="en", **fields):
    view = KindsView(part="positions", positions=Positions(**fields))
    app = open_page("kinds", view=address.encode(view), lang=language)
    no_trace_of_failure(app)
    return app


def shown(app):
    return app.session_state["store:kinds"].view.positions


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_opens_in_its_language(open_page, language):
    app = opened(open_page, language)
    with speaking(language):
        assert translate(positions.TOLD["none"]) in said(app)
    assert not app.error
    assert "·10⁻¹⁶" in said(app)


def test_without_positions_dog_bites_man_is_man_bites_dog(open_page):
    app = opened(open_page)
    text = said(app)
    assert "“the dog bites the man” and “the man bites the dog” are the same" in text
    largest = re.search(r"difference of any number is \*\*([0-9.]+)·10⁻(¹[0-9⁰¹²³⁴⁵⁶⁷⁸⁹])\*\*", text)
    assert largest
    assert largest[2] in ("¹⁵", "¹⁶", "¹⁷")


@pytest.mark.parametrize("scheme", ["sinusoidal", "learned", "rotary", "alibi", "relative"])
def test_with_positions_they_differ(open_page, scheme):
    app = opened(open_page)
    app.segmented_control(key="kinds:positions scheme").set_value(scheme).run()
    no_trace_of_failure(app)
    assert shown(app).scheme == scheme
    assert "differ. The output of" in said(app)
    app.button(key="kinds:undo").click().run()
    assert shown(app).scheme == "none"


def test_two_words_that_are_clicked_change_places(open_page):
    app = opened(open_page)
    pills = app.pills(key="kinds:positions swap")
    assert pills.options == ["1 · the", "2 · man", "3 · bites", "4 · the", "5 · dog"]
    pills.set_value([1]).run()
    assert shown(app).order == (0, 4, 2, 3, 1)
    app.pills(key="kinds:positions swap").set_value([1, 2]).run()
    no_trace_of_failure(app)
    assert shown(app).order == (0, 2, 4, 3, 1)
    assert app.pills(key="kinds:positions swap").value == []


def test_another_order_is_another_and_as_it_was_is_as_it_was(open_page):
    app = opened(open_page)
    orders = [shown(app).order]
    for _time in range(4):
        app.button(key="kinds:positions shuffle").click().run()
        no_trace_of_failure(app)
        assert shown(app).order != orders[-1]
        assert sorted(shown(app).order) == [0, 1, 2, 3, 4]
        assert shown(app).order != (0, 1, 2, 3, 4)
        orders.append(shown(app).order)
    app.button(key="kinds:positions as it was").click().run()
    assert "the order as it was" in said(app)


def test_alibi_does_not_know_which_comes_first(open_page):
    app = opened(open_page, scheme="alibi")
    app.button(key="kinds:positions backwards").click().run()
    assert "not which comes first" in said(app)


def test_another_sentence_can_be_shuffled_and_too_long_a_one_is_said(open_page):
    app = opened(open_page)
    app.text_input(key="kinds:positions text").set_value("one two").run()
    no_trace_of_failure(app)
    assert shown(app).order == (1, 0)
    app.button(key="kinds:positions shuffle").click().run()
    assert shown(app).order == (0, 1)
    app.button(key="kinds:positions shuffle").click().run()
    assert shown(app).order == (1, 0)
    app.text_input(key="kinds:positions text").set_value("a b c d e f g h i j k").run()
    no_trace_of_failure(app)
    assert shown(app).text == "one two"
    assert "words is 11" in app.error[0].value
    app.text_input(key="kinds:positions text").set_value("one").run()
    assert "words is 1;" in app.error[0].value


def test_words_are_shown_letter_by_letter(open_page):
    app = opened(open_page, text="*a* `b` <c>", order=(2, 1, 0), scheme="sinusoidal")
    assert "*a*" not in said(app)
    assert r"\*a\*" in said(app)


@pytest.mark.parametrize("scheme", ["none", "rotary", "sinusoidal"])
def test_words_that_are_the_same_change_places_and_nobody_is_told_that_the_sentences_differ(open_page, scheme):
    view = KindsView(part="positions", positions=Positions(order=(3, 1, 2, 0, 4), scheme=scheme))
    app = open_page("kinds", view=address.encode(view))
    no_trace_of_failure(app)
    assert "it is the same sentence" in said(app)
    assert "Now “" not in said(app)
