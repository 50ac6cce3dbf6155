import base64
import json
import zlib

import pytest

from attnviz.base.language import LANGUAGES
from attnviz.cost.price import PRICES
from attnviz.ui import address
from attnviz.ui.views.cost import Compared, CostView, Image, Priced

from .conftest import no_trace_of_failure, said


def _view(app):
    return app.session_state["store:cost"].view


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("part", ["tokens", "convolution", "detector", "time", "fit"])
def test_every_part_opens_in_every_language(open_page, language, part):
    app = open_page("cost", lang=language, view=address.encode(CostView(part=part)))
    no_trace_of_failure(app)
    assert not app.error


def test_the_lessons_image_has_its_tokens_and_doubling_is_four_times_the_core_alone(open_page):
    app = open_page("cost")
    assert "**6,400** tokens" in said(app)
    assert "**40,960,000** pairs" in said(app)
    assert "**3.613 ×** in the whole block" in said(app)
    app.select_slider(key="cost:stride").set_value(32).run()
    no_trace_of_failure(app)
    words = said(app)
    assert "**400** tokens" in words
    assert "**160,000** pairs" in words
    assert "**4 ×** in the core and **2.413 ×** in the whole block" in words
    assert "at 512 tokens" in words
    assert "at 1,536" in words


def test_1080_lines_are_cut_or_filled_up_and_extra_tokens_count(open_page):
    app = open_page("cost", view=address.encode(CostView(image=Image(width=1920, height=1080, stride=16))))
    assert "**8,040** tokens" in said(app)
    assert "8 rows of pixels are cut off" in said(app)
    app.segmented_control(key="cost:padding").set_value("pad").run()
    assert "**8,160** tokens" in said(app)
    app.number_input(key="cost:extra").set_value(1).run()
    assert "**8,161** tokens" in said(app)
    assert "**66,601,921** pairs" in said(app)


def test_a_text_is_cut_by_the_sample_models_own_tokenizer(open_page):
    app = open_page("cost", view=address.encode(CostView(source="text")))
    # [CLS] the black cat crossed the street . [SEP]
    assert "**9** tokens" in said(app)
    assert "**81** pairs" in said(app)
    app.text_area(key="cost:text").set_value("").run()
    no_trace_of_failure(app)
    assert "**2** tokens" in said(app)


@pytest.mark.parametrize(("source", "field"), [("scene", "objects"), ("number", "number")])
def test_objects_of_a_scene_and_a_number_are_tokens_themselves(open_page, source, field):
    app = open_page("cost", view=address.encode(CostView(source=source, **{field: 1_000})))
    assert "**1,000,000** pairs" in said(app)


def test_the_numbers_stand_beside_their_formulas(open_page):
    view = CostView(source="number", number=8_192, priced=Priced(width=4096, heads=32, kv_heads=8, layers=32))
    words = said(open_page("cost", view=address.encode(view)))
    # 131,072 bytes a token in all 32 layers.
    assert "1,073,741,824 B = 1 GiB" in words
    assert r"$4\,n\,d^2\,(1 + h_{kv} / h)$" in words


def test_a_causal_mask_saves_only_where_it_is_skipped(open_page):
    app = open_page("cost", view=address.encode(CostView(source="number", number=1_000, priced=Priced(causal=True))))
    assert "| 500,500 |" in said(app)
    assert "| 1,000,000 |" not in said(app)
    app.toggle(key="cost:skips").set_value(False).run()
    assert "| 500,500 |" in said(app)
    assert "| 1,000,000 |" in said(app)


def test_another_width_takes_heads_with_it_that_divide_it(open_page):
    app = open_page("cost", view=address.encode(CostView(priced=Priced(width=192, heads=6, kv_heads=3))))
    app.select_slider(key="cost:model width").set_value(256).run()
    no_trace_of_failure(app)
    assert (_view(app).priced.heads, _view(app).priced.kv_heads) == (4, 2)
    app.button(key="cost:undo").click().run()
    assert _view(app).priced.width == 192
    app.selectbox(key="cost:model heads").set_value(12).run()
    assert (_view(app).priced.heads, _view(app).priced.kv_heads) == (12, 3)


def test_reset_keeps_the_part(open_page):
    app = open_page("cost", view=address.encode(CostView(part="fit", source="scene")))
    app.button(key="cost:reset").click().run()
    assert (_view(app).part, _view(app).source) == ("fit", "image")


@pytest.mark.parametrize(
    ("measure", "log"),
    [("core", True), ("attention", False), ("block", True), ("plain", False), ("fused", True), ("state", False)],
)
def test_every_kind_can_be_drawn_by_every_measure(open_page, measure, log):
    compared = Compared(kinds=tuple(PRICES), measure=measure, log=log)
    app = open_page("cost", view=address.encode(CostView(compared=compared)))
    no_trace_of_failure(app)
    assert not app.error
    missing = [caption.value for caption in app.caption if "Without this number" in caption.value]
    # Additive attention and gates have no fused kernel.
    assert bool(missing) == (measure == "fused")


def test_no_kind_at_all_is_a_sentence(open_page):
    app = open_page("cost", view=address.encode(CostView(compared=Compared(kinds=()))))
    no_trace_of_failure(app)
    assert "Choose others" in app.info[0].value


def test_two_patches_meet_as_the_lessons_say(open_page):
    app = open_page("cost", view=address.encode(CostView(part="convolution")))
    words = said(app)
    assert "sees both after **10** layers" in words
    assert "A sees B after **19** layers" in words
    assert "**640** tokens" in words
    assert "**1,152** on" in words
    app.slider(key="cost:distance").set_value(79).run()
    app.segmented_control(key="cost:kernel").set_value(7).run()
    no_trace_of_failure(app)
    assert "sees both after **14** layers" in said(app)
    assert "A sees B after **27** layers" in said(app)


def test_what_would_fit_ranks_and_says_what_is_given_up(open_page):
    app = open_page("cost", view=address.encode(CostView(part="fit")))
    words = said(app)
    assert "does not fit into 0.5 ms" in words
    # The page ranks by a stated order and does not claim to have measured what a way loses.
    assert "First in the order stated below comes **Linear**" in words
    assert "The order is a convention, not a measurement" in words
    app.segmented_control(key="cost:unit").set_value("memory").run()
    no_trace_of_failure(app)
    # Plain 2 · 4 · 6,400² · 2 bytes, 625 MiB; fused 4 · 6,400 · 4 bytes, 100 KiB.
    assert "**625 MiB**" in said(app)
    assert "**As it is, fused**, 100 KiB" in said(app)
    app.select_slider(key="cost:mebibytes").set_value(0.1).run()
    assert "fused**, 100 KiB" in said(app)
    app.segmented_control(key="cost:unit").set_value("operations").run()
    app.select_slider(key="cost:gigaflop").set_value(0.01).run()
    no_trace_of_failure(app)
    assert "fit" in said(app)


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"priced": {"width": 100, "heads": 3}}, "divisor"),
        ({"image": {"width": 8, "stride": 16}}, "whole patch"),
        ({"image": {"width": 16_000, "height": 16_000, "stride": 4}}, "16,000,000"),
        ({"budget": {"chip": "abacus"}}, "abacus"),
        ({"compared": {"kinds": ["teleport"]}}, "teleport"),
        ({"compared": {"kinds": ["self", "self"]}}, "twice"),
        ({"compared": {"window": 0}}, "window"),
        ({"image": {"width": 10**9}}, "width"),
        ({"number": "many"}, "number"),
        ({"priced": {"width": 1e300}}, "width"),
        ({"time": {"share": 1000}}, "share"),
        ({"detector": {"scale": "xxl"}}, "scale"),
        ({"filtered": {"row": -1}}, "row"),
        ({"text": 7}, "text"),
    ],
)
def test_what_cannot_be_is_one_sentence_in_a_link(open_page, fields, word):
    packed = zlib.compress(json.dumps({"page": "cost", **fields}).encode())
    app = open_page("cost", view=base64.urlsafe_b64encode(packed).rstrip(b"=").decode())
    no_trace_of_failure(app)
    assert len(app.error) == 1
    assert word in app.error[0].value.replace("\\", "")


def test_presented_it_keeps_what_matters(open_page):
    app = open_page("cost", present="1")
    no_trace_of_failure(app)
    assert "**6,400** tokens" in said(app)
    assert not [button for button in app.button if button.key == "cost:reset"]


def _of(**fields):
    return {"view": address.encode(CostView(source="number", **fields))}


def test_under_a_causal_mask_the_core_catches_up_later(open_page):
    # 2 n (n + 1) d = 8 n d² at n = 4 d − 1, = 24 n d² at n = 12 d − 1; where nothing is skipped 2 d and 6 d.
    words = said(open_page("cost", **_of(priced=Priced(causal=True))))
    assert "at 1,023 tokens" in words
    assert "at 3,071" in words
    assert "at 512 tokens" in said(open_page("cost", **_of(priced=Priced(causal=True, skips=False))))


def test_a_causal_window_counts_what_lies_before_it_and_itself(open_page):
    assert "Windows count 49 keys" in said(open_page("cost"))
    words = said(open_page("cost", **_of(priced=Priced(causal=True))))
    assert "A window that looks back counts 25 keys" in words
    assert "no causal form" in words


def test_memory_held_for_a_moment_is_not_held_by_all_layers_at_once(open_page):
    words = said(open_page("cost", **_of(number=6_400, priced=Priced(layers=12))))
    # 2 · 4 · 6,400² · 2 bytes, once; keys and values of 12 layers, 12 times 6.25 MiB.
    plain = next(line for line in words.splitlines() if line.startswith("| memory, plain"))
    assert plain.count("655,360,000 B") == 2
    assert "78,643,200 B = 75 MiB" in words


@pytest.mark.parametrize(
    ("number", "layer", "sentence"),
    [
        # 8 n d² + 4 n² d = 18 n d² at n = 640 with d = 256.
        (640, {}, "both cost the same"),
        (639, {}, "the cheaper one"),
        (641, {}, "the dearer one"),
        # One key head of four: 5 n d² + 4 n² d = 18 n d² at n = 3.25 d = 832; four of four 640.
        (700, {"kv_heads": 1}, "the cheaper one"),
        (832, {"kv_heads": 1}, "both cost the same"),
        # Causal: 8 n d² + 2 n (n + 1) d, so n = 1,279; where nothing is skipped 640 as before.
        (1_279, {"causal": True}, "both cost the same"),
        (1_000, {"causal": True}, "the cheaper one"),
        (1_000, {"causal": True, "skips": False}, "the dearer one"),
    ],
)
def test_beside_a_convolution_the_layer_is_the_one_that_was_chosen(open_page, number, layer, sentence):
    app = open_page("cost", **_of(part="convolution", number=number, priced=Priced(**layer)))
    no_trace_of_failure(app)
    assert sentence in said(app)


def test_the_example_shows_a_cache_of_one_gibibyte_and_can_be_undone(open_page):
    app = open_page("cost")
    app.button(key="cost:llama").click().run()
    no_trace_of_failure(app)
    assert "1,073,741,824 B = 1 GiB" in said(app)
    app.button(key="cost:undo").click().run()
    assert "**6,400** tokens" in said(app)


def test_a_curve_that_begins_as_another_one_does_not_cross_it(open_page):
    # While everything is within the window, it costs what full attention does; later it never costs more.
    kinds = ("window", "self", "linear")
    words = said(open_page("cost", view=address.encode(CostView(compared=Compared(kinds=kinds))))).replace("\\", "")
    assert "From **64** tokens on Self-attention costs at least as much as Linear." in words
    assert "Self-attention costs at least as much as Sliding window" not in words
