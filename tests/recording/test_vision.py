"""Models that look at pictures or listen: roles, layers, patches, and weights against the model's own."""

import pytest
import torch
from torch import nn

import attnviz
from attnviz.recording.patches import picture_tokens
from tests.recording.models.pictures import (
    clip,
    detr,
    dinov2,
    dinov2_with_registers,
    drawn,
    peaked,
    vit,
    vit_of_another_size,
    whisper,
)


def compare(attentions, eager):
    assert len(attentions) == len(eager) > 0
    for found, weights in zip(attentions, eager, strict=True):
        for item in range(found.items):
            assert (found.weights(None, item) - weights[item]).abs().max() < 1e-5
        allowed = found.allowed(None)
        assert found.logits(None).where(allowed, 0).abs().max() < 64
        assert found.check.agrees


@pytest.mark.parametrize("implementation", ["sdpa", "eager"])
@pytest.mark.parametrize(
    ("family", "special"),
    [(vit, 1), (vit_of_another_size, 1), (dinov2, 1), (dinov2_with_registers, 4)],
)
def test_patches_are_known_by_row_and_column(family, special, implementation):
    kind, config, size = family()
    pixels = drawn(2, 3, *size)
    options = {"interpolate_pos_encoding": True} if family is vit_of_another_size else {}
    model = peaked(kind, config, implementation)
    with torch.no_grad():
        plain = model(pixel_values=pixels, **options).last_hidden_state
        with attnviz.capture(model) as trace:
            assert torch.equal(model(pixel_values=pixels, **options).last_hidden_state, plain)
        eager = peaked(kind, config, "eager")(pixel_values=pixels, output_attentions=True, **options).attentions
    compare(trace.attentions, eager)
    assert trace.roles() == ("encoder",)
    assert trace.layers("encoder") == (0, 1)
    rows, columns = size[0] // 8, size[1] // 8
    for found in trace:
        assert found.shape == (special + rows * columns,) * 2
        tokens = found.key_tokens_of(1)
        assert tokens.kind == "patch"
        assert tokens.texts[0] == "[CLS]"
        assert tokens.texts[special + columns + 1] == "row 1, column 1"
        assert list(tokens.special) == [True] * special + [False] * rows * columns
        assert found.query_tokens == tokens
    assert trace[1].weights(None).std() > 0.05


def test_detr_attends_to_a_picture_in_its_encoder_and_across():
    kind, config, inputs = detr()
    # A backbone of convolutions takes no other than its own; by default the rest uses PyTorch's function.
    models = [peaked(kind, config, implementation) for implementation in (None, "eager")]
    with torch.no_grad():
        plain = models[0](**inputs).last_hidden_state
        with attnviz.capture(models[0]) as trace:
            assert torch.equal(models[0](**inputs).last_hidden_state, plain)
        eager = models[1](**inputs, output_attentions=True)
    assert trace.roles() == ("encoder", "decoder", "cross")
    for role, weights, shape in [
        ("encoder", eager.encoder_attentions, (6, 6)),
        ("decoder", eager.decoder_attentions, (5, 5)),
        ("cross", eager.cross_attentions, (5, 6)),
    ]:
        assert trace.layers(role) == (0, 1)
        assert {found.shape for found in trace.of_role(role)} == {shape}
        compare(trace.of_role(role), weights)
    # Two rows of three places, 32 pixels each way.
    assert trace.of_role("cross")[0].key_tokens.texts[4] == "row 1, column 1"
    assert trace.of_role("encoder")[0].query_tokens.texts[5] == "row 1, column 2"
    assert trace.of_role("cross")[0].query_tokens.kind == "vector"


def test_clip_has_a_tower_for_text_and_one_for_pictures():
    kind, config, inputs = clip()
    models = [peaked(kind, config, implementation, factor=40.0) for implementation in ("sdpa", "eager")]
    with torch.no_grad():
        with attnviz.capture(models[0]) as trace:
            models[0](**inputs)
        eager = models[1](**inputs, output_attentions=True)
    pictures, texts = trace.of_role("encoder"), trace.of_role("decoder")
    compare(pictures, eager.vision_model_output.attentions)
    compare(texts, eager.text_model_output.attentions)
    assert trace.layers("encoder") == trace.layers("decoder") == (0, 1)
    # As many tokens as the picture has positions; they are told apart by the tower.
    assert pictures[0].shape == texts[0].shape == (10, 10)
    assert pictures[0].key_tokens.texts[5] == "row 1, column 1"
    assert texts[0].key_tokens.kind != "patch"
    assert not texts[0].allowed(0)[0, 1:].any()


def test_whisper_listens_writes_and_looks_across():
    kind, config, inputs = whisper()
    models = [peaked(kind, config, implementation) for implementation in ("sdpa", "eager")]
    with torch.no_grad():
        with attnviz.capture(models[0]) as trace:
            models[0](**inputs)
        eager = models[1](**inputs, output_attentions=True)
    for role, weights, shape in [
        ("encoder", eager.encoder_attentions, (12, 12)),
        ("decoder", eager.decoder_attentions, (3, 3)),
        ("cross", eager.cross_attentions, (3, 12)),
    ]:
        assert trace.layers(role) == (0, 1)
        assert {found.shape for found in trace.of_role(role)} == {shape}
        compare(trace.of_role(role), weights)


@pytest.mark.parametrize(("count", "known"), [(9, True), (10, True), (11, False), (8, False), (1, False)])
def test_patches_are_named_only_where_their_number_is_explained(count, known):
    class Config:
        patch_size = 8

    assert (picture_tokens(count, (24, 24), Config(), "encoder.layer.0") is not None) is known


class Mixer(nn.Module):
    def forward(self, x):
        return x + 1


class SelfAttention(nn.Module):
    def forward(self, x):
        return nn.functional.scaled_dot_product_attention(x, x, x)


def test_layers_without_attention_keep_their_number():
    layers = [Mixer(), SelfAttention(), Mixer(), Mixer(), SelfAttention()]
    model = nn.ModuleDict({"layers": nn.Sequential(*layers)})
    model.forward = model["layers"].forward
    with attnviz.capture(model) as trace:
        model(drawn(1, 2, 5, 8))
    assert trace.layers("encoder") == (1, 4)


def test_blocks_without_attention_keep_their_number_through_stages():
    stages = [nn.Sequential(Mixer(), SelfAttention()), nn.Sequential(SelfAttention(), Mixer(), SelfAttention())]
    model = nn.Sequential(*stages)
    with attnviz.capture(model) as trace:
        model(drawn(1, 2, 5, 8))
    assert [found.name for found in trace] == ["0.1", "1.0", "1.2"]
    assert [found.layer for found in trace] == [1, 2, 4]


def test_windows_that_are_items_are_no_patches_of_the_picture():
    class Windows(nn.Module):
        def forward(self, pixels):
            # 16 windows of 4 × 4 places: as many places as the picture has patches of 8 × 8, but others.
            rows = pixels.unfold(2, 4, 4).unfold(3, 4, 4).flatten(4).flatten(2, 3).flatten(0, 1).mT
            rows = rows.new_tensor(rows.tolist())
            return nn.functional.scaled_dot_product_attention(rows[:, None], rows[:, None], rows[:, None])

    with attnviz.capture(model := Windows()) as trace:
        model(torch.randn(1, 3, 32, 32))
    assert trace[0].items > 1
    assert trace[0].key_tokens.kind == "vector"
