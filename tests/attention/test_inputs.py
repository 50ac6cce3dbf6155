"""Whoever hands in something that does not fit is told what was read and what was expected."""

import pytest
import torch

from attnviz.attention import Attention, Dense, Lengths, inputs
from attnviz.base.errors import InputError
from attnviz.tokens import Tokens


def refused(call, *mentioned):
    with pytest.raises(InputError) as caught:
        call()
    for words in mentioned:
        assert str(words) in str(caught.value)


def some(*shape):
    return torch.ones(*shape)


def test_queries_and_keys_of_different_width():
    refused(lambda: Attention.from_qk(some(3, 8), some(3, 4)), "width: 8 and 4")


def test_heads_that_cannot_be_shared():
    refused(lambda: Attention.from_qk(some(6, 3, 8), some(4, 3, 8)), "query heads, 6", "key heads, 4")


def test_different_numbers_of_items():
    refused(lambda: Attention.from_qk(some(2, 1, 3, 8), some(3, 1, 3, 8)), "items: 2 and 3")


@pytest.mark.parametrize("shape", [(8,), (1, 1, 1, 3, 8)])
def test_too_few_or_too_many_dimensions(shape):
    refused(lambda: Attention.from_qk(some(*shape), some(3, 8)), "query", shape, "2, 3 or 4")
    refused(lambda: Attention.from_weights(some(*shape)), "weights", shape)


def test_nothing_at_all():
    refused(lambda: Attention.from_qk(some(0, 8), some(3, 8)), "query", "(0, 8)", "empty")


def test_whole_numbers_for_keys():
    refused(lambda: inputs.with_items_and_heads(torch.ones(3, 8, dtype=torch.long), "key"), "key", "int64")


def test_values_for_other_keys():
    refused(lambda: Attention.from_qk(some(3, 8), some(4, 8), value=some(5, 8)), "(1, 1, 5, 8)", "1, 1 and 4")
    refused(lambda: Attention.from_weights(some(3, 4), value=some(5, 8)), "(1, 1, 5, 8)", "1, 1 and 4")


@pytest.mark.parametrize("mask", [Dense(torch.ones(1, 1, 3, 5, dtype=torch.bool)), torch.zeros(3, 5, dtype=torch.bool)])
def test_a_mask_for_other_sizes(mask):
    refused(lambda: Attention.from_qk(some(3, 8), some(4, 8), mask=mask), "(1, 1, 3, 5)", "(1, 1, 3, 4)")


def test_a_mask_of_five_dimensions():
    refused(lambda: Attention.from_qk(some(3, 8), some(4, 8), mask=torch.zeros(1, 1, 1, 3, 4)), "(1, 1, 1, 3, 4)", 4)


def test_a_mask_of_whole_numbers():
    refused(lambda: Attention.from_qk(some(3, 8), some(4, 8), mask=torch.zeros(3, 4, dtype=torch.long)), "int64")


def test_padding_for_other_items():
    refused(lambda: Attention.from_qk(some(3, 8), some(4, 8), mask=Lengths((0, 0), (4, 4))), "mask, 2", "queries, 1")
    refused(lambda: Lengths((0,), (1, 2)), "1 and 2")


def test_a_bias_for_other_sizes():
    refused(lambda: Attention.from_qk(some(3, 8), some(4, 8), bias=torch.ones(2, 3, 4)), "(1, 2, 3, 4)", "(1, 1, 3, 4)")


def test_sinks_for_other_heads():
    refused(lambda: Attention.from_qk(some(2, 3, 8), some(2, 4, 8), sinks=some(3)), "(3,)", "2 in all")


@pytest.mark.parametrize("softcap", [0.0, -1.0, float("nan")])
def test_a_softcap_that_caps_nothing(softcap):
    refused(lambda: Attention.from_qk(some(3, 8), some(4, 8), softcap=softcap), softcap)


def test_tokens_for_other_positions():
    tokens = Tokens.numbered(5)
    refused(lambda: Attention.from_qk(some(3, 8), some(4, 8), query_tokens=tokens), "query tokens, 5", "queries, 3")
    refused(lambda: Attention.from_qk(some(3, 8), some(4, 8), key_tokens=tokens), "key tokens, 5", "keys, 4")
    refused(
        lambda: Attention.from_qk(some(3, 8), some(4, 8), key_tokens=[Tokens.numbered(4)] * 2),
        "tokens, 2",
        "attention, 1",
    )


def test_heads_items_and_positions_that_are_not_there():
    attention = Attention.from_qk(some(2, 3, 8), some(2, 4, 8))
    for head in (2, -1):
        refused(lambda head=head: attention.weights(head), f"Head {head} ", "is 2")
    refused(lambda: attention.row_state(item=1), "Item 1 ", "is 1")
    refused(lambda: attention.query_tokens_of(1), "Item 1 ")
    refused(lambda: attention.key_tokens_of(-1), "Item -1 ")
    refused(lambda: attention.weights(0, rows=[0, 3]), "Query 3 ", "is 3")
    refused(lambda: attention.weights(0, cols=[-1]), "Key -1 ", "is 4")


def test_what_stored_weights_do_not_tell():
    attention = Attention.from_weights(some(2, 2) / 2, name="blocks.0.attn")
    refused(lambda: attention.logits(0), "blocks.0.attn")
    refused(attention.lse, "blocks.0.attn")


def test_an_output_without_values():
    refused(Attention.from_qk(some(2, 2), some(2, 2), name="blocks.0.attn").output, "blocks.0.attn", "values")


def test_an_overview_without_cells():
    refused(lambda: Attention.from_qk(some(2, 2), some(2, 2)).overview(0), "is 0")
