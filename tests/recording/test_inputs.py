"""A recording knows its tokens from what the model was given: ids, padding, and texts with a tokenizer."""

import pytest
import torch
from torch import nn

import attnviz


class Letters:
    """A tokenizer as transformers' are, with a letter for each id."""

    all_special_ids = (0,)

    def convert_ids_to_tokens(self, ids):
        return [chr(ord("a") + number) for number in ids]


@pytest.mark.parametrize("by_name", [True, False])
def test_ids_and_padding_come_from_the_inputs(tiny, padded, by_name):
    model, inputs = tiny("bert", "sdpa"), padded("right")
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(**inputs) if by_name else model(*inputs.values())
    for found in trace:
        for item in (0, 1):
            for tokens in (found.query_tokens_of(item), found.key_tokens_of(item)):
                assert tokens.ids == tuple(inputs["input_ids"][item].tolist())
        assert found.key_tokens_of(0).padding is None
        assert found.key_tokens_of(1).padding == (False,) * 6 + (True,) * 3


def test_padding_on_the_left(tiny, padded):
    model = tiny("llama", "sdpa")
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(**padded("left"))
    assert {found.key_tokens_of(1).padding for found in trace} == {(True,) * 3 + (False,) * 6}


def test_a_tokenizer_gives_the_texts(tiny):
    model = tiny("gpt2", "sdpa")
    with torch.no_grad(), attnviz.capture(model, tokenizer=Letters()) as trace:
        model(input_ids=torch.tensor([[1, 2, 0]]))
    assert trace[0].query_tokens.texts == ("b", "c", "a")
    assert trace[0].query_tokens.special == (False, False, True)


@pytest.mark.parametrize("family", ["t5", "bart"])
def test_encoder_decoder_and_cross_have_the_right_tokens_on_each_side(tiny, family):
    model = tiny(family, "eager")
    text, written = torch.tensor([[5, 6, 7, 1]]), torch.tensor([[0, 9, 8]])
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(input_ids=text, decoder_input_ids=written)
    sides = {"encoder": (text, text), "decoder": (written, written), "cross": (written, text)}
    assert set(trace.roles()) == set(sides)
    for found in trace:
        queries, keys = sides[found.role]
        assert found.query_tokens.ids == tuple(queries[0].tolist())
        assert found.key_tokens.ids == tuple(keys[0].tolist())


def test_a_padding_mask_alone_says_what_is_padding():
    layer = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    rows = torch.randn(2, 4, 8, generator=torch.Generator().manual_seed(0))
    absent = torch.tensor([[False] * 4, [False, False, True, True]])
    with torch.no_grad(), attnviz.capture(layer) as trace:
        layer(rows, rows, rows, key_padding_mask=absent, need_weights=False)
    assert trace[0].key_tokens_of(1).padding == (False, False, True, True)
    assert trace[0].query_tokens_of(1).padding == (False, False, True, True)
    assert trace[0].key_tokens_of(0).padding is None


def test_each_run_has_its_own_tokens(tiny):
    model = tiny("bert", "sdpa")
    runs = [torch.tensor([[5, 6, 7]]), torch.tensor([[8, 9, 10]])]
    with torch.no_grad(), attnviz.capture(model) as trace:
        for ids in runs:
            model(ids)
    assert [found.query_tokens.ids for found in trace] == [(5, 6, 7)] * 2 + [(8, 9, 10)] * 2
