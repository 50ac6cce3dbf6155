"""flex_attention: functions of the positions, against the formula in float64 and flex attention's own lse."""

import math

import pytest
import torch
from torch import nn
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

import attnviz
from attnviz.attention import ByFunction, Causal, Dense, Lengths, Ranges, Window
from attnviz.attention.by_hand import steps_of
from attnviz.base.errors import InputError
from tests.recording.models.flex import HEADS, KV, Flex, N, block, causal, drawn, right_pairs, right_scores, windowed

pytestmark = pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")

DOCUMENTS = torch.tensor([[0] * 10 + [1] * 14, [0] * 3 + [1] * 9 + [2] * 12])
LENGTHS = torch.tensor([24, 17])


def documents(item, _head, q, k):
    return (DOCUMENTS[item, q] == DOCUMENTS[item, k]) & (q >= k)


def lengths(item, _head, _q, k):
    return k < LENGTHS[item]


def every_other(_item, head, q, k):
    return (q >= k) & ((q - k) % (head + 1) == 0)


def recorded(model, q, k, v, **options):
    with torch.no_grad():
        plain = model(q, k, v, **options)
        with attnviz.capture(model) as trace:
            again = model(q, k, v, **options)
    assert torch.equal(plain, again)
    (attention,) = trace
    assert attention.check.agrees
    return attention, trace


def assert_weights(attention, scores, pairs):
    weights = scores.masked_fill(~pairs, -torch.inf).softmax(-1)
    for item in (0, 1):
        found = attention.weights(None, item).double()
        torch.testing.assert_close(found, weights[item], atol=1e-5, rtol=0, equal_nan=True)


@pytest.mark.parametrize(
    ("mask", "expected"),
    [
        (causal, Causal(0)),
        (windowed, Window(5, 0)),
        (lengths, Lengths((0, 0), (24, 17))),
        (documents, Ranges),
        (every_other, ByFunction),
    ],
)
def test_masks_are_recognised_and_weights_are_right(mask, expected):
    q, k, v = drawn()
    attention, trace = recorded(model := Flex(), q, k, v, block_mask=block(mask), scale=0.4)
    pairs = right_pairs(mask).expand(2, HEADS, N, N)
    assert attention.mask == expected if not isinstance(expected, type) else isinstance(attention.mask, expected)
    assert_weights(attention, right_scores(q, k, 0.4), pairs)
    for item in (0, 1):
        assert torch.equal(attention.allowed(None, item), pairs[item])
        assert torch.equal(attention.allowed(3, item), pairs[item, 3])
        torch.testing.assert_close(attention.lse(item), model.aux.lse[item], atol=1e-5, rtol=0)
    assert trace.roles() == (("encoder",) if mask is lengths else ("decoder",))
    assert (attention.heads, attention.kv_heads) == (HEADS, KV)


def test_softcap_and_alibi_and_both():
    slopes = 2.0 ** -torch.arange(1, HEADS + 1)

    def capped(score, _item, _head, _q, _k):
        return 5 * torch.tanh(score / 5)

    def alibi(score, _item, head, q, k):
        return score + slopes[head] * (k - q)

    def both(score, item, head, q, k):
        return alibi(capped(score, item, head, q, k), item, head, q, k)

    q, k, v = drawn()
    bias = slopes.double().view(1, HEADS, 1, 1) * (torch.arange(N) - torch.arange(N)[:, None])
    cap = right_scores(q, k, 8**-0.5, lambda s: 5 * torch.tanh(s / 5))
    for change, scores in [
        (capped, cap),
        (alibi, right_scores(q, k, 8**-0.5) + bias),
        (both, cap + bias),
    ]:
        model = Flex()
        attention, _ = recorded(model, q, k, v, score_mod=change, block_mask=block(windowed))
        assert attention.scores.softcap == (5 if change is capped else None)
        assert_weights(attention, scores, right_pairs(windowed).expand(2, HEADS, N, N))
        torch.testing.assert_close(attention.lse(1), model.aux.lse[1], atol=1e-5, rtol=0)
        overview = attention.overview(size=4, item=1)
        assert overview is not None


def test_a_mask_in_the_scores_is_a_mask():
    def masked(score, _item, _head, q, k):
        return torch.where(q >= k, score, -float("inf"))

    q, k, v = drawn()
    attention, trace = recorded(Flex(), q, k, v, score_mod=masked)
    assert attention.mask == Causal(0)
    assert trace.roles() == ("decoder",)
    assert_weights(attention, right_scores(q, k, 8**-0.5), right_pairs(causal))


def test_layers_that_share_a_function_share_its_rule():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([Flex(), Flex()])

        def forward(self, q, k, v, **options):
            return self.layers[1](self.layers[0](q, k, v, **options), k, v, **options)

    q, k, v = drawn()
    mask = block(documents)
    with torch.no_grad(), attnviz.capture(model := Model()) as trace:
        model(q, k, v, block_mask=mask)
    assert trace[0].mask is trace[1].mask
    assert [found.name for found in trace] == ["layers.0", "layers.1"]


def test_what_a_function_has_caught_must_not_change():
    table = torch.zeros(N)

    def biased(score, _item, _head, _q, k):
        return score + table[k]

    q, k, v = drawn()
    _, trace = recorded(Flex(), q, k, v, score_mod=biased)
    table += 1
    assert len(trace) == 0
    assert any("overwritten" in str(note) for note in trace.notes)


@pytest.mark.filterwarnings("ignore:Using `torch.compile")
@pytest.mark.parametrize("within", [False, True])
def test_compiled_flex_attention_is_recorded(within):
    q, k, v = drawn()
    attend = torch.compile(flex_attention, backend="eager")
    model = Flex(attend) if within else torch.compile(Flex(), backend="eager")
    attention, _ = recorded_if_uncompiled(model, q, k, v, block_mask=block(windowed))
    assert attention.mask == Window(5, 0)
    assert_weights(attention, right_scores(q, k, 8**-0.5), right_pairs(windowed).expand(2, HEADS, N, N))


def recorded_if_uncompiled(model, q, k, v, **options):
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(q, k, v, **options)
    (attention,) = trace
    assert attention.check.agrees
    return attention, trace


@pytest.mark.parametrize("mask", [documents, every_other])
def test_a_file_holds_what_the_functions_say(tmp_path, mask):
    def alibi(score, _item, head, q, k):
        return score + (head + 1) * 0.1 * (k - q)

    def squared(score, _item, _head, _q, _k):
        return score * score.abs()

    q, k, v = drawn()
    for change in (None, alibi, squared):
        attention, trace = recorded(Flex(), q, k, v, block_mask=block(mask), score_mod=change)
        trace.save(tmp_path / "one.safetensors")
        (again,) = attnviz.load(tmp_path / "one.safetensors")
        assert isinstance(again.mask, Ranges if mask is documents else Dense)
        for item in (0, 1):
            found, right = again.weights(None, item), attention.weights(None, item)
            torch.testing.assert_close(found, right, atol=1e-6, rtol=0, equal_nan=True)
            assert torch.equal(again.allowed(None, item), attention.allowed(None, item))


def test_a_file_of_too_many_pairs_is_refused_with_the_figure(monkeypatch):
    q, k, v = drawn()
    _, trace = recorded(Flex(), q, k, v, block_mask=block(every_other))
    monkeypatch.setattr("attnviz.attention.function_masks._MOST_PAIRS", 1000)
    with pytest.raises(InputError, match="MB"):
        trace.to_bytes()


def test_no_mask_of_all_pairs_is_made_for_a_long_sequence(monkeypatch):
    """A mask is looked at in strips: no more pairs at once than a strip has."""
    asked = []
    real = torch.vmap

    def counting(function, *args, **kwargs):
        mapped = real(function, *args, **kwargs)

        def call(*given):
            found = mapped(*given)
            asked.append(found.numel())
            return found

        return call

    q, k, v = (torch.randn(1, 1, 3000, 4) for _ in range(3))
    mask = create_block_mask(causal, 1, 1, 3000, 3000, device="cpu")
    with torch.no_grad(), attnviz.capture(model := Flex()) as trace:
        model(q, k, v, block_mask=mask)
    monkeypatch.setattr(torch, "vmap", counting)
    assert trace[0].mask == Causal(0)
    assert max(asked) <= 1 << 20 < 3000 * 3000


def test_hugging_face_models_with_flex_attention(padded):
    from transformers import LlamaConfig, LlamaModel

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=64,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=32,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
    )
    model = LlamaModel._from_config(config, attn_implementation="flex_attention").eval()
    eager = LlamaModel._from_config(config, attn_implementation="eager").eval()
    eager.load_state_dict(model.state_dict())
    inputs = padded("left")
    with torch.no_grad(), torch.compiler.set_stance("force_eager"):
        with attnviz.capture(model) as trace:
            model(**inputs)
        right = eager(**inputs, output_attentions=True).attentions
    for attention, weights in zip(trace, right, strict=True):
        assert attention.check.agrees
        for item, first in ((0, 0), (1, 3)):
            found = attention.weights(None, item, slice(first, 9))
            torch.testing.assert_close(found, weights[item, :, first:], atol=1e-5, rtol=0)
    assert trace.roles() == ("decoder",)
    assert math.isclose(trace[0].scores.scale, 8**-0.5)


def test_scores_by_function_go_to_a_device_and_are_not_worked_out_by_hand():
    def alibi(score, _item, head, q, k):
        return score - (head + 1) * 0.1 * (q - k).abs()

    q, k, v = drawn()
    with attnviz.capture(model := Flex(), values=True) as trace:
        model(q, k.repeat_interleave(2, 1), v.repeat_interleave(2, 1), score_mod=alibi)
    (attention,) = trace
    moved = attention.on(torch.device("cpu"))
    assert torch.equal(moved.weights(2, 1), attention.weights(2, 1))
    with pytest.raises(InputError, match="by hand"):
        steps_of(attention)
