"""Heads against gold links."""

from dataclasses import replace

import pytest
import torch

from attnviz.base.errors import InputError
from attnviz.tokens import Tokens
from attnviz.translation import Links, SentencePair
from attnviz.translation.heads import (
    MEAN,
    HeadName,
    choose_on_half,
    count_heads,
    cross_attentions,
    score_heads,
    weights_of,
)
from attnviz.translation.reading import Reading
from tests.translation.made import translation

# Head 0 is right about both words, head 1 about none; the end of the sentence gets the rest.
RIGHT = torch.tensor([[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.0, 0.0, 1.0]])
WRONG = torch.tensor([[0.3, 0.4, 0.3], [0.6, 0.2, 0.2], [0.0, 0.0, 1.0]])
PAIR = SentencePair(("a", "b"), ("x", "y"), Links(frozenset({(0, 0), (1, 1)}), frozenset()))


def made(*heads: torch.Tensor):
    return translation(["▁a", "▁b"], ["▁x", "▁y"], [torch.stack(heads)])


def test_every_head_its_layers_mean_and_the_mean_of_all():
    found = count_heads(made(RIGHT, WRONG), PAIR, Reading())
    rates = {name: one.error_rate for name, one in found.heads.items()}
    # In the mean of both, (0.9 + 0.3) / 2 > (0.05 + 0.4) / 2 and (0.8 + 0.2) / 2 > (0.1 + 0.6) / 2: right.
    assert rates == {MEAN: 0, HeadName(0, None): 0, HeadName(0, 0): 0, HeadName(0, 1): 1}


def test_the_mean_of_all_counts_every_head_once():
    one = translation(["▁a", "▁b"], ["▁x", "▁y"], [torch.stack([RIGHT]), torch.stack([WRONG, WRONG, WRONG])])
    torch.testing.assert_close(weights_of(one, MEAN), (RIGHT + 3 * WRONG) / 4)
    torch.testing.assert_close(weights_of(one, HeadName(1, None)), WRONG)
    torch.testing.assert_close(weights_of(one, HeadName(0, 0)), RIGHT)


def test_scores_over_sentences():
    counted = [count_heads(made(RIGHT, WRONG), PAIR, Reading()), count_heads(made(WRONG, WRONG), PAIR, Reading())]
    found = score_heads(counted)
    assert found[HeadName(0, 0)].counts.error_rate == 0.5
    assert found[HeadName(0, 0)].sentences == 2
    assert score_heads([]) == {}


def test_a_head_is_chosen_on_one_half_and_scored_on_the_other():
    # Head 0 is right in every sentence, head 1 in none: whichever the halves, head 0 is chosen, and right again.
    counted = [count_heads(made(RIGHT, WRONG), PAIR, Reading()) for _ in range(7)]
    one, other = choose_on_half(counted)
    assert one.head == other.head == HeadName(0, 0)
    assert one.on_chosen == one.on_other.counts.error_rate == 0
    assert one.on_other.sentences + other.on_other.sentences == 7
    assert choose_on_half(counted[:1]) == ()


def test_a_head_that_is_lucky_on_one_half_is_found_out_on_the_other():
    # A sentence in each half: head 0 is right in one and wrong in the other, head 1 the other way round.
    halves = [count_heads(made(*heads), PAIR, Reading()) for heads in ((RIGHT, WRONG), (WRONG, RIGHT))]
    found = choose_on_half(halves)
    assert {one.head for one in found} == {HeadName(0, 0), HeadName(0, 1)}
    assert [(one.on_chosen, one.on_other.counts.error_rate) for one in found] == [(0, 1), (0, 1)]


def test_a_head_without_a_single_link_is_not_chosen():
    # Gold has possible links alone, and the whole of head 0 lies on the end of the sentence: it has no rate at all.
    nowhere = torch.tensor([[0.0, 0.0, 1.0]] * 3)
    possible = SentencePair(PAIR.source, PAIR.target, Links(frozenset(), frozenset({(0, 0), (1, 1)})))
    counted = [count_heads(made(nowhere, RIGHT), possible, Reading(hide_special=False)) for _ in range(4)]
    assert [one.head for one in choose_on_half(counted)] == [HeadName(0, 1), HeadName(0, 1)]


def test_without_cross_attention_or_gold_there_is_a_sentence():
    bare = translation(["▁a"], ["▁x"], [])
    with pytest.raises(InputError, match="no cross-attention"):
        cross_attentions(bare)
    with pytest.raises(InputError, match="“a b” has no gold links"):
        count_heads(made(RIGHT), SentencePair(("a", "b"), ("x", "y")), Reading())


def test_without_the_places_of_tokens_there_are_no_words_to_compare():
    one = made(RIGHT)
    nowhere = replace(one, source=Tokens(("a", "b", "</s>"), special=(False, False, True), source="a b"))
    with pytest.raises(InputError, match="does not tell where its tokens stand in “a b”"):
        count_heads(nowhere, PAIR, Reading())
