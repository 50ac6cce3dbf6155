"""Weights as an alignment: which row, which columns, pieces and words."""

import pytest
import torch

from attnviz.tokens import Tokens
from attnviz.translation import Links, SentencePair, Translation
from attnviz.translation.heads import MEAN, count_heads
from attnviz.translation.reading import Reading, gold_of, is_punctuation, kept, lay_out, word_of_each
from tests.translation.made import tokens, translation

# Rows: what predicts "le", "chat", "noir", the end. Columns: the, black, cat, ".", the end.
WEIGHTS = torch.tensor(
    [
        [0.50, 0.10, 0.20, 0.05, 0.15],
        [0.10, 0.20, 0.60, 0.05, 0.05],
        [0.05, 0.70, 0.15, 0.05, 0.05],
        [0.10, 0.10, 0.10, 0.10, 0.60],
    ]
)
MADE = translation(["▁the", "▁black", "▁cat", "▁."], ["▁le", "▁chat", "▁noir"], WEIGHTS[None])


def test_words_are_what_whitespace_parts():
    assert word_of_each(tokens(["▁un", "believ", "able", "▁!"], begin=True, end=True)) == (None, 0, 0, 0, 1, None)


@pytest.mark.parametrize(
    ("text", "expected"), [(".", True), ("。", True), ("'s", False), ("3", False), ("", False), ("…!", True)]
)
def test_punctuation_has_neither_letter_nor_digit(text: str, expected: bool):
    assert is_punctuation(text) is expected


def test_rows_that_predict_and_the_end_hidden():
    layout = lay_out(MADE, Reading())
    assert layout.source.labels == ("the", "black", "cat", ".")
    assert layout.target.labels == ("le", "chat", "noir")
    torch.testing.assert_close(layout.matrix(WEIGHTS), WEIGHTS[:3, :4])
    torch.testing.assert_close(layout.hidden_mass(WEIGHTS), torch.tensor([0.15, 0.05, 0.05]))
    assert layout.links(layout.matrix(WEIGHTS)) == {(0, 0), (2, 1), (1, 2)}


def test_rows_that_consume_are_one_later():
    layout = lay_out(MADE, Reading(rows="consume"))
    assert layout.target.labels == ("le", "chat", "noir")
    torch.testing.assert_close(layout.matrix(WEIGHTS), WEIGHTS[1:, :4])


def test_nothing_hidden():
    layout = lay_out(MADE, Reading(hide_special=False))
    assert layout.source.labels[-1] == "</s>"
    torch.testing.assert_close(layout.matrix(WEIGHTS), WEIGHTS[:3])
    torch.testing.assert_close(layout.hidden_mass(WEIGHTS), torch.zeros(3))
    # The end of the sentence is no word: where it gets most, there is no link.
    last = WEIGHTS.clone()
    last[0, 4] = 2.0
    assert layout.links(layout.matrix(last)) == {(2, 1), (1, 2)}


def test_punctuation_hidden_and_what_is_left_brought_to_one():
    layout = lay_out(MADE, Reading(hide_punctuation=True, renormalise=True))
    assert layout.source.labels == ("the", "black", "cat")
    torch.testing.assert_close(layout.matrix(WEIGHTS)[0], torch.tensor([0.5, 0.1, 0.2]) / 0.8)
    torch.testing.assert_close(layout.hidden_mass(WEIGHTS), torch.tensor([0.2, 0.1, 0.1]))


def test_a_full_stop_that_is_hidden_is_neither_linked_nor_asked_for():
    """Otherwise the target's full stop would be forced onto another word, and its gold link would be missed."""
    pair = SentencePair(("no", "."), ("non", "."), Links(frozenset({(0, 0), (1, 1)}), frozenset()))
    weights = torch.tensor([[0.9, 0.05, 0.05], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]])
    made = translation(["▁no", "▁."], ["▁non", "▁."], weights[None])
    reading = Reading(hide_punctuation=True)
    layout = lay_out(made, reading)
    assert layout.target.labels == ("non",)
    assert layout.links(layout.matrix(weights)) == {(0, 0)}
    assert gold_of(pair, reading) == Links(frozenset({(0, 0)}), frozenset())
    assert kept({(0, 1), (1, 0), (0, 0)}, pair, reading) == {(0, 0)}
    assert count_heads(made, pair, reading).heads[MEAN].error_rate == 0


def test_tokens_without_places_are_words_of_their_own_whatever_special_ones_stand_before_them():
    bare = Tokens(("en_XX", "a", "b", "</s>"), special=(True, False, False, True))
    target = Tokens(("x", "</s>"), special=(False, True))
    weights = torch.tensor([[0.0, 0.1, 0.8, 0.1], [0.0, 0.0, 0.0, 1.0]])
    made = Translation(PIECES.trace, bare, target, target, torch.zeros(2), (), forced=True)
    layout = lay_out(made, Reading())
    assert layout.by_words is False
    assert layout.source.labels == ("a", "b")
    assert layout.links(layout.matrix(weights)) == {(1, 0)}


PIECES = translation(["▁black", "▁ca", "ts"], ["▁cha", "ts"], torch.zeros(1, 3, 4))
PIECE_WEIGHTS = torch.tensor([[0.1, 0.3, 0.4, 0.2], [0.5, 0.1, 0.2, 0.2], [0.0, 0.0, 0.0, 1.0]])


def test_words_are_sums_over_source_pieces_and_means_over_target_pieces():
    layout = lay_out(PIECES, Reading())
    assert layout.source.labels == ("black", "cats")
    assert layout.target.labels == ("chats",)
    # (0.1 + 0.5) / 2 and ((0.3 + 0.4) + (0.1 + 0.2)) / 2
    torch.testing.assert_close(layout.matrix(PIECE_WEIGHTS), torch.tensor([[0.3, 0.5]]))
    torch.testing.assert_close(layout.hidden_mass(PIECE_WEIGHTS), torch.tensor([0.2]))


def test_pieces_stay_apart_when_asked_for_and_their_links_are_links_of_words():
    layout = lay_out(PIECES, Reading(pieces=True))
    assert layout.source.labels == ("black", "ca", "ts")
    assert layout.target.labels == ("cha", "ts")
    torch.testing.assert_close(layout.matrix(PIECE_WEIGHTS), PIECE_WEIGHTS[:2, :3])
    assert layout.links(layout.matrix(PIECE_WEIGHTS)) == {(1, 0), (0, 0)}


def test_a_row_without_weights_gives_no_link():
    layout = lay_out(MADE, Reading())
    matrix = layout.matrix(WEIGHTS).clone()
    matrix[0] = torch.nan
    matrix[1] = 0
    assert layout.links(matrix) == {(1, 2)}
