"""Longformer in the positions of the text, against the bands and the global rows that the model gives out itself."""

import pytest
import torch

import attnviz
from attnviz.attention import GlobalWindow, RowState
from tests.recording.models.longformer import dense


def text(length=24, padding=0, seed=1):
    ids = torch.randint(3, 60, (2, length), generator=torch.Generator().manual_seed(seed))
    mask = torch.ones_like(ids)
    if padding:
        ids[1, -padding:], mask[1, -padding:] = 1, 0
    return {"input_ids": ids, "attention_mask": mask}


def both(model, inputs):
    with torch.no_grad():
        plain = model(**inputs).last_hidden_state
        with attnviz.capture(model) as trace:
            recorded = model(**inputs).last_hidden_state
        weights = model(**inputs, output_attentions=True)
    assert torch.equal(plain, recorded)
    return trace, weights


@pytest.mark.parametrize("padding", [0, 3])
@pytest.mark.parametrize("places", [((), ()), ((0,), (0,)), ((0, 11), (5,)), ((3,), (0, 1, 12))])
def test_windows_and_global_positions(tiny, places, padding):
    model, inputs = tiny("longformer", "eager"), text(padding=padding)
    far = torch.zeros(2, 24, dtype=torch.long)
    for item, some in enumerate(places):
        far[item, list(some)] = 1
    trace, weights = both(model, {**inputs, "global_attention_mask": far})
    assert not trace.notes
    assert trace.layers("encoder") == (0, 1)
    assert [found.name for found in trace] == ["encoder.layer.0.attention.self", "encoder.layer.1.attention.self"]
    for number, (found, side) in enumerate(zip(trace, (2, 4), strict=True)):
        assert found.shape == (24, 24)
        assert found.check.agrees
        for item in (0, 1):
            valid = inputs["attention_mask"][item].bool()
            mine = found.weights(None, item)
            for head in range(4):
                expected = dense(
                    # The model gives out "items heads n x", and the global rows as "items heads n g".
                    weights.attentions[number][item, head],
                    weights.global_attentions[number][item, head] if far.any() else None,
                    far[item].bool(),
                    side,
                )
                assert (mine[head][valid] - expected[valid]).abs().max() < 1e-5
            assert (found.row_state(0, item)[~valid] == RowState.MASKED).all()
        assert found.logits(None)[found.allowed(None)].abs().max() < 64
        assert found.weights(None).std() > 0.05
        assert isinstance(found.mask, GlobalWindow) or bool(padding) or not far.any()


def test_the_text_is_padded_to_whole_windows_and_the_padding_is_masked(tiny):
    inputs = text(length=21)
    trace, _ = both(tiny("longformer", "eager"), inputs)
    assert trace[0].shape == (24, 24)
    assert trace[0].row_state(0).tolist() == [RowState.NORMAL] * 21 + [RowState.MASKED] * 3
    assert not trace[0].allowed(0)[:, 21:].any()


def test_values_give_the_output_where_there_is_one_kind_of_them(tiny):
    model, inputs, found = tiny("longformer", "eager"), text(), []
    model.encoder.layer[0].attention.self.register_forward_hook(lambda module, args, output: found.append(output[0]))
    with torch.no_grad(), attnviz.capture(model, values=True) as trace:
        model(**inputs)
    torch.testing.assert_close(trace[0].output(None).transpose(0, 1).flatten(1), found[0][0], atol=1e-5, rtol=0)
    far = torch.zeros(2, 24, dtype=torch.long)
    far[:, 0] = 1
    with torch.no_grad(), attnviz.capture(model, values=True) as trace:
        model(**inputs, global_attention_mask=far)
    # A global row takes other values than the rest: there is no one set of them to keep.
    assert not trace[0].has_values


def test_memory_without_global_positions_is_that_of_queries_and_keys(tiny):
    model = tiny("longformer", "eager")
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(**text())
    assert trace[0].nbytes() == 2 * 2 * 24 * 32 * 4


def test_a_trace_comes_back_from_its_file(tiny, tmp_path):
    far = torch.zeros(2, 24, dtype=torch.long)
    far[0, 3] = far[1, 7] = 1
    trace, _ = both(tiny("longformer", "eager"), {**text(padding=3), "global_attention_mask": far})
    trace.save(tmp_path / "run.safetensors")
    for found, again in zip(trace, attnviz.load(tmp_path / "run.safetensors"), strict=True):
        for item in (0, 1):
            assert torch.equal(found.weights(None, item).nan_to_num(-1), again.weights(None, item).nan_to_num(-1))


def test_dropout_is_said(tiny):
    model = tiny("longformer", "eager").train()
    with attnviz.capture(model) as trace:
        model(**text())
    assert ["dropped" in str(note) for note in trace.notes] == [True]
    torch.testing.assert_close(trace[0].weights(None).sum(-1), torch.ones(4, 24))


def test_an_exception_within_does_not_silence_the_next(tiny):
    model = tiny("longformer", "eager")
    attention = model.encoder.layer[0].attention.self
    broken = attention.value.register_forward_hook(lambda *_: 1 / 0)
    with torch.no_grad(), attnviz.capture(model) as trace:
        with pytest.raises(ZeroDivisionError):
            model(**text())
        broken.remove()
        model(**text())
    assert [found.layer for found in trace] == [0, 1]


def test_the_encoder_of_led(tiny):
    model, inputs = tiny("led", "eager"), text()
    far = torch.zeros(2, 24, dtype=torch.long)
    far[:, 0] = 1
    inputs |= {"global_attention_mask": far, "decoder_input_ids": inputs["input_ids"][:, :5]}
    trace, weights = both(model, inputs)
    assert [found.name for found in trace.of_role("encoder")] == [
        f"encoder.layers.{layer}.self_attn.longformer_self_attn" for layer in (0, 1)
    ]
    for number, (found, side) in enumerate(zip(trace.of_role("encoder"), (2, 4), strict=True)):
        expected = dense(
            weights.encoder_attentions[number][1, 2],
            weights.encoder_global_attentions[number][1, 2],
            far[1].bool(),
            side,
        )
        assert (found.weights(2, 1) - expected).abs().max() < 1e-5
        assert found.check.agrees
