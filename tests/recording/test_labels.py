"""The label check: one changed input token moves its own keys and values of the first layer, and no others."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import attnviz
from attnviz.base.errors import InputError


class Attends(nn.Module):
    """Vectors, something done to them before, and attention."""

    def __init__(self, before):
        super().__init__()
        self.before = before

    def forward(self, vectors):
        rows = self.before(vectors)[:, None]
        return F.scaled_dot_product_attention(rows, rows, rows)


VECTORS = {"vectors": torch.randn(2, 6, 4, generator=torch.Generator().manual_seed(0))}


@pytest.mark.parametrize("family", ["bert", "gpt2", "llama"])
@pytest.mark.parametrize("position", [0, 4, 8])
def test_only_the_changed_token_moves(tiny, padded, family, position):
    found = attnviz.check_labels(tiny(family, "sdpa"), padded("none"), position, item=1)
    assert found.moved == (position,)
    assert found.agrees


def test_positions_that_were_shifted_are_found_out():
    found = attnviz.check_labels(Attends(lambda rows: rows.roll(1, 1)), VECTORS, 2, name="vectors")
    assert found.moved == (3,)
    assert not found.agrees


def test_tokens_that_were_mixed_before_are_found_out():
    mixed = Attends(lambda rows: rows + rows.roll(1, 1) + rows.roll(-1, 1))
    assert attnviz.check_labels(mixed, VECTORS, 2, name="vectors").moved == (1, 2, 3)


def test_the_model_keeps_its_modes():
    model = nn.Sequential(nn.Dropout(), Attends(nn.Dropout()))
    model[1].eval()

    class Named(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = model

        def forward(self, vectors):
            return self.inner(vectors)

    named = Named()
    named.training = False
    attnviz.check_labels(named, VECTORS, 0, name="vectors")
    assert [named.training, model[0].training, model[1].training, model[1].before.training] == [
        False,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"position": 6}, "Position 6 does not exist"),
        ({"position": 0, "item": 2}, "Item 2 does not exist"),
        ({"position": 0, "name": "input_ids"}, "no tensor “input_ids”"),
    ],
)
def test_what_does_not_exist_is_said(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        attnviz.check_labels(Attends(nn.Identity()), VECTORS, **{"name": "vectors", **arguments})


def test_a_model_without_keys_is_refused():
    class Sums(nn.Module):
        def forward(self, vectors):
            return vectors.sum()

    with pytest.raises(InputError, match="no attention over one sequence"):
        attnviz.check_labels(Sums(), VECTORS, 0, name="vectors")


def test_a_replacement_that_changes_nothing_is_refused(tiny):
    ids = torch.tensor([[5, 6, 7]])
    with pytest.raises(InputError, match="another replacement"):
        attnviz.check_labels(tiny("bert", "sdpa"), {"input_ids": ids}, 1, replacement=6)
