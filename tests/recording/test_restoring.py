"""Whatever happens in the block, everything is as before after it; and blocks in two threads do not mix."""

import sys
import threading

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules import module as torch_module
from torch.overrides import _get_current_function_mode_stack

import attnviz
from attnviz.recording.routing import recordings


def state(model):
    """All that a block changes: the interface, hooks on all modules and on this one, function modes, who records."""
    from transformers.modeling_utils import AttentionInterface

    stance = sys.modules["torch._dynamo"].eval_frame._stance.stance if "torch._dynamo" in sys.modules else None
    return (
        AttentionInterface.get_interface,
        len(torch_module._global_forward_hooks),
        len(torch_module._global_forward_pre_hooks),
        len(torch_module._global_forward_hooks_always_called),
        [(len(one._forward_hooks), len(one._forward_pre_hooks)) for one in model.modules()],
        list(_get_current_function_mode_stack()),
        recordings(),
        stance,
    )


class Attending(nn.Module):
    def forward(self, rows, fail=False):
        output = F.scaled_dot_product_attention(rows, rows, rows)
        if fail:
            raise RuntimeError("broken off")
        return output


class Wrapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Attending()

    def forward(self, rows, fail=False):
        return self.inner(rows, fail)


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_after_the_block_everything_is_as_before(tiny, padded, family):
    model = tiny(family, "sdpa")
    before = state(model)
    with torch.no_grad(), attnviz.capture(model):
        assert state(model) != before
        model(**padded("none"))
    assert state(model) == before


def break_off(model, inputs):
    with torch.no_grad(), attnviz.capture(model):
        model(**inputs)
        model(input_ids=inputs["input_ids"] + 1000)


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_after_an_exception_in_the_block_everything_is_as_before(tiny, padded, family):
    model = tiny(family, "sdpa")
    before = state(model)
    inputs = padded("none")
    with pytest.raises((IndexError, RuntimeError)):
        break_off(model, inputs)
    assert state(model) == before


def test_an_exception_that_the_block_survives_leaves_the_names_right():
    model, rows = Wrapped(), torch.randn(1, 2, 5, 8)
    with attnviz.capture(model) as trace:
        with pytest.raises(RuntimeError, match="broken off"):
            model(rows, fail=True)
        model(rows)
        F.scaled_dot_product_attention(rows, rows, rows)
    assert [found.name for found in trace] == ["inner", "inner", "Wrapped"]


def test_an_exception_within_a_layers_attention_does_not_silence_the_next(tiny, padded):
    model, inputs = tiny("bert", "sdpa"), padded("none")
    wrong = {**inputs, "attention_mask": torch.ones(2, 1, 4, 4, dtype=torch.bool)}
    with torch.no_grad(), attnviz.capture(model) as trace:
        with pytest.raises(RuntimeError):
            model(**wrong)
        model(**inputs)
    assert len(trace) == 2


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_two_threads_that_record_at_once_do_not_mix(tiny, padded, family):
    """Each thread waits for the other in the middle of its block, so both are surely under way at once."""
    models = [tiny(family, "sdpa"), tiny(family, "sdpa")]
    before = [state(model) for model in models]
    meet = threading.Barrier(2, timeout=60)
    lengths, found = (5, 8), [None, None]

    def work(index):
        ids = padded("none")["input_ids"][:, : lengths[index]]
        with torch.no_grad(), attnviz.capture(models[index]) as trace:
            meet.wait()
            models[index](ids)
            meet.wait()
            models[index](ids)
        found[index] = trace

    threads = [threading.Thread(target=work, args=(index,)) for index in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for trace, length in zip(found, lengths, strict=True):
        assert [attention.shape for attention in trace] == [(length, length)] * 4
    assert [state(model) for model in models] == before


def test_two_threads_that_record_the_same_model_each_get_their_own(tiny, padded):
    model = tiny("bert", "sdpa")
    meet = threading.Barrier(2, timeout=60)
    found = {}

    def work(length):
        with torch.no_grad(), attnviz.capture(model) as trace:
            meet.wait()
            model(padded("none")["input_ids"][:, :length])
            meet.wait()
        found[length] = trace

    threads = [threading.Thread(target=work, args=(length,)) for length in (4, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for length, trace in found.items():
        assert [(attention.shape, attention.layer) for attention in trace] == [
            ((length, length), 0),
            ((length, length), 1),
        ]


def test_a_thread_that_does_not_record_is_left_alone(tiny, padded):
    recorded, free = tiny("gpt2", "sdpa"), tiny("gpt2", "sdpa")
    seen = []

    def work():
        with torch.no_grad():
            free(**padded("none"))
        seen.append(list(_get_current_function_mode_stack()))

    with torch.no_grad(), attnviz.capture(recorded) as trace:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert seen == [[]]
    assert len(trace) == 0
    assert ["No attention" in str(note) for note in trace.notes] == [True]


def test_only_a_torch_module_can_be_recorded():
    with pytest.raises(attnviz.InputError, match="function"), attnviz.capture(lambda: None):
        pass
