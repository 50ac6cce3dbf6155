import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

SMALL = {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32}
GROUPED = {**SMALL, "num_key_value_heads": 2, "head_dim": 8, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
BOTH = {"vocab_size": 64, "d_model": 32, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


def _bert():
    from transformers import BertConfig, BertModel

    return BertModel, BertConfig(**SMALL, pad_token_id=0)


def _gpt2():
    from transformers import GPT2Config, GPT2Model

    return GPT2Model, GPT2Config(vocab_size=64, n_embd=32, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=2)


def _llama():
    from transformers import LlamaConfig, LlamaModel

    return LlamaModel, LlamaConfig(**GROUPED)


def _mistral():
    from transformers import MistralConfig, MistralModel

    return MistralModel, MistralConfig(**GROUPED, sliding_window=4)


def _gemma2():
    from transformers import Gemma2Config, Gemma2Model

    return Gemma2Model, Gemma2Config(
        **GROUPED, sliding_window=4, attn_logit_softcapping=8.0, query_pre_attn_scalar=8, attn_implementation="eager"
    )


def _gpt_oss():
    from transformers import GptOssConfig, GptOssModel

    return GptOssModel, GptOssConfig(**GROUPED, sliding_window=4, num_local_experts=2, num_experts_per_tok=1)


def _t5():
    from transformers import T5Config, T5Model

    return T5Model, T5Config(**BOTH, d_kv=8, d_ff=32, num_layers=2, num_heads=4, decoder_start_token_id=0)


def _bart():
    from transformers import BartConfig, BartModel

    return BartModel, BartConfig(
        **BOTH,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=32,
    )


def _deberta():
    from transformers import DebertaV2Config, DebertaV2Model

    return DebertaV2Model, DebertaV2Config(
        **SMALL,
        relative_attention=True,
        pos_att_type=["c2p", "p2c"],
        position_buckets=4,
        max_position_embeddings=32,
        share_att_key=True,
        norm_rel_ebd="layer_norm",
        pad_token_id=0,
    )


def _bloom():
    from transformers import BloomConfig, BloomModel

    return BloomModel, BloomConfig(vocab_size=64, hidden_size=32, n_layer=2, n_head=4, pad_token_id=0)


def _falcon(**options):
    def build():
        from transformers import FalconConfig, FalconModel

        return FalconModel, FalconConfig(**SMALL, pad_token_id=0, **options)

    return build


def _perceiver():
    from transformers import PerceiverConfig, PerceiverModel

    return PerceiverModel, PerceiverConfig(
        num_latents=4,
        d_latents=32,
        d_model=32,
        num_blocks=1,
        num_self_attends_per_block=1,
        num_self_attention_heads=4,
        num_cross_attention_heads=4,
    )


def _swin():
    from transformers import SwinConfig, SwinModel

    return SwinModel, SwinConfig(
        image_size=32, patch_size=2, embed_dim=8, depths=[2, 2], num_heads=[2, 4], window_size=4
    )


def _longformer():
    from transformers import LongformerConfig, LongformerModel

    return LongformerModel, LongformerConfig(
        **SMALL, attention_window=[4, 8], max_position_embeddings=64, pad_token_id=1
    )


def _led():
    from transformers import LEDConfig, LEDModel

    return LEDModel, LEDConfig(
        **{**BOTH, "pad_token_id": 1, "bos_token_id": 0},
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        attention_window=[4, 8],
        max_encoder_position_embeddings=64,
        max_decoder_position_embeddings=64,
    )


def _big_bird():
    from transformers import BigBirdConfig, BigBirdModel

    return BigBirdModel, BigBirdConfig(
        **SMALL,
        block_size=4,
        num_random_blocks=2,
        max_position_embeddings=128,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )


FAMILIES = {
    "deberta": _deberta,
    "bloom": _bloom,
    "falcon": _falcon(alibi=False, multi_query=True, new_decoder_architecture=False),
    "falcon_alibi": _falcon(alibi=True, multi_query=False, new_decoder_architecture=False),
    "falcon_grouped": _falcon(alibi=False, new_decoder_architecture=True, num_kv_heads=2),
    "perceiver": _perceiver,
    "bert": _bert,
    "gpt2": _gpt2,
    "llama": _llama,
    "mistral": _mistral,
    "gemma2": _gemma2,
    "gpt_oss": _gpt_oss,
    "t5": _t5,
    "bart": _bart,
    "swin": _swin,
    "longformer": _longformer,
    "led": _led,
    "big_bird": _big_bird,
}

# What queries are multiplied by, so that attention is not nearly uniform. T5 does not divide
# by √d, so its scores are large enough as they are drawn.
PEAKED = {
    "t5": 1.0,
    "gpt2": 30.0,
    "bloom": 30.0,
    "falcon": 30.0,
    "falcon_alibi": 30.0,
    "falcon_grouped": 30.0,
    "perceiver": 30.0,
    "deberta": 150.0,
    "swin": 150.0,
    "longformer": 150.0,
    "led": 150.0,
    "big_bird": 150.0,
}
USUALLY = 600.0


def tiny_model(family: str, implementation: str) -> nn.Module:
    """A small model of a family with random weights, always the same, whose attention is not nearly uniform."""
    torch.manual_seed(0)
    kind, config = FAMILIES[family]()
    model = kind._from_config(config, attn_implementation=implementation).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 2 and any(part in name for part in ("q_proj", "query", "c_attn")):
                parameter.mul_(PEAKED.get(family, USUALLY))
            if "bias_table" in name or (family == "swin" and name.endswith(("q_proj.bias", "k_proj.bias"))):
                # So that padding, which has no features, has keys of its own.
                parameter.normal_()
            if "sinks" in name:
                parameter.copy_(torch.linspace(-1, 1, parameter.numel()))
    return model


@pytest.fixture
def tiny() -> Callable[[str, str], nn.Module]:
    """Builds small models by the name of their family and of their attention's implementation."""
    return tiny_model


@pytest.fixture
def padded() -> Callable[[str], dict[str, Tensor]]:
    """Two sequences of 9 tokens, the second one shorter by 3 unless padding is on neither side."""

    def build(side: str) -> dict[str, Tensor]:
        ids = torch.randint(3, 60, (2, 9), generator=torch.Generator().manual_seed(1))
        mask = torch.ones_like(ids)
        if side == "left":
            mask[1, :3] = 0
        if side == "right":
            mask[1, 6:] = 0
        return {"input_ids": ids, "attention_mask": mask}

    return build


def _left_behind() -> dict[str, object]:
    """Everything in this process and thread that recording changes for a while."""
    import sys

    from torch.nn.modules import module as torch_module
    from torch.overrides import _get_current_function_mode_stack
    from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

    from attnviz.recording.routing import recordings

    found: dict[str, object] = {
        "hooks": len(torch_module._global_forward_hooks),
        "pre-hooks": len(torch_module._global_forward_pre_hooks),
        "always called": len(torch_module._global_forward_hooks_always_called),
        "function modes": list(_get_current_function_mode_stack()),
        "dispatch modes": list(_get_current_dispatch_mode_stack()),
        "torch functions": torch._C._is_torch_function_enabled(),
        "recordings": recordings(),
        "compile": torch.compile,
    }
    if "torch._dynamo" in sys.modules:
        found["stance"] = sys.modules["torch._dynamo.eval_frame"]._stance.stance
    if "transformers.modeling_utils" in sys.modules:
        found["interface"] = sys.modules["transformers.modeling_utils"].AttentionInterface.get_interface
    if "transformers.generation.utils" in sys.modules:
        found["generate"] = sys.modules["transformers.generation.utils"].GenerationMixin.generate
    return found


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    """Holds for every test of recording: no hook, no mode, no stance and no patch outlives its block."""
    before = _left_behind()
    yield
    after = _left_behind()
    # What a test loaded itself was not there before.
    assert {name: after[name] for name in before} == before
    assert after.get("stance", "default") == "default"
