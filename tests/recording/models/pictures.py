"""Small models of transformers that look at pictures, listen or translate."""

import torch

TRANSFORMER = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 32,
}


def vit():
    from transformers import ViTConfig, ViTModel

    return ViTModel, ViTConfig(**TRANSFORMER, image_size=24, patch_size=8), (24, 24)


def vit_of_another_size():
    return *vit()[:2], (32, 16)


def dinov2():
    from transformers import Dinov2Config, Dinov2Model

    return Dinov2Model, Dinov2Config(**TRANSFORMER, image_size=24, patch_size=8, mlp_ratio=1), (24, 16)


def dinov2_with_registers():
    from transformers import Dinov2WithRegistersConfig, Dinov2WithRegistersModel

    config = Dinov2WithRegistersConfig(**TRANSFORMER, image_size=24, patch_size=8, mlp_ratio=1, num_register_tokens=3)
    return Dinov2WithRegistersModel, config, (24, 24)


def peaked(kind, config, implementation, factor=100.0):
    torch.manual_seed(0)
    options = {} if implementation is None else {"attn_implementation": implementation}
    model = kind._from_config(config, **options).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 2 and any(part in name for part in ("q_proj", "query")):
                parameter.mul_(factor)
    return model


def drawn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def deformable_detr():
    from transformers import DeformableDetrConfig, DeformableDetrModel, ResNetConfig

    torch.manual_seed(0)
    backbone = ResNetConfig(
        embedding_size=8, hidden_sizes=[8, 8, 8, 8], depths=[1, 1, 1, 1], out_features=["stage2", "stage3", "stage4"]
    )
    config = DeformableDetrConfig(
        use_timm_backbone=False,
        use_pretrained_backbone=False,
        backbone_config=backbone,
        backbone=None,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        num_queries=6,
        num_feature_levels=4,
        attn_implementation="eager",
    )
    model = DeformableDetrModel(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith(("attention_weights.weight", "sampling_offsets.weight")):
                parameter.normal_(std=0.5)
            if "decoder" in name and "self_attn.q_proj.weight" in name:
                parameter.mul_(30)
    return model


def detr():
    from transformers import DetrConfig, DetrModel, ResNetConfig

    backbone = ResNetConfig(embedding_size=8, hidden_sizes=[8, 8, 8, 8], depths=[1, 1, 1, 1], out_features=["stage4"])
    config = DetrConfig(
        use_timm_backbone=False,
        use_pretrained_backbone=False,
        backbone_config=backbone,
        backbone=None,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        num_queries=5,
    )
    return DetrModel, config, {"pixel_values": drawn(2, 3, 64, 96)}


def clip():
    from transformers import CLIPConfig, CLIPModel

    text = {**TRANSFORMER, "vocab_size": 64, "max_position_embeddings": 16, "pad_token_id": 1, "eos_token_id": 2}
    config = CLIPConfig(
        text_config=text, vision_config={**TRANSFORMER, "image_size": 24, "patch_size": 8}, projection_dim=16
    )
    ids = torch.randint(3, 60, (2, 10), generator=torch.Generator().manual_seed(1))
    inputs = {"input_ids": ids, "pixel_values": drawn(2, 3, 24, 24), "attention_mask": torch.ones_like(ids)}
    return CLIPModel, config, inputs


def whisper():
    from transformers import WhisperConfig, WhisperModel

    config = WhisperConfig(
        vocab_size=64,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        num_mel_bins=8,
        max_source_positions=12,
        max_target_positions=16,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )
    inputs = {"input_features": drawn(2, 8, 24), "decoder_input_ids": torch.tensor([[1, 5, 6], [1, 7, 8]])}
    return WhisperModel, config, inputs


def marian():
    from transformers import MarianConfig, MarianModel

    config = MarianConfig(
        vocab_size=64,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=32,
        pad_token_id=0,
        eos_token_id=2,
        decoder_start_token_id=0,
    )
    ids = torch.randint(3, 60, (2, 7), generator=torch.Generator().manual_seed(1))
    inputs = {"input_ids": ids, "decoder_input_ids": ids[:, :4]}
    return MarianModel, config, inputs
