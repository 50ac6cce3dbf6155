"""A recording holds queries and keys and hardly anything else, and stops before memory runs out."""

import gc
import weakref

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.overrides import TorchFunctionMode

import attnviz
from attnviz.base.errors import InputError
from attnviz.base.memory import amount, free_bytes
from attnviz.recording import keeping


class Packed(nn.Module):
    """Queries, keys and values in one product, as in GPT-2 and in vision transformers."""

    def __init__(self, heads=4, width=32, layers=3, dtype=torch.float32):
        super().__init__()
        self.heads = heads
        self.layers = nn.ModuleList(nn.Linear(width, 3 * width, dtype=dtype) for _ in range(layers))

    def forward(self, rows):
        for layer in self.layers:
            packed = layer(rows).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
            rows = F.scaled_dot_product_attention(*packed).transpose(1, 2).flatten(2)
        return rows


def memory_of(trace):
    """Bytes of the storages that the trace keeps alive, each counted once."""
    tensors = [tensor for found in trace for tensor in found.scores.tensors()]
    tensors += [found.value for found in trace if found.has_values]
    storages = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in tensors}
    return sum(storages.values())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("values", [False, True])
def test_no_more_is_kept_than_queries_and_keys(dtype, values):
    model, rows = Packed(dtype=dtype), torch.randn(2, 64, 32).to(dtype)
    with torch.no_grad(), attnviz.capture(model, values=values) as trace:
        model(rows)
    assert len(trace) == 3
    assert all(found.check.agrees for found in trace)
    needed = 3 * (3 if values else 2) * 2 * 64 * 32 * dtype.itemsize
    assert memory_of(trace) <= 1.05 * needed


def test_what_is_kept_for_the_check_is_within_the_bound():
    model, rows = Packed(heads=2, width=128), torch.randn(1, 256, 128)
    seen = []
    original = keeping.Keeping.take

    def take(self, call):
        original(self, call)
        seen.append(sum(column.untyped_storage().nbytes() for column in call.column))

    keeping.Keeping.take = take
    try:
        with torch.no_grad(), attnviz.capture(model) as trace:
            model(rows)
    finally:
        keeping.Keeping.take = original
    needed = 3 * 2 * 256 * 128 * 4
    assert len(seen) == 3
    assert memory_of(trace) + sum(seen) <= 1.05 * needed


def test_recording_stops_before_memory_runs_out_and_keeps_what_it_has(monkeypatch):
    monkeypatch.setattr(keeping, "free_bytes", lambda device: 300 << 20)
    monkeypatch.setattr(keeping, "_ASK_EVERY", 1)
    model, rows = Packed(), torch.randn(1, 64, 32)
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(rows)
    assert len(trace) == 3
    # Less than the reserve of 256 MiB and one more layer.
    monkeypatch.setattr(keeping, "free_bytes", lambda device: 256 << 20)
    with (
        pytest.raises(InputError, match=r"number 1: it holds 16 KiB, and 256 MiB are free"),
        torch.no_grad(),
        attnviz.capture(model),
    ):
        model(rows)


def test_weights_that_do_not_fit_are_refused_with_the_figure(monkeypatch):
    from attnviz.attention import Attention, attention

    found = Attention.from_qk(torch.randn(4, 9000, 8), torch.randn(4, 9000, 8))
    monkeypatch.setattr(attention, "free_bytes", lambda device: 1 << 30)
    # 4 × 9000 × 9000 numbers of 4 bytes are 1.21 GiB, and scores and weights are there at once.
    with pytest.raises(InputError, match=r"1.21 GiB.*1 GiB are free"):
        found.weights(None)
    assert found.weights(0, rows=slice(0, 5)).shape == (5, 9000)


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (3 * 2**29, "1.5 GiB"), (2**50, "1024 TiB")],
)
def test_amounts_as_a_person_reads_them(size, text):
    assert amount(size) == text


def test_some_memory_is_free_here():
    free = free_bytes(torch.device("cpu"))
    assert free is None or free > 0


class Multiplied(Packed):
    """The same, written out."""

    def forward(self, rows):
        for layer in self.layers:
            query, key, value = layer(rows).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
            weights = ((query * query.shape[-1] ** -0.5) @ key.mT).softmax(-1)
            rows = (weights @ value).transpose(1, 2).flatten(2)
        return rows


def test_what_was_written_out_is_let_go_of():
    made = []

    class Seen(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            output = func(*args, **(kwargs or {}))
            if func in (torch.Tensor.softmax, torch.nn.functional.linear):
                made.append(weakref.ref(output))
            return output

    model, rows = Multiplied(), torch.randn(2, 64, 32)
    with torch.no_grad(), Seen(), attnviz.capture(model) as trace:
        model(rows)
    assert len(made) >= 6  # three products of queries, keys and values, three of weights, and rows that were replayed
    gc.collect()
    assert all(one() is None for one in made)
    assert len(trace) == 3
    assert memory_of(trace) <= 1.05 * 3 * 2 * 2 * 64 * 32 * 4
