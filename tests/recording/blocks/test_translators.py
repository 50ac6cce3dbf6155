"""Our own translation models: an encoder and a decoder, normalised before each part; and one without layers."""

import torch

import attnviz
from attnviz.models.translation.recurrent import Recurrent
from attnviz.models.translation.transformer import Transformer

SOURCE, TARGET = torch.tensor([[4, 5, 6, 7, 8]]), torch.tensor([[1, 9, 3]])


def transformer():
    torch.manual_seed(0)
    return Transformer(12, 12, width=16, layers=2, heads=4).eval()


def test_encoder_and_decoder_are_two_streams():
    model = transformer()
    with torch.no_grad(), attnviz.follow(model) as stream:
        logits = model(SOURCE, TARGET)
    assert stream.names == ("encoder", "decoder")
    assert not stream.notes
    kinds = ["attention", "cross-attention", "feed-forward"]
    assert [part.kind for part in stream.of("encoder")[1].parts] == ["attention", "feed-forward"]
    assert [part.kind for part in stream.of("decoder")[1].parts] == kinds
    assert all(tuple(step.normalised) == (True, False, False) for layer in stream for step in layer.steps)
    # What leaves each side is what its last norm and the output are made of.
    with torch.no_grad():
        encoded = model.encode(SOURCE).states[0]
        torch.testing.assert_close(model.encoder_norm(stream.of("encoder")[1].left), encoded, rtol=0, atol=0)
        last = model.decoder_norm(stream.of("decoder")[1].left)
        expected = last @ model.target_embedding.weight.T + model.output_bias
    torch.testing.assert_close(logits[0], expected)
    assert torch.equal(stream.output, logits[0])


def test_layers_that_are_called_apart_from_the_model_are_followed():
    model = transformer()
    with torch.no_grad():
        with attnviz.follow(model) as whole:
            model(SOURCE, TARGET)
        with attnviz.follow(model) as apart:
            model.decode(TARGET, model.encode(SOURCE))
    assert [layer.name for layer in apart] == [layer.name for layer in whole]
    for one, two in zip(apart, whole, strict=True):
        assert torch.equal(one.left, two.left)


def test_without_cross_attention_the_source_is_not_heard():
    model = transformer()
    with torch.no_grad():
        with attnviz.follow(model) as stream:
            model(SOURCE, TARGET)
        off = [layer.part("cross-attention") for layer in stream.of("decoder")]
        with attnviz.follow(model, off=off) as without:
            model(SOURCE, TARGET)
        with attnviz.follow(model, off=off) as other:
            model(SOURCE.flip(1), TARGET)
    assert torch.equal(without.output, other.output)
    assert not torch.equal(without.output, stream.output)


def test_a_recurrent_translator_has_nothing_to_follow():
    torch.manual_seed(0)
    model = Recurrent(12, 12).eval()
    with torch.no_grad(), attnviz.follow(model) as stream:
        model(SOURCE, TARGET)
    assert len(stream) == 0
    assert len(stream.notes) == 1
