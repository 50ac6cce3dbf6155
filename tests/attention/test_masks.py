import pytest
import torch

from attnviz.attention import All, Attention, Causal, Dense, Lengths, Window, mask_from_json
from attnviz.base.errors import InputError


def pairs(mask, queries, keys, item=0):
    return mask.allowed(item, torch.arange(queries), torch.arange(keys))[0]


def drawn(mask, queries, keys, item=0):
    return ["".join("#" if allowed else "." for allowed in row) for row in pairs(mask, queries, keys, item).tolist()]


def test_causal_has_half_the_pairs():
    assert pairs(Causal(), 1000, 1000).sum() == 1000 * 1001 // 2 == 500_500


def test_causal_after_a_cache():
    assert drawn(Causal(), 2, 5) == ["#....", "##..."]
    assert drawn(Causal(3), 2, 5) == ["####.", "#####"]
    assert drawn(Causal(-1), 2, 2) == ["..", "#."]


def test_a_window_on_both_sides():
    """n(2w + 1) − w(w + 1) pairs."""
    assert pairs(Window(8, 8), 400, 400).sum() == 400 * 17 - 8 * 9 == 6_728


def test_a_window_to_the_left():
    """n(w + 1) − w(w + 1)/2 pairs."""
    assert pairs(Window(8, 0), 400, 400).sum() == 400 * 9 - 36 == 3_564


def test_windows_may_be_open_or_shifted():
    assert drawn(Window(None, 1), 2, 4) == ["##..", "###."]
    assert drawn(Window(0, None, offset=1), 2, 4) == [".###", "..##"]


def test_lengths_cut_padding_on_either_side():
    mask = Lengths((0, 2), (3, 4))
    assert drawn(mask, 1, 4) == ["###."]
    assert drawn(mask, 1, 4, item=1) == ["..##"]
    assert drawn(Lengths((1,), (2,)), 1, 3, item=7) == [".#."]


def test_rules_are_joined_by_and():
    mask = Causal() & Lengths((1,), (9,)) & Window(1, None)
    assert isinstance(mask, All)
    assert len(mask.rules) == 3
    assert drawn(mask, 4, 4) == ["....", ".#..", ".##.", "..##"]


def test_a_dense_mask_may_be_the_same_for_all_of_anything():
    given = torch.tensor([True, False, True]).view(1, 1, 1, 3)
    attention = Attention.from_qk(torch.ones(2, 4, 2, 3), torch.ones(2, 4, 3, 3), mask=Dense(given))
    assert attention.allowed(None, 1).tolist() == [[[True, False, True]] * 2] * 4


def test_a_dense_mask_may_differ_between_heads():
    given = torch.rand(2, 4, 2, 3, generator=torch.Generator().manual_seed(0)) > 0.5
    attention = Attention.from_qk(torch.ones(2, 4, 2, 3), torch.ones(2, 2, 3, 3), mask=Dense(given) & Causal(5))
    assert torch.equal(attention.allowed(None, 1), given[1])
    assert torch.equal(attention.allowed(3, 1), given[1, 3])


@pytest.mark.parametrize(
    "mask",
    [
        Causal(),
        Causal(4),
        Causal(-3),
        Window(2, 1),
        Window(None, 0, offset=3),
        Window(0, None),
        Lengths((2,), (5,)),
        Lengths((4,), (4,)),
        Causal(2) & Window(3, 3) & Lengths((1,), (8,)),
    ],
)
def test_nothing_is_allowed_out_of_reach(mask):
    for first, last in ((0, 0), (0, 6), (3, 5), (6, 6)):
        start, stop = mask.reach(0, first, last, 9)
        outside = torch.ones(9, dtype=torch.bool)
        outside[max(0, start) : max(0, stop)] = False
        assert not pairs(mask, 7, 9)[first : last + 1, outside].any()


@pytest.mark.parametrize(
    "mask",
    [
        Causal(-2),
        Window(None, 3, 1),
        Lengths((0, 1), (3, 4)),
        Dense(torch.eye(4, dtype=torch.bool)[None, None]),
        Causal() & Dense(torch.eye(4, dtype=torch.bool)[None, None]) & Window(1, 1),
    ],
)
def test_masks_survive_being_written_down(mask):
    again = mask_from_json(mask.to_json(), mask.tensors())
    for item in range(2):
        assert torch.equal(pairs(again, 4, 4, item), pairs(mask, 4, 4, item))


@pytest.mark.parametrize(
    "written",
    [
        None,
        [],
        {},
        {"rule": "import os"},
        {"rule": "causal"},
        {"rule": "causal", "offset": True},
        {"rule": "causal", "offset": 1.5},
        {"rule": "causal", "offset": 10**30},
        {"rule": "window", "left": "1", "right": None, "offset": 0},
        {"rule": "lengths", "starts": [0], "stops": []},
        {"rule": "lengths", "starts": 0, "stops": 1},
        {"rule": "dense"},
        {"rule": "all", "rules": []},
        {"rule": "all", "rules": [{"rule": "all", "rules": [{"rule": "causal", "offset": 0}]}]},
        {"rule": "all", "rules": [{"rule": "causal", "offset": 0}] * 17},
    ],
)
def test_what_is_no_mask_is_refused(written):
    with pytest.raises(InputError):
        mask_from_json(written, {})


def test_the_tensor_of_a_mask_must_be_one():
    for tensor in (torch.ones(1, 1, 2, 2), torch.ones(2, 2, dtype=torch.bool)):
        with pytest.raises(InputError):
            mask_from_json({"rule": "dense"}, {"allowed": tensor})
