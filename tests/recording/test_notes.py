"""What cannot be recorded is said, and what was overwritten is not shown."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import attnviz


def said(trace):
    return [str(note) for note in trace.notes]


class Cached(nn.Module):
    """Keeps its keys in one buffer, as a static cache does: each step writes into what the last one used."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(1, 2, 4, 8))

    def forward(self, step, rows):
        self.keys[:, :, step] = rows[:, :, 0]
        mask = torch.arange(4) <= step
        return F.scaled_dot_product_attention(rows, self.keys, self.keys, mask[None])


def steps(model):
    generator = torch.Generator().manual_seed(0)
    for step in range(3):
        model(step, torch.randn(1, 2, 1, 8, generator=generator))


def test_keys_that_were_overwritten_are_not_shown():
    model = Cached()
    with torch.no_grad(), attnviz.capture(model) as trace:
        steps(model)
    assert [found.shape for found in trace] == [(1, 4)]
    assert trace[0].allowed(0)[0].tolist() == [True, True, True, False]
    assert any("overwritten" in text for text in said(trace))


def test_keys_that_were_overwritten_in_inference_mode_are_not_shown():
    with torch.inference_mode():
        model = Cached()
        with attnviz.capture(model) as trace:
            steps(model)
    assert [found.shape for found in trace] == [(1, 4)]
    assert trace[0].allowed(0)[0].tolist() == [True, True, True, False]
    assert any("overwritten" in text for text in said(trace))


def test_what_is_overwritten_after_the_block_vanishes_from_the_trace():
    rows = torch.randn(1, 2, 5, 8)

    class Model(nn.Module):
        def forward(self, query, key):
            return F.scaled_dot_product_attention(query, key, key)

    with attnviz.capture(model := Model()) as trace:
        model(rows, rows.clone())
    assert len(trace) == 1
    rows.zero_()
    assert len(trace) == 0
    assert any("overwritten" in text for text in said(trace))


@pytest.mark.filterwarnings("ignore:Using `torch.compile")
@pytest.mark.parametrize("wrap", [False, True])
def test_a_compiled_model_runs_uncompiled_and_is_recorded(wrap):
    class Model(nn.Module):
        def forward(self, rows):
            return F.scaled_dot_product_attention(rows, rows, rows, is_causal=True)

    model, rows = nn.Sequential(Model()), torch.randn(1, 2, 5, 8)
    if wrap:
        model = torch.compile(model, backend="eager")
    else:
        model.compile(backend="eager")
    plain = model(rows)
    with attnviz.capture(model) as trace:
        recorded = model(rows)
    assert torch.equal(plain, recorded)
    assert [found.name for found in trace] == ["0"]
    assert ["compiled" in text for text in said(trace)] == [True]


def test_a_compiled_function_within_a_model_is_recorded():
    @torch.compile(backend="eager")
    def attend(rows):
        return F.scaled_dot_product_attention(rows, rows, rows)

    class Model(nn.Module):
        def forward(self, rows):
            return attend(rows)

    model, rows = Model(), torch.randn(1, 2, 5, 8)
    model(rows)
    with attnviz.capture(model) as trace:
        model(rows)
    assert len(trace) == 1


def test_a_model_that_was_rebuilt_since_its_last_recording_says_what_may_be_missing(tiny, padded):
    class OnTop(nn.Module):
        def forward(self, states, *args, **kwargs):
            return F.scaled_dot_product_attention(states, states, states)

    model = tiny("bert", "sdpa")
    with torch.no_grad():
        with attnviz.capture(model) as trace:
            model(**padded("none"))
        assert not trace.notes
        model.encoder.layer[1].output = OnTop()
        with attnviz.capture(model) as trace:
            model(**padded("none"))
        assert ["rebuilt" in text for text in said(trace)] == [True]
        with attnviz.capture(model) as trace:
            model(**padded("none"))
    assert [found.name for found in trace][-1] == "encoder.layer.1.output"
    assert not trace.notes


def test_an_empty_sequence_is_noted():
    class Model(nn.Module):
        def forward(self, rows):
            return F.scaled_dot_product_attention(rows, rows, rows)

    with attnviz.capture(model := Model()) as trace:
        model(torch.randn(1, 2, 0, 8))
    assert len(trace) == 0
    assert ["empty" in text for text in said(trace)] == [True]


def test_a_note_is_said_once(tiny, padded):
    model = tiny("bert", "eager").train()
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(**padded("none"))
    assert len(said(trace)) == len(set(said(trace))) == 1
