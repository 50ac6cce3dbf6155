"""Deformable attention: weights × values must be what the model sampled."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import attnviz
from attnviz.attention import Points
from tests.recording.models.pictures import deformable_detr

SHAPES = [(4, 5), (2, 3)]


def multi_scale_deformable_attention(value, shapes, locations, weights):
    """As the authors' repository writes it in PyTorch."""
    items, _, heads, width = value.shape
    _, queries, _, levels, count, _ = locations.shape
    parts = value.split([rows * columns for rows, columns in shapes], dim=1)
    grids, sampled = 2 * locations - 1, []
    for level, (rows, columns) in enumerate(shapes):
        here = parts[level].flatten(2).transpose(1, 2).reshape(items * heads, width, rows, columns)
        grid = grids[:, :, :, level].transpose(1, 2).flatten(0, 1)
        sampled.append(F.grid_sample(here, grid, mode="bilinear", padding_mode="zeros", align_corners=False))
    weights = weights.transpose(1, 2).reshape(items * heads, 1, queries, levels * count)
    output = (torch.stack(sampled, dim=-2).flatten(-2) * weights).sum(-1)
    return output.view(items, heads * width, queries).transpose(1, 2).contiguous()


class Model(nn.Module):
    def forward(self, value, locations, weights):
        return multi_scale_deformable_attention(value, SHAPES, locations, weights.softmax(-1).view(2, 7, 3, 2, 4))


def drawn():
    generator = torch.Generator().manual_seed(0)
    value = torch.randn(2, 26, 3, 8, generator=generator)
    return (
        value,
        torch.rand(2, 7, 3, 2, 4, 2, generator=generator) * 1.4 - 0.2,
        torch.randn(2, 7, 3, 8, generator=generator),
    )


@pytest.mark.parametrize("gradients", [False, True])
def test_the_reference_function(gradients):
    value, locations, weights = drawn()
    model = Model()
    value.requires_grad_(gradients)
    plain = model(value, locations, weights)
    with attnviz.capture(model) as trace:
        recorded = model(value, locations, weights)
    assert torch.equal(plain, recorded)
    (found,) = trace
    assert not trace.notes
    assert (found.form, found.normalised, found.role) == ("deformable", False, "cross")
    assert (found.items, found.heads, found.shape) == (2, 3, (7, 26))
    assert found.check.agrees
    assert found.check.difference < 1e-6
    for item in (0, 1):
        output = found.weights(None, item) @ value[item].detach().transpose(0, 1)
        torch.testing.assert_close(output.transpose(0, 1).flatten(1), plain[item].detach(), atol=1e-5, rtol=0)
        # What is missing from 1 fell outside.
        total = found.weights(None, item).sum(-1) + found.scores.outside(item)
        torch.testing.assert_close(total, torch.ones(3, 7))
    assert found.key_tokens.texts[21] == "level 1, row 0, column 1"
    assert "fall outside" in found.note


def test_sampling_without_weights_is_no_attention():
    class Warp(nn.Module):
        def forward(self, picture, grid):
            return F.grid_sample(picture, grid, align_corners=False).mul(2).sum(-1)

    with attnviz.capture(model := Warp()) as trace:
        model(torch.randn(1, 3, 4, 4), torch.rand(1, 5, 6, 2))
    assert len(trace) == 0


def test_deformable_detr():
    model = deformable_detr()
    pixels = torch.randn(2, 3, 64, 96, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        plain = model(pixels).last_hidden_state
        with attnviz.capture(model) as trace:
            recorded = model(pixels, output_attentions=True)
    assert torch.equal(plain, recorded.last_hidden_state)
    assert trace.roles() == ("encoder", "decoder", "cross")
    assert {role: trace.layers(role) for role in trace.roles()} == dict.fromkeys(trace.roles(), (0, 1))
    # Four levels of 8 × 12, 4 × 6, 2 × 3 and 1 × 2 places.
    assert {found.shape for found in trace.of_role("encoder")} == {(128, 128)}
    assert {found.shape for found in trace.of_role("cross")} == {(6, 128)}
    assert {found.shape for found in trace.of_role("decoder")} == {(6, 6)}
    assert all(found.check.agrees for found in trace)
    for role, given in (("encoder", recorded.encoder_attentions), ("cross", recorded.cross_attentions)):
        for found, weights in zip(trace.of_role(role), given, strict=True):
            assert isinstance(found.scores, Points)
            # The model gives out "items n heads levels points".
            assert torch.equal(found.scores.weights, weights.transpose(1, 2).flatten(3))
    for found, weights in zip(trace.of_role("decoder"), recorded.decoder_attentions, strict=True):
        assert found.form == "dot-product"
        for item in (0, 1):
            assert (found.weights(None, item) - weights[item]).abs().max() < 1e-5
    assert not [note for note in trace.notes if "softmax" in str(note)]
    assert trace.of_role("encoder")[0].name == "encoder.layers.0.self_attn"
    assert trace.of_role("cross")[0].key_tokens.texts[96] == "level 1, row 0, column 0"


def test_rt_detr_samples_with_points_in_its_decoder():
    from transformers import RTDetrConfig, RTDetrModel, RTDetrResNetConfig

    torch.manual_seed(0)
    backbone = RTDetrResNetConfig(
        embedding_size=8,
        hidden_sizes=[8, 8, 8, 8],
        depths=[1, 1, 1, 1],
        layer_type="basic",
        out_features=["stage2", "stage3", "stage4"],
    )
    config = RTDetrConfig(
        backbone_config=backbone,
        use_pretrained_backbone=False,
        backbone=None,
        encoder_hidden_dim=32,
        encoder_in_channels=[8, 8, 8],
        d_model=32,
        num_queries=5,
        decoder_in_channels=[32, 32, 32],
        decoder_layers=2,
        encoder_layers=1,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        num_denoising=0,
        anchor_image_size=None,
    )
    model = RTDetrModel(config).eval()
    pixels = torch.randn(2, 3, 64, 64)
    with torch.no_grad():
        plain = model(pixels).last_hidden_state
        with attnviz.capture(model) as trace:
            assert torch.equal(model(pixels).last_hidden_state, plain)
    cross = trace.of_role("cross")
    assert [found.form for found in cross] == ["deformable"] * 2
    # Levels of 8 × 8, 4 × 4 and 2 × 2 places.
    assert {(found.items, found.heads, found.shape) for found in cross} == {(2, 4, (5, 84))}
    assert all(found.check.agrees for found in trace)
    assert trace.layers("decoder") == (0, 1)
