"""Modules that call torch's attention function themselves."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import attnviz


class Plain(nn.Module):
    """Hands everything on; the model around it gives names."""

    def forward(self, query, key, value, **options):
        return F.scaled_dot_product_attention(query, key, value, **options)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.ModuleDict({"attn": Plain()}) for _ in range(2)])

    def forward(self, *tensors, **options):
        return [block["attn"](*tensors, **options) for block in self.blocks]


def random(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def by_hand(query, key, scale, allowed=None, bias=0):
    """In float64, as the documentation of the function writes it."""
    scores = query.double() @ key.double().mT * scale + bias
    return (scores if allowed is None else scores.masked_fill(~allowed, -torch.inf)).softmax(-1)


def record(*tensors, values=False, **options):
    model = Model()
    plain = model(*tensors, **options)
    with attnviz.capture(model, values=values) as trace:
        recorded = model(*tensors, **options)
    for expected, found in zip(plain, recorded, strict=True):
        assert torch.equal(expected, found)
    assert not trace.notes
    assert [found.name for found in trace] == ["blocks.0.attn", "blocks.1.attn"]
    return trace


@pytest.mark.parametrize(("queries", "keys"), [(6, 6), (4, 6), (6, 4)])
def test_is_causal_meets_in_the_upper_left_corner(queries, keys):
    query, key = random(2, 3, queries, 8), random(2, 3, keys, 8, seed=1)
    trace = record(query, key, key, is_causal=True)
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril()
    torch.testing.assert_close(
        trace[0].weights(None, 1).double(), by_hand(query, key, 8**-0.5, allowed)[1], atol=1e-6, rtol=0
    )
    assert trace[0].role == "decoder"


def test_unequal_lengths_without_causality_are_cross():
    query, key = random(2, 3, 4, 8), random(2, 3, 6, 8, seed=1)
    trace = record(query, key, key, scale=0.7)
    assert trace.roles() == ("cross",)
    torch.testing.assert_close(trace[0].weights(None, 1).double(), by_hand(query, key, 0.7)[1], atol=1e-6, rtol=0)


def test_a_decoder_that_goes_on_from_a_cache_stays_a_decoder():
    key = random(1, 2, 6, 8)
    model = Plain()
    with attnviz.capture(model) as trace:
        model(key, key, key, is_causal=True)
        model(key[:, :, -1:], key, key)
    assert [found.role for found in trace] == ["decoder", "decoder"]


@pytest.mark.parametrize("shape", [(5, 7), (1, 5, 7), (2, 1, 5, 7), (1, 3, 5, 7)])
def test_masks_broadcast_from_the_right(shape):
    query, key = random(2, 3, 5, 8), random(2, 3, 7, 8, seed=1)
    allowed = random(*shape, seed=2) > -0.5
    expected = by_hand(query, key, 8**-0.5, allowed)
    trace = record(query, key, key, attn_mask=allowed)
    for item in (0, 1):
        torch.testing.assert_close(trace[0].weights(None, item).double(), expected[item], atol=1e-6, rtol=0)


def test_a_float_mask_forbids_and_adds():
    query, key = random(1, 3, 5, 8), random(1, 3, 5, 8, seed=1)
    bias = random(5, 5, seed=2)
    allowed = torch.ones(5, 5, dtype=torch.bool).tril()
    trace = record(query, key, key, attn_mask=bias.masked_fill(~allowed, -torch.inf))
    expected = by_hand(query, key, 8**-0.5, allowed, bias.double())
    torch.testing.assert_close(trace[0].weights(None).double(), expected[0], atol=1e-6, rtol=0)
    assert trace[0].role == "decoder"


def test_grouped_heads():
    query, key = random(1, 4, 5, 8), random(1, 2, 5, 8, seed=1)
    trace = record(query, key, key, enable_gqa=True)
    expected = by_hand(query, key.repeat_interleave(2, 1), 8**-0.5)
    torch.testing.assert_close(trace[0].weights(None).double(), expected[0], atol=1e-6, rtol=0)


def test_without_heads_there_is_one_and_further_dimensions_are_items():
    rows = random(3, 5, 8)
    trace = record(rows, rows, rows)
    assert (trace[0].items, trace[0].heads) == (3, 1)
    torch.testing.assert_close(trace[0].weights(0, 2).double(), by_hand(rows, rows, 8**-0.5)[2], atol=1e-6, rtol=0)
    rows = random(2, 3, 4, 5, 8)
    allowed = random(3, 1, 5, 5, seed=3) > -0.5
    trace = record(rows, rows, rows, attn_mask=allowed)
    assert (trace[0].items, trace[0].heads) == (6, 4)
    expected = by_hand(rows, rows, 8**-0.5, allowed)[1, 2]
    torch.testing.assert_close(trace[0].weights(None, 5).double(), expected, atol=1e-6, rtol=0)


def test_one_batch_of_queries_for_many_of_keys():
    query, key = random(1, 2, 3, 8), random(4, 2, 5, 8, seed=1)
    trace = record(query, key, key)
    assert trace[0].items == 4
    torch.testing.assert_close(trace[0].weights(None, 3).double(), by_hand(query, key, 8**-0.5)[3], atol=1e-6, rtol=0)


def test_values_may_be_wider_and_give_the_output():
    query, value = random(1, 2, 5, 8), random(1, 2, 5, 12, seed=1)
    trace = record(query, query, value, values=True)
    torch.testing.assert_close(trace[0].output(None), F.scaled_dot_product_attention(query, query, value)[0])


def test_half_precision_is_kept_and_computed_in_float32():
    query = random(1, 2, 5, 8, dtype=torch.bfloat16)
    trace = record(query, query, query)
    assert trace[0].scores.query.dtype == torch.bfloat16
    torch.testing.assert_close(trace[0].weights(None).double(), by_hand(query, query, 8**-0.5)[0], atol=1e-6, rtol=0)


def test_nothing_is_copied():
    query = random(1, 2, 5, 8)
    trace = record(query, query, query)
    assert trace[0].scores.query.data_ptr() == query.data_ptr()


def test_a_method_that_is_called_on_the_model_itself_is_recorded_under_its_class():
    class Encoder(nn.Module):
        def encode(self, rows):
            return F.scaled_dot_product_attention(rows, rows, rows)

    model = Encoder()
    with attnviz.capture(model) as trace:
        model.encode(random(1, 2, 5, 8))
    assert [found.name for found in trace] == ["Encoder"]


def test_what_another_model_does_meanwhile_is_not_recorded():
    model, other, rows = Plain(), Plain(), random(1, 2, 5, 8)
    with attnviz.capture(model) as trace:
        other(rows, rows, rows)
        model(rows, rows, rows)
    assert len(trace) == 1


def test_a_block_within_a_block_records_its_own_model():
    model = Model()
    rows = random(1, 2, 5, 8)
    with attnviz.capture(model) as outer, attnviz.capture(model.blocks[1]) as inner:
        model(rows, rows, rows)
    assert [found.name for found in outer] == ["blocks.0.attn", "blocks.1.attn"]
    assert [found.name for found in inner] == ["attn"]


def test_the_trace_fills_while_the_model_runs():
    model, rows = Plain(), random(1, 2, 5, 8)
    with attnviz.capture(model) as trace:
        assert len(trace) == 0
        model(rows, rows, rows)
        assert len(trace) == 1
        model(rows, rows, rows)
        assert len(trace) == 2
