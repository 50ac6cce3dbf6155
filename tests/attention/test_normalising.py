"""Normalised sums, taken apart: each summand's share by hand, and the sum against torch's own norms."""

import pytest
import torch
from torch.nn import functional as F

from attnviz.attention.normalising import Normalising
from attnviz.attention.summands import Summand, total


def test_layer_norm_of_a_sum_by_hand():
    # (4, 0) + (2, 1) = (6, 1): mean 3.5, σ 2.5.
    norm = Normalising(True, torch.tensor([1.0, 3.0]), torch.tensor([0.5, 0.0]), 0.0)
    found = norm.shares(
        [Summand("carried", torch.tensor([[4.0, 0.0]])), Summand("attention", torch.tensor([[2.0, 1.0]]))]
    )
    expected = [[[2 / 2.5, -6 / 2.5]], [[0.5 / 2.5, -1.5 / 2.5]], [[0.5, 0.0]]]
    for one, numbers in zip(found, expected, strict=True):
        torch.testing.assert_close(one.vector, torch.tensor(numbers))
    assert [one.kind for one in found] == ["carried", "attention", "bias"]


def test_rms_norm_of_a_sum_by_hand():
    # (1, 7) + (0, −6) = (1, 1) has a root mean square of 1; so has nothing to do but the gain.
    norm = Normalising(False, torch.tensor([2.0, 0.5]), None, 0.0)
    found = norm.shares(
        [Summand("carried", torch.tensor([[1.0, 7.0]])), Summand("attention", torch.tensor([[0.0, -6.0]]))]
    )
    torch.testing.assert_close(found[0].vector, torch.tensor([[2.0, 3.5]]))
    torch.testing.assert_close(found[1].vector, torch.tensor([[0.0, -3.0]]))


@pytest.mark.parametrize("epsilon", [1e-12, 1e-5, 0.5])
def test_the_sum_is_what_torch_gives(epsilon):
    generator = torch.Generator().manual_seed(0)
    parts = [torch.randn(2, 3, 8, generator=generator, dtype=torch.float64) for _ in range(3)]
    gain, bias = torch.randn(2, 8, generator=generator, dtype=torch.float64)
    summands = [Summand("other", part) for part in parts]
    layer = total(Normalising(True, gain, bias, epsilon).shares(summands))
    torch.testing.assert_close(layer, F.layer_norm(sum(parts), (8,), gain, bias, epsilon))
    rms = total(Normalising(False, gain, None, epsilon).shares(summands))
    torch.testing.assert_close(rms, F.rms_norm(sum(parts), (8,), gain, epsilon))
    plain = Normalising(True, None, None, epsilon).of(sum(parts))
    torch.testing.assert_close(plain, F.layer_norm(sum(parts), (8,), eps=epsilon))
