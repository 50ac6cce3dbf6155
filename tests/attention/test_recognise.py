import pytest
import torch

from attnviz.attention import Attention, Causal, Dense, Lengths, Window, split_additive
from attnviz.attention.recognise import recognise


def pairs(mask, queries, keys, items=2):
    rows, cols = torch.arange(queries), torch.arange(keys)
    return torch.stack([mask.allowed(item, rows, cols) for item in range(items)])


@pytest.mark.parametrize(
    "mask",
    [
        Causal(),
        Causal(3),
        Causal(-2),
        Window(2, 1),
        Window(None, 2),
        Window(3, None),
        Window(3, 0),
        Window(3, 0, offset=4),
        Window(1, 0, offset=-2),
        Window(1, 1, offset=4),
        Lengths((0,), (6,)),
        Lengths((2,), (9,)),
        Lengths((2, 0), (9, 5)),
        Causal() & Lengths((0,), (6,)),
        Causal() & Lengths((0, 2), (9, 9)),
        Window(2, 0) & Lengths((0, 3), (7, 9)),
    ],
)
def test_a_rule_is_found_again(mask):
    given = pairs(mask, 9, 9)
    found = recognise(given)
    assert not isinstance(found, Dense)
    assert not found.tensors()
    assert torch.equal(pairs(found, 9, 9), given)


def test_causal_masks_are_called_so():
    assert recognise(torch.ones(5, 5, dtype=torch.bool).tril()[None, None]) == Causal()
    assert recognise(torch.ones(2, 5, dtype=torch.bool).tril(3)[None, None]) == Causal(3)
    assert recognise(torch.tensor([True, True, False])[None, None, None]) == Lengths((0,), (2,))


def test_a_mask_that_allows_everything_is_none():
    assert recognise(torch.ones(1, 1, 3, 3, dtype=torch.bool)) is None
    assert Attention.from_qk(torch.ones(3, 2), torch.ones(3, 2), mask=torch.zeros(3, 3)).mask is None


def test_heads_with_the_same_pairs_are_one_rule():
    given = torch.ones(5, 5, dtype=torch.bool).tril().expand(1, 4, 5, 5)
    assert recognise(given) == Causal()


@pytest.mark.parametrize("seed", range(20))
def test_other_pairs_are_kept_as_they_are(seed):
    generator = torch.Generator().manual_seed(seed)
    for shape in ((1, 1, 2, 3), (2, 1, 4, 4), (1, 2, 3, 3), (2, 1, 1, 4), (1, 1, 4, 1)):
        given = torch.randn(*shape, generator=generator) > -0.5
        attention = Attention.from_qk(torch.ones(2, 2, shape[2], 3), torch.ones(2, 2, shape[3], 3), mask=given)
        found = torch.stack([attention.allowed(None, item) for item in range(2)])
        assert torch.equal(found, given.expand(2, 2, *shape[2:]))


def test_a_row_more_or_less_is_not_the_rule():
    given = torch.ones(5, 5, dtype=torch.bool).tril()
    given[2, 4] = True
    assert isinstance(recognise(given[None, None]), Dense)
    given = torch.zeros(5, 5, dtype=torch.bool)
    assert isinstance(recognise(given[None, None]), Dense)


def test_an_additive_mask_is_a_rule_and_a_bias():
    bias = torch.linspace(-3, 3, 16).view(4, 4)
    given = bias.masked_fill(torch.ones(4, 4, dtype=torch.bool).triu(1), torch.finfo(torch.float32).min)
    rule, finite = split_additive(given)
    assert rule == Causal()
    assert torch.equal(finite[0, 0], bias.tril())


def test_parts_that_change_nothing_are_none():
    assert split_additive(torch.zeros(2, 2)) == (None, None)
    rule, finite = split_additive(torch.tensor([[0.0, -torch.inf]]))
    assert (rule, finite) == (Lengths((0,), (1,)), None)
    rule, finite = split_additive(torch.tensor([[0.0, -1e4]]))
    assert rule is None
    assert torch.equal(finite, torch.tensor([[[[0.0, -1e4]]]]))


def test_nan_is_not_forbidden():
    rule, finite = split_additive(torch.tensor([[torch.nan, 0.0]]))
    assert rule is None
    assert finite.isnan().sum() == 1
