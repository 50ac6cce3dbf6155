"""The diagonal and IBM model 1, against numbers worked out by hand."""

import pytest

from attnviz.translation import SentencePair
from attnviz.translation.floors import EMPTY, Ibm1, diagonal


def test_the_diagonal_of_equal_and_unequal_lengths():
    assert diagonal(3, 3) == {(0, 0), (1, 1), (2, 2)}
    assert diagonal(2, 4) == {(0, 0), (0, 1), (1, 2), (1, 3)}
    # The middle of one target word is as near to both source words: the earlier one.
    assert diagonal(2, 1) == {(0, 0)}
    # The middle of the second of three words, 1/2, lies exactly between 5/12 and 7/12.
    assert (2, 1) in diagonal(6, 3)


def pairs(*texts: tuple[str, str]) -> list[SentencePair]:
    return [SentencePair(tuple(source.split()), tuple(target.split())) for source, target in texts]


HOUSE = pairs(("das Haus", "the house"), ("das Buch", "the book"), ("ein Buch", "a book"))


def test_one_round_by_hand():
    """Koehn 2010, Statistical Machine Translation, chapter 4.2: the example of three sentence pairs."""
    found = Ibm1(HOUSE, rounds=1, empty=False).probabilities
    assert found["das"] == pytest.approx({"the": 0.5, "house": 0.25, "book": 0.25})
    assert found["Haus"] == pytest.approx({"the": 0.5, "house": 0.5})
    assert found["Buch"] == pytest.approx({"the": 0.25, "book": 0.5, "a": 0.25})
    assert found["ein"] == pytest.approx({"a": 0.5, "book": 0.5})


def test_two_rounds_by_hand():
    """the/das: (2/4·… ) worked out from the first round: in each sentence a word's shares are normalised."""
    found = Ibm1(HOUSE, rounds=2, empty=False).probabilities
    # "the" in "das Haus": 0.5 / (0.5 + 0.5); in "das Buch": 0.5 / (0.5 + 0.25). "house": 0.25 / 0.75. "book": 0.25 / 0.75.
    counts = {"the": 1 / 2 + 2 / 3, "house": 1 / 3, "book": 1 / 3}
    assert found["das"] == pytest.approx({word: one / sum(counts.values()) for word, one in counts.items()})


def test_links_are_the_most_probable_words():
    model = Ibm1(HOUSE, rounds=10, empty=False)
    assert model.links(("das", "Buch"), ("the", "book")) == {(0, 0), (1, 1)}
    assert model.links(("Buch", "das"), ("the", "book")) == {(1, 0), (0, 1)}


def test_a_word_that_no_source_word_gives_comes_from_the_empty_word():
    texts = pairs(("a", "x so"), ("b", "y so"), ("c", "z so"), ("d", "w so"))
    model = Ibm1(texts, rounds=20)
    assert model.links(("a",), ("x", "so")) == {(0, 0)}
    assert model.probabilities[EMPTY]["so"] > 0.9


def test_a_word_never_seen_has_no_link():
    assert Ibm1(HOUSE).links(("das",), ("unseen",)) == frozenset()
