"""Items and heads that are one dimension of a batched product: which is which has to be told by something."""

import pytest
import torch
from torch import nn

import attnviz

COUNT, HEADS, WIDTH = 5, 3, 12


def cut(rows):
    """As the Set Transformer: the heads' features one behind the other in the first dimension."""
    return torch.cat(rows.split(WIDTH // HEADS, 2), 0)


def heads_outside(rows):
    return rows.view(*rows.shape[:2], HEADS, -1).permute(2, 0, 1, 3).contiguous().view(-1, rows.shape[1], 4)


def items_outside(rows):
    return rows.view(*rows.shape[:2], HEADS, -1).transpose(1, 2).reshape(-1, rows.shape[1], 4)


def positions_first(rows):
    """As fairseq: (positions, items, features) is viewed as (positions, items · heads, features of a head)."""
    count = rows.shape[1]
    return rows.transpose(0, 1).contiguous().view(count, -1, 4).transpose(0, 1)


class Packed(nn.Module):
    def __init__(self, pack, stated):
        super().__init__()
        self.pack = pack
        self.project = nn.Linear(WIDTH, WIDTH)
        if stated:
            self.num_heads = HEADS

    def forward(self, rows):
        query, key = self.pack(self.project(rows) * 3), self.pack(rows)
        self.made = torch.bmm(query, key.transpose(1, 2)).softmax(-1)
        return torch.bmm(self.made, key).sum(0)


@pytest.mark.parametrize("stated", [False, True])
@pytest.mark.parametrize("items", [2, HEADS])
@pytest.mark.parametrize("pack", [cut, heads_outside, items_outside, positions_first])
def test_items_and_heads_are_put_right_whichever_come_first(pack, items, stated):
    torch.manual_seed(0)
    rows = torch.randn(items, COUNT, WIDTH)
    model = Packed(pack, stated)
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(rows)
    (found,) = trace
    assert (found.items, found.heads, found.shape) == (items, HEADS, (COUNT, COUNT))
    with torch.no_grad():
        query = (model.project(rows) * 3).view(items, COUNT, HEADS, -1).transpose(1, 2)
    key = rows.view(items, COUNT, HEADS, -1).transpose(1, 2)
    expected = (query.double() @ key.double().mT).softmax(-1)
    for item in range(items):
        torch.testing.assert_close(found.weights(None, item).double(), expected[item], atol=1e-5, rtol=0)
    assert found.check.agrees
    assert not trace.notes


def test_blocks_in_an_order_that_nothing_tells_are_items_of_their_own_and_said():
    class Unseen(nn.Module):
        num_heads = 2

        def forward(self, packed):
            return torch.bmm(torch.bmm(packed, packed.transpose(1, 2)).softmax(-1), packed).sum(0)

    with attnviz.capture(model := Unseen()) as trace:
        model(torch.randn(6, COUNT, 4))
    assert (trace[0].items, trace[0].heads) == (6, 1)
    assert ["heads" in str(note) and "6 blocks" in str(note) for note in trace.notes] == [True]


def test_a_view_of_packed_weights_beside_the_product_raises_no_alarm():
    """As older CLIP and BART: a view of the weights is kept to be given out."""

    class GivenOut(nn.Module):
        num_heads = HEADS

        def forward(self, rows):
            query, key = items_outside(rows * 3), items_outside(rows)
            weights = torch.bmm(query, key.transpose(1, 2)).softmax(-1)
            apart = weights.view(rows.shape[0], HEADS, COUNT, COUNT)
            return torch.bmm(weights, key).sum(0), apart

    rows = torch.randn(2, COUNT, WIDTH)
    with attnviz.capture(model := GivenOut(), values=True) as trace:
        _, made = model(rows)
    (found,) = trace
    assert found.check is not None
    assert found.check.agrees
    assert not trace.notes
    assert (found.items, found.heads) == (2, HEADS)
    torch.testing.assert_close(found.weights(None, 1), made[1], atol=1e-6, rtol=0)
    assert found.output(0, 1).shape == (COUNT, WIDTH // HEADS)


@pytest.mark.parametrize("stated", [False, True])
def test_learnt_keys_that_all_items_share_have_heads_and_no_items(stated):
    class Memory(nn.Module):
        def __init__(self):
            super().__init__()
            if stated:
                self.num_heads = HEADS
            self.keys, self.values = (nn.Parameter(torch.randn(HEADS, 6, 4)) for _ in range(2))

        def forward(self, rows):
            query = rows.view(2, COUNT, HEADS, 4).transpose(1, 2)
            self.made = (query @ self.keys.mT).softmax(-1)
            return self.made @ self.values

    with torch.no_grad(), attnviz.capture(model := Memory()) as trace:
        model(torch.randn(2, COUNT, WIDTH))
    (found,) = trace
    assert (found.items, found.heads, found.shape) == (2, HEADS, (COUNT, 6))
    torch.testing.assert_close(found.weights(None, 1), model.made[1], atol=1e-6, rtol=0)
    assert found.check.agrees
    assert not trace.notes


@pytest.mark.parametrize("stated", [False, True])
def test_where_nothing_tells_which_of_many_dimensions_are_heads_that_is_said(stated):
    class Axial(nn.Module):
        def __init__(self):
            super().__init__()
            if stated:
                self.num_heads = HEADS

        def forward(self, rows):
            split = rows.view(2, 4, COUNT, HEADS, 4).permute(0, 3, 1, 2, 4)
            return (split @ split.mT).softmax(-1) @ split

    with attnviz.capture(model := Axial()) as trace:
        model(torch.randn(2, 4, COUNT, WIDTH))
    assert trace[0].heads == (HEADS if stated else 4)
    assert any("which of the dimensions" in str(note) for note in trace.notes) is not stated
