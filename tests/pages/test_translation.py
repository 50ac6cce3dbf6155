"""The upper part of the Translation page."""

import pytest

from attnviz import models
from attnviz.translation import grammar
from attnviz.translation.heads import HeadName, weights_of
from attnviz.ui import address
from attnviz.ui.views.translation import TranslationView
from tests.models.seq2seq.conftest import opened, t5, t5_folder_parts  # noqa: F401 - fixtures

from .conftest import no_trace_of_failure
from .conftest import said as read


def said(app):
    return read(app).replace("\\", "")


def _view(app):
    return app.session_state["store:translation"].view


def _open(open_page, **fields):
    return open_page("translation", view=address.encode(TranslationView(**fields)))


def _click(app, key):
    app.button(key=key).click().run()
    no_trace_of_failure(app)
    return app


def test_the_first_view_shows_noir_looking_at_black_in_both_models(open_page):
    app = open_page("translation")
    no_trace_of_failure(app)
    assert not app.error
    assert said(app).count("### le chat noir") == 2
    # The bar that every shipped model has to clear: more than nine tenths on “black”.
    for name in ("gru", "transformer"):
        found = models.load(f"translation/en-fr/{name}").translate("The black cat")
        weight = float(weights_of(found, HeadName(None, None))[2, 1])
        assert weight > 0.9
        assert (
            f"The step that writes “noir” puts most on “black”: **{weight:.3f}**. An even share would be 0.250."
            in said(app)
        )
    assert said(app).count("**free: greedy**") == 2
    assert "A weight on “black” lies on the encoder's state at that position" in said(app)


def test_a_sentence_that_is_none_of_the_grammars_is_said_to_be_so_and_its_full_stop_can_be_added(open_page):
    app = _open(open_page, text="The black cat sleeps")
    assert "The grammar does not make this sentence" in said(app)
    _click(app, "translation:stop-added")
    assert _view(app).text == "The black cat sleeps ."
    assert "The grammar does not make this sentence" not in said(app)
    # With a full stop it would be none either.
    strange = _open(open_page, text="the women 's cat")
    assert "The grammar does not make this sentence" in said(strange)
    assert not [button for button in strange.button if button.key == "translation:stop-added"]


def test_the_decoder_is_stepped_through_with_buttons_and_slider(open_page):
    app = _click(open_page("translation"), "translation:back")
    assert said(app).count("The step that writes “chat”") == 2
    _click(app, "translation:back")
    _click(app, "translation:back")
    assert _view(app).step is None
    assert app.button(key="translation:back").disabled
    app.select_slider(key="translation:step").set_value(3).run()
    no_trace_of_failure(app)
    assert said(app).count("This step writes “</s>”, which is no word of the alignment.") == 2
    assert app.button(key="translation:next").disabled


def test_a_head_of_the_transformer_is_shown_and_the_gru_keeps_its_own(open_page):
    app = _open(open_page, step=2, layer=1, head=3)
    found = models.load("translation/en-fr/transformer").translate("The black cat")
    row = weights_of(found, HeadName(1, 3))[2, :3]
    word = ("the", "black", "cat")[int(row.argmax())]
    assert f"puts most on “{word}”: **{float(row.max()):.3f}**" in said(app)
    app.selectbox(key="translation:layer").set_value(-1).run()
    no_trace_of_failure(app)
    assert (_view(app).layer, _view(app).head) == (None, None)


def test_a_layer_that_is_not_there_is_said(open_page):
    app = _open(open_page, layer=7, models=("transformer",))
    no_trace_of_failure(app)
    assert "There is no such layer or head here: shown is the mean of all 12 heads." in said(app)


def test_a_chosen_word_and_step_say_their_own_weight(open_page):
    app = _open(open_page, step=2, word=2, models=("gru",), pair="en-fr")
    found = models.load("translation/en-fr/gru").translate("The black cat")
    weight = float(weights_of(found, HeadName(0, 0))[2, 2])
    assert weight < 0.01
    assert "The step that writes “noir” puts **" in said(app)
    assert "on “cat”" in said(app)


def test_an_unknown_word_is_named_with_near_ones_that_take_its_place(open_page):
    app = _open(open_page, text="The blakc cat")
    no_trace_of_failure(app)
    assert "The model does not know the word “blakc”; it knows black" in said(app)
    assert "le chat" not in said(app)
    assert app.button(key="translation:near:0").label == "black"
    _click(app, "translation:near:0")
    assert _view(app).text == "The black cat"
    assert not app.error
    assert "le chat noir" in said(app)


def test_words_are_put_together_by_pressing_them(open_page):
    app = _click(_open(open_page), "translation:clear")
    assert "The text is empty" in said(app)
    for key, word in (("determiner", "a"), ("adjective", "black"), ("noun", "cat"), ("noun", "cat")):
        app.pills(key=f"translation:word:{key}").set_value(word).run()
        no_trace_of_failure(app)
    assert _view(app).text == "a black cat cat"
    _click(app, "translation:backspace")
    assert _view(app).text == "a black cat"
    assert said(app).count("### un chat noir") == 2


def test_every_known_word_is_offered(open_page):
    app = open_page("translation")
    offered = {word for kind in grammar.words_by_kind() for word in app.pills(key=f"translation:word:{kind}").options}
    assert offered == set(grammar.vocabulary())


def test_another_sentence_comes_from_those_kept_out_of_training(open_page):
    held_out = [pair.source_text for pair in grammar.corpus("fr", "test", 2)]
    app = _click(open_page("translation"), "translation:draw")
    assert (_view(app).text, _view(app).step) == (held_out[0], None)
    _click(app, "translation:draw")
    assert (_view(app).text, _view(app).drawn) == (held_out[1], 2)


def test_a_forced_translation_and_beams_are_labelled(open_page):
    app = _open(open_page, beams=4, models=("gru",))
    assert "**free: beam 4**" in said(app)
    app.text_input(key="translation:target").set_value("le chat blanc").run()
    no_trace_of_failure(app)
    assert "**forced: target given**" in said(app)
    assert "### le chat blanc" in said(app)
    app.select_slider(key="translation:step").set_value(2).run()
    assert "The step that predicts “blanc” puts most on “black”" in said(app)
    _click(app, "translation:free")
    assert "### le chat noir" in said(app)


def test_a_forced_word_that_is_not_known_is_one_sentence(open_page):
    app = _open(open_page, target="le chat mauve", models=("gru",))
    no_trace_of_failure(app)
    assert "The model does not know the word “mauve”" in said(app)


def test_gold_is_counted_or_it_is_said_why_there_is_none(open_page):
    app = _open(open_page, models=("gru",))
    app.toggle(key="translation:gold").set_value(True).run()
    no_trace_of_failure(app)
    # “le” looks at the noun, whose gender it needs: the two others lie on gold links.
    assert "The largest weight of 2 of 3 words lies on a gold link." in said(app)
    app.text_input(key="translation:target").set_value("le chat blanc").run()
    assert "No gold links for this translation: the grammar's own is “le chat noir”." in said(app)
    app.text_input(key="translation:text").set_value("cat the black").run()
    assert "No gold links: the grammar does not make this sentence." in said(app)


def test_hidden_mass_is_printed_and_nothing_is_hidden_when_all_is_shown(open_page):
    app = _open(open_page, step=2, models=("gru",))
    found = models.load("translation/en-fr/gru").translate("The black cat")
    assert f"Hidden: {float(weights_of(found, HeadName(0, 0))[2, 3]):.2g} on </s>." in said(app)
    app.toggle(key="translation:hide_special").set_value(False).run()
    no_trace_of_failure(app)
    assert "Hidden:" not in said(app)


def test_rows_that_consume_are_the_next_ones(open_page):
    app = _open(open_page, step=1, models=("gru",), rows="consume")
    found = models.load("translation/en-fr/gru").translate("The black cat")
    weight = float(weights_of(found, HeadName(0, 0))[2, 1])
    assert f"The step that consumes “chat” puts most on “black”: **{weight:.3f}**" in said(app)


def test_the_same_sentence_in_two_languages(open_page):
    app = _open(open_page, beside="en-ja")
    no_trace_of_failure(app)
    assert said(app).count("### le chat noir") == 2
    assert said(app).count("### 黒い 猫") == 2


def test_a_model_without_attention_translates_and_says_that_it_has_none(open_page):
    app = _open(open_page, models=("bottleneck",), step=0)
    no_trace_of_failure(app)
    assert "This model has no attention: the whole source goes into one vector of 192 numbers." in said(app)


def test_the_last_model_cannot_be_taken_away(open_page):
    app = _open(open_page, models=("gru",))
    app.pills(key="translation:models").set_value([]).run()
    no_trace_of_failure(app)
    assert _view(app).models == ("gru",)


def test_undo_and_reset(open_page):
    app = _click(open_page("translation"), "translation:draw")
    _click(app, "translation:undo")
    assert _view(app) == TranslationView.start()
    _click(app, "translation:draw")
    _click(app, "translation:reset")
    assert _view(app) == TranslationView.start()


def test_a_link_alone_loads_no_model_and_a_public_server_none_at_all(open_page, monkeypatch):
    app = _open(open_page, models=("other",), other="somebody/model")
    no_trace_of_failure(app)
    assert "The link asks for the model “somebody/model”." in said(app)
    monkeypatch.setenv("ATTNVIZ_PUBLIC", "1")
    app = _open(open_page, models=("gru", "other"), other="somebody/model")
    no_trace_of_failure(app)
    assert "This server is public" in said(app)
    assert "### le chat noir" in said(app)
    assert "other" not in app.pills(key="translation:models").options


def test_a_model_that_does_not_translate_is_one_sentence(open_page):
    app = _open(open_page, models=("other",), other="minilm")
    no_trace_of_failure(app)
    assert "“minilm” does not translate" in said(app)


def test_typed_markup_is_shown_as_it_is(open_page):
    app = _open(open_page, text="<img src=x onerror=alert(1)> **b** $x$ :smile:")
    no_trace_of_failure(app)
    assert len(app.error) == 1
    assert "\\<img" in app.error[0].value


def test_presenting_leaves_sentence_step_head_and_gold(open_page):
    app = open_page("translation")
    app.toggle(key="presenting").set_value(True).run()
    no_trace_of_failure(app)
    keys = {element.key for kind in ("text_input", "select_slider", "selectbox", "toggle", "button", "pills")
            for element in app.main.get(kind)}  # fmt: skip
    assert {"translation:text", "translation:step", "translation:layer", "translation:head", "translation:gold"} <= keys
    assert not {"translation:draw", "translation:models", "translation:beams", "translation:pieces"} & keys


@pytest.mark.parametrize("pair", ["en-fr", "en-ja", "en-ru"])
def test_another_language_begins_without_a_step(open_page, pair):
    app = open_page("translation")
    app.segmented_control(key="translation:pair").set_value(pair).run()
    no_trace_of_failure(app)
    assert _view(app).pair == pair
    assert not app.error


@pytest.fixture
def their_model(request):
    """A T5 with random weights, in a folder."""
    return request.getfixturevalue("t5")


def test_a_model_of_hugging_face_is_opened_when_a_person_asks_for_it(open_page, their_model):
    app = _open(open_page, models=("gru", "other"), other=their_model.name, other_prefix="translate English to French:")
    assert "The link asks for the model" in said(app)
    _click(app, "source:load")
    assert not app.error
    # Drawn at random it writes nonsense; its text, its two layers of two heads and its pieces are its own.
    found = their_model.translate("The black cat")
    assert f"### {found.target_text}" in said(app).replace(chr(0x2060), "")
    assert app.selectbox(key="translation:layer").options[0] == "mean of all 4 heads"
    app.toggle(key="translation:pieces").set_value(True).run()
    no_trace_of_failure(app)
    app.toggle(key="translation:gold").set_value(True).run()
    no_trace_of_failure(app)
    assert "No gold links: the grammar knows those of its own sentences in our own models alone." in said(app)
    app.text_input(key="translation:target").set_value("le chat noir").run()
    no_trace_of_failure(app)
    assert said(app).count("**forced: target given**") == 2
    assert said(app).count("### le chat noir") == 2


def test_a_language_that_the_model_does_not_know_is_one_sentence(open_page, their_model):
    app = _open(open_page, models=("other",), other=their_model.name, other_target="Klingon")
    _click(app, "source:load")
    assert len(app.error) >= 1
    assert "Klingon" in said(app)
