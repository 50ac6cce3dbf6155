"""Shares, lengths and directions of summands, worked by hand."""

import math

import torch

from attnviz.attention.summands import Summand, cosine, shares, total


def one(kind, *numbers):
    return Summand(kind, torch.tensor([[float(number) for number in numbers]]))


def test_shares_add_up_to_one_and_may_be_negative():
    # (4, 0) + (0, 3) + (−1, 0) = (3, 3), whose square is 18.
    found = shares([one("carried", 4, 0), one("attention", 0, 3), one("feed-forward", -1, 0)])
    expected = torch.tensor([[12 / 18], [9 / 18], [-3 / 18]], dtype=torch.float64)
    torch.testing.assert_close(found.share, expected)
    root = math.sqrt(18)
    torch.testing.assert_close(found.length, torch.tensor([[4 / root], [3 / root], [1 / root]], dtype=torch.float64))
    half = math.sqrt(0.5)
    torch.testing.assert_close(found.cosine, torch.tensor([[half], [half], [-half]], dtype=torch.float64))


def test_a_summand_at_right_angles_has_length_and_no_share():
    found = shares([one("carried", 2, 0), one("attention", 0, 5), one("bias", 0, -5)])
    torch.testing.assert_close(found.share[:, 0], torch.tensor([1.0, 0.0, 0.0], dtype=torch.float64))
    torch.testing.assert_close(found.length[:, 0], torch.tensor([1.0, 2.5, 2.5], dtype=torch.float64))


def test_what_cancels_has_no_shares():
    found = shares([one("carried", 1, 0), one("attention", -1, 0)])
    assert found.share.isnan().all() or found.share.isinf().all()
    assert found.cosine.isnan().all()


def test_an_added_zero_has_no_direction():
    found = shares([one("carried", 1, 2), one("attention", 0, 0)])
    assert found.share[1, 0] == 0.0
    assert found.length[1, 0] == 0.0
    assert found.cosine[1, 0].isnan()


def test_total_and_cosine():
    assert torch.equal(total([one("carried", 1, 2), one("bias", 3, -1)]), torch.tensor([[4.0, 1.0]]))
    found = cosine(torch.tensor([[3.0, 4.0]]), torch.tensor([[4.0, 3.0]]))
    torch.testing.assert_close(found, torch.tensor([24 / 25], dtype=torch.float64))
