"""A part that is switched off adds nothing, and everything after it follows."""

import pytest
import torch
from torch import nn

import attnviz
from tests.recording.blocks.models import FAMILIES, inputs_of


def run(model, inputs, **options):
    with torch.no_grad(), attnviz.follow(model, **options) as stream:
        model(**inputs)
    return stream


@pytest.mark.parametrize("family", ["BERT", "GPT-2", "GPT-NeoX", "Gemma 2", "ALBERT", "T5", "Falcon, added in place"])
@pytest.mark.parametrize("kind", ["attention", "feed-forward"])
def test_what_is_off_adds_zero_and_what_was_before_stays(family, kind):
    model = FAMILIES[family].build()
    inputs = inputs_of(FAMILIES[family], model)
    plain = run(model, inputs)
    name = plain.names[-1]
    part = plain.of(name)[1].part(kind)
    assert part.added.abs().max() > 0
    off = run(model, inputs, off=[part])
    assert torch.equal(off.of(name)[0].left, plain.of(name)[0].left)
    layer = off.of(name)[1]
    assert torch.equal(layer.part(kind).added, torch.zeros_like(part.added))
    assert [one.kind for one in layer.parts] == [one.kind for one in plain.of(name)[1].parts]
    assert not torch.equal(layer.left, plain.of(name)[1].left)
    assert layer.error < 1e-6


def test_an_attention_switched_off_is_as_if_its_output_weights_were_zero():
    model = FAMILIES["GPT-2"].build()
    inputs = inputs_of(FAMILIES["GPT-2"], model)
    off = run(model, inputs, off=[run(model, inputs)[0].part("attention")])
    with torch.no_grad():
        model.h[0].attn.c_proj.weight.zero_()
        model.h[0].attn.c_proj.bias.zero_()
        expected = model(**inputs).last_hidden_state
    assert torch.equal(off.output, expected[0])


def test_one_of_several_calls_of_a_shared_layer_is_off():
    model = FAMILIES["ALBERT"].build()
    inputs = inputs_of(FAMILIES["ALBERT"], model)
    plain = run(model, inputs)
    off = run(model, inputs, off=[plain[1].part("attention")])
    assert plain[0].name == plain[1].name
    assert torch.equal(off[0].part("attention").added, plain[0].part("attention").added)
    assert off[1].part("attention").added.abs().max() == 0


def test_what_does_not_run_cannot_be_off():
    model = nn.TransformerEncoderLayer(16, 4, 32).eval()
    x = torch.randn(3, 1, 16)
    with torch.no_grad(), attnviz.follow(model) as stream:
        model(x)
    part = stream[0].part("attention")
    following = attnviz.follow(model, off=[part.place._replace(call=7)])
    with pytest.raises(attnviz.InputError, match="Nothing was switched off"), torch.no_grad(), following:
        model(x)


def test_a_part_that_a_layer_has_not():
    model = nn.TransformerEncoderLayer(16, 4, 32).eval()
    with torch.no_grad(), attnviz.follow(model) as stream:
        model(torch.randn(3, 1, 16))
    with pytest.raises(attnviz.InputError, match="has no part of this kind"):
        stream[0].part("cross-attention")
