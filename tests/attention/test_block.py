"""The plain block against torch's own layer with the same weights, in float64."""

import pytest
import torch
from torch import nn

from attnviz.attention.block import NORM_PLACES, block, through, untrained
from attnviz.attention.block_gradients import gradient_sizes

WIDTH, HEADS, LAYERS = 16, 4, 3


def given(seed=1):
    return torch.randn(5, WIDTH, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def of_torch(weights, norm_first):
    layer = nn.TransformerEncoderLayer(
        WIDTH, HEADS, 4 * WIDTH, dropout=0.0, norm_first=norm_first, batch_first=True, bias=False, dtype=torch.float64
    )
    with torch.no_grad():
        layer.self_attn.in_proj_weight.copy_(weights.qkv)
        layer.self_attn.out_proj.weight.copy_(weights.out)
        layer.linear1.weight.copy_(weights.up)
        layer.linear2.weight.copy_(weights.down)
    return layer


@pytest.mark.parametrize(("norm", "norm_first"), [("before", True), ("after", False)])
def test_a_block_is_the_layer_of_torch(norm, norm_first):
    blocks, x = untrained(WIDTH, HEADS, LAYERS, seed=0), given()
    depth = through(x, blocks, norm)
    for index, weights in enumerate(blocks):
        expected = of_torch(weights, norm_first)(x[None])[0].detach()
        torch.testing.assert_close(block(x, weights, norm), expected, rtol=1e-12, atol=1e-12)
        torch.testing.assert_close(depth.vectors[index + 1], expected, rtol=1e-12, atol=1e-12)
        x = expected


@pytest.mark.parametrize("norm", ["before", "none"])
def test_without_a_norm_of_the_sum_everything_added_stays(norm):
    depth = through(given(), untrained(WIDTH, HEADS, LAYERS, seed=0), norm)
    torch.testing.assert_close(
        depth.vectors[-1], given() + depth.attention.sum(0) + depth.feed_forward.sum(0), rtol=1e-12, atol=1e-12
    )
    for layer in range(LAYERS):
        whole = sum(summand.vector for summand in depth.summands(layer))
        torch.testing.assert_close(whole, depth.vectors[layer + 1], rtol=1e-12, atol=1e-12)


def test_with_the_norm_after_every_vector_is_as_long_as_its_width_says():
    depth = through(given(), untrained(WIDTH, HEADS, LAYERS, seed=0), "after")
    expected = torch.full((LAYERS, 5), WIDTH**0.5, dtype=torch.float64)
    torch.testing.assert_close(depth.lengths[1:], expected, rtol=1e-4, atol=0.0)


@pytest.mark.parametrize(("norm", "norm_first"), [("before", True), ("after", False)])
def test_gradients_are_those_of_torch(norm, norm_first):
    blocks, x, target = untrained(WIDTH, HEADS, LAYERS, seed=0), given(), given(seed=2)
    layers = [of_torch(weights, norm_first) for weights in blocks]
    end = nn.LayerNorm(WIDTH, dtype=torch.float64, bias=False) if norm == "before" else nn.Identity()
    nn.functional.mse_loss(end(nn.Sequential(*layers)(x[None])), target[None]).backward()
    names = ("self_attn.in_proj_weight", "self_attn.out_proj.weight", "linear1.weight", "linear2.weight")
    expected = [torch.cat([layer.get_parameter(name).grad.flatten() for name in names]).norm() for layer in layers]
    torch.testing.assert_close(gradient_sizes(x, target, blocks, norm), torch.stack(expected), rtol=1e-9, atol=1e-12)


def test_the_last_gradient_shrinks_with_depth_under_pre_norm_alone():
    """Xiong et al. 2020, theorem 1: as 1 / √layers with the norm before, not at all with the norm after."""

    def last(layers, norm):
        sizes = []
        for seed in range(4):
            generator = torch.Generator().manual_seed(seed)
            x, target = torch.randn(2, 8, WIDTH, generator=generator, dtype=torch.float64)
            sizes.append(gradient_sizes(x, target, untrained(WIDTH, HEADS, layers, seed=seed), norm)[-1])
        return torch.stack(sizes).mean()

    assert last(32, "before") / last(2, "before") == pytest.approx((2 / 32) ** 0.5, rel=0.3)
    assert last(32, "after") / last(2, "after") == pytest.approx(1.0, rel=0.3)


def test_the_same_seed_draws_the_same_weights():
    one, two, other = (untrained(WIDTH, HEADS, 1, seed=seed)[0] for seed in (3, 3, 4))
    assert torch.equal(one.up, two.up)
    assert not torch.equal(one.up, other.up)
    assert NORM_PLACES == ("before", "after", "none")
