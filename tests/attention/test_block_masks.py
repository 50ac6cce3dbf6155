"""Masks and biases over parts of a sequence against the same numbers pair by pair, in float64."""

import pytest
import torch

from attnviz.attention import (
    Attention,
    BlockBias,
    Blocks,
    Causal,
    GlobalWindow,
    Groups,
    Places,
    SlotBias,
    SlotPairs,
    bias_from_json,
    mask_from_json,
)
from attnviz.attention.statistics import head_summary
from attnviz.base.errors import InputError
from attnviz.trace import Origin, Trace, load

# Eight positions in two windows of four, as a picture of 2 × 4 cut in the middle has them.
WINDOWS = torch.tensor([0, 0, 1, 1, 0, 0, 1, 1])
PLACES = Places(WINDOWS, torch.tensor([0, 1, 0, 1, 2, 3, 2, 3]))


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def truth(*shape, seed=0):
    return random(*shape, seed=seed) > -0.5


def drawn(mask, queries, keys, item=0):
    pairs = mask.allowed(item, torch.arange(queries), torch.arange(keys))[0]
    return ["".join("#" if allowed else "." for allowed in row) for row in pairs.tolist()]


def test_groups_see_themselves():
    mask = Groups(torch.tensor([[0, 0, 1]]), torch.tensor([[1, 0, 1, 2]]))
    assert drawn(mask, 3, 4) == [".#..", ".#..", "#.#."]
    assert mask.reach(0, 0, 1, 4) == (1, 2)
    assert mask.reach(0, 2, 2, 4) == (0, 3)
    assert Groups(torch.tensor([[5]]), torch.tensor([[1, 2]])).reach(0, 0, 0, 2) == (0, 0)


def test_blocks_stand_for_the_pairs_in_them():
    mask = Blocks(torch.tensor([[[[True, False], [False, True]]]]), 2)
    assert drawn(mask, 3, 4) == ["##..", "##..", "..##"]
    assert mask.reach(0, 2, 2, 4) == (2, 4)


def test_a_window_with_global_positions():
    mask = GlobalWindow(1, torch.tensor([[False, False, False, True, False]]))
    assert drawn(mask, 5, 5) == ["##.#.", "####.", ".###.", "#####", "...##"]
    assert mask.reach(0, 0, 0, 5) == (0, 4)
    assert mask.reach(0, 3, 3, 5) == (0, 5)
    assert GlobalWindow(1, torch.zeros(1, 5, dtype=torch.bool)).reach(0, 2, 3, 5) == (1, 5)


def dense_table(table, heads):
    """What a table of slots amounts to, pair by pair: items, heads, n, n."""
    full = table.expand(2, 2, heads, 4, 4)
    i = torch.arange(8)
    w, s = PLACES.windows, PLACES.slots
    return torch.stack([full[b, w[i][:, None], :, s[i][:, None], s[i][None]].permute(2, 0, 1) for b in range(2)])


def as_pairs(mask, heads, n):
    found = [mask.allowed(b, torch.arange(n), torch.arange(n)) for b in range(2)]
    return torch.stack([one.expand(heads, n, n) for one in found])


MASKS = {
    "groups": Groups(WINDOWS[None], WINDOWS[None]),
    "slots": Groups(WINDOWS[None], WINDOWS[None]) & SlotPairs(truth(2, 2, 3, 4, 4), PLACES),
    "blocks": Blocks(truth(2, 3, 3, 3, seed=4), 3),
    "blocks for all": Blocks(truth(1, 1, 4, 4, seed=4), 2) & Causal(),
    "global": GlobalWindow(2, truth(2, 8, seed=5)),
}
BIASES = {
    "slots": (SlotBias(random(2, 2, 3, 4, 4), PLACES), dense_table(random(2, 2, 3, 4, 4), 3)),
    "one table": (SlotBias(random(1, 1, 1, 4, 4), PLACES), dense_table(random(1, 1, 1, 4, 4), 3)),
    "blocks": (
        BlockBias(random(2, 3, 3, 3, seed=7), 3),
        random(2, 3, 3, 3, seed=7).repeat_interleave(3, 2).repeat_interleave(3, 3)[:, :, :8, :8],
    ),
    "none": (None, None),
}


def both(mask, bias):
    """The attention with a rule, and the same with truth values and numbers pair by pair."""
    rule, (kept, pairwise) = MASKS[mask], BIASES[bias]
    query, key, value = (random(2, 3, 8, 5, seed=seed) for seed in (1, 2, 3))
    options = {"value": value, "scale": 0.9}
    by_rule = Attention.from_qk(query, key, mask=rule, bias=kept, **options)
    return by_rule, Attention.from_qk(query, key, mask=as_pairs(rule, 3, 8), bias=pairwise, **options)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("item", [0, 1])
def test_everything_is_as_if_written_pair_by_pair(mask, bias, item):
    found, expected = both(mask, bias)

    def same(left, right):
        torch.testing.assert_close(left, right, equal_nan=True, rtol=1e-6, atol=1e-7)

    for head, rows, cols in [(None, None, None), (1, [5, 2], slice(1, 7, 2)), (None, slice(2, 5), [7, 0, 3])]:
        for part in ("weights", "logits", "allowed"):
            same(getattr(found, part)(head, item, rows, cols), getattr(expected, part)(head, item, rows, cols))
    same(found.lse(item), expected.lse(item))
    same(found.row_state(None, item), expected.row_state(None, item))
    same(found.output(None, item), expected.output(None, item))
    for size in (3, 512):
        left, right = found.overview(size, item), expected.overview(size, item)
        for name in ("maximum", "mean", "entropy", "top_weights", "mass_received", "row_state"):
            same(getattr(left, name), getattr(right, name))
    left, right = head_summary(found, item), head_summary(expected, item)
    same(left.mean_entropy, right.mean_entropy)
    same(left.mean_distance, right.mean_distance)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("mask", MASKS)
def test_nothing_is_allowed_out_of_reach(mask, bias):
    rule = MASKS[mask]
    for item in (0, 1):
        for first, last in ((0, 0), (2, 4), (7, 7)):
            start, stop = rule.reach(item, first, last, 8)
            outside = torch.ones(8, dtype=torch.bool)
            outside[start:stop] = False
            pairs = rule.allowed(item, torch.arange(8), torch.arange(8))
            assert not pairs[:, first : last + 1, outside].any()


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("mask", MASKS)
def test_a_trace_file_holds_them(mask, bias, tmp_path):
    found, _ = both(mask, bias)
    Trace([found], origin=Origin(kind="recorded")).save(tmp_path / "run.safetensors")
    again = load(tmp_path / "run.safetensors")[0]
    assert type(again.mask) is type(found.mask)
    for item in (0, 1):
        torch.testing.assert_close(again.weights(None, item), found.weights(None, item), equal_nan=True, rtol=0, atol=0)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("mask", MASKS)
def test_they_go_to_another_device(mask, bias):
    """The meta device has no numbers; that every tensor arrives there is what can be seen without a GPU."""
    found, _ = both(mask, bias)
    there = found.on(torch.device("meta"))
    kept = [*there.scores.tensors(), *there.mask.tensors().values()]
    assert {tensor.device.type for tensor in kept} == {"meta"}


def test_a_table_for_windows_takes_little_memory():
    n, s = 4096, 16
    places = Places(torch.arange(n) // s, torch.arange(n) % s)
    groups = places.windows[None]
    query = torch.zeros(1, 2, n, 4)
    bias = SlotBias(torch.zeros(1, 1, 2, s, s), places)
    found = Attention.from_qk(query, query, mask=Groups(groups, groups), bias=bias)
    assert found.nbytes() == 2 * query.nbytes + 2 * s * s * 4


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (Groups(WINDOWS[None, :7], WINDOWS[None]), "groups"),
        (Groups(WINDOWS[None].expand(3, 8), WINDOWS[None]), "groups"),
        (SlotPairs(truth(1, 1, 1, 3, 4), PLACES), "table for windows"),
        (SlotPairs(truth(1, 1, 2, 4, 4), PLACES), "table for windows"),
        (Blocks(truth(1, 1, 3, 4), 2), "blocks"),
        (Blocks(truth(1, 1, 4, 4), 0), "blocks"),
        (Blocks(truth(3, 1, 4, 4), 2), "blocks"),
        (GlobalWindow(1, truth(1, 7)), "global"),
    ],
)
def test_masks_of_other_sizes_are_refused(mask, message):
    query = random(2, 3, 8, 5)
    with pytest.raises(InputError, match=message):
        Attention.from_qk(query, query, mask=mask)


@pytest.mark.parametrize(
    "bias",
    [
        SlotBias(random(1, 1, 1, 3, 3), PLACES),
        SlotBias(random(3, 1, 1, 4, 4), PLACES),
        SlotBias(random(1, 3, 2, 4, 4), PLACES),
        BlockBias(random(1, 1, 3, 3), 2),
        BlockBias(random(1, 2, 4, 4), 2),
    ],
)
def test_biases_of_other_sizes_are_refused(bias):
    query = random(2, 3, 8, 5)
    with pytest.raises(InputError):
        Attention.from_qk(query, query, bias=bias)


@pytest.mark.parametrize(
    ("written", "tensors"),
    [
        ({"rule": "groups"}, {}),
        ({"rule": "groups", "queries": [], "keys": [[0]]}, {}),
        ({"rule": "groups", "queries": [[0], [0, 1]], "keys": [[0]]}, {}),
        ({"rule": "groups", "queries": [[0.5]], "keys": [[0]]}, {}),
        ({"rule": "groups", "queries": [[10**40]], "keys": [[0]]}, {}),
        ({"rule": "slots", "windows": [0], "slots": [0]}, {}),
        ({"rule": "slots", "windows": [0, 0], "slots": [0]}, {"allowed": truth(1, 1, 1, 1, 1)}),
        ({"rule": "slots", "windows": [-1], "slots": [0]}, {"allowed": truth(1, 1, 1, 1, 1)}),
        ({"rule": "slots", "windows": [], "slots": []}, {"allowed": truth(1, 1, 1, 1, 1)}),
        ({"rule": "blocks", "size": 2}, {"allowed": random(1, 1, 2, 2)}),
        ({"rule": "blocks", "size": "2"}, {"allowed": truth(1, 1, 2, 2)}),
        ({"rule": "blocks", "size": 2}, {"allowed": truth(1, 1, 0, 2)}),
        ({"rule": "global-window", "side": True}, {"everywhere": truth(1, 2)}),
        ({"rule": "global-window", "side": 1}, {"everywhere": truth(2)}),
    ],
)
def test_what_is_no_mask_is_refused(written, tensors):
    with pytest.raises(InputError):
        mask_from_json(written, tensors)


@pytest.mark.parametrize(
    ("written", "tensors"),
    [
        (None, {}),
        ("slots", {}),
        ({"bias": "import os"}, {}),
        ({"bias": "blocks", "size": 2}, {}),
        ({"bias": "blocks", "size": 2}, {"table": truth(1, 1, 2, 2)}),
        ({"bias": "blocks", "size": 2}, {"table": torch.full((1, 1, 2, 2), -torch.inf)}),
        ({"bias": "blocks"}, {"table": random(1, 1, 2, 2)}),
        ({"bias": "slots", "windows": [0], "slots": [0]}, {"table": random(1, 1, 2, 2)}),
        ({"bias": "slots", "windows": "0", "slots": [0]}, {"table": random(1, 1, 1, 2, 2)}),
    ],
)
def test_what_is_no_bias_is_refused(written, tensors):
    with pytest.raises(InputError):
        bias_from_json(written, tensors)


def test_a_mask_that_adds_cannot_be_joined_with_such_a_bias():
    query = random(2, 3, 8, 5)
    with pytest.raises(InputError, match="joined"):
        Attention.from_qk(query, query, mask=random(8, 8), bias=BIASES["blocks"][0])
