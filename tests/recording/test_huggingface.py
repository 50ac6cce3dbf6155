"""Recorded weights against the weights that the same model gives out itself in its "eager" implementation."""

import pytest
import torch
from torch.utils.checkpoint import checkpoint

import attnviz
from attnviz.attention import Causal, Lengths, RowState
from attnviz.recording.call import NotRecorded
from attnviz.recording.huggingface import InterfaceCall
from attnviz.recording.masks import Masks

ENCODERS_AND_DECODERS = [
    ("bert", "sdpa", "encoder"),
    ("bert", "eager", "encoder"),
    ("gpt2", "sdpa", "decoder"),
    ("llama", "sdpa", "decoder"),
    ("mistral", "sdpa", "decoder"),
    ("gemma2", "eager", "decoder"),
    ("gpt_oss", "eager", "decoder"),
]


def largest_difference(attentions, eager, valid):
    """Over all layers, items and heads, in the rows and columns that are no padding."""
    assert len(attentions) == len(eager)
    differences = []
    for attention, weights in zip(attentions, eager, strict=True):
        for item in range(attention.items):
            rows = valid[item].nonzero().flatten().tolist()
            found = attention.weights(None, item, rows)
            differences.append((found - weights[item][:, rows]).abs().max())
    return torch.stack(differences).max().item()


@pytest.mark.parametrize("side", ["none", "left", "right"])
@pytest.mark.parametrize(("family", "implementation", "role"), ENCODERS_AND_DECODERS)
def test_weights_are_those_of_the_model_and_its_output_stays_bit_for_bit(
    tiny, padded, family, implementation, role, side
):
    model, inputs = tiny(family, implementation), padded(side)
    with torch.no_grad():
        plain = model(**inputs).last_hidden_state
        with attnviz.capture(model) as trace:
            recorded = model(**inputs).last_hidden_state
        eager = tiny(family, "eager")(**inputs, output_attentions=True).attentions
    assert torch.equal(plain, recorded)
    assert not trace.notes
    assert trace.roles() == (role,)
    assert trace.layers(role) == (0, 1)
    valid = inputs["attention_mask"].bool()
    assert largest_difference(trace.attentions, eager, valid) < 1e-5
    # The weights differ from row to row; a uniform model would prove little.
    assert trace[1].weights(None).std() > 0.1


@pytest.mark.parametrize("implementation", ["eager", "sdpa"])
@pytest.mark.parametrize("family", ["bart", "t5"])
@pytest.mark.parametrize("written", [5, 9])
def test_encoder_decoder_and_cross_are_told_apart(tiny, padded, family, implementation, written):
    model, inputs = tiny(family, implementation), padded("right")
    inputs["decoder_input_ids"] = torch.randint(3, 60, (2, written), generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        plain = model(**inputs).last_hidden_state
        with attnviz.capture(model) as trace:
            recorded = model(**inputs).last_hidden_state
        eager = tiny(family, "eager")(**inputs, output_attentions=True)
    assert torch.equal(plain, recorded)
    assert trace.roles() == ("encoder", "decoder", "cross")
    there = torch.ones(2, written, dtype=torch.bool)
    for role, weights, valid in [
        ("encoder", eager.encoder_attentions, inputs["attention_mask"].bool()),
        ("decoder", eager.decoder_attentions, there),
        ("cross", eager.cross_attentions, there),
    ]:
        assert trace.layers(role) == (0, 1)
        # T5 does not divide by √d: the last bits in which its two implementations differ grow in the weights.
        assert largest_difference(trace.of_role(role), weights, valid) < (1e-4 if family == "t5" else 1e-5)
    assert {attention.shape for attention in trace.of_role("cross")} == {(written, 9)}


def test_layers_have_the_names_that_the_model_has(tiny, padded):
    model = tiny("bart", "sdpa")
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(**padded("none"))
    assert [attention.name for attention in trace] == [
        "encoder.layers.0.self_attn",
        "encoder.layers.1.self_attn",
        "decoder.layers.0.self_attn",
        "decoder.layers.0.encoder_attn",
        "decoder.layers.1.self_attn",
        "decoder.layers.1.encoder_attn",
    ]


def test_grouped_keys_are_kept_as_few_as_they_are(tiny, padded):
    model = tiny("llama", "sdpa")
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(**padded("none"))
    assert (trace[0].heads, trace[0].kv_heads) == (4, 2)


def test_softcap_and_sinks_are_recorded_by_name(tiny, padded):
    with torch.no_grad(), attnviz.capture(model := tiny("gemma2", "eager")) as trace:
        model(**padded("none"))
    assert trace[0].scores.softcap == 8.0
    with torch.no_grad(), attnviz.capture(model := tiny("gpt_oss", "eager")) as trace:
        model(**padded("none"))
    mass = trace[0].weights(None).sum(-1) + trace[0].sink_mass(None)
    torch.testing.assert_close(mass, torch.ones_like(mass))
    assert float(trace[0].sink_mass(None).mean()) > 0.1


def test_masks_are_kept_as_rules_not_pair_by_pair(tiny, padded):
    model = tiny("llama", "eager")
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(**padded("left"))
    for attention in trace:
        assert {type(rule) for rule in attention.mask.rules} == {Causal, Lengths}
        assert attention.mask.tensors() == {}


def test_layers_share_one_position_bias(tiny, padded):
    model = tiny("t5", "sdpa")
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(**padded("right"), decoder_input_ids=torch.tensor([[0, 5, 6], [0, 7, 8]]))
    first, second = trace.of_role("encoder")
    assert first.scores.bias is not None
    assert first.scores.bias is second.scores.bias


def test_rows_of_left_padding_see_nothing(tiny, padded):
    model = tiny("gpt2", "eager")
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(**padded("left"))
    states = trace[0].row_state(0, item=1)
    assert states.tolist() == [RowState.MASKED] * 3 + [RowState.NORMAL] * 6


def test_generation_is_recorded_as_one_pass(padded):
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_embd=32, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=2))
    model.eval()
    ids = padded("none")["input_ids"][:1]
    with attnviz.capture(model) as trace:
        written = model.generate(ids, max_new_tokens=3, do_sample=False, min_new_tokens=3, pad_token_id=0)
    assert [attention.shape for attention in trace] == [(12, 12)] * 2
    with torch.no_grad(), attnviz.capture(model) as again:
        model(written)
    for one, other in zip(trace, again, strict=True):
        assert torch.equal(one.weights(None), other.weights(None))


def test_autograd_goes_on_as_before(tiny, padded):
    model = tiny("bert", "sdpa")
    with attnviz.capture(model) as trace:
        model(**padded("none")).last_hidden_state.sum().backward()
    recorded = {
        name: parameter.grad.clone() for name, parameter in model.named_parameters() if parameter.grad is not None
    }
    model.zero_grad()
    model(**padded("none")).last_hidden_state.sum().backward()
    for name, parameter in model.named_parameters():
        if parameter.grad is not None:
            assert torch.equal(parameter.grad, recorded[name])
    assert not trace[0].weights(0).requires_grad


def test_checkpointing_records_each_layer_once(tiny, padded):
    """Checkpointing computes the layers a second time, in the backward pass."""
    model = tiny("bert", "sdpa")
    with attnviz.capture(model) as trace:
        hidden = model.embeddings(padded("none")["input_ids"])
        encoded = checkpoint(lambda states: model.encoder(states).last_hidden_state, hidden, use_reentrant=False)
        encoded.sum().backward()
    assert [attention.name for attention in trace] == [
        "encoder.layer.0.attention.self",
        "encoder.layer.1.attention.self",
    ]


def test_dropout_is_said(tiny, padded):
    model = tiny("bert", "eager").train()
    with attnviz.capture(model) as trace:
        model(**padded("none"))
    assert ["dropped" in str(note) for note in trace.notes] == [True]
    torch.testing.assert_close(trace[0].weights(None).sum(-1), torch.ones(4, 9))


def test_autocast_is_recorded_as_it_computed(tiny, padded):
    model = tiny("bert", "eager")
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        with attnviz.capture(model) as trace:
            model(**padded("none"))
        eager = model(**padded("none"), output_attentions=True).attentions
    assert trace[0].scores.query.dtype == torch.bfloat16
    # The model rounds its scores to 8 bits; q and k are exact.
    torch.testing.assert_close(trace[0].weights(None), eager[0][0].float(), atol=2e-2, rtol=0)


def test_a_layer_that_does_more_than_q_and_k_say_is_marked_with_the_difference(tiny, padded):
    from transformers import AttentionInterface

    def twice_as_sharp(module, query, key, value, attention_mask, scaling=None, **kwargs):
        weights = (query @ key.mT * scaling * 2).softmax(-1)
        return (weights @ value).transpose(1, 2), None

    AttentionInterface.register("twice_as_sharp", twice_as_sharp)
    try:
        model = tiny("bert", "sdpa")
        model.set_attn_implementation("twice_as_sharp")
        with torch.no_grad(), attnviz.capture(model) as trace:
            model(padded("none")["input_ids"])
    finally:
        del AttentionInterface._global_mapping["twice_as_sharp"]
    assert [found.check.agrees for found in trace] == [False, False]
    notes = [str(note) for note in trace.notes]
    assert len(notes) == 2
    for found, note in zip(trace, notes, strict=True):
        assert f"“{found.name}”" in note
        assert f"by {found.check.difference:.1e}" in note


def test_what_differs_is_the_output_itself(tiny, padded):
    from transformers import AttentionInterface

    def a_quarter_more(module, query, key, value, attention_mask, scaling=None, **kwargs):
        weights = (query @ key.mT * scaling).softmax(-1)
        return (weights @ value).transpose(1, 2) + 0.25, None

    AttentionInterface.register("a_quarter_more", a_quarter_more)
    try:
        model = tiny("bert", "sdpa")
        model.set_attn_implementation("a_quarter_more")
        with torch.no_grad(), attnviz.capture(model) as trace:
            model(padded("none")["input_ids"])
    finally:
        del AttentionInterface._global_mapping["a_quarter_more"]
    assert [found.check.difference for found in trace] == pytest.approx([0.25, 0.25], abs=1e-4)


def test_values_are_kept_on_request_and_give_the_output(tiny, padded):
    model = tiny("bert", "sdpa")
    found = []
    handle = model.encoder.layer[0].attention.self.register_forward_hook(
        lambda module, args, output: found.append(output[0])
    )
    with torch.no_grad(), attnviz.capture(model, values=True) as trace:
        model(**padded("none"))
    handle.remove()
    heads = trace[0].output(None).transpose(0, 1).flatten(1)
    torch.testing.assert_close(heads, found[0][0])
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(**padded("none"))
    with pytest.raises(attnviz.InputError):
        trace[0].output(0)


def flash_call(mask, items=2, **options):
    """Flash attention needs a GPU; here only its arguments are understood."""
    generator = torch.Generator().manual_seed(0)
    return InterfaceCall(
        module=torch.nn.Identity(),
        run=0,
        query=torch.randn(items, 4, 3, 8, generator=generator),
        key=torch.randn(items, 2, 5, 8, generator=generator),
        value=None,
        mask=mask,
        autocast=None,
        implementation="flash_attention_2",
        options=options,
    )


@pytest.mark.parametrize(
    "options",
    [{"cu_seq_lens_q": torch.tensor([0, 2, 3])}, {"items": 1, "position_ids": torch.tensor([[0, 1, 0]])}],
    ids=["lengths", "positions"],
)
def test_packed_sequences_are_not_taken_for_one(options):
    with pytest.raises(NotRecorded):
        flash_call(None, is_causal=True, **options).meaning(Masks(), "decoder")
    # The same without packing: positions that only go on.
    flash_call(None, items=1, is_causal=True, position_ids=torch.tensor([[4, 5, 6]])).meaning(Masks(), "decoder")


def test_flash_attention_aligns_masks_to_the_last_key():
    padding = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1]])
    meaning = flash_call(padding, is_causal=True, sliding_window=3, scaling=0.5).meaning(Masks(), "decoder")
    rows, cols = torch.arange(3), torch.arange(5)
    assert meaning.mask.allowed(0, rows, cols)[0].int().tolist() == [[1, 1, 1, 0, 0], [0, 1, 1, 1, 0], [0, 0, 1, 1, 1]]
    assert meaning.mask.allowed(1, rows, cols)[0].int().tolist() == [[0, 0, 1, 0, 0], [0, 0, 1, 1, 0], [0, 0, 1, 1, 1]]
    assert (meaning.scale, meaning.causal, meaning.elsewhere) == (0.5, True, False)
