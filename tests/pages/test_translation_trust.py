"""The lower part of the Translation page: gold links, what a word does, the model without attention."""

import pytest

from attnviz.ui import address
from attnviz.ui.views.translation import TranslationView

from .conftest import no_trace_of_failure, said

GOES = 80
GRU = "translation/en-fr/gru"
TEXTS = b"the black cat ||| le chat noir\nthe purple cat ||| le chat violet\n"
GOLD = b"0-0 1-2 2-1\n0-0 1-2 2-1 7-1\n"


def _open(open_page, **fields):
    return open_page("translation", view=address.encode(TranslationView(**fields)))


def _view(app):
    return app.session_state["store:translation"].view


def _keys(app):
    return {button.key for button in app.button}


def _table(app, column):
    """The table with a column of this name."""
    return next(frame.value for frame in app.dataframe if column in frame.value.columns)


def _measured(app):
    """Presses the button where it is not known already, and lets the page go on until it has done."""
    if "translation:measure" in _keys(app):
        app.button(key="translation:measure").click().run()
    for _go in range(GOES):
        no_trace_of_failure(app)
        if "going:stop" not in _keys(app):
            return app.toggle(key="translation-scores:as-text").set_value(True).run()
        app.run()
    pytest.fail("It was never done.")


def _with_files(app, base):
    app.file_uploader(key="translation:file:texts").set_value(("texts.txt", TEXTS, "text/plain"))
    app.file_uploader(key="translation:file:gold").set_value(("gold.txt", GOLD, "text/plain"))
    app.segmented_control(key="translation:file:base").set_value(base)
    return app.run()


def test_nothing_is_measured_before_somebody_asks(open_page):
    app = _open(open_page, judged=GRU, sentences=1000)
    no_trace_of_failure(app)
    assert "translation:measure" in _keys(app)
    assert "going:stop" not in _keys(app)


def test_a_model_with_one_head_is_a_row_of_its_own_beside_floors_and_effect(open_page):
    app = _measured(_open(open_page, judged=GRU))
    table = _table(app, "recall %")
    assert set(table["what"]) == {
        "its one head", "the diagonal", "IBM model 1", "effect of removing words",
    }  # fmt: skip
    assert list(table["error rate %"]) == sorted(table["error rate %"])
    assert float(table.set_index("what").loc["its one head", "error rate %"]) < 10
    assert "Raw attention is not alignment: of " in said(app)
    assert "Chosen on one half" not in said(app), "one head leaves no choice"


def test_a_mistake_that_is_pressed_is_shown_above(open_page):
    app = _measured(_open(open_page, judged=GRU, beside="en-ru"))
    app.button(key="translation:example:1").click().run()
    no_trace_of_failure(app)
    view = _view(app)
    assert (view.pair, view.beside, view.gold) == ("en-fr", None, True)
    # The first sentence of the split: “le” of “le chat fatigué” looks at “cat”.
    assert (view.target.split()[view.step], view.text.split()[:3]) == ("le", ["the", "tired", "cat"])


def test_links_out_of_range_are_named_and_sentences_with_unknown_words_left_out(open_page):
    app = _with_files(_open(open_page, judged=GRU, on="file"), 0)
    no_trace_of_failure(app)
    assert "1 link points beyond its sentence and was left out (line 2: 7-1)" in said(app).replace("\\", "")
    app = _measured(app)
    assert "1 sentence was left out" in said(app)
    assert "sentence 2: The model does not know the word “purple”" in said(app).replace("\\", "")
    # “noir” and “chat” look where gold says; “le” looks at “cat”: two of three links, two of three sure ones.
    rates = _table(app, "recall %").set_index("what")
    assert float(rates.loc["its one head", "error rate %"]) == pytest.approx(100 / 3)


def test_nothing_is_guessed_about_the_first_number(open_page):
    app = _open(open_page, judged=GRU, on="file")
    app.file_uploader(key="translation:file:texts").set_value(("texts.txt", TEXTS, "text/plain"))
    app.file_uploader(key="translation:file:gold").set_value(("gold.txt", GOLD, "text/plain"))
    app.run()
    no_trace_of_failure(app)
    assert "translation:measure" not in _keys(app)


def test_files_stay_open_while_another_question_is_looked_at(open_page):
    app = _with_files(_open(open_page, judged=GRU, on="file"), 0)
    app.segmented_control(key="translation:part").set_value("length").run()
    app.segmented_control(key="translation:part").set_value("gold").run()
    no_trace_of_failure(app)
    assert "2 sentences read" in said(app)


def test_a_file_that_is_none_is_one_sentence(open_page):
    app = _open(open_page, judged=GRU, on="file")
    app.file_uploader(key="translation:file:texts").set_value(("texts.txt", b"\xff\xfe", "text/plain"))
    app.file_uploader(key="translation:file:gold").set_value(("gold.txt", GOLD, "text/plain"))
    app.segmented_control(key="translation:file:base").set_value(0)
    app.run()
    no_trace_of_failure(app)
    assert ["is not UTF" in error.value for error in app.error] == [True]


def test_removing_black_costs_noir_and_nothing_else(open_page):
    app = _open(open_page, part="effect", judged=GRU, word=1)
    no_trace_of_failure(app)
    table = _table(app, "probability before").set_index("target word")
    assert float(table.loc["noir", "probability before"]) > 0.9
    assert "·10" in table.loc["noir", "probability after"]
    assert float(table.loc["chat", "probability after"]) > 0.9
    assert "Left to itself, the model writes for “the cat”: **le chat**" in said(app)


def test_a_word_that_is_swapped_changes_the_models_own_translation(open_page):
    app = _open(open_page, part="effect", judged=GRU, word=1)
    app.selectbox(key="translation:swap").set_value("white").run()
    no_trace_of_failure(app)
    assert _view(app).swap == "white"
    assert "for “the white cat”: **le chat blanc**" in said(app)


def test_a_swapped_word_that_the_model_does_not_know_is_one_sentence(open_page):
    app = _open(open_page, part="effect", judged=GRU, word=1, swap="purple")
    no_trace_of_failure(app)
    assert ["does not know the word “purple”" in error.value for error in app.error] == [True]


def test_the_model_without_attention_is_said_to_be_french_alone(open_page):
    app = _open(open_page, pair="en-ru", part="length")
    no_trace_of_failure(app)
    assert "for French alone" in said(app)
    assert "with attention: **le chat noir** (as the grammar has it)" in said(app)


def test_a_model_that_only_a_link_names_is_not_judged(open_page, tmp_path):
    app = _open(open_page, models=("gru", "other"), other=str(tmp_path), part="effect", judged=str(tmp_path))
    no_trace_of_failure(app)
    assert len(app.error) == 1, "the upper part alone asks whether it is to be loaded"


def _order(block):
    """What is said in headings, sentences and captions, from above to below."""
    for child in block.children.values():
        if hasattr(child, "children"):
            yield from _order(child)
        elif child.type in ("subheader", "markdown", "caption"):
            yield str(child.value)


@pytest.mark.parametrize(("part", "first"), [("length", True), ("gold", False)])
def test_an_audience_sees_first_what_it_is_asked_about(open_page, part, first):
    app = _open(open_page, part=part, models=("gru",))
    app.toggle(key="presenting").set_value(True).run()
    no_trace_of_failure(app)
    shown = list(_order(app.main))
    asked = next(place for place, text in enumerate(shown) if text == "How far to trust it")
    translated = next(place for place, text in enumerate(shown) if text == "### le chat noir")
    assert (asked < translated) is first
    assert not any("Attention is often read as a word alignment" in text for text in shown)
