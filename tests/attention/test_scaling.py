"""Variance, entropy and gradient of scores and weights, against theory and autograd."""

import math

import pytest
import torch

from attnviz.attention import scaling
from attnviz.base.errors import InputError


@pytest.fixture(scope="module")
def swept():
    return scaling.sweep((1, 4, 16, 64, 256), keys=16, samples=2000, seed=0)


def test_the_variance_of_a_score_is_d_and_1_once_divided(swept):
    """Var(q·k) = d exactly. The estimate from 2,000 queries of 16 keys errs by about 3 % for d = 1, less above."""
    for dimension, unscaled, scaled in zip(
        swept.dimensions.tolist(), swept.unscaled.variance.tolist(), swept.scaled.variance.tolist(), strict=True
    ):
        assert unscaled == pytest.approx(dimension, rel=0.15)
        assert scaled == pytest.approx(1.0, rel=0.15)


def test_entropy_stays_below_that_of_uniform_weights(swept):
    assert swept.most_entropy == 4.0
    for curve in (swept.unscaled, swept.scaled):
        assert ((curve.entropy > 0) & (curve.entropy < 4)).all()


def test_without_the_division_the_softmax_collapses_and_with_it_it_does_not(swept):
    assert (swept.unscaled.entropy.diff() < 0).all()
    assert (swept.unscaled.gradient.diff() < 0).all()
    assert swept.unscaled.gradient[-1] < 0.2 * swept.unscaled.gradient[0]
    assert swept.scaled.entropy.max() - swept.scaled.entropy.min() < 0.3
    assert swept.scaled.gradient.max() - swept.scaled.gradient.min() < 0.05


def test_in_one_dimension_there_is_nothing_to_divide_by(swept):
    assert swept.unscaled.entropy[0] == pytest.approx(swept.scaled.entropy[0].item(), rel=1e-6)


def test_the_response_is_the_trace_of_autograds_jacobian():
    scores = torch.randn(7, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, -1), scores)
    found = scaling.softmax_response(torch.softmax(scores, -1))
    torch.testing.assert_close(found, jacobian.diagonal().sum())


def test_the_response_is_largest_for_uniform_weights_and_zero_for_one_key():
    assert scaling.softmax_response(torch.full((16,), 1 / 16)).item() == pytest.approx(1 - 1 / 16)
    assert scaling.softmax_response(torch.tensor([1.0, 0.0, 0.0])).item() == 0


def test_the_same_seed_gives_the_same_and_another_another():
    first, again, other = (scaling.sweep((8,), samples=16, seed=seed) for seed in (3, 3, 4))
    assert torch.equal(first.unscaled.variance, again.unscaled.variance)
    assert not torch.equal(first.unscaled.variance, other.unscaled.variance)


def test_blocks_are_added_up(monkeypatch):
    """Drawn a hundred samples at a time, the measures are still those of all samples together."""
    monkeypatch.setattr(scaling, "_MOST_NUMBERS", 100 * 4 * 4)
    swept = scaling.sweep((4,), keys=4, samples=4000, seed=0)
    assert swept.unscaled.variance.item() == pytest.approx(4.0, rel=0.15)
    assert math.isfinite(swept.scaled.entropy.item())


@pytest.mark.parametrize("wrong", [{"dimensions": ()}, {"dimensions": (0,)}, {"keys": 1}, {"samples": 1}])
def test_nothing_to_compare_is_refused(wrong):
    with pytest.raises(InputError):
        scaling.sweep(**{"dimensions": (4,), **wrong})
