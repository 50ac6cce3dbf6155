"""The Heads page opens every trace: small ones of every odd kind, each with a number that is known by hand."""

import math
from dataclasses import replace

import pytest
import torch

from attnviz.attention import Attention, Causal, Check, Dense, Lengths
from attnviz.tokens import Tokens
from attnviz.trace import LookAlike, Note, Origin, Trace
from attnviz.ui import address
from attnviz.ui.views.heads import HeadsView

from .conftest import no_trace_of_failure, said

SHIPPED = (
    "MiniLM (sentences, 6 layers × 12 heads)",
    *(
        f"English → {language} · {kind}"
        for language in ("French", "Japanese", "Russian")
        for kind in ("recurrent (GRU) with additive attention", "Transformer, encoder and decoder")
    ),
)
"""What anybody may open in Heads: nothing of it is read from a disk that a visitor names."""


@pytest.fixture
def show(open_page, tmp_path, monkeypatch):
    """Opens the Heads page on a trace file, as `attnviz run FILE` does."""

    def show_(*attentions, notes=(), origin=None, parameters=None, **fields):
        path = tmp_path / "run.safetensors"
        Trace(attentions, origin=origin or Origin(kind="recorded", model="zoo"), notes=notes).save(path)
        monkeypatch.setenv("ATTNVIZ_FILE", str(path))
        view = {"view": address.encode(HeadsView(**fields))} if fields else {}
        app = open_page("heads", **view, **(parameters or {}))
        no_trace_of_failure(app)
        return app

    return show_


def text_of(app):
    assert not app.error, [error.value for error in app.error]
    return said(app).replace("\\", "")


def uniform(*shape):
    return torch.full(shape, 1 / shape[-1])


def test_one_query_and_one_key(show):
    app = show(Attention.from_qk(torch.ones(1, 4), torch.ones(1, 4)), query=0, key=0)
    assert "the weight **1.000**, 1 times an even share of 1.000" in text_of(app)


def test_one_query_of_an_ego_among_seven(show):
    users = Tokens.numbered(7, "road-user", "car ")
    attention = Attention.from_weights(
        uniform(1, 7), role="ego", query_tokens=Tokens(("ego",), kind="road-user"), key_tokens=users
    )
    app = show(attention, role="ego", query=0, key=6)
    assert "the weight **0.143**, 1 times an even share of 0.143" in text_of(app)
    assert "car·6" in text_of(app) or "car 6" in text_of(app)


def test_seven_queries_on_one_key(show):
    app = show(Attention.from_weights(uniform(7, 1), role="cross"), role="cross", query=6, key=0)
    assert "the weight **1.000**" in text_of(app)


def test_a_tall_cross_attention_that_no_figure_carries(show):
    app = show(Attention.from_weights(uniform(2, 300, 3), role="cross"), role="cross", query=299, key=2)
    assert "the weight **0.333**" in text_of(app)


def test_rows_of_nan_and_rows_of_zeros_are_said(show):
    weights = uniform(1, 4, 4)
    weights[0, 1], weights[0, 2] = torch.nan, 0.0
    found = text_of(show(Attention.from_weights(weights)))
    assert "1 row holds NaN." in found
    assert "1 row is zero throughout." in found


def test_a_row_that_may_see_no_key_is_said(show):
    allowed = torch.tensor([[True, True], [False, False]])
    app = show(Attention.from_qk(torch.ones(2, 2), torch.ones(2, 2), mask=Dense(allowed[None, None])), query=0, key=1)
    assert "1 query may see no key at all." in text_of(app)
    assert "the weight **0.500**" in text_of(app)


@pytest.mark.parametrize("glance", ["maps", "entropy", "largest", "distance", "special"])
def test_where_everything_is_masked(show, glance):
    mask = Dense(torch.zeros(1, 1, 3, 3, dtype=torch.bool))
    app = show(Attention.from_qk(torch.ones(3, 2), torch.ones(3, 2), mask=mask), glance=glance)
    assert "3 queries may see no key at all." in text_of(app)


def test_negative_weights_keep_their_sign(show):
    weights = torch.tensor([[1.5, -0.5], [0.25, 0.75]])
    app = show(Attention.from_weights(weights, normalised=False), query=0, key=1)
    assert "the weight **−0.500**." in text_of(app)
    assert "the maps show their sizes up to 1, without the sign" in text_of(app)


def test_large_weights_below_zero_and_above_one_are_drawn_and_said(show):
    weights = torch.full((200, 200), -0.5)
    weights[0, 0] = 3.0
    app = show(Attention.from_weights(weights, normalised=False), query=0, key=0)
    assert "the weight **3.000**." in text_of(app)
    assert "sizes up to 1, without the sign" in text_of(app)


def test_rows_that_do_not_sum_to_1_have_no_even_share(show):
    app = show(Attention.from_weights(torch.full((2, 2), 0.25), normalised=False), query=1, key=1)
    assert "the weight **0.250**." in text_of(app)
    assert "even share" not in text_of(app)


@pytest.mark.parametrize(
    ("form", "sentence"),
    [("deformable", "a few points"), ("linear", "no softmax"), ("additive", "small network"), ("stored", "stored")],
)
def test_every_form_says_what_it_is(show, form, sentence):
    app = show(Attention.from_weights(uniform(2, 3, 3), form=form), query=0, key=0)
    assert sentence in text_of(app)
    assert "the weight **0.333**" in text_of(app)


def padded(left=True):
    """Two items of four; the second has two positions of padding, to which its queries give a fifth each."""
    texts = ("a", "b", "c", "d")
    none, two = (False,) * 4, (True, True, False, False) if left else (False, False, True, True)
    weights = torch.full((2, 2, 4, 4), 0.25)
    weights[1] = torch.tensor([0.2, 0.2, 0.3, 0.3] if left else [0.3, 0.3, 0.2, 0.2])
    tokens = [Tokens(texts, padding=none), Tokens(texts, padding=two)]
    return Attention.from_weights(weights, query_tokens=tokens, key_tokens=tokens)


@pytest.mark.parametrize("left", [True, False])
def test_the_item_is_chosen_and_padding_is_hidden_and_stated(show, left):
    app = show(padded(left))
    assert "Item 0 of 2 is shown" in text_of(app)
    assert "Padding" not in text_of(app), "this item has none"
    app.selectbox(key="heads:item").set_value(1).run()
    no_trace_of_failure(app)
    assert "Item 1 of 2 is shown" in text_of(app)
    # Two keys of 0.2 each.
    assert "Padding received 0.400 of the weight of this head, in the mean over queries." in text_of(app)
    app.toggle(key="heads:show_padding").set_value(True).run()
    no_trace_of_failure(app)
    assert "Padding received 0.400" in text_of(app)


def test_padding_that_the_mask_leaves_out_received_nothing(show):
    tokens = Tokens(("a", "b", "<pad>"), padding=(False, False, True))
    attention = Attention.from_qk(
        torch.ones(3, 2), torch.ones(3, 2), mask=Lengths((0,), (2,)), query_tokens=tokens, key_tokens=tokens
    )
    app = show(attention, query=0, key=1)
    assert "Padding received 0 of the weight of this query." in text_of(app)
    assert "the weight **0.500**, 1 times an even share of 0.500" in text_of(app)


def test_hidden_special_tokens_and_padding_are_counted_apart(show):
    tokens = Tokens(("[CLS]", "a", "<pad>"), special=(True, False, True), padding=(False, False, True))
    weights = torch.tensor([[0.4, 0.3, 0.3]]).expand(3, 3).clone()
    attention = Attention.from_weights(weights, query_tokens=tokens, key_tokens=tokens)
    found = text_of(show(attention, query=1, hide_special=True))
    assert "Of the weight of this query, 0.400 lies on hidden tokens." in found
    assert "Padding received 0.300 of the weight of this query." in found


def test_layers_keep_their_numbers_and_gaps_are_said(show):
    app = show(*[Attention.from_weights(uniform(1, 2, 2), layer=layer) for layer in (0, 3, 7)])
    assert "Layers without attention of this kind: 1–2, 4–6." in text_of(app)
    assert app.selectbox(key="heads:layer").options == ["0", "3", "7"]
    app.selectbox(key="heads:layer").set_value(7).run()
    no_trace_of_failure(app)
    assert app.session_state["store:heads"].view.layer == 7


def test_a_trace_that_begins_later_than_layer_0_is_shown_from_its_first_layer(show):
    app = show(Attention.from_weights(uniform(1, 2, 2), layer=3), query=1, key=1)
    assert app.session_state["store:heads"].view.layer == 3
    assert not app.error


def test_runs_are_told_apart(show):
    first = Attention.from_weights(torch.tensor([[1.0, 0.0], [0.5, 0.5]]), role="decoder")
    second = Attention.from_weights(torch.tensor([[0.25, 0.75]]), role="decoder")
    app = show(first, second, role="decoder", query=0, key=0)
    assert "the weight **1.000**" in text_of(app)
    app.selectbox(key="heads:run").set_value(1).run()
    no_trace_of_failure(app)
    app.session_state["store:heads"].change(query=0, key=1)
    app.run()
    assert "the weight **0.750**" in text_of(app)


def test_sixty_four_heads(show):
    app = show(Attention.from_weights(uniform(64, 3, 3)), head=63, query=2, key=2)
    assert "the weight **0.333**" in text_of(app)


def test_what_the_model_wrote_is_marked_and_the_mark_explained(show):
    tokens = Tokens(("a", "b"), generated=(False, True))
    app = show(Attention.from_qk(torch.ones(2, 2), torch.ones(2, 2), mask=Causal(), role="decoder",
                                 query_tokens=tokens, key_tokens=tokens), role="decoder", query=1, key=0)  # fmt: skip
    assert "✎ marks what the model wrote itself." in text_of(app)
    assert "the weight **0.500**" in text_of(app)


HOSTILE = ("</script><b>x", "", "", "**b** $x$ [a](javascript:alert(1))", "\u202eevil", "a" * 500)


@pytest.mark.parametrize("language", ["en", "ja", "ru"])
def test_tokens_that_would_be_markup_are_text(show, language):
    tokens = Tokens(HOSTILE, source="".join(HOSTILE), generated=(True,) * 6)
    attention = Attention.from_weights(
        uniform(6, 6), name="<b>name</b>", note="<i>note</i>", query_tokens=tokens, key_tokens=tokens
    )
    note = Note("{name} is odd.", {"name": "<img src=x>"})
    origin = Origin(kind="recorded", model="<script>", text="<h1>")
    app = show(attention, notes=[note], origin=origin, parameters={"lang": language}, query=0, key=3)
    assert not app.error
    shown = said(app).replace(r"\<", "")
    assert not any(f"<{tag}" in shown for tag in ("b", "i", "img", "script", "h1", "/"))
    assert "\u202e" not in shown


def test_a_trace_without_attentions_is_one_sentence(open_page, tmp_path, monkeypatch):
    from attnviz.ui.source import files

    path = tmp_path / "empty.safetensors"
    Trace(origin=Origin(kind="recorded")).save(path)
    with pytest.raises(Exception, match="no attentions"):
        files._checked(Trace(origin=Origin(kind="recorded")))
    # It cannot be what the app was started with; the page shows a model instead.
    monkeypatch.setenv("ATTNVIZ_FILE", str(path))
    app = open_page("heads")
    no_trace_of_failure(app)
    assert not app.error


def test_a_check_that_all_layers_passed_is_one_sentence(show):
    attention = Attention.from_qk(torch.ones(2, 2), torch.ones(2, 2))
    good = [replace(attention, layer=layer, check=Check(10.0**-layer, 0.5)) for layer in (1, 2)]
    found = text_of(show(*good, replace(attention, layer=3), layer=1))
    assert "The file says: 2 layers were checked against the model's own output; largest difference 0.100." in found
    assert "1 other could not be checked." in found


def test_what_a_file_notes_is_the_files_word(show):
    note = Note("All of this was verified by {who}.", {"who": "**us**"})
    app = show(Attention.from_weights(uniform(2, 2)), notes=[note], origin=Origin(kind="file"))
    assert "The file says: All of this was verified by **us**." in text_of(app)
    assert "The file run.safetensors says of itself: —." in unmarked(app)


@pytest.mark.parametrize("glance", ["maps", "entropy"])
def test_a_layer_that_disagrees_is_named_with_the_difference(show, glance):
    attention = Attention.from_qk(torch.ones(2, 2), torch.ones(2, 2), name="blocks.4.attn", layer=4)
    app = show(replace(attention, layer=3, check=Check(1e-7, 1e-5)), replace(attention, check=Check(0.25, 1e-5)),
               layer=4, glance=glance)  # fmt: skip
    warned = app.warning[0].value.replace("\\", "")
    assert (
        "The file says: “blocks.4.attn” (layer 4) does not give the model's own output: the difference is 0.250"
        in warned
    )
    assert len(app.warning) == 1
    assert "⚠ The file says: “blocks.4.attn”" in text_of(app), "said at the head, too"
    app.selectbox(key="heads:layer").set_value(3).run()
    assert "⚠" not in text_of(app)


def test_look_alikes_are_listed_apart(show, open_page, tmp_path, monkeypatch):
    one = LookAlike("router", (2, 8), Note("A router chooses {count} experts.", {"count": 8}))
    path = tmp_path / "run.safetensors"
    attention = Attention.from_weights(uniform(2, 2))
    Trace([attention], origin=Origin(kind="recorded"), lookalikes=[one]).save(path)
    monkeypatch.setenv("ATTNVIZ_FILE", str(path))
    app = open_page("heads")
    no_trace_of_failure(app)
    assert [expander.label for expander in app.main.expander] == ["Looks like attention, but is not (1)"]
    assert "This list is the file's own word." in text_of(app)
    assert app.main.dataframe[0].value.values.tolist() == [["router", "2 × 8", "A router chooses 8 experts."]]


@pytest.mark.parametrize("glance", ["entropy", "largest", "distance", "special"])
def test_numbers_for_all_heads_of_odd_traces(show, glance):
    nan = Attention.from_weights(torch.full((2, 3, 3), torch.nan), layer=0)
    fine = Attention.from_weights(uniform(1, 3, 3), layer=1)
    app = show(nan, fine, glance=glance, layer=1, query=0, key=0)
    assert "the weight **0.333**" in text_of(app)


def test_the_numbers_of_all_heads_are_those_of_the_item():
    from attnviz.ui.heads.glance import _of_layer

    attention = padded()
    assert _of_layer("largest", attention, 0).tolist() == pytest.approx([0.25, 0.25])
    assert _of_layer("largest", attention, 1).tolist() == pytest.approx([0.3, 0.3])
    # Query 2: 0.2 · 2 + 0.2 · 1 + 0 + 0.3 · 1 = 0.9; query 3: 0.2 · 3 + 0.2 · 2 + 0.3 · 1 = 1.3.
    assert _of_layer("distance", attention, 1).tolist() == pytest.approx([1.1, 1.1])
    # Four equal weights: 2 bits.
    assert _of_layer("entropy", attention, 0).tolist() == pytest.approx([2.0, 2.0])
    assert all(math.isnan(number) for number in _of_layer("special", attention, 0))


def test_a_public_server_starts_with_no_file(show, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_PUBLIC", "1")
    app = show(Attention.from_weights(uniform(2, 2)))
    assert "Recorded from the model as it ran: minilm" in text_of(app)
    assert app.selectbox(key="heads:source").options == [*SHIPPED, "Recorded trace or arrays from a file …"]


def test_a_server_without_paths_still_takes_hub_ids(open_page, tmp_path, monkeypatch):
    monkeypatch.setenv("ATTNVIZ_NO_PATHS", "1")
    app = open_page("heads", view=address.encode(HeadsView(model=str(tmp_path))))
    no_trace_of_failure(app)
    assert app.selectbox(key="heads:source").options == [
        *SHIPPED,
        "Model from the Hugging Face hub …",
        "Recorded trace or arrays from a file …",
    ]
    app.button(key="source:load").click().run()
    no_trace_of_failure(app)
    assert "This server opens no folders" in app.error[0].value.replace("\\", "")
    assert "config" not in app.error[0].value


def opened(app, name, content):
    """Puts a file into the place for files, as a browser does: the one that was there is taken out first."""
    app.file_uploader(key="heads:open").set_value(None).run()
    app.file_uploader(key="heads:open").set_value((name, content, "application/octet-stream")).run()
    no_trace_of_failure(app)
    return app


def test_a_file_that_cannot_be_opened_leaves_the_open_one(open_page):
    app = open_page("heads")
    app.selectbox(key="heads:source").set_value("file …").run()
    good = Trace([Attention.from_weights(uniform(2, 2), role="decoder")], origin=Origin(kind="recorded", model="zoo"))
    assert "The file good.safetensors says of itself: zoo." in unmarked(
        opened(app, "good.safetensors", good.to_bytes())
    )
    opened(app, "bad.npy", b"no array")
    assert "holds no arrays" in app.error[0].value
    assert "The file good.safetensors says of itself: zoo." in unmarked(app)
    app.button(key="heads:close").click().run()
    no_trace_of_failure(app)
    assert "good.safetensors" not in unmarked(app)
    assert "Recorded from the model as it ran" in unmarked(app)


@pytest.mark.parametrize("role", ["encoder", "decoder"])
def test_opening_a_file_is_no_step_that_undo_could_not_take_back(open_page, role):
    app = open_page("heads")
    app.selectbox(key="heads:layer").set_value(3).run()
    app.selectbox(key="heads:source").set_value("file …").run()
    made = Trace([Attention.from_weights(uniform(2, 2), role=role)], origin=Origin(kind="recorded"))
    opened(app, "made.safetensors", made.to_bytes())
    assert app.button(key="heads:undo").disabled
    app.selectbox(key="heads:head").set_value("mean").run()
    app.button(key="heads:undo").click().run()
    no_trace_of_failure(app)
    assert app.selectbox(key="heads:head").value == 0
    assert app.button(key="heads:undo").disabled


def unmarked(app):
    return "".join(sign for sign in said(app) if sign not in "\\\u2068\u2069")
