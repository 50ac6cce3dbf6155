import json
import pickle

import pytest
import torch

import attnviz
from attnviz.base.errors import InputError


def test_a_folder_opens_like_a_shipped_model(gpt2):
    trace = attnviz.models.load(str(gpt2)).trace("the black cat sat .")
    assert trace.roles() == ("decoder",)
    assert trace[0].query_tokens.texts == ("the", "black", "cat", "sat", ".")
    weights = trace[1].weights(1)
    assert not weights.triu(1).any(), "a decoder looks back only"
    torch.testing.assert_close(weights.sum(-1), torch.ones(5))


def test_an_encoder_and_decoder_model_writes_and_is_recorded_in_one_pass(bart):
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    trace = attnviz.models.load(str(bart)).trace("the black cat")
    assert trace.roles() == ("encoder", "decoder", "cross")
    tokenizer = AutoTokenizer.from_pretrained(bart)
    reference = AutoModelForSeq2SeqLM.from_pretrained(bart, attn_implementation="eager").eval()
    inputs = tokenizer(["the black cat"], return_tensors="pt")
    inputs.pop("token_type_ids", None)
    with torch.no_grad():
        written = reference.generate(**inputs, do_sample=False, num_beams=1, max_new_tokens=64)
        expected = reference(**inputs, decoder_input_ids=written, output_attentions=True)
    cross = trace.of_role("cross")[1]
    assert cross.key_tokens.texts == ("the", "black", "cat")
    assert len(cross.query_tokens) == written.shape[1]
    torch.testing.assert_close(cross.weights(), expected.cross_attentions[1][0], atol=1e-5, rtol=0)
    torch.testing.assert_close(
        trace.of_role("decoder")[0].weights(), expected.decoder_attentions[0][0], atol=1e-5, rtol=0
    )
    assert cross.query_tokens.generated[0] is False
    assert all(cross.query_tokens.generated[1:])
    assert any(f"wrote {written.shape[1] - 1} tokens" in str(note) for note in trace.notes)


def test_what_was_written_has_the_texts_of_what_was_written(bart):
    trace = attnviz.models.load(str(bart)).trace("the black cat")
    assert trace.of_role("decoder")[0].query_tokens.texts[0] == "</s>", "what BART starts every sentence with"


def test_weights_that_the_file_lacks_are_said(gpt2, tmp_path):
    from safetensors.torch import load_file, save_file

    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((gpt2 / name).read_bytes())
    tensors = load_file(gpt2 / "model.safetensors")
    left = {name: tensor for name, tensor in tensors.items() if "h.1.attn.c_attn.weight" not in name}
    assert len(left) == len(tensors) - 1
    save_file(left, tmp_path / "model.safetensors", metadata={"format": "pt"})
    notes = attnviz.models.load(str(tmp_path)).trace("the cat").notes
    assert any(
        "1 weights were not in the model's files" in str(note) and "h.1.attn.c_attn.weight" in str(note)
        for note in notes
    )


def test_a_folder_without_a_config_is_one_sentence(tmp_path):
    with pytest.raises(InputError, match=r"has no config\.json"):
        attnviz.models.load(str(tmp_path))


class _Bomb:
    def __reduce__(self):
        return (exec, ("raise SystemExit('executed')",))


def test_pickled_weights_are_refused_and_nothing_is_executed(tmp_path, gpt2):
    (tmp_path / "config.json").write_bytes((gpt2 / "config.json").read_bytes())
    (tmp_path / "pytorch_model.bin").write_bytes(pickle.dumps(_Bomb()))
    with pytest.raises(InputError, match="other formats can run code"):
        attnviz.models.load(str(tmp_path))


def test_code_that_comes_with_a_model_is_never_executed(tmp_path, gpt2):
    for name in ("tokenizer.json", "tokenizer_config.json", "model.safetensors"):
        (tmp_path / name).write_bytes((gpt2 / name).read_bytes())
    config = json.loads((gpt2 / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "code.Own", "AutoModel": "code.Own"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "code.py").write_text("raise SystemExit('executed')")
    with pytest.raises(InputError, match="cannot be loaded"):
        attnviz.models.load(str(tmp_path))


@pytest.mark.parametrize("length", [0, 4, 100, 2000])
def test_a_weights_file_cut_short_is_one_sentence(tmp_path, gpt2, length):
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((gpt2 / name).read_bytes())
    (tmp_path / "model.safetensors").write_bytes((gpt2 / "model.safetensors").read_bytes()[:length])
    with pytest.raises(InputError, match="cannot be loaded") as caught:
        attnviz.models.load(str(tmp_path))
    assert "\n" not in str(caught.value)


def test_dimensions_that_do_not_fit_the_weights_are_one_sentence(tmp_path, gpt2):
    for name in ("tokenizer.json", "tokenizer_config.json", "model.safetensors"):
        (tmp_path / name).write_bytes((gpt2 / name).read_bytes())
    config = json.loads((gpt2 / "config.json").read_text()) | {"n_embd": 16}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match="cannot be loaded"):
        attnviz.models.load(str(tmp_path))


@pytest.mark.parametrize(
    "name", ["", "../..", "/nowhere", "a b", "x" * 500, "a\0b", "a/b/c", "https://example.org/model"]
)
def test_what_is_no_name_at_all_is_one_sentence(name):
    with pytest.raises(InputError, match=r"neither a shipped model nor a folder|no config\.json"):
        attnviz.models.load(name)


def test_a_hub_that_cannot_be_reached_is_one_sentence(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match="hub cannot be reached"):
        attnviz.models.load("attnviz-tests/no-such-model")


def test_a_model_that_does_not_read_text_is_one_sentence(save_model):
    from transformers import ViTConfig

    folder = save_model(
        ViTConfig(
            hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, image_size=8, patch_size=4
        )
    )
    with pytest.raises(InputError, match="of the kind “vit”; a model that reads text alone was expected"):
        attnviz.models.load(str(folder))


def test_a_model_that_counts_positions_from_its_padding_takes_so_many_fewer(save_model):
    from transformers import RobertaConfig

    config = RobertaConfig(
        vocab_size=9, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8,
        max_position_embeddings=10, pad_token_id=0,
    )  # fmt: skip
    model = attnviz.models.load(str(save_model(config)))
    assert model.max_tokens == 9
    trace = model.trace("the black cat sat . " * 3)
    assert trace[0].shape == (9, 9)
    assert trace.left_out == 6


def test_what_was_written_has_words_and_places_in_the_text(bart, monkeypatch):
    model = attnviz.models.load(str(bart))
    # </s> the cat . </s>: what a model with random weights would hardly write.
    monkeypatch.setattr(model.module, "generate", lambda **options: torch.tensor([[2, 4, 6, 8, 2]]))
    tokens = model.trace("the black cat").of_role("cross")[0].query_tokens
    assert tokens.source == "the cat ."
    assert tokens.words == (None, 0, 1, 2, None)
    assert tokens.spans == (None, (0, 3), (4, 7), (8, 9), None)
    assert tokens.special == (True, False, False, False, True)


def test_an_empty_text_is_one_sentence(gpt2):
    with pytest.raises(InputError, match="The text is empty"):
        attnviz.models.load(str(gpt2)).trace(" \n")


def test_an_unknown_device_is_one_sentence(gpt2):
    with pytest.raises(InputError, match="cannot be used here"):
        attnviz.models.load(str(gpt2), device="warp")


def test_where_folders_are_not_opened_none_is_whatever_it_is_called(tmp_path, monkeypatch):
    (tmp_path / "user" / "model").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    for name in (str(tmp_path), "user/model", "../elsewhere", "~/model"):
        with pytest.raises(InputError, match="opens no folders"):
            attnviz.models.load(name, folders=False)
