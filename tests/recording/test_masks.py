import pytest
import torch

from attnviz.attention import Causal, Dense, Lengths, Window
from attnviz.recording.masks import Masks, looks_back_only


def allowed(mask, item, queries, keys):
    return mask.allowed(item, torch.arange(queries), torch.arange(keys)).expand(1, queries, keys)[0]


def test_a_mask_repeated_over_heads_and_rows_is_read_as_what_it_repeats():
    present = torch.tensor([[True, False, True, True], [True, True, True, True]])
    rule, bias = Masks().read(present[:, None, None].expand(2, 3, 5, 4).clone(), 4)
    assert bias is None
    assert rule.pairs.shape == (2, 1, 1, 4)
    for item in (0, 1):
        assert torch.equal(allowed(rule, item, 5, 4), present[item].expand(5, 4))


def test_columns_beyond_the_keys_are_not_used():
    rule, _ = Masks().read(torch.ones(1, 1, 3, 8, dtype=torch.bool).tril(), 3)
    assert rule == Causal(0)


def test_whole_numbers_are_added_as_they_are():
    rule, bias = Masks().read(torch.tensor([[[[0, -2]]]]), 2)
    assert rule is None
    assert bias.flatten().tolist() == [0.0, -2.0]


def test_the_same_tensor_is_read_once_until_it_changes():
    masks, mask = Masks(), torch.zeros(1, 1, 3, 3)
    mask[..., 2] = -torch.inf
    first, _ = masks.read(mask, 3)
    assert masks.read(mask[:, :, :, :], 3)[0] is first
    mask[..., 1] = -torch.inf
    assert masks.read(mask, 3)[0] == Lengths((0,), (1,))


def test_a_mask_and_a_bias_are_added():
    mask = torch.zeros(1, 1, 3, 3).masked_fill(~torch.ones(3, 3, dtype=torch.bool).tril(), torch.finfo().min)
    bias = torch.arange(9.0).view(1, 1, 3, 3)
    rule, added = Masks().read_both(mask, bias, 3)
    assert rule == Causal(0)
    assert torch.equal(added, bias)
    rule, added = Masks().read_both(bias, bias, 3)
    assert rule is None
    assert torch.equal(added, 2 * bias)


@pytest.mark.parametrize(
    ("mask", "causal"),
    [
        (None, False),
        (Causal(0), True),
        (Causal(1), False),
        (Causal(0) & Lengths((1,), (3,)), True),
        (Window(1, 0), True),
        (Window(1, 1), False),
        (Lengths((0,), (1,)), False),
        (Dense(torch.tensor([[[[1, 0, 0], [0, 1, 0], [1, 0, 1]]]]).bool()), True),
        (Dense(torch.tensor([[[[1, 0, 0], [1, 1, 1], [1, 0, 1]]]]).bool()), False),
        (Dense(torch.tensor([[[[1, 0, 0]] * 3]]).bool()), False),
    ],
)
def test_causal_is_what_lets_later_queries_see_more_and_none_see_later_keys(mask, causal):
    assert looks_back_only(mask, (3, 3)) is causal
