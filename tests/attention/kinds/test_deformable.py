"""Deformable attention against grid_sample, against its own matrix, and against transformers' module."""

import pytest
import torch
import torch.nn.functional as F
from transformers import DeformableDetrConfig
from transformers.models.deformable_detr.modeling_deformable_detr import (
    DeformableDetrMultiscaleDeformableAttention,
    MultiScaleDeformableAttention,
)

from attnviz.attention import Attention
from attnviz.attention.kinds import Inputs, Settings, kind
from attnviz.attention.kinds.deformable import Aim, bilinear, flops, look, own_places, points_of

SHAPES = ((4, 6), (2, 3))
HEADS, WIDTH, POINTS, QUERIES, KEYS = 2, 8, 3, 24, 30


def drawn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def aimed(query, temperature=1.0):
    aim = Aim.drawn(WIDTH, heads=HEADS, levels=2, points=POINTS, dtype=torch.float64)
    return aim, points_of(query, own_places(4, 6, dtype=torch.float64), aim, SHAPES, temperature=temperature)


def test_between_four_tokens_is_what_grid_sample_reads():
    values = drawn(2, 4, 6, 5)
    location = drawn(2, 7, 3, 2, seed=1)
    expected = F.grid_sample(values.permute(0, 3, 1, 2), location, align_corners=False).permute(0, 2, 3, 1)
    torch.testing.assert_close(bilinear(values, location), expected, atol=1e-12, rtol=0)
    assert (location.abs() > 1).any()


def test_the_output_is_what_transformers_computes():
    query, value = drawn(QUERIES, WIDTH), drawn(HEADS, KEYS, 4, seed=1)
    _aim, points = aimed(query)
    # batch, queries, heads, levels, points, xy; locations from 0 to 1.
    locations = ((points.locations + 1) / 2).transpose(1, 2).unflatten(3, (2, POINTS))
    weights = points.weights.transpose(1, 2).unflatten(3, (2, POINTS))
    expected = MultiScaleDeformableAttention()(
        value.transpose(0, 1)[None], None, list(SHAPES), None, locations, weights, 64
    )
    found = look(points, value).transpose(0, 1).flatten(1)
    torch.testing.assert_close(found, expected[0], atol=1e-12, rtol=0)


def test_points_and_weights_are_those_of_a_whole_module():
    """With its linear maps and no other projection: offsets in tokens of the level, one softmax over all levels."""
    query, source = drawn(QUERIES, WIDTH), drawn(KEYS, WIDTH, seed=1)
    aim, points = aimed(query)
    config = DeformableDetrConfig(d_model=WIDTH, num_feature_levels=2, disable_custom_kernels=True)
    module = DeformableDetrMultiscaleDeformableAttention(config, HEADS, POINTS).double()
    with torch.no_grad():
        module.sampling_offsets.weight.copy_(aim.offset.reshape(-1, WIDTH))
        module.sampling_offsets.bias.copy_(aim.offset_bias.flatten())
        module.attention_weights.weight.copy_(aim.score.reshape(-1, WIDTH))
        module.attention_weights.bias.copy_(aim.score_bias.flatten())
        for same in (module.value_proj, module.output_proj):
            same.weight.copy_(torch.eye(WIDTH))
            same.bias.zero_()
        places = own_places(4, 6, dtype=torch.float64)[None, :, None].expand(1, -1, 2, -1)
        expected, weights = module(
            query[None],
            encoder_hidden_states=source[None],
            reference_points=places,
            spatial_shapes=torch.tensor(SHAPES),
            spatial_shapes_list=list(SHAPES),
        )
    torch.testing.assert_close(points.weights, weights.flatten(3).transpose(1, 2), atol=1e-12, rtol=0)
    value = source.unflatten(1, (HEADS, -1)).transpose(0, 1)
    found = look(points, value).transpose(0, 1).flatten(1)
    torch.testing.assert_close(found, expected[0], atol=1e-12, rtol=0)


def test_the_matrix_that_is_never_made_says_the_same():
    query, value = drawn(QUERIES, WIDTH), drawn(HEADS, KEYS, 4, seed=1)
    _aim, points = aimed(query)
    attention = Attention.from_scores(points, form="deformable", value=value, normalised=False)
    torch.testing.assert_close(look(points, value).float(), attention.output(), atol=1e-5, rtol=0)


def test_without_offsets_a_query_gets_the_value_of_its_own_place():
    aim = Aim.drawn(WIDTH, heads=HEADS, points=POINTS, dtype=torch.float64)
    still = Aim(aim.offset * 0, aim.offset_bias * 0, aim.score, aim.score_bias)
    points = points_of(drawn(24, WIDTH), own_places(4, 6, dtype=torch.float64), still, ((4, 6),))
    value = drawn(HEADS, 24, 4, seed=1)
    torch.testing.assert_close(look(points, value), value, atol=1e-12, rtol=0)


def test_one_offset_by_hand():
    """From the middle of the first of four tokens in a row, 1.5 to the right: half of the second, half of the third."""
    aim = Aim(
        torch.zeros(1, 1, 1, 2, 1), torch.tensor([1.5, 0.0]).view(1, 1, 1, 2), torch.zeros(1, 1, 1, 1),
        torch.zeros(1, 1, 1),
    )  # fmt: skip
    points = points_of(torch.ones(1, 1), own_places(1, 4)[:1], aim, ((1, 4),))
    value = torch.tensor([1.0, 10.0, 100.0, 1000.0]).view(1, 4, 1)
    assert look(points, value).item() == pytest.approx(55.0, abs=1e-4)


def test_keys_do_not_matter_and_the_aim_is_linear_in_the_query():
    """Two queries' offsets add up (less the bias); nothing but query and place enters into the points."""
    one, other = drawn(1, WIDTH), drawn(1, WIDTH, seed=1)
    aim = Aim.drawn(WIDTH, heads=HEADS, points=POINTS, dtype=torch.float64)
    places = own_places(4, 6, dtype=torch.float64)[:1]

    def offsets(query):
        zero = points_of(query * 0, places, aim, ((4, 6),)).locations
        return points_of(query, places, aim, ((4, 6),)).locations - zero

    torch.testing.assert_close(offsets(one + other), offsets(one) + offsets(other), atol=1e-12, rtol=0)
    assert offsets(one).abs().max() > 0.01


def test_temperature_divides_the_scores():
    query = drawn(QUERIES, WIDTH)
    (_aim, plain), (_same, warm) = aimed(query), aimed(query, 4.0)
    cooled = plain.weights.log() / 4
    torch.testing.assert_close(warm.weights, cooled.softmax(-1), atol=1e-12, rtol=0)
    assert torch.equal(plain.locations, warm.locations)


def test_what_it_costs_in_a_full_hd_picture():
    """n = m = 8,160, d = 256, 8 heads, 4 levels, 4 points: 1.604 + 0.334 + 2.139 GFLOP."""
    assert flops(8160, 8160, 256, 8, 4, 4) == 1_604_321_280 + 334_233_600 + 2_139_095_040


@pytest.mark.parametrize("grid", [None, (3, 4)])
def test_the_kind_reads_no_keys(grid):
    inputs = Inputs.drawn(12, width=16, heads=2, grid=grid, dtype=torch.float64)
    found = kind("deformable").run(inputs, Settings(points=3))
    torch.testing.assert_close(found.attention.output().double(), found.output, atol=1e-5, rtol=0)
    assert found.points.weights.shape == (1, 2, 12, 3)
    torch.testing.assert_close(found.points.weights.sum(-1), torch.ones(1, 2, 12).double())
    other = Inputs(inputs.query, inputs.key * 7, inputs.value, grid)
    assert torch.equal(kind("deformable").run(other, Settings(points=3)).output, found.output)
    if grid is None:
        # In a sequence all points lie in its one row, where y is 0 from −1 to 1; two positions share each of them.
        assert (found.points.locations[..., 1] == 0).all()
        assert found.live.sum(-1).max() <= 2 * 3 * 2
    # At most four positions around each of two heads' three points.
    assert found.live.sum(-1).max() <= 2 * 3 * 4
    assert found.state == 2 * 12 * 8
    assert not found.computed.any()
