"""Tiny models on disk: random weights, a tokenizer of a few words."""

import pytest
import torch


@pytest.fixture(scope="session")
def save_model(tmp_path_factory):
    """Saves a model of a configuration with a word tokenizer; gives its folder. head: with one that names tokens."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import AutoModel, AutoModelForCausalLM, AutoModelForSeq2SeqLM, PreTrainedTokenizerFast

    words = ["<pad>", "<s>", "</s>", "<unk>", "the", "black", "cat", "sat", "."]
    vocabulary = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, unk_token="<unk>"))
    vocabulary.pre_tokenizer = Whitespace()

    def save(config, *, head=False):
        torch.manual_seed(0)
        folder = tmp_path_factory.mktemp(config.model_type)
        bare = AutoModelForCausalLM if head else AutoModel
        kind = AutoModelForSeq2SeqLM if config.is_encoder_decoder else bare
        kind.from_config(config).save_pretrained(folder)
        PreTrainedTokenizerFast(
            tokenizer_object=vocabulary, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
        ).save_pretrained(folder)
        return folder

    return save


def gpt2_config(positions=16):
    from transformers import GPT2Config

    return GPT2Config(
        vocab_size=9, n_embd=8, n_layer=2, n_head=2, n_positions=positions, bos_token_id=1, eos_token_id=2,
        initializer_range=1.0,
    )  # fmt: skip


@pytest.fixture(scope="session")
def gpt2(save_model):
    return save_model(gpt2_config())


@pytest.fixture(scope="session")
def gpt2_with_head(save_model):
    return save_model(gpt2_config(), head=True)


@pytest.fixture(scope="session")
def long_gpt2_with_head(save_model):
    return save_model(gpt2_config(256), head=True)


@pytest.fixture(scope="session")
def bart(save_model):
    from transformers import BartConfig

    return save_model(
        BartConfig(
            vocab_size=9, d_model=8, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
            decoder_attention_heads=2, encoder_ffn_dim=8, decoder_ffn_dim=8, max_position_embeddings=128,
            pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=None,
        )
    )  # fmt: skip
