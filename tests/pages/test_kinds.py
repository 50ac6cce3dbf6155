import base64
import json
import zlib

import pytest

from attnviz.attention import kinds
from attnviz.base.language import LANGUAGES, speaking, translate
from attnviz.ui import address
from attnviz.ui.views.kinds import KindsView

from .conftest import no_trace_of_failure, said


def _view(app):
    return app.session_state["store:kinds"].view


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_opens_in_its_language_on_two_kinds(open_page, language):
    with speaking(language):
        app = open_page("kinds", lang=language)
        no_trace_of_failure(app)
        assert app.title[0].value == translate("Kinds")
        text = said(app)
    # Two formulas, two pictures and their bars.
    assert r"\operatorname{softmax}_j(S / T)" in text or app.get("markdown")
    assert len(app.get("bidi_component")) >= 4


@pytest.mark.parametrize("name", [kind.id for kind in kinds.KINDS])
def test_every_kind_opens_beside_self_attention(open_page, name):
    app = open_page("kinds", view=address.encode(KindsView(right=name)))
    no_trace_of_failure(app)
    assert not app.error
    assert app.selectbox(key="kinds:right").value == name


@pytest.mark.parametrize("source", ["sentence", "picture", "scene"])
def test_what_is_looked_at_is_chosen_and_undone(open_page, source):
    app = open_page("kinds")
    app.segmented_control(key="kinds:source").set_value(source).run()
    no_trace_of_failure(app)
    assert not app.error
    assert _view(app).source == source
    if source != "sentence":
        app.button(key="kinds:undo").click().run()
        assert _view(app).source == "sentence"


def test_only_the_sliders_of_the_kinds_shown_are_there(open_page):
    app = open_page("kinds", view=address.encode(KindsView(left="self", right="linear")))
    keys = {slider.key for slider in app.slider}
    assert "kinds:window" not in keys
    assert "kinds:temperature" in keys
    app.selectbox(key="kinds:left").set_value("window").run()
    assert "kinds:window" in {slider.key for slider in app.slider}


def test_linear_attention_has_no_temperature(open_page):
    app = open_page("kinds", view=address.encode(KindsView(left="linear", right="squeeze")))
    assert "kinds:temperature" not in {slider.key for slider in app.slider}


def test_a_wider_window_has_more_pairs(open_page):
    app = open_page("kinds")
    pairs = [table.value.loc["with a weight"].iloc[1] for table in app.table]
    # n(2w + 1) − w(w + 1) for n = 10: w = 2 gives 44, w = 3 gives 58.
    assert pairs == ["44 (44 %)"]
    app.slider(key="kinds:window").set_value(3).run()
    assert [table.value.loc["with a weight"].iloc[1] for table in app.table] == ["58 (58 %)"]


def test_differential_attention_sums_to_one_minus_lambda(open_page):
    app = open_page("kinds", view=address.encode(KindsView(right="differential", lambda_=0.3)))
    (table,) = app.table
    assert table.value.loc["sum of the query's weights"].tolist() == ["1.000", "0.700"]


def test_sides_are_swapped(open_page):
    app = open_page("kinds")
    app.button(key="kinds:swap").click().run()
    assert (_view(app).left, _view(app).right) == ("window", "self")


def test_a_swap_is_said_to_be_no_measure_of_quality(open_page):
    assert "not a measure of how well it would do" in said(open_page("kinds"))


def test_reset_brings_the_start_back(open_page):
    app = open_page("kinds", view=address.encode(KindsView(right="alibi", slope=2.0)))
    app.button(key="kinds:reset").click().run()
    assert _view(app) == KindsView()


def test_heads_that_no_longer_fit_are_brought_along(open_page):
    app = open_page("kinds", view=address.encode(KindsView(right="grouped", kv_heads=12, head=11)))
    app.select_slider(key="kinds:heads").set_value(4).run()
    no_trace_of_failure(app)
    assert not app.error
    assert (_view(app).heads, _view(app).head, _view(app).kv_heads) == (4, 3, 4)


def test_fused_kernels_are_measured_and_said_to_be(open_page):
    app = open_page("kinds", view=address.encode(KindsView(part="fused", length=256)))
    no_trace_of_failure(app)
    text = said(app)
    assert "For 256 positions PyTorch ran **" in text
    assert "differ by at most" in text


def test_a_text_of_nothing_keeps_the_sentence(open_page):
    app = open_page("kinds")
    app.text_input(key="kinds:text").set_value("   ").run()
    no_trace_of_failure(app)
    assert _view(app).text == KindsView().text


@pytest.mark.parametrize("part", ["positions", "fewer", "fused"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_part_opens_in_every_language(open_page, part, language):
    with speaking(language):
        app = open_page("kinds", lang=language, view=address.encode(KindsView(part=part)))
    no_trace_of_failure(app)
    assert not app.error


@pytest.mark.parametrize("part", ["side", "positions", "fewer", "fused"])
def test_every_part_can_be_presented(open_page, part):
    app = open_page("kinds", present="1", view=address.encode(KindsView(part=part)))
    no_trace_of_failure(app)
    assert not app.error
    assert "kinds:undo" not in {button.key for button in app.button}
    assert len(app.get("bidi_component")) >= 4


def test_measuring_is_stopped_and_keeps_what_it_had(open_page):
    app = open_page("kinds", view=address.encode(KindsView(part="fused", length=4096)))
    app.button(key="kinds:measure").click().run()
    no_trace_of_failure(app)
    app.button(key="going:stop").click().run()
    no_trace_of_failure(app)
    assert "For " in said(app)
    assert "4,096 positions." in said(app), "what was not measured is said"
    assert app.button(key="kinds:measure")


def test_a_seed_that_the_slider_does_not_have_is_refused(open_page):
    packed = zlib.compress(json.dumps({"page": "kinds", "left": "additive", "seed": 999}).encode())
    app = open_page("kinds", view=base64.urlsafe_b64encode(packed).rstrip(b"=").decode())
    no_trace_of_failure(app)
    assert "seed" in app.error[0].value
    assert _view(app) == KindsView()


@pytest.mark.parametrize("text", ["🚗👩‍👩‍👧 🚗", "<script>alert(1)</script> $x$ `a` **b**", "a " * 100])
def test_any_text_is_a_sentence(open_page, text):
    app = open_page("kinds", view=address.encode(KindsView(text=text, right="cross", query=255)))
    no_trace_of_failure(app)
    assert not app.error


def test_it_is_said_what_the_other_sequence_is(open_page):
    app = open_page("kinds", view=address.encode(KindsView(right="cross")))
    assert "“A dog barked at the door.”" in said(app)
    app.segmented_control(key="kinds:source").set_value("picture").run()
    assert "drawn at random" in said(app)


def test_the_same_kind_on_both_sides_is_no_change(open_page):
    app = open_page("kinds", view=address.encode(KindsView(left="squeeze", right="squeeze")))
    no_trace_of_failure(app)
    assert "The same kind stands on both sides: nothing changes." in said(app)
    assert "cannot be compared" not in said(app)


def test_who_looks_at_whom_follows_the_switch_to_look_back_alone(open_page):
    app = open_page("kinds", view=address.encode(KindsView(left="alibi", right="cross", causal=True)))
    no_trace_of_failure(app)
    # ALiBi looks back then; cross-attention has no before.
    assert said(app).count("Set to look back alone, a position has only itself and what came before it.") == 1
    app.toggle(key="kinds:causal").set_value(False).run()
    assert "Set to look back alone" not in said(app)


def test_a_sum_of_nothing_has_no_sign(open_page):
    app = open_page("kinds", view=address.encode(KindsView(left="differential", right="self", lambda_=1.0)))
    no_trace_of_failure(app)
    assert "−0.000" not in said(app)
