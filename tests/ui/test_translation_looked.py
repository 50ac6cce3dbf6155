"""What of a translation is looked at, on weights that are made by hand."""

from dataclasses import replace

import pytest
import torch
from pydantic import ValidationError

from attnviz.translation import Alternative
from attnviz.translation.heads import MEAN, HeadName
from attnviz.ui.translation.looked import gold, look, step_of_row, word_of_column
from attnviz.ui.translation.pictures import with_the_written
from attnviz.ui.translation.sentence import replaced
from attnviz.ui.translation.translated import wanted
from attnviz.ui.views.translation import TranslationView
from tests.translation import made

# Two heads of one layer; rows consume <s>, le, chat, noir; columns are the, black, cat, </s>.
WEIGHTS = torch.tensor(
    [
        [[0.7, 0.1, 0.1, 0.1], [0.1, 0.1, 0.7, 0.1], [0.1, 0.7, 0.1, 0.1], [0.1, 0.1, 0.1, 0.7]],
        [[0.3, 0.1, 0.5, 0.1], [0.1, 0.3, 0.5, 0.1], [0.2, 0.3, 0.3, 0.2], [0.0, 0.0, 0.0, 1.0]],
    ]
)


@pytest.fixture
def translation():
    source, target = ["▁the", "▁black", "▁cat"], ["▁le", "▁chat", "▁noir"]
    return replace(
        made.translation(source, target, WEIGHTS),
        log_probabilities=torch.tensor([0.5, 0.5, 0.1, 0.5]).log(),
        alternatives=((Alternative("rouge", 0.6), Alternative("noire", 0.2)),) * 4,
    )


def test_the_mean_is_shown_first_and_the_step_is_found(translation):
    looked = look(translation, TranslationView(step=2, word=1))
    assert looked.name == MEAN
    assert (looked.row, looked.column) == (2, 1)
    # (0.7 + 0.3) / 2; hidden is what lies on </s>: (0.1 + 0.2) / 2
    assert float(looked.matrix[2, 1]) == pytest.approx(0.5)
    assert float(looked.hidden[2]) == pytest.approx(0.15)
    # N counts the end of the sentence, which is hidden and not absent.
    assert looked.even_share(1) == 0.25


def test_one_head_is_shown_where_it_is_asked_for_and_the_mean_where_there_is_none(translation):
    assert look(translation, TranslationView(layer=0, head=1)).name == HeadName(0, 1)
    assert float(look(translation, TranslationView(layer=0, head=1)).matrix[0, 2]) == pytest.approx(0.5)
    assert look(translation, TranslationView(layer=0, head=7)).name == HeadName(0, None)
    assert look(translation, TranslationView(layer=3)).name == MEAN


def test_the_row_that_consumes_a_word_is_the_next_one(translation):
    looked = look(translation, TranslationView(rows="consume", layer=0, head=0, step=1))
    # "chat" is predicted by the second row and consumed by the third.
    assert looked.layout.target.labels[looked.row] == "chat"
    assert looked.matrix[looked.row].tolist() == pytest.approx([0.1, 0.7, 0.1])
    assert step_of_row(looked, looked.row) == 1


def test_the_end_of_the_sentence_is_a_step_without_a_row(translation):
    assert look(translation, TranslationView(step=3)).row is None


def test_renormalised_rows_sum_to_one_and_their_even_share_is_that_of_what_is_shown(translation):
    looked = look(translation, TranslationView(renormalise=True))
    assert looked.matrix.sum(-1).tolist() == pytest.approx([1.0, 1.0, 1.0])
    assert looked.even_share(0) == pytest.approx(1 / 3)


def test_gold_links_come_from_the_grammar_and_belong_to_its_own_translation(translation):
    known = gold(look(translation, TranslationView()), "fr")
    # the–le, black–noir, cat–chat
    assert known.sure == {(0, 0), (1, 2), (2, 1)}
    assert known.is_known
    assert not gold(look(translation, TranslationView()), "").is_known
    in_japanese = gold(look(translation, TranslationView()), "ja")
    assert not in_japanese.is_known
    assert in_japanese.pair.target == ("黒い", "猫")


def test_a_column_of_the_matrix_leads_back_to_its_token(translation):
    looked = look(translation, TranslationView(word=2))
    assert word_of_column(looked, looked.column) == 2


def test_the_word_that_came_is_among_the_likeliest_however_unlikely_it_was(translation):
    found, place = with_the_written(translation, 2)
    assert [one.text for one in found] == ["rouge", "noire", "noir"]
    assert place == 2
    assert found[2].probability == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("The Blakc cat", "The black cat"), ("blakc blakc", "black blakc"), ("the blakc, cat", "the black, cat")],
)
def test_an_unknown_word_is_replaced_where_it_stands(text, expected):
    assert replaced(text, "blakc", "black") == expected


def test_what_is_wanted_follows_pairs_and_models():
    view = TranslationView(beside="en-ja", models=("bottleneck", "gru"), target="le chat noir")
    assert [(one.name, one.target) for one in wanted(view)] == [
        ("translation/en-fr/gru", "le chat noir"),
        ("translation/en-fr/bottleneck", "le chat noir"),
        # French is forced into no other language, and Japanese has no model without attention.
        ("translation/en-ja/gru", ""),
    ]


@pytest.mark.parametrize(
    "fields",
    [
        {"models": ()},
        {"models": ("gru", "gru")},
        {"models": ("lstm",)},
        {"pair": "en-de"},
        {"beams": 0},
        {"beams": 17},
        {"step": -1},
        {"text": "a" * 2001},
    ],
)
def test_the_view_holds_nothing_that_no_page_can_show(fields):
    with pytest.raises(ValidationError):
        TranslationView(**fields)
