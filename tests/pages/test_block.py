"""The Block page: what it says of a token's vector is what the model computes, and what is missing is one sentence."""

import re

import pytest
import torch

from attnviz import models
from attnviz.base.language import LANGUAGES, speaking, translate
from attnviz.ui import address
from attnviz.ui.block import norms
from attnviz.ui.block.layers import reached
from attnviz.ui.block.reach import KINDS, beside
from attnviz.ui.block.stacks import measured
from attnviz.ui.views.block import BlockView, Depth, Stack

from .conftest import no_trace_of_failure, said

TRANSFORMER, GRU = "translation/en-fr/transformer", "translation/en-fr/gru"
GOES = 200


def _open(open_page, **fields):
    return open_page("block", view=address.encode(BlockView(**fields)))


def _view(app):
    return app.session_state["store:block"].view


def _tables(app, column):
    return [one.value for one in app.dataframe if column in one.value]


def _by_hand(text, position, *, without_attention=False):
    """Layer 0 of the sample model in float64: the shares of attention and of what is passed on, and what leaves it."""
    model = models.load("minilm")
    layer = model.module.encoder.layer[0].double()
    try:
        with model.running():
            encoding, _left_out = model.encode(text)
            x = model.module.embeddings(input_ids=torch.tensor(encoding["input_ids"])).double()
            attended = layer.attention.output.dense(layer.attention.self(x)[0])[0, position]
            if without_attention:
                attended = torch.zeros_like(attended)
            x = x[0, position]
            first, second = layer.attention.output.LayerNorm, layer.output.LayerNorm
            middle = first(x + attended)
            fed = layer.output.dense(layer.intermediate(middle))
            left = second(middle + fed)
            sizes = [float((one.var(unbiased=False) + 1e-12).sqrt()) for one in (x + attended, middle + fed)]

            def through(part):
                for norm, size in zip((first, second), sizes, strict=True):
                    part = norm.weight * (part - part.mean()) / size
                return part

            return (*(float(through(part) @ left / left.square().sum()) for part in (attended, x)), left)
    finally:
        layer.float()


def test_the_shares_of_a_layer_are_those_worked_out_by_hand(open_page):
    app = _open(open_page, text="The black cat.", token=3, layer=0)
    no_trace_of_failure(app)
    attention, passed_on, _left = _by_hand("The black cat.", 3)
    assert "What leaves layer 0 for “cat” is made of" in said(app)
    assert f"passed on **{100 * passed_on:.1f} %**, attention **{100 * attention:.1f} %**" in said(app)
    shares = re.findall(r"\*\*(−?[\d.]+) %\*\*", said(app))
    assert sum(float(share.replace("−", "-")) for share in shares) == pytest.approx(100, abs=0.2)


def test_how_exact_the_sum_is_stands_beside_it(open_page):
    app = _open(open_page, text="The black cat.")
    (printed,) = re.findall(r"but for ([\d.]+)·10⁻⁷ of its length", said(app))
    # Float32 rounds at 6·10⁻⁸; some hundred numbers are added up.
    assert 0 < float(printed) < 10


def test_a_part_that_is_switched_off_changes_what_leaves(open_page):
    app = _open(open_page, text="The black cat.", token=3, layer=0)
    assert "Without attention" not in said(app)
    assert "the run without the part" not in said(app)
    app.segmented_control(key="block:off").set_value("attention").run()
    no_trace_of_failure(app)
    before, after = (_by_hand("The black cat.", 3, without_attention=off)[-1] for off in (False, True))
    cosine = float(torch.cosine_similarity(before, after, dim=0))
    assert f"has the cosine **{cosine:.3f}** with what it was" in said(app)
    assert f"length {after.norm():.1f} instead of {before.norm():.1f}" in said(app)
    assert "The diagram shows the run without the part; the other pictures here show the one with it." in said(app)
    (near,) = _tables(app, "cosine without it")
    assert "3 · cat" not in list(near["token"]), "a token is no neighbour of itself"
    assert len(near) == 5


def test_a_decoder_is_followed_with_its_cross_attention(open_page):
    app = _open(open_page, model=TRANSFORMER, text="the black cat", stream=1, token=2, layer=1)
    no_trace_of_failure(app)
    # What the decoder reads is its own translation: <s> le chat noir
    assert "for “chat”" in said(app)
    assert "cross-attention **" in said(app)
    app.segmented_control(key="block:off").set_value("cross-attention").run()
    no_trace_of_failure(app)
    assert "Without cross-attention in layer 1" in said(app)


def test_every_part_is_switched_off_in_turn_and_the_largest_change_comes_first(open_page):
    app = _open(open_page, model=TRANSFORMER, text="the black cat", token=1)
    assert not _tables(app, "part")
    app.button(key="block:every").click().run()
    for _go in range(GOES):
        no_trace_of_failure(app)
        if "going:stop" not in [button.key for button in app.button]:
            break
        app.run()
    (table,) = _tables(app, "part")
    assert len(table) == 6, "three layers of two parts"
    changes = list(table["change without it, at the end"])
    assert changes == sorted(changes, reverse=True)
    # The last layer's own parts: without one, its vector is missing and nothing makes up for it.
    translator = models.load(TRANSFORMER)
    source = torch.tensor([translator.translate("the black cat").source.ids])
    with translator.running() as module:
        # The last thing that is added, before the encoder's closing norm.
        kept = []
        hooks = [
            module.encoder[2].register_forward_hook(lambda _m, _i, output: kept.append(output)),
            module.encoder[2].feed_forward.register_forward_hook(lambda _m, _i, output: kept.append(output)),
        ]
        module.encode(source)
        for hook in hooks:
            hook.remove()
    added, left = (one[0, 1] for one in kept)
    row = table[(table["layer"] == 2) & (table["part"] == "feed-forward")].iloc[0]
    assert row["change without it, at the end"] == pytest.approx(100 * float(added.norm() / left.norm()), rel=1e-4)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"text": "   "}, "The text is empty"),
        ({"token": 99}, "Token 99 was asked for; 18 are followed, counted from 0."),
        ({"layer": 99}, "Layer 99 was asked for; the model has 6, counted from 0."),
        ({"stream": 1}, "Stream 1 was asked for; the model has 1, counted from 0."),
        ({"model": GRU, "text": "the black cat"}, "there is nothing to follow"),
        ({"model": "/nowhere/at all"}, "was named by a link and is not loaded yet"),
        ({"off": "cross-attention"}, "has no part of this kind"),
    ],
)
def test_what_cannot_be_followed_is_one_sentence_and_the_controls_stay(open_page, fields, expected):
    app = _open(open_page, **fields)
    no_trace_of_failure(app)
    assert [expected in error.value.replace("\\", "") for error in app.error] == [True], app.error
    assert app.text_area(key="block:text")


def test_another_model_begins_with_its_first_layer(open_page):
    app = _open(open_page, layer=5, token=8, off="attention", text="the black cat")
    app.selectbox(key="block:source").set_value(TRANSFORMER).run()
    no_trace_of_failure(app)
    assert (_view(app).layer, _view(app).token, _view(app).off) == (0, 1, "none")
    assert not app.error
    assert _view(app).text == "the black cat"


def test_a_translator_that_does_not_know_the_words_begins_with_a_sentence_of_its_own(open_page):
    app = _open(open_page)
    app.selectbox(key="block:source").set_value(TRANSFORMER).run()
    no_trace_of_failure(app)
    assert not app.error
    assert _view(app).text == "The black cat"
    app.button(key="block:undo").click().run()
    assert (_view(app).model, _view(app).text) == ("minilm", BlockView().text)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        # ⌈32 / 4⌉ layers of a window of 4; ⌈32 / 8⌉ until something between knows of both.
        ({}, "Position 32 can know of position 0 after 8 layers. Some position can know of both after 4 layers."),
        ({"depth": 7}, "Position 32 does not know of position 0 after 7 layers."),
        ({"kind": "full"}, "Position 32 can know of position 0 after 1 layer."),
        ({"kind": "global"}, "Position 32 can know of position 0 after 1 layer."),
        ({"kind": "strided", "other": 1, "one": 60}, "Position 60 can know of position 1 after 2 layers."),
        ({"kind": "blocks", "block": 8}, "Position 32 does not know of position 0 after 12 layers."),
        ({"causal": True, "other": 40}, "Position 32 never knows of position 40, which comes later."),
        ({"other": 32}, "Position 32 knows of itself without any layer."),
    ],
)
def test_reach_is_counted_in_layers(open_page, fields, expected):
    app = _open(open_page, part="reach", reach=Depth(**fields))
    no_trace_of_failure(app)
    assert expected in said(app)


def test_reach_stands_beside_full_attention_and_a_convolution(open_page):
    # Facts: 79 apart, a 3 × 3 convolution needs 79 and 40 layers, full attention 1.
    app = _open(open_page, part="reach", reach=Depth(positions=128, one=100, other=21))
    assert "79 apart: full attention needs 1 layer, a 3 × 3 convolution 79, and 40 until" in said(app)


def test_where_nobody_looks_ahead_so_do_those_beside_it():
    # Ten back: full attention 1 layer, a causal filter of 3 looks 2 back in each, so 5. Ten ahead: never, whatever it is.
    found = Depth(causal=True, one=30, other=20)
    assert "full attention needs 1 layer, a causal convolution of 3" in beside(found)
    assert beside(found).endswith("before, 5.")
    convolved = reached(found.model_copy(update={"kind": "convolution"}))[:, 30]
    assert (bool(convolved[4, 20]), bool(convolved[5, 20])) == (False, True)
    assert beside(found.model_copy(update={"one": 20, "other": 30})) == "Distance: 10."


def test_an_address_may_hold_a_number_of_positions_that_no_slider_has(open_page):
    app = _open(open_page, part="reach", reach=Depth(positions=100, one=99))
    no_trace_of_failure(app)
    assert app.select_slider(key="block:reach positions").options == ["16", "32", "64", "100", "128", "256"]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_formula_of_each_kind_holds_for_what_is_counted(kind, causal):
    """The closed forms that the page prints, each position and layer, where a stride does not divide the length."""
    found = Depth(
        kind=kind, positions=43, depth=4, window=3, block=6, stride=5, dilation=4, tokens=2, causal=causal, one=0
    )
    known = reached(found)
    i, j = torch.arange(43)[:, None], torch.arange(43)[None]
    apart = (i - j).abs()
    whole = j // 5 < 43 // 5
    forms = {
        "window": lambda depth: apart <= 3 * depth,
        "convolution": lambda depth: apart <= (2 * depth if causal else depth),
        "dilated": lambda depth: (apart % 4 == 0) & (apart <= 4 * 3 * depth),
        "blocks": lambda depth: i // 6 == j // 6,
        "full": lambda depth: apart >= 0,
        "strided": lambda depth: apart >= 0 if depth > 1 else None,
        "fixed": lambda depth: whole | known[depth] if depth > 1 else None,  # at least the whole blocks
        "global": lambda depth: (apart <= 3 * depth) | (j < 2) if causal else apart >= 0 if depth > 1 else None,
        "shifted": lambda depth: None,  # its formula is the product itself
    }
    for depth in range(1, 5):
        form = forms[kind](depth)
        if form is not None:
            assert torch.equal(known[depth], form & (j <= i) if causal else form), (kind, depth)


def test_fewer_positions_keep_those_that_are_looked_at_within_them(open_page):
    app = _open(open_page, part="reach")
    app.select_slider(key="block:reach positions").set_value(16).run()
    no_trace_of_failure(app)
    assert (_view(app).reach.one, _view(app).reach.other) == (15, 0)
    app.button(key="block:anew").click().run()
    assert _view(app).reach == Depth()
    app.button(key="block:back").click().run()
    assert _view(app).reach.positions == 16


def test_without_a_norm_the_gradients_would_hide_the_other_two(open_page):
    app = _open(open_page, part="norm", stack=Stack(depth=32))
    no_trace_of_failure(app)
    # All three are told; the picture has the two that can be compared.
    assert sum("gradient of the first layer" in line for line in said(app).splitlines()) == 3
    series = norms.shown_gradients(measured(Stack(depth=32)))
    assert list(series) == ["norm before the parts", "norm after the sums"]


def test_the_length_with_the_norm_after_is_the_root_of_the_width(open_page):
    # LayerNorm with γ = 1 and β = 0 gives vectors of length √64 = 8, whatever the depth.
    app = _open(open_page, part="norm", stack=Stack(depth=20))
    no_trace_of_failure(app)
    (after,) = [line for line in said(app).splitlines() if "norm after the sums" in line and "gradient" in line]
    assert "→ 8.00;" in after


@pytest.mark.parametrize("part", ["follow", "norm", "reach"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_part_is_there_in_every_language(open_page, part, language):
    view = address.encode(BlockView(part=part, text="The black cat.", off="attention"))
    with speaking(language):
        app = open_page("block", view=view, lang=language)
        for _again in range(2):
            no_trace_of_failure(app)
            assert not app.error
            assert app.title[0].value == translate("Block")
            assert _view(app).part == part
            app.run()


def test_a_presenter_sees_the_picture_and_not_the_controls_around_it(open_page):
    view = address.encode(BlockView(part="reach"))
    app = open_page("block", view=view, present="1")
    no_trace_of_failure(app)
    assert "block:part" not in [one.key for one in app.segmented_control]
    assert "Position 32 can know of position 0" in said(app)
