"""Presenting: what is left out, what stays, and that nothing is lost."""

import pytest

from attnviz.ui import address
from attnviz.ui.views.heads import HeadsView
from attnviz.ui.views.playground import PlaygroundView

from .conftest import no_trace_of_failure, said


def _keys(app):
    kinds = ("selectbox", "toggle", "slider", "button", "segmented_control", "number_input", "text_area", "text_input")
    return {element.key for kind in kinds for element in app.main.get(kind)}


def _components(app):
    """The components of the page itself: those of the sidebar and the bar are always there."""
    return [element.proto.component_name for element in app.main.get("bidi_component")]


def _present(app, on=True):
    app.toggle(key="presenting").set_value(on).run()
    no_trace_of_failure(app)
    return app


def test_the_switch_leaves_the_pictures_their_sliders_and_the_numbers(open_page):
    app = open_page("playground", view=address.encode(PlaygroundView.start("intersection")))
    before = _keys(app)
    _present(app)
    assert before - _keys(app) == {
        "playground:example",
        "playground:causal",
        "playground:as-table",
        "playground-steps:as-text",
        "playground:count query",
        "playground:count key",
        "playground:dimensions query and key",
        "playground:dimensions value",
        "playground:source",
    }
    assert {"playground:temperature", "playground:query[0][0]", "playground:query[0][1]"} <= _keys(app)
    assert "attnviz_chart" in _components(app)
    assert "attnviz_story" in _components(app)
    # The formula with its numbers stays, the comparison with torch goes.
    assert "0.327" in said(app)
    assert "F.scaled_dot_product_attention" not in said(app)


def test_nothing_is_lost_when_presenting_ends(open_page):
    app = open_page("playground")
    app.segmented_control(key="playground:heads").set_value(2).run()
    app.toggle(key="playground:causal").set_value(True).run()
    app.toggle(key="playground:as-table").set_value(True).run()
    _present(app)
    app.slider(key="playground:temperature").set_value(2.0).run()
    _present(app, False)
    view = app.session_state["store:playground"].view
    assert (view.heads, view.causal, view.temperature) == (2, True, 2.0)
    assert app.segmented_control(key="playground:heads").value == 2
    assert app.toggle(key="playground:causal").value
    assert app.toggle(key="playground:as-table").value
    app.button(key="playground:undo").click().run()
    assert app.session_state["store:playground"].view.temperature == 1.0


def test_heads_keep_text_origin_and_what_must_be_known(open_page):
    app = open_page("heads", present="1", view=address.encode(HeadsView(text="cat " * 600, layer=1)))
    no_trace_of_failure(app)
    assert {"heads:text", "heads:source", "heads:undo"}.isdisjoint(_keys(app))
    assert {"heads:layer", "heads:head", "heads:glance"} <= _keys(app)
    assert not app.main.get("download_button")
    assert "Recorded from the model as it ran: minilm" in said(app).replace("\\", "")
    assert "the last 90 were left out" in said(app)
    _present(app, False)
    assert app.text_area(key="heads:text").value == "cat " * 600
    assert app.selectbox(key="heads:layer").value == 1


@pytest.mark.parametrize(("parameter", "on"), [("1", True), ("0", False), ("<script>", False)])
def test_a_link_presents_when_it_says_so(open_page, parameter, on):
    app = open_page("start", present=parameter)
    no_trace_of_failure(app)
    assert app.toggle(key="presenting").value == on
    assert ("attnviz_story" in _components(app)) == on
    assert ("Open the Playground" in str([link.proto.label for link in app.main.get("page_link")])) != on


def test_presenting_lasts_from_page_to_page(open_page):
    app = _present(open_page("playground"))
    app.switch_page("../../pages/start.py").run()
    no_trace_of_failure(app)
    assert app.toggle(key="presenting").value
    assert "attnviz_story" in _components(app)
