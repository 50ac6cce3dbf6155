import pytest

from attnviz.ui import address
from attnviz.ui.views.playground import PlaygroundView

from .conftest import no_trace_of_failure, said


def _view(app):
    return app.session_state["store:playground"].view


def test_the_page_equals_torch_and_names_the_backend(open_page):
    app = open_page("playground")
    assert "Equal to F.scaled_dot_product_attention: yes (backend FLASH_ATTENTION" in said(app)


def test_an_address_opens_its_view(open_page):
    view = PlaygroundView(**{**dict(PlaygroundView.start("intersection")), "temperature": 1.5, "scale": False})
    app = open_page("playground", view=address.encode(view))
    no_trace_of_failure(app)
    assert _view(app) == view
    assert app.slider(key="playground:temperature").value == 1.5
    assert app.selectbox(key="playground:example").value == "intersection"


def test_a_moved_slider_changes_one_number_and_undo_brings_it_back(open_page):
    app = open_page("playground", view=address.encode(PlaygroundView.start("intersection")))
    app.slider(key="playground:query[0][1]").set_value(0.0).run()
    no_trace_of_failure(app)
    assert _view(app).query == ((1.0, 0.0),)
    app.button(key="playground:undo").click().run()
    assert _view(app).query == ((1.0, 2.0),)
    assert app.slider(key="playground:query[0][1]").value == 2.0


@pytest.mark.parametrize("example", ["seed-0", "intersection", "quiz", "translation"])
def test_every_example_opens(open_page, example):
    app = open_page("playground")
    app.selectbox(key="playground:example").set_value(example).run()
    no_trace_of_failure(app)
    assert _view(app) == PlaygroundView.start(example)


def test_tokens_and_dimensions_come_and_go(open_page):
    app = open_page("playground")
    app.number_input(key="playground:count both").set_value(5).run()
    assert _view(app).query[4] == (0.0,) * 8
    app.number_input(key="playground:count both").set_value(2).run()
    assert len(_view(app).query) == 2
    app.number_input(key="playground:dimensions value").set_value(1).run()
    no_trace_of_failure(app)
    assert [len(row) for row in _view(app).value] == [1, 1]


def test_many_tokens_can_go_at_once_and_come_at_once(open_page):
    app = open_page("playground")
    app.number_input(key="playground:count both").set_value(16).run()
    assert len(_view(app).key) == 16
    app.number_input(key="playground:count both").set_value(1).run()
    no_trace_of_failure(app)
    assert len(_view(app).key) == 1


def test_heads_split_the_width(open_page):
    app = open_page("playground")
    app.segmented_control(key="playground:heads").set_value(4).run()
    app.segmented_control(key="playground:head").set_value(3).run()
    no_trace_of_failure(app)
    assert (_view(app).heads, _view(app).head) == (4, 3)
    assert r"\sqrt{2}" in said(app)


def test_vectors_from_features_and_back(open_page):
    app = open_page("playground")
    app.toggle(key="playground:source").set_value(True).run()
    no_trace_of_failure(app)
    for part in ("x", "W_query", "W_key", "W_value", "W_output"):
        app.segmented_control(key="playground:part").set_value(part).run()
        no_trace_of_failure(app)
        app.slider(key=f"playground:{part}[0][0]").set_value(1.5).run()
        no_trace_of_failure(app)
    assert _view(app).projection.output[0][0] == 1.5
    app.toggle(key="playground:source").set_value(False).run()
    no_trace_of_failure(app)
    assert _view(app).query == PlaygroundView.start("seed-0").query


def test_the_causal_mask_is_offered_only_where_it_makes_sense(open_page):
    app = open_page("playground")
    app.toggle(key="playground:causal").set_value(True).run()
    no_trace_of_failure(app)
    assert "[1" in said(app), "token 0 sees itself alone"
    app.selectbox(key="playground:example").set_value("intersection").run()
    assert app.toggle(key="playground:causal").disabled


def test_why_divide_is_worked_out_when_opened(open_page):
    app = open_page("playground")
    before = len(app.get("bidi_component"))
    app.session_state["playground:why"] = True
    app.run()
    no_trace_of_failure(app)
    assert len(app.get("bidi_component")) > before
    assert "drawn from a standard normal, seed 0" in said(app)


def test_the_table_says_the_same(open_page):
    app = open_page("playground")
    app.toggle(key="playground-steps:as-text").set_value(True).run()
    no_trace_of_failure(app)
    weights = next(
        table.value
        for table in app.dataframe
        if table.value.shape == (4, 4) and table.value.iloc[0, 1] > 0.74 and table.value.iloc[0, 1] < 0.75
    )
    assert weights.iloc[0].tolist() == pytest.approx([0.12107915, 0.74096185, 0.10595296, 0.03200600], abs=1e-6)


def test_two_sliders_moved_before_one_run_both_count(open_page):
    app = open_page("playground", view=address.encode(PlaygroundView.start("intersection")))
    app.slider(key="playground:query[0][0]").set_value(3.0)
    app.slider(key="playground:query[0][1]").set_value(-1.0).run()
    assert _view(app).query == ((3.0, -1.0),)


def test_undo_takes_the_controls_above_along(open_page):
    app = open_page("playground")
    app.segmented_control(key="playground:heads").set_value(2).run()
    app.button(key="playground:undo").click().run()
    no_trace_of_failure(app)
    assert app.segmented_control(key="playground:heads").value == 1


@pytest.mark.parametrize("fields", [{"temperature": 7.0}, {"temperature": 0.07}, {"example": "foo"}])
def test_a_link_to_what_the_controls_cannot_show_is_one_sentence(open_page, fields):
    import base64
    import json
    import zlib

    content = json.loads(address.to_json(PlaygroundView.start("intersection"))) | fields
    text = base64.urlsafe_b64encode(zlib.compress(json.dumps(content).encode())).rstrip(b"=").decode()
    app = open_page("playground", view=text)
    no_trace_of_failure(app)
    assert len(app.error) == 1


def test_a_link_opened_in_a_running_session_is_followed(open_page):
    app = open_page("playground")
    view = PlaygroundView.start("intersection")
    app.query_params["view"] = address.encode(view)
    app.run()
    assert _view(app) == view
    app.button(key="playground:undo").click().run()
    assert _view(app) == PlaygroundView.start("seed-0")
