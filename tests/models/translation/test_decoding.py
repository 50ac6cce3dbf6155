"""Greedy and beam search over a table of probabilities that is known."""

import itertools
from typing import NamedTuple

import torch
from torch import Tensor

from attnviz.models.translation.decoding import beam, greedy
from attnviz.models.translation.vocabulary import END

# <pad> <s> </s> a b
A, B = 3, 4
SOURCE = torch.tensor([[A, END]])


class Encoded(NamedTuple):
    source: Tensor


class Table:
    """The next word's probabilities depend on the word before alone."""

    def __init__(self, after: dict[int, list[float]]) -> None:
        self.logits = torch.full((5, 5), -30.0)
        for word, probabilities in after.items():
            self.logits[word] = torch.tensor(probabilities).log()

    def encode(self, source: Tensor) -> Encoded:
        return Encoded(source)

    def decode(self, target: Tensor, source: Encoded) -> Tensor:
        assert len(target) == len(source.source)
        return self.logits[target]


# "a" is likelier at first, but what follows "b" is nearly certain: greedy is led astray.
ASTRAY = Table({1: [0, 0, 0, 0.6, 0.4], A: [0, 0, 0.4, 0.3, 0.3], B: [0, 0, 0.98, 0.01, 0.01]})


def best_by_trying_all(model: Table, longest: int) -> tuple[int, ...]:
    """The sentence with the largest mean log-probability among all up to a length."""
    scores = {}
    rows = model.logits.log_softmax(-1)
    for length in range(longest + 1):
        for words in itertools.product((A, B), repeat=length):
            path = (1, *words, END)
            total = sum(float(rows[one, other]) for one, other in itertools.pairwise(path))
            scores[words] = total / (length + 1)
    return max(scores, key=lambda words: scores[words])


def test_greedy_takes_the_likeliest_word_at_every_step():
    (found,) = greedy(ASTRAY, SOURCE)
    assert found.words == (A,)
    assert found.ended


def test_a_wide_beam_finds_what_trying_all_finds():
    assert beam(ASTRAY, SOURCE, beams=8, longest=4).words == best_by_trying_all(ASTRAY, 4) == (B,)


def test_one_beam_is_not_led_elsewhere_than_greedy():
    assert beam(ASTRAY, SOURCE, beams=1).words == (A,)


def test_what_never_ends_is_cut_off_and_says_so():
    endless = Table({1: [0, 0, 0, 1, 0], A: [0, 0, 0, 1, 0]})
    (found,) = greedy(endless, SOURCE, longest=3)
    assert (found.words, found.ended) == ((A, A, A), False)
    cut = beam(endless, SOURCE, beams=2, longest=3)
    assert (cut.words, cut.ended) == ((A, A, A), False)


def test_neither_padding_nor_a_second_beginning_is_written():
    tempted = Table({1: [0.5, 0.3, 0.2, 0, 0]})
    assert greedy(tempted, SOURCE)[0].words == ()
