"""The real sample model: its weights under `capture` against those that it gives out, and its output bit for bit."""

import pytest
import torch

import attnviz
from attnviz.models import catalogue

CARD = next(card for card in catalogue() if card.name == "minilm")

pytestmark = pytest.mark.skipif(not CARD.installed, reason=CARD.how_to_get)

TEXTS = ["The black cat sat on the mat.", "It was asleep, but the dog next to it was not asleep at all!"]


@pytest.fixture(scope="module")
def minilm():
    return attnviz.models.load("minilm", device="cpu")


def eager_attentions(minilm, inputs):
    minilm.module.set_attn_implementation("eager")
    try:
        return minilm.module(**inputs, output_attentions=True).attentions
    finally:
        minilm.module.set_attn_implementation("sdpa")


@pytest.mark.parametrize("texts", [TEXTS[:1], TEXTS], ids=["one", "padded"])
@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_weights_and_output(minilm, texts, mode):
    inputs = minilm.tokenizer(texts, padding=True, return_tensors="pt")
    with mode():
        plain = minilm.module(**inputs)
        with attnviz.capture(minilm.module) as trace:
            recorded = minilm.module(**inputs)
        eager = eager_attentions(minilm, inputs)
    assert torch.equal(plain.last_hidden_state, recorded.last_hidden_state)
    assert torch.equal(plain.pooler_output, recorded.pooler_output)
    assert (len(trace), trace[0].heads, trace.items) == (6, 12, len(texts))
    assert not trace.notes
    for attention, weights in zip(trace, eager, strict=True):
        for item, length in enumerate(inputs["attention_mask"].sum(1).tolist()):
            found = attention.weights(None, item)
            assert (found[:, :length] - weights[item][:, :length]).abs().max() < 1e-5
            assert (found[:, :length, length:] == 0).all()


def test_the_trace_says_where_it_comes_from(minilm):
    inputs = minilm.tokenizer(TEXTS[:1], return_tensors="pt")
    with torch.no_grad(), attnviz.capture(minilm.module) as trace:
        minilm.module(**inputs)
    origin = trace.origin
    assert (origin.kind, origin.model, origin.device, origin.dtype) == ("recorded", "BertModel", "cpu", "float32")
    assert (origin.attention_implementation, origin.torch_version) == ("sdpa", torch.__version__)
    assert [attention.name for attention in trace] == [f"encoder.layer.{layer}.attention.self" for layer in range(6)]
