"""Attention by another way than a softmax of q·k: where it cannot be shown, it is said to be missing."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import attnviz
from attnviz.attention import DotProduct

ITEMS, HEADS, COUNT, WIDTH = 2, 3, 6, 4


def tensors():
    torch.manual_seed(0)
    return [torch.randn(ITEMS, HEADS, COUNT, WIDTH) for _ in range(3)]


class Layers(nn.Module):
    """The form between two layers that are known."""

    def __init__(self, form):
        super().__init__()
        self.blocks = nn.ModuleList(Layer(one) for one in (softmax, form, softmax))

    def forward(self, *given):
        return [block(*given) for block in self.blocks]


class Layer(nn.Module):
    def __init__(self, form):
        super().__init__()
        self.form = form

    def forward(self, q, k, v):
        return self.form(q, k, v)


def softmax(q, k, v):
    return (q @ k.mT).softmax(-1) @ v


def gumbel(q, k, v):
    return F.gumbel_softmax(q @ k.mT, dim=-1) @ v


def rectified(q, k, v):
    return (q @ k.mT).relu() / COUNT @ v


def squares(q, k, v):
    weights = (q @ k.mT).relu() ** 2
    return weights / weights.sum(-1, keepdim=True) @ v


def squares_one_by_one(q, k, v):
    weights = (q @ k.mT).relu() ** 2
    return (weights[..., None] * v[:, :, None]).sum(-2)


def transposed(q, k, v):
    return torch.einsum("bhnm,bhmd->bhnd", (k @ q.mT).relu().mT.contiguous(), v)


def in_two_parts(q, k, v):
    weights = torch.cat([q @ k.mT, q @ q.mT], -1).softmax(-1)
    return weights[..., :COUNT] @ v + weights[..., COUNT:] @ q


def record(form):
    model, given = Layers(form), tensors()
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(*given)
    return trace


@pytest.mark.parametrize("form", [gumbel, rectified, squares, squares_one_by_one, transposed, in_two_parts])
def test_a_layer_that_attends_in_another_way_is_said_to_be_missing(form):
    trace = record(form)
    assert [found.name for found in trace] == ["blocks.0", "blocks.2"]
    assert [str(note) for note in trace.notes] == [
        "“blocks.1” was not recorded: it multiplies values by something made of q·k in a way that is not known here."
    ]
    assert not trace.lookalikes


def rotated(q, k, v):
    turned, again = q @ torch.eye(WIDTH).flip(0), k @ torch.eye(WIDTH).flip(0)
    return (turned @ again.mT).softmax(-1) @ v


def distances(q, k, v):
    return torch.cdist(q, k).sum() + (q @ k.mT).pow(2).sum() + v


@pytest.mark.parametrize("form", [rotated, distances])
def test_other_products_are_no_missing_layers(form):
    assert not record(form).notes


def softmin(q, k, v):
    return F.softmin(-(q @ k.mT), -1) @ v


def operator(q, k, v):
    return torch.ops.aten._softmax(q @ k.mT, -1, False) @ v


@pytest.mark.parametrize("form", [softmin, operator])
def test_other_names_of_a_softmax_are_known(form):
    trace = record(form)
    q, k, _ = tensors()
    assert [found.name for found in trace] == ["blocks.0", "blocks.1", "blocks.2"]
    assert isinstance(trace[1].scores, DotProduct)
    expected = (q.double() @ k.double().mT).softmax(-1)
    torch.testing.assert_close(trace[1].weights(None, 1).double(), expected[1], atol=1e-5, rtol=0)
    assert trace[1].check.agrees
    assert not trace.notes


def test_talking_heads_show_the_weights_that_multiply_values():
    before, after = (torch.eye(HEADS) + 0.3 * torch.randn(HEADS, HEADS) for _ in range(2))

    def talking(q, k, v):
        mixed = torch.einsum("bhij,hg->bgij", q @ k.mT, before).softmax(-1)
        return torch.einsum("bhij,hg->bgij", mixed, after) @ v

    trace = record(talking)
    q, k, _ = (tensor.double() for tensor in tensors())
    scores = torch.einsum("bhij,hg->bgij", q @ k.mT, before.double())
    expected = torch.einsum("bhij,hg->bgij", scores.softmax(-1), after.double())
    found = trace[1]
    assert (found.items, found.heads, found.shape) == (ITEMS, HEADS, (COUNT, COUNT))
    torch.testing.assert_close(found.weights(None, 1).double(), expected[1], atol=1e-5, rtol=0)
    assert found.check.agrees
    assert not found.normalised
    assert not trace.notes
