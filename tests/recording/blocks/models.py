"""Small random models whose residual streams are followed, and where they keep their hidden states."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from tests.recording.conftest import GROUPED, SMALL, tiny_model

BEFORE, AFTER, OF_PART, BOTH_SIDES = (
    (True, False, False),
    (False, False, True),
    (False, True, False),
    (True, True, False),
)


@dataclass(frozen=True)
class Expected:
    """What a family is known to do.

    streams: names, and where the model gives their hidden states. parts: kind and module of the parts of the first
    layer of the last stream. normalised: where each of its steps normalises: before, of the part, after.
    single: the model runs in single precision alone.
    """

    build: Callable[[], nn.Module]
    streams: dict[str, str]
    parts: list[tuple[str, str]]
    normalised: list[tuple[bool, bool, bool]]
    pictures: bool = False
    single: bool = False


def built(kind: str, **options: Any) -> Callable[[], nn.Module]:
    def build() -> nn.Module:
        import transformers

        torch.manual_seed(0)
        config = getattr(transformers, f"{kind.removesuffix('Model')}Config")(**options)
        return getattr(transformers, kind)(config).eval()

    return build


def shipped(family: str) -> Callable[[], nn.Module]:
    return lambda: tiny_model(family, "eager")


def _two(attention: str, fed: str) -> list[tuple[str, str]]:
    return [("attention", attention), ("feed-forward", fed)]


def _three(attention: str, cross: str, fed: str) -> list[tuple[str, str]]:
    return [("attention", attention), ("cross-attention", cross), ("feed-forward", fed)]


_PICTURE = {name: size for name, size in SMALL.items() if name != "vocab_size"}
_HIDDEN = "hidden_states"

FAMILIES: dict[str, Expected] = {
    "BERT": Expected(
        shipped("bert"), {"encoder.layer": _HIDDEN}, _two("attention.output.dense", "output.dense"), [AFTER, AFTER]
    ),
    "ALBERT": Expected(
        built("AlbertModel", **SMALL, embedding_size=16),
        {"encoder.albert_layer_groups.0.albert_layers": _HIDDEN},
        _two("attention.dense", "ffn_output"),
        [AFTER, AFTER],
    ),
    "DeBERTa": Expected(
        shipped("deberta"), {"encoder.layer": _HIDDEN}, _two("attention.output.dense", "output.dense"), [AFTER, AFTER]
    ),
    "GPT-2": Expected(shipped("gpt2"), {"h": _HIDDEN}, _two("attn", "mlp"), [BEFORE, BEFORE]),
    "Llama": Expected(shipped("llama"), {"layers": _HIDDEN}, _two("self_attn", "mlp"), [BEFORE, BEFORE]),
    "gpt-oss": Expected(
        shipped("gpt_oss"), {"layers": _HIDDEN}, _two("self_attn", "mlp"), [BEFORE, BEFORE], single=True
    ),
    "Mixtral": Expected(
        built("MixtralModel", **GROUPED, num_local_experts=4),
        {"layers": _HIDDEN},
        _two("self_attn", "mlp"),
        [BEFORE, BEFORE],
        single=True,
    ),
    "OPT": Expected(
        built("OPTModel", **SMALL, ffn_dim=48, word_embed_proj_dim=32),
        {"decoder.layers": _HIDDEN},
        _two("self_attn", "fc2"),
        [BEFORE, BEFORE],
    ),
    "OPT, post-norm": Expected(
        built("OPTModel", **SMALL, ffn_dim=48, word_embed_proj_dim=32, do_layer_norm_before=False),
        {"decoder.layers": _HIDDEN},
        _two("self_attn", "fc2"),
        [AFTER, AFTER],
    ),
    "Gemma 2": Expected(shipped("gemma2"), {"layers": _HIDDEN}, _two("self_attn", "mlp"), [BOTH_SIDES, BOTH_SIDES]),
    "OLMo 2": Expected(
        built("Olmo2Model", **{name: value for name, value in GROUPED.items() if name != "head_dim"}),
        {"layers": _HIDDEN},
        _two("self_attn", "mlp"),
        [OF_PART, OF_PART],
    ),
    "GPT-NeoX": Expected(built("GPTNeoXModel", **SMALL), {"layers": _HIDDEN}, _two("attention", "mlp"), [BEFORE]),
    "GPT-NeoX, in a row": Expected(
        built("GPTNeoXModel", **SMALL, use_parallel_residual=False),
        {"layers": _HIDDEN},
        _two("attention", "mlp"),
        [BEFORE, BEFORE],
    ),
    "GPT-J": Expected(
        built("GPTJModel", vocab_size=64, n_embd=32, n_layer=2, n_head=4, rotary_dim=4),
        {"h": _HIDDEN},
        _two("attn", "mlp"),
        [BEFORE],
    ),
    "Falcon, added in place": Expected(
        shipped("falcon_grouped"), {"h": _HIDDEN}, _two("self_attention", "mlp"), [BEFORE]
    ),
    "BLOOM": Expected(
        shipped("bloom"), {"h": _HIDDEN}, _two("self_attention.dense", "mlp.dense_4h_to_h"), [BEFORE, BEFORE]
    ),
    "T5": Expected(
        shipped("t5"),
        {"encoder.block": "encoder_hidden_states", "decoder.block": "decoder_hidden_states"},
        _three("layer.0.SelfAttention", "layer.1.EncDecAttention", "layer.2.DenseReluDense"),
        [BEFORE, BEFORE, BEFORE],
    ),
    "BART": Expected(
        shipped("bart"),
        {"encoder.layers": "encoder_hidden_states", "decoder.layers": "decoder_hidden_states"},
        _three("self_attn", "encoder_attn", "fc2"),
        [AFTER, AFTER, AFTER],
    ),
    "ViT": Expected(
        built("ViTModel", **_PICTURE, image_size=24, patch_size=8),
        {"layers": _HIDDEN},
        _two("attention", "mlp"),
        [BEFORE, BEFORE],
        pictures=True,
    ),
    "DINOv2, layer scale": Expected(
        built("Dinov2Model", **_PICTURE, image_size=24, patch_size=8, layerscale_value=0.3),
        {"encoder.layer": _HIDDEN},
        _two("attention", "mlp"),
        [BEFORE, BEFORE],
        pictures=True,
    ),
    "Swin": Expected(
        shipped("swin"),
        {"encoder.layers.0.blocks": "", "encoder.layers.1.blocks": ""},
        _two("attention", "mlp"),
        [BEFORE, BEFORE],
        pictures=True,
    ),
}


def inputs_of(expected: Expected, model: nn.Module) -> dict[str, Any]:
    generator = torch.Generator().manual_seed(1)
    if expected.pictures:
        size = model.config.image_size
        return {"pixel_values": torch.randn(2, 3, size, size, generator=generator)}
    given = {"input_ids": torch.randint(3, 60, (2, 9), generator=generator)}
    if model.config.is_encoder_decoder:
        given["decoder_input_ids"] = torch.randint(3, 60, (2, 5), generator=generator)
    return given
