import pytest

from attnviz import models
from attnviz.ui import address
from attnviz.ui.views.heads import HeadsView

from .conftest import no_trace_of_failure, said


def _view(app):
    return app.session_state["store:heads"].view


def _open(open_page, **fields):
    return open_page("heads", view=address.encode(HeadsView(text="The black cat.", **fields)))


def test_the_sample_model_is_recorded_and_says_so(open_page):
    app = _open(open_page)
    no_trace_of_failure(app)
    assert "Recorded from the model as it ran: minilm" in said(app).replace("\\", "")


def test_a_chosen_pair_is_said_with_its_weight_and_its_baseline(open_page):
    app = _open(open_page, layer=2, head=5, query=3, key=2)
    weight = float(models.load("minilm").trace("The black cat.")[2].weights(5)[3, 2])
    assert "Query “cat” (3) gives key “black” (2) the weight" in said(app)
    # [CLS] the black cat . [SEP]: six keys
    assert f"{weight * 6:.3g} times an even share of 0.167" in said(app)


def test_hiding_special_tokens_prints_what_is_hidden(open_page):
    app = _open(open_page, layer=1, head=0, query=3, hide_special=True)
    weights = models.load("minilm").trace("The black cat.")[1].weights(0)[3]
    hidden = float(weights[0] + weights[5])
    assert f"Of the weight of this query, {hidden:.3f} lies on hidden tokens." in said(app)


def test_layer_head_and_mean_are_chosen(open_page):
    app = _open(open_page)
    app.selectbox(key="heads:layer").set_value(5).run()
    app.selectbox(key="heads:head").set_value("mean").run()
    no_trace_of_failure(app)
    assert (_view(app).layer, _view(app).head) == (5, "mean")


@pytest.mark.parametrize("glance", ["entropy", "largest", "distance", "special"])
def test_every_number_for_all_heads_is_shown(open_page, glance):
    app = _open(open_page, glance=glance)
    no_trace_of_failure(app)
    assert not app.error


def test_a_text_that_is_too_long_says_how_many_tokens_were_left_out(open_page):
    app = open_page("heads", view=address.encode(HeadsView(text="cat " * 600)))
    no_trace_of_failure(app)
    # 600 words, [CLS] and [SEP]; the model takes 512.
    assert "602 tokens" in said(app)
    assert "the last 90 were left out" in said(app)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"text": "   "}, "The text is empty"),
        ({"model": "/nowhere/at all"}, "was named by a link and is not loaded yet"),
        ({"layer": 99}, "no attention of role “encoder” in layer 99"),
        ({"head": 99}, "has 12 heads; head 99 was asked for"),
        ({"query": 5000}, "query 5000 was asked for"),
    ],
)
def test_what_cannot_be_shown_is_one_sentence(open_page, fields, expected):
    app = open_page("heads", view=address.encode(HeadsView(**fields)))
    no_trace_of_failure(app)
    assert [expected in error.value.replace("\\", "") for error in app.error] == [True], app.error


def test_a_folder_without_a_config_is_one_sentence_and_the_controls_stay(open_page, tmp_path):
    app = open_page("heads", view=address.encode(HeadsView(model=str(tmp_path))))
    no_trace_of_failure(app)
    assert "was named by a link" in app.error[0].value, "a link alone opens no folder"
    app.button(key="source:load").click().run()
    no_trace_of_failure(app)
    assert "has no config.json" in app.error[0].value.replace("\\", "")
    assert app.text_area(key="heads:text").value == HeadsView().text


def test_a_public_server_opens_no_folders(open_page, tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_PUBLIC", "1")
    app = open_page("heads", view=address.encode(HeadsView(model=str(tmp_path))))
    no_trace_of_failure(app)
    assert "This server is public" in app.error[0].value
    assert "config" not in app.error[0].value


def test_markup_in_the_text_stays_text(open_page):
    hostile = "<img src=x onerror=alert(1)> **bold** $x$ [a](javascript:alert(1))"
    app = open_page("heads", view=address.encode(HeadsView(text=hostile, query=2, key=3)))
    no_trace_of_failure(app)
    # Each sign that Markdown could read has a backslash before it.
    assert "<img" not in said(app).replace(r"\<", "")


def test_a_chosen_token_that_is_hidden_is_not_looked_at(open_page):
    app = _open(open_page, query=3, key=0, hide_special=True)
    no_trace_of_failure(app)
    assert "gives key" not in said(app)


def test_undo_and_reset_are_there_when_nothing_can_be_shown(open_page):
    app = _open(open_page, layer=99)
    assert app.error
    app.button(key="heads:reset").click().run()
    no_trace_of_failure(app)
    assert not app.error


def test_the_labels_are_checked_on_request(open_page):
    app = _open(open_page, query=3)
    assert "was changed" not in said(app)
    app.button(key="heads:check-labels").click().run()
    no_trace_of_failure(app)
    # [CLS] the black cat . [SEP]
    assert "Token 3, “cat”, was changed: in the first layer only its own keys and values moved." in said(app)
    app.text_area[0].set_value("Another text.").run()
    assert "was changed" not in said(app)
