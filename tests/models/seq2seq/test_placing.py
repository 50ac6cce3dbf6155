"""Pieces laid along a text: places counted by hand."""

import pytest

from attnviz.models.placing import laid_along, placed, words_of
from attnviz.tokens import Tokens


@pytest.mark.parametrize(
    ("text", "words"),
    [("", ()), (" \n", ()), ("le chat", ((0, 2), (3, 7))), ("  le\u3000chat ", ((2, 4), (5, 9)))],
)
def test_words_are_what_whitespace_parts(text, words):
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("pieces", "text", "spans"),
    [
        ([" le", " ch", "at"], "le chat", ((0, 2), (3, 5), (5, 7))),
        ([" ", "le", " ", "chat"], "le  chat", ((0, 1), (0, 2), (4, 5), (4, 8))),
        # A ligature is one letter of the text and two of the pieces.
        (["f", "in"], "ﬁn", ((0, 1), (0, 2))),
        (["1", "2"], "１２", ((0, 1), (1, 2))),
        # ч is D1 87 in UTF-8; the tokenizer cut it in two.
        (["<0xD1>", "<0x87>ё"], "чё", None),
        (["<0xD1>", "<0x87>", "ё"], "чё", ((0, 1), (0, 1), (1, 2))),
        (["<0xD1><0x87>", "ё"], "чё", ((0, 1), (1, 2))),
        # A text that was cut off.
        ([" le"], "le chat", ((0, 2),)),
        ([" le", " "], "le", ((0, 2), None)),
        ([" Le"], "le", None),
        ([" le", " chats"], "le chat", None),
        (["<unk>"], "zebu", None),
    ],
)
def test_pieces_are_laid_along_the_text(pieces, text, spans):
    assert laid_along(pieces, text) == spans


class Slow:
    """A tokenizer without offsets that writes everything small."""

    is_fast = False
    all_special_ids = ()
    vocabulary = ("le", "chat", "noir")

    def __call__(self, text, **options):
        return {"input_ids": [[self.vocabulary.index(word) for word in text[0].lower().split()]]}


def test_where_pieces_do_not_spell_the_text_each_has_the_place_of_its_word():
    tokens = Tokens(texts=("le", "chat", "</s>"), ids=(0, 1, 9), special=(False, False, True))
    found = placed(Slow(), tokens, "Le  Chat", target=False)
    assert found.spans == ((0, 2), (4, 8), None)
    assert found.words == (0, 1, None)
    assert found.source == "Le  Chat"


def test_where_nothing_helps_no_place_is_made_up():
    tokens = Tokens(texts=("noir", "chat"), ids=(2, 1), special=(False, False))
    found = placed(Slow(), tokens, "Le Chat", target=False)
    assert (found.spans, found.words) == (None, None)
