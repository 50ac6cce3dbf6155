"""generate(): one more pass over the final tokens, or the cached steps put together."""

import pytest
import torch

import attnviz
from attnviz.attention import Causal
from tests.recording.models.generating import FIXED, IDS, LEFT, causal_lm


def said(trace):
    return [str(note) for note in trace.notes]


def eager_weights(family, model, ids, mask=None, **more):
    other = causal_lm(family, "eager")
    other.load_state_dict(model.state_dict())
    positions = {}
    if mask is not None:
        positions = {"attention_mask": mask}
        if family != "bart":
            positions["position_ids"] = (mask.cumsum(1) - 1).clamp(min=0)
    with torch.no_grad():
        return other(ids, **positions, **more, output_attentions=True, use_cache=False)


def assert_close(attention, weights, present=None):
    for item in range(attention.items):
        rows = range(attention.shape[0]) if present is None else present[item].nonzero().flatten().tolist()
        found = attention.weights(None, item, list(rows))
        torch.testing.assert_close(found, weights[item][:, list(rows)], atol=1e-5, rtol=0)


@pytest.mark.parametrize("cache", [None, "static", False])
@pytest.mark.parametrize("family", ["llama", "mistral", "gpt2"])
def test_one_more_pass_records_prompt_and_answer(family, cache):
    model = causal_lm(family)
    more = {"use_cache": False} if cache is False else {"cache_implementation": cache, "disable_compile": True}
    more = {} if cache is None else more
    plain = model.generate(IDS, attention_mask=LEFT, **FIXED, **more)
    with attnviz.capture(model) as trace:
        written = model.generate(IDS, attention_mask=LEFT, **FIXED, **more)
    assert torch.equal(plain, written)
    assert [found.shape for found in trace] == [(11, 11)] * 2
    mask = torch.cat([LEFT, torch.ones(2, 5, dtype=torch.long)], 1)
    eager = eager_weights(family, model, written, mask).attentions
    for attention, weights in zip(trace, eager, strict=True):
        assert_close(attention, weights, mask)
        assert attention.check.agrees
    tokens = trace[0].query_tokens_of(1)
    assert tokens.generated == (False,) * 6 + (True,) * 5
    assert tokens.padding == (True, True) + (False,) * 9
    assert tokens.ids == tuple(written[1].tolist())
    assert trace[0].key_tokens_of(1) is tokens
    assert ["one more pass" in text for text in said(trace)] == [True]


@pytest.mark.parametrize(("more", "count"), [({"num_beams": 3}, 2), ({"num_beams": 3, "num_return_sequences": 2}, 4)])
def test_beams_record_the_sequences_that_were_returned(more, count):
    model = causal_lm("gpt2")
    with attnviz.capture(model) as trace:
        written = model.generate(IDS, attention_mask=LEFT, **FIXED, **more)
    assert trace[0].items == len(written) == count
    mask = torch.cat([LEFT.repeat_interleave(count // 2, 0), torch.ones(count, 5, dtype=torch.long)], 1)
    eager = eager_weights("gpt2", model, written, mask).attentions
    for attention, weights in zip(trace, eager, strict=True):
        assert_close(attention, weights, mask)


@pytest.mark.parametrize("more", [{}, {"num_beams": 2}])
def test_an_encoder_and_its_decoder(more):
    model, right = causal_lm("bart"), LEFT.flip(1)
    plain = model.generate(IDS, attention_mask=right, **FIXED, **more)
    with attnviz.capture(model) as trace:
        written = model.generate(IDS, attention_mask=right, **FIXED, **more)
    assert torch.equal(plain, written)
    assert trace.roles() == ("encoder", "decoder", "cross")
    eager = eager_weights("bart", model, IDS, right, decoder_input_ids=written)
    for role, weights, present in [
        ("encoder", eager.encoder_attentions, right),
        ("decoder", eager.decoder_attentions, None),
        ("cross", eager.cross_attentions, None),
    ]:
        assert trace.layers(role) == (0, 1)
        for attention, one in zip(trace.of_role(role), weights, strict=True):
            assert_close(attention, one, present)
    assert trace.of_role("cross")[0].query_tokens.generated == (False,) + (True,) * (written.shape[1] - 1)
    assert trace.of_role("encoder")[0].query_tokens.generated is None


def test_what_fills_up_a_shorter_answer_is_padding():
    model = causal_lm("gpt2")
    model.generation_config.eos_token_id = None
    free = model.generate(IDS, attention_mask=LEFT, max_new_tokens=5, do_sample=False, pad_token_id=0)
    end = next(token for token in free[0, 6:].tolist() if token not in free[1, 6:].tolist())
    with attnviz.capture(model) as trace:
        written = model.generate(
            IDS, attention_mask=LEFT, max_new_tokens=5, do_sample=False, pad_token_id=0, eos_token_id=end
        )
    ended = written[0, 6:].tolist().index(end) + 7
    assert trace[0].query_tokens_of(0).padding == (False,) * ended + (True,) * (11 - ended)
    assert not any(trace[0].query_tokens_of(1).padding[2:])
    assert trace[0].allowed(0, 0, [10])[0].tolist() == [True] * ended + [False] * (11 - ended)


def test_several_answers_and_plain_passes_in_one_block():
    model = causal_lm("llama")
    with torch.no_grad(), attnviz.capture(model) as trace:
        model(IDS)
        model.generate(IDS[:1], **FIXED)
        model.generate(IDS[1:, :4], **FIXED)
    assert [found.shape for found in trace] == [(6, 6)] * 2 + [(11, 11)] * 2 + [(9, 9)] * 2
    assert [found.query_tokens.generated is None for found in trace] == [True, True, False, False, False, False]
    assert sum(trace[4].query_tokens.generated) == 5


def test_sampling_draws_the_same_numbers():
    model = causal_lm("gpt2").train()
    options = {**FIXED, "do_sample": True}
    torch.manual_seed(3)
    plain, after = model.generate(IDS, **options), torch.rand(1)
    torch.manual_seed(3)
    with attnviz.capture(model) as trace:
        written = model.generate(IDS, **options)
    assert torch.equal(plain, written)
    assert torch.equal(after, torch.rand(1))
    assert len(trace) == 2


def test_vectors_as_a_prompt():
    model = causal_lm("llama")
    vectors = model.get_input_embeddings()(IDS).detach()
    with attnviz.capture(model) as trace:
        written = model.generate(inputs_embeds=vectors, **FIXED)
    assert written.shape == (2, 5)
    eager = eager_weights("llama", model, torch.cat([IDS, written], 1)).attentions
    for attention, weights in zip(trace, eager, strict=True):
        assert_close(attention, weights)
    assert trace[0].query_tokens.generated == (False,) * 6 + (True,) * 5
    assert trace[0].query_tokens.ids is None


def test_an_assistant_writes_the_same_and_one_pass_is_recorded():
    model, assistant = causal_lm("llama"), causal_lm("llama")
    plain = model.generate(IDS[:1], **FIXED)
    with attnviz.capture(model) as trace:
        written = model.generate(IDS[:1], **FIXED, assistant_model=assistant)
    assert torch.equal(plain, written)
    assert [found.shape for found in trace] == [(11, 11)] * 2


def test_a_pass_that_is_not_possible_is_said_and_the_answer_stays(monkeypatch):
    model = causal_lm("gpt2")
    plain = model.generate(IDS, **FIXED)
    forward = type(model).forward

    def only_with_a_cache(self, *args, use_cache=None, **kwargs):
        if use_cache is False:
            raise ValueError("a cache is needed")
        return forward(self, *args, use_cache=use_cache, **kwargs)

    monkeypatch.setattr(type(model), "forward", only_with_a_cache)
    with attnviz.capture(model) as trace:
        written = model.generate(IDS, **FIXED)
    assert torch.equal(plain, written)
    assert len(trace) == 0
    assert ["a cache is needed" in text for text in said(trace)] == [True]


def test_an_exception_in_generate_leaves_nothing():
    model = causal_lm("gpt2")

    def stop(_text, _scores):
        raise RuntimeError("enough")

    with torch.no_grad(), attnviz.capture(model) as trace:
        with pytest.raises(RuntimeError, match="enough"):
            model.generate(IDS, **FIXED, logits_processor=[stop])
        model(IDS)
    assert [found.shape for found in trace] == [(6, 6)] * 2
    assert not any(one._forward_pre_hooks for one in model.modules())


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("family", ["llama", "mistral", "gpt2", "bart"])
def test_steps_put_together_are_what_one_more_pass_gives(family, padded):
    model = causal_lm(family)
    more = {"attention_mask": LEFT.flip(1) if family == "bart" else LEFT} if padded else {}
    traces = {}
    for way in ("replay", "stitch"):
        with attnviz.capture(model, generation=way, values=True) as traces[way]:
            written = model.generate(IDS, **FIXED, **more)
    replay, stitch = traces["replay"], traces["stitch"]
    assert [found.name for found in stitch] == [found.name for found in replay]
    for whole, together in zip(replay, stitch, strict=True):
        assert whole.role == together.role
        cut = whole.role != "encoder"
        queries = whole.shape[0] - cut
        keys = whole.shape[1] - (whole.role == "decoder")
        assert together.shape == (queries, keys)
        for item in (0, 1):
            right = whole.weights(None, item, slice(0, queries), slice(0, keys))
            found = together.weights(None, item)
            torch.testing.assert_close(found, right, atol=1e-5, rtol=0, equal_nan=True)
        assert together.check is None or together.check.agrees
    tokens = stitch[-1].query_tokens
    assert tokens.ids == tuple(written[0, :-1].tolist())
    assert ["put together" in text for text in said(stitch)] == [True]


def test_steps_with_a_causal_mask_stay_a_rule():
    model = causal_lm("llama")
    with attnviz.capture(model, generation="stitch") as trace:
        model.generate(IDS, **FIXED)
    assert trace.roles() == ("decoder",)
    pairs = trace[0].allowed(0)
    rows = torch.arange(10)
    assert torch.equal(pairs, Causal(0).allowed(0, rows, rows)[0])
    assert trace[0].check.agrees
    assert trace[0].scores.key.shape == (2, 2, 10, 8)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"cache_implementation": "static", "disable_compile": True}, "StaticCache"),
        ({"use_cache": False}, "NoneType"),
        ({"num_beams": 2}, "beams"),
    ],
)
def test_steps_that_cannot_be_put_together_are_said_and_not_shown(more, reason):
    model = causal_lm("llama")
    with attnviz.capture(model, generation="stitch") as trace:
        model.generate(IDS, **FIXED, **more)
    assert len(trace) == 0
    assert [reason in text for text in said(trace)] == [True]
