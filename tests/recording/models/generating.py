"""Small models of transformers that write."""

import torch

IDS = torch.tensor([[5, 9, 11, 23, 7, 40], [3, 3, 8, 31, 12, 50]])

LEFT = torch.tensor([[1, 1, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1]])

FIXED = {"max_new_tokens": 5, "min_new_tokens": 5, "do_sample": False, "pad_token_id": 0}


def causal_lm(family, implementation="sdpa"):
    import transformers as t

    common = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    small = {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 2, "intermediate_size": 32}
    grouped = {**small, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, **common}
    kind, config = {
        "llama": lambda: (t.LlamaForCausalLM, t.LlamaConfig(**grouped)),
        "mistral": lambda: (t.MistralForCausalLM, t.MistralConfig(**grouped, sliding_window=4)),
        "gpt2": lambda: (t.GPT2LMHeadModel, t.GPT2Config(vocab_size=64, n_embd=32, n_layer=2, n_head=4, **common)),
        "bart": lambda: (
            t.BartForConditionalGeneration,
            t.BartConfig(
                vocab_size=64,
                d_model=32,
                encoder_layers=2,
                decoder_layers=2,
                encoder_attention_heads=4,
                decoder_attention_heads=4,
                encoder_ffn_dim=32,
                decoder_ffn_dim=32,
                max_position_embeddings=32,
                decoder_start_token_id=2,
                forced_eos_token_id=None,
                **common,
            ),
        ),
    }[family]()
    torch.manual_seed(0)
    model = kind._from_config(config, attn_implementation=implementation).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 2 and any(part in name for part in ("q_proj", "c_attn")):
                parameter.mul_(30)
    return model
