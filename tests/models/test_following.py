"""A text followed through a model: which vectors belong to which token, and the same reading with a part switched off."""

import pytest
import torch

from attnviz import models
from attnviz.base.errors import InputError
from attnviz.models.following import MOST_FOLLOWED, follow_text


@pytest.fixture(scope="module")
def sample():
    return models.load("minilm")


@pytest.fixture(scope="module")
def translator():
    return models.load("translation/en-fr/transformer")


def test_every_layer_has_a_vector_for_each_token(sample):
    found = follow_text(sample, "The black cat.")
    assert found.stream.names == ("encoder.layer",)
    assert found.tokens["encoder.layer"].texts == ("[CLS]", "the", "black", "cat", ".", "[SEP]")
    layers = found.layers("encoder.layer")
    assert len(layers) == 6
    assert all(layer.left.shape == (6, 384) for layer in layers)
    with sample.running():
        encoding, _left_out = sample.encode("The black cat.")
        expected = sample.run(sample.inputs(encoding)).last_hidden_state[0]
    assert torch.equal(layers[-1].left, expected.cpu())


def test_a_long_text_is_followed_at_its_first_tokens(sample):
    found = follow_text(sample, "cat " * 200)
    assert len(found.tokens["encoder.layer"]) == MOST_FOLLOWED
    assert found.layers("encoder.layer")[0].left.shape == (MOST_FOLLOWED, 384)


def test_what_the_model_did_not_read_is_said(sample):
    found = follow_text(sample, "cat " * 1000)
    limit = sample.max_tokens
    # [CLS] and [SEP] stand around the words.
    assert [note.fields for note in found.stream.notes] == [{"total": 1002, "limit": limit, "left_out": 1002 - limit}]
    assert not follow_text(sample, "cat").stream.notes


def test_a_translator_has_two_streams_with_their_own_tokens(translator):
    found = follow_text(translator, "the black cat")
    assert found.tokens["encoder"].texts == ("the", "black", "cat", "</s>")
    assert found.tokens["decoder"].texts == ("<s>", "le", "chat", "noir")
    assert [part.kind for part in found.layers("decoder")[0].parts] == ["attention", "cross-attention", "feed-forward"]


def test_without_a_part_the_decoder_still_reads_what_it_read(translator):
    found = follow_text(translator, "the black cat")
    part = found.layers("encoder")[0].part("attention")
    without = follow_text(translator, "the black cat", off=[part], written=found.written)
    assert without.tokens["decoder"].texts == found.tokens["decoder"].texts
    assert torch.equal(without.layers("decoder")[0].came_in, found.layers("decoder")[0].came_in)
    assert not torch.equal(without.layers("decoder")[0].left, found.layers("decoder")[0].left)
    # What the switched part adds is zero, and so the layer's vector is what came in and the feed-forward part.
    first = without.layers("encoder")[0]
    assert not first.part("attention").added.any()
    torch.testing.assert_close(first.left, first.came_in + first.part("feed-forward").added)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("minilm", " ", "The text is empty"),
        ("translation/en-fr/gru", "the black cat", "No layer was found"),
        ("translation/en-fr/transformer", "zebra", "zebra"),
    ],
)
def test_what_cannot_be_followed_is_one_sentence(name, text, expected):
    with pytest.raises(InputError, match=expected):
        follow_text(models.load(name), text)


def test_what_a_translator_writes_with_and_without_a_part(translator):
    found = follow_text(translator, "the black cat")
    part = found.layers("decoder")[0].part("cross-attention")
    without = follow_text(translator, "the black cat", off=[part], written=found.written)
    made = found.choices(without)
    # What it is given is its own translation, so what it writes after each is the next one.
    assert found.read_last.texts == ("<s>", "le", "chat", "noir")
    assert [found.word(one.before) for one in made] == ["le", "chat", "noir", "</s>"]
    # Its module by hand: the layer's cross-attention gives zeros.
    source = torch.tensor([translator.translate("the black cat").source.ids])
    hook = translator.module.decoder[0].cross_attention.register_forward_hook(lambda _m, _i, out: _zeros(out))
    try:
        with translator.running() as module:
            expected = module(source, found.written)[0].double().softmax(-1)
    finally:
        hook.remove()
    assert [one.after for one in made] == expected.argmax(-1).tolist()
    assert [one.probability_after for one in made] == pytest.approx(
        [float(row[one.before]) for row, one in zip(expected, made, strict=True)], rel=1e-4, abs=1e-7
    )
    assert made[2].probability_before > 0.5


def _zeros(output):
    return torch.zeros_like(output) if isinstance(output, torch.Tensor) else tuple(map(torch.zeros_like, output))


def test_a_model_that_only_reads_writes_nothing(sample):
    found = follow_text(sample, "The black cat.")
    part = found.layers("encoder.layer")[0].part("attention")
    assert found.choices(follow_text(sample, "The black cat.", off=[part])) == []


def test_what_gpt2_names_next_with_and_without_a_part(gpt2_with_head):
    model = models.load(str(gpt2_with_head))
    text = "the black cat sat ."
    found = follow_text(model, text)
    (name,) = found.stream.names
    part = found.layers(name)[0].part("attention")
    made = found.choices(follow_text(model, text, off=[part]))
    assert found.read_last.texts == ("the", "black", "cat", "sat", ".")
    # Its module by hand: the first layer's attention adds zeros.
    before = _shares_of(model, text)
    hook = model.module.transformer.h[0].attn.register_forward_hook(lambda _m, _i, out: (_zeros(out[0]), *out[1:]))
    try:
        after = _shares_of(model, text)
    finally:
        hook.remove()
    assert [one.before for one in made] == before.argmax(-1).tolist()
    assert [one.after for one in made] == after.argmax(-1).tolist()
    for at, one in enumerate(made):
        assert one.probability_before == pytest.approx(float(before[at, one.before]), rel=1e-5)
        assert one.probability_after == pytest.approx(float(after[at, one.before]), rel=1e-5)


def test_a_long_text_is_continued_where_it_is_followed(long_gpt2_with_head):
    model = models.load(str(long_gpt2_with_head))
    found = follow_text(model, "cat " * 200)
    assert found.stream.output.shape == (MOST_FOLLOWED, 9)
    assert torch.allclose(found.stream.output, _logits_of(model, "cat " * 200)[:MOST_FOLLOWED], atol=1e-6)


def test_without_its_head_gpt2_names_nothing(gpt2):
    found = follow_text(models.load(str(gpt2)), "the black cat")
    assert found.word is None
    assert found.choices(found) == []


def _logits_of(model, text):
    encoding, _left_out = model.encode(text)
    with model.running():
        return model.module(**model.inputs(encoding)).logits[0].cpu()


def _shares_of(model, text):
    return _logits_of(model, text).double().softmax(-1)
