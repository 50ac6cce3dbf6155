"""Masks by function and as ranges, against the pairs written out."""

import math

import pytest
import torch

from attnviz.attention import (
    Attention,
    ByFunction,
    Causal,
    Dense,
    Lengths,
    Ranges,
    Window,
    mask_by_function,
    mask_from_json,
)
from attnviz.base.errors import InputError


def by_pairs(pairs):
    """The mask of a function that reads these pairs: items, heads, queries, keys."""

    def function(item, head, rows, cols):
        return pairs[item, head][rows][:, cols]

    return mask_by_function(function, tuple(pairs.shape), pairs.device)


def assert_same(mask, pairs):
    items, heads, queries, keys = pairs.shape
    rows, cols = torch.arange(queries), torch.arange(keys)
    for item in range(items):
        found = mask.allowed(item, rows, cols)
        assert torch.equal(found.expand(heads, queries, keys), pairs[item])
        for row in range(queries):
            start, stop = mask.reach(item, row, row, keys)
            outside = (cols < start) | (cols >= stop)
            assert not pairs[item, :, row, outside].any()


@pytest.mark.parametrize("rule", [Causal(0), Causal(2), Window(2, 1), Lengths((1, 0), (4, 6)), Window(1, None)])
def test_rules_are_found_behind_a_function(rule):
    rows = cols = torch.arange(6)
    pairs = torch.stack([rule.allowed(item, rows, cols)[:1] for item in (0, 1)])
    assert by_pairs(pairs) == rule


def test_a_function_that_allows_everything_is_no_mask():
    assert by_pairs(torch.ones(1, 1, 3, 4, dtype=torch.bool)) is None


def test_documents_are_ranges():
    """Three documents of 2, 1 and 3 tokens, causal: 1 + 2 + 1 + 1 + 2 + 3 pairs."""
    document = torch.tensor([0, 0, 1, 2, 2, 2])
    pairs = ((document[:, None] == document) & torch.ones(6, 6, dtype=torch.bool).tril())[None, None]
    mask = by_pairs(pairs)
    assert isinstance(mask, Ranges)
    assert mask.starts.flatten().tolist() == [0, 0, 2, 3, 3, 3]
    assert mask.stops.flatten().tolist() == [1, 2, 3, 4, 5, 6]
    assert mask.allowed(0, torch.arange(6), torch.arange(6)).sum() == 10
    assert mask.looks_back_only(0)
    assert not mask.looks_back_only(-1)
    assert_same(mask, pairs)


@pytest.mark.parametrize("seed", range(3))
def test_any_function_is_asked_for_the_tile_that_is_wanted(seed):
    pairs = torch.rand(2, 3, 5, 7, generator=torch.Generator().manual_seed(seed)) > 0.6
    mask = by_pairs(pairs)
    assert isinstance(mask, ByFunction)
    assert_same(mask, pairs)
    assert torch.equal(
        mask.allowed(1, torch.tensor([4, 0]), torch.tensor([6, 1]), 2)[0], pairs[1, 2][[4, 0]][:, [6, 1]]
    )
    written = mask.on_file()
    assert isinstance(written, Dense)
    assert torch.equal(written.pairs, pairs)


def test_ranges_go_through_a_file():
    mask = Ranges(torch.tensor([[[0, 1, 2]]]), torch.tensor([[[2, 4, 2]]]))
    again = mask_from_json(mask.to_json(), mask.tensors())
    assert again.starts.tolist() == [[[0, 1, 2]]]
    assert again.stops.tolist() == [[[2, 4, 2]]]


@pytest.mark.parametrize(
    "tensors",
    [
        {},
        {"starts": torch.zeros(1, 1, 3).double()},
        {"starts": torch.zeros(1, 1, 3).double(), "stops": torch.zeros(1, 1, 2).double()},
        {"starts": torch.zeros(1, 1, 3), "stops": torch.zeros(1, 1, 3)},
        {"starts": torch.zeros(1, 3).double(), "stops": torch.zeros(1, 3).double()},
        {"starts": torch.zeros(1, 1, 0).double(), "stops": torch.zeros(1, 1, 0).double()},
        {"starts": torch.zeros(1, 1, 3).double(), "stops": torch.full((1, 1, 3), math.nan).double()},
        {"starts": torch.zeros(1, 1, 3).double(), "stops": torch.full((1, 1, 3), math.inf).double()},
        {"starts": torch.zeros(1, 1, 3).double(), "stops": torch.full((1, 1, 3), 0.5).double()},
        {"starts": torch.full((1, 1, 3), -1.0).double(), "stops": torch.zeros(1, 1, 3).double()},
    ],
)
def test_a_file_that_holds_other_ranges_is_refused(tensors):
    with pytest.raises(InputError, match="ranges"):
        mask_from_json({"rule": "ranges"}, tensors)


@pytest.mark.parametrize(
    ("starts", "stops"),
    [
        ([[[0, 0, 0]]], [[[1, 1, 5]]]),
        ([[[2, 0, 0]]], [[[1, 1, 1]]]),
        ([[[0, 0]]], [[[1, 1]]]),
        ([[[0, 0, 0]]] * 3, [[[1, 1, 1]]] * 3),
    ],
)
def test_ranges_of_keys_that_do_not_exist_are_refused(starts, stops):
    mask = Ranges(torch.tensor(starts), torch.tensor(stops))
    with pytest.raises(InputError, match="ranges"):
        Attention.from_qk(torch.ones(1, 2, 3, 2), torch.ones(1, 2, 4, 2), mask=mask)


def test_a_row_without_a_key_is_masked_and_the_others_are_right():
    mask = Ranges(torch.tensor([[[0, 1]]]), torch.tensor([[[0, 3]]]))
    attention = Attention.from_qk(torch.ones(2, 2), torch.ones(4, 2), mask=mask)
    assert attention.row_state(0).tolist() == [1, 0]
    assert attention.weights(0)[1].tolist() == [0, 0.5, 0.5, 0]
