"""nn.MultiheadAttention and what is built of it, against the weights per head that it gives out itself."""

import pytest
import torch
from torch import nn

import attnviz

CAUSAL = torch.ones(7, 7, dtype=torch.bool).triu(1)
PADDING = torch.tensor([[False] * 7, [False] * 5 + [True] * 2])


def attention(**options):
    torch.manual_seed(0)
    module = nn.MultiheadAttention(32, 4, **options).eval()
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if name in ("in_proj_weight", "q_proj_weight"):
                parameter.mul_(3)
    return module


def sequence(batch_first, seed=1, length=7, width=32):
    rows = torch.randn(2, length, width, generator=torch.Generator().manual_seed(seed))
    return rows if batch_first else rows.transpose(0, 1)


def check(module, query, key, value, trace, **masks):
    """The one recorded attention has the weights that the module gives out."""
    _, weights = module(query, key, value, need_weights=True, average_attn_weights=False, **masks)
    (recorded,) = trace
    for item in range(2):
        assert (recorded.weights(None, item) - weights[item]).abs().max() < 1e-5
    assert weights.std() > 0.05
    return recorded


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("gradients", [True, False])
@pytest.mark.parametrize(
    "masks",
    [
        {},
        {"key_padding_mask": PADDING},
        {"attn_mask": CAUSAL},
        {"attn_mask": CAUSAL, "key_padding_mask": PADDING},
        {"attn_mask": CAUSAL, "is_causal": True},
        {"attn_mask": torch.linspace(-1, 1, 49).view(7, 7)},
    ],
    ids=lambda masks: "+".join(masks),
)
def test_weights_are_those_of_the_module(need_weights, batch_first, gradients, masks):
    module, rows = attention(batch_first=batch_first), sequence(batch_first)
    with torch.set_grad_enabled(gradients):
        plain, _ = module(rows, rows, rows, need_weights=need_weights, **masks)
        with attnviz.capture(module) as trace:
            recorded, _ = module(rows, rows, rows, need_weights=need_weights, **masks)
        found = check(module, rows, rows, rows, trace, **masks)
    assert found.role == ("decoder" if masks.get("attn_mask") is CAUSAL else "encoder")
    if trace.notes:
        assert batch_first
        assert not gradients
        assert "fast path" in str(trace.notes[0])
        torch.testing.assert_close(recorded, plain, atol=1e-6, rtol=1e-6)
    else:
        assert torch.equal(plain, recorded)


@pytest.mark.parametrize("need_weights", [True, False])
def test_keys_of_another_sequence_and_another_width_are_cross(need_weights):
    module = attention(kdim=8, vdim=12)
    query, key, value = sequence(False), sequence(False, 2, 5, 8), sequence(False, 3, 5, 12)
    with torch.no_grad():
        with attnviz.capture(module) as trace:
            module(query, key, value, need_weights=need_weights)
        found = check(module, query, key, value, trace)
    assert found.role == "cross"
    assert found.shape == (7, 5)


@pytest.mark.parametrize("need_weights", [True, False])
def test_added_keys_are_recorded(need_weights):
    module, rows = attention(add_bias_kv=True, add_zero_attn=True), sequence(False)
    masks = {"attn_mask": CAUSAL, "key_padding_mask": PADDING}
    with torch.no_grad():
        with attnviz.capture(module) as trace:
            module(rows, rows, rows, need_weights=need_weights, **masks)
        assert check(module, rows, rows, rows, trace, **masks).shape == (7, 9)


def test_a_mask_for_each_head():
    module, rows = attention(batch_first=True), sequence(True)
    generator = torch.Generator().manual_seed(5)
    mask = (torch.rand(8, 7, 7, generator=generator) > 0.7) & ~torch.eye(7, dtype=torch.bool)
    with torch.no_grad():
        with attnviz.capture(module) as trace:
            module(rows, rows, rows, attn_mask=mask)
        check(module, rows, rows, rows, trace, attn_mask=mask)


def test_a_sequence_without_a_batch():
    module, rows = attention(), sequence(True)[0]
    with torch.no_grad(), attnviz.capture(module) as trace:
        _, weights = module(rows, rows, rows, need_weights=True, average_attn_weights=False)
    assert (trace[0].weights(None) - weights).abs().max() < 1e-5


@pytest.mark.parametrize("need_weights", [True, False])
def test_values_give_the_output(need_weights):
    module, rows = attention(), sequence(False)
    with torch.no_grad():
        with attnviz.capture(module, values=True) as trace:
            output, _ = module(rows, rows, rows, need_weights=need_weights)
        joined = torch.stack([trace[0].output(None, item).transpose(0, 1).flatten(1) for item in (0, 1)], 1)
        torch.testing.assert_close(module.out_proj(joined), output)


def test_equal_sequences_are_one_sequence_though_they_are_two_tensors():
    module, rows = attention(), sequence(False)
    with torch.no_grad(), attnviz.capture(module) as trace:
        module(rows, rows.clone(), rows.clone())
    assert trace[0].role == "encoder"


@pytest.mark.parametrize("padded", [True, False])
def test_transformer_encoder_on_its_fast_path(padded):
    torch.manual_seed(0)
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 2).eval()
    rows, padding = sequence(True), PADDING if padded else None
    valid = ~PADDING if padded else torch.ones_like(PADDING)
    with torch.no_grad():
        plain = model(rows, src_key_padding_mask=padding)
        with attnviz.capture(model) as trace:
            recorded = model(rows, src_key_padding_mask=padding)
    assert (plain - recorded)[valid].abs().max() < 1e-6
    assert ["fast path" in str(note) for note in trace.notes] == [True]
    assert [found.name for found in trace] == ["layers.0.self_attn", "layers.1.self_attn"]
    if padded:
        assert (trace[0].weights(None, 1)[..., 5:] == 0).all()


def test_transformer_encoder_off_its_fast_path_is_equal_bit_for_bit():
    torch.manual_seed(0)
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64), 2, enable_nested_tensor=False).eval()
    rows = sequence(False)
    with torch.no_grad():
        plain = model(rows)
        with attnviz.capture(model) as trace:
            recorded = model(rows)
    assert torch.equal(plain, recorded)
    assert not trace.notes


def test_encoder_decoder_and_cross_of_a_transformer():
    torch.manual_seed(0)
    model = nn.Transformer(32, 4, 2, 2, 64, batch_first=True).eval()
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(sequence(True), sequence(True, 2), tgt_mask=CAUSAL)
    assert [(found.name, found.role, found.layer) for found in trace] == [
        ("encoder.layers.0.self_attn", "encoder", 0),
        ("encoder.layers.1.self_attn", "encoder", 1),
        ("decoder.layers.0.self_attn", "decoder", 0),
        ("decoder.layers.0.multihead_attn", "cross", 0),
        ("decoder.layers.1.self_attn", "decoder", 1),
        ("decoder.layers.1.multihead_attn", "cross", 1),
    ]


@pytest.mark.parametrize("as_keyword", [False, True])
def test_a_nested_tensor_is_not_recorded_and_does_not_break_the_model(as_keyword):
    torch.manual_seed(0)
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 2).eval()
    rows = torch.nested.nested_tensor([sequence(True)[0], sequence(True)[1, :5]])
    inputs = {"src": rows} if as_keyword else {}
    with torch.no_grad():
        plain = model(rows)
        with attnviz.capture(model) as trace:
            recorded = model(**inputs) if as_keyword else model(rows)
    for expected, found in zip(plain.unbind(), recorded.unbind(), strict=True):
        assert torch.equal(expected, found)
    assert len(trace) == 0
    assert all("nested tensor" in str(note) for note in trace.notes)
    assert trace.notes
