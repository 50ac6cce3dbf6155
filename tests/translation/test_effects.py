"""Removing and swapping source words, with a translator whose probabilities are known."""

import math

import pytest
import torch

from attnviz.base.errors import InputError
from attnviz.translation import Links, SentencePair, Translator, effects
from attnviz.translation.mistakes import Mistake, by_kind, mistakes
from tests.translation.made import tokens, translation


class Known:
    """A target word has probability 0.8 if the source holds its counterpart, else 0.1; the end always 0.5."""

    name = "known"

    def __init__(self) -> None:
        self.words = {"x": "a", "y": "b", "z": "b"}
        self.calls = 0

    def translate(self, text: str, *, beams: int = 1):
        raise NotImplementedError

    def force(self, pairs, *, alternatives: int = 0):
        raise NotImplementedError

    def log_probabilities(self, pairs):
        self.calls += 1
        return [
            torch.tensor(
                [math.log(0.8 if self.words[word] in source.split() else 0.1) for word in target.split()]
                + [math.log(0.5)]
            )
            for source, target in pairs
        ]


def test_removal_by_hand():
    found = effects.removal(Known(), ["a", "b", "c"], "x y", tokens(["▁x", "▁y"], end=True))
    loss = math.log(8)
    torch.testing.assert_close(found, torch.tensor([[loss, 0.0, 0.0], [0.0, loss, 0.0]]))
    assert effects.links(found) == {(0, 0), (1, 1)}


def test_a_word_that_occurs_twice_is_missed_only_when_both_are_gone():
    found = effects.removal(Known(), ["a", "a"], "x", tokens(["▁x"], end=True))
    torch.testing.assert_close(found, torch.zeros(1, 2))
    assert effects.links(found) == frozenset()


def test_the_only_word_cannot_be_removed():
    found = effects.removal(Known(), ["a"], "x", tokens(["▁x"], end=True))
    assert bool(found.isnan().all())
    assert found.shape == (1, 1)


def test_pieces_of_a_target_word_are_summed():
    rows = torch.tensor([-1.0, -2.0, -4.0, -8.0])
    torch.testing.assert_close(
        effects.by_word(rows, tokens(["▁cha", "ts", "▁x"], end=True)), torch.tensor([-3.0, -4.0])
    )


def test_rows_that_are_not_the_tokens_are_refused():
    with pytest.raises(InputError, match=r"cuts “chats x” into 5 tokens now and into 4 before"):
        effects.by_word(torch.zeros(5), tokens(["▁cha", "ts", "▁x"], end=True))


def test_swap_by_hand():
    changed = effects.swapped(["a", "b"], 0, "b")
    before, after = effects.change(Known(), "a b", changed, "x y", tokens(["▁x", "▁y"], end=True))
    torch.testing.assert_close(before.exp(), torch.tensor([0.8, 0.8]))
    torch.testing.assert_close(after.exp(), torch.tensor([0.1, 0.8]))


def test_many_sentences_go_through_the_model_together():
    one = translation(["▁a", "▁b"], ["▁x", "▁y"], torch.zeros(1, 3, 3))
    short = translation(["▁a"], ["▁x"], torch.zeros(1, 2, 2))
    model = Known()
    found = list(effects.removals(model, [one, short, one]))
    assert model.calls == 1
    torch.testing.assert_close(found[2], effects.removal(Known(), ["a", "b"], "x y", one.predicted))
    assert bool(found[1].isnan().all())


def test_a_translator_is_told_by_what_it_offers():
    assert isinstance(Known(), Translator)


PAIR = SentencePair(
    ("the", "cat"),
    ("le", "chat", "!"),
    Links(frozenset({(0, 0), (1, 1)}), frozenset()),
    ("determiner", "noun", "punctuation"),
)


def test_mistakes_by_kind_of_word():
    links = [frozenset({(1, 0), (1, 1)}), frozenset({(1, 0), (0, 2)})]
    assert mistakes(links, [PAIR, PAIR]) == [Mistake(0, 0, 1), Mistake(1, 0, 1), Mistake(1, 2, 0)]
    assert [(one.kind, one.linked, one.wrong) for one in by_kind(links, [PAIR, PAIR])] == [
        ("determiner", 2, 2), ("punctuation", 1, 1), ("noun", 1, 0),
    ]  # fmt: skip


@pytest.mark.parametrize(("place", "expected"), [(0, "b c"), (2, "a b")])
def test_a_text_without_one_of_its_words(place: int, expected: str):
    assert effects.without(["a", "b", "c"], place) == expected
