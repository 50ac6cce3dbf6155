"""Attention that modules write out themselves, each form against the same weights worked out in float64."""

import math

import pytest
import torch
import torch.nn.functional as F

import attnviz
from attnviz.attention import Causal, DotProduct, Pointwise, Stored
from tests.recording.models.forms import (
    CAUSAL,
    FORMS,
    GATES,
    HEADS,
    ITEMS,
    QUERIES,
    WIDTH,
    Model,
    plain,
    random,
    scores,
    sigmoid,
    tensors,
)


def record(form, *tensors, layers=1, **options):
    model = Model(form, layers)
    plain = model(*(tensor.clone() for tensor in tensors))
    with attnviz.capture(model, **options) as trace:
        recorded = model(*tensors)
    for expected, found in zip(plain, recorded, strict=True):
        assert torch.equal(expected, found)
    return trace


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_every_way_to_write_it_gives_the_weights_from_queries_and_keys(form):
    q, k, v = tensors()
    trace = record(form, q, k, v)
    assert not trace.notes
    assert not trace.lookalikes
    (found,) = trace
    assert found.name == "blocks.0.attn"
    assert isinstance(found.scores, DotProduct)
    assert (found.items, found.heads, found.shape) == (ITEMS, HEADS, (QUERIES, QUERIES))
    expected = FORMS[form](q, k).softmax(-1)[..., :QUERIES]
    for item in range(ITEMS):
        torch.testing.assert_close(found.weights(None, item).double(), expected[item], atol=2e-6, rtol=0)
    assert found.check is not None
    assert found.check.agrees
    assert expected.amax(-1).mean() > 0.5


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("mode", [torch.inference_mode, torch.enable_grad])
def test_the_same_in_inference_mode_and_with_gradients(form, mode):
    with mode():
        q, k, v = tensors()
        if mode is torch.enable_grad:
            q = q.requires_grad_()
        trace = record(form, q, k, v)
    assert not trace.notes
    expected = FORMS[form](q, k).softmax(-1)[..., :QUERIES]
    torch.testing.assert_close(trace[0].weights(None, 1).double(), expected[1].detach(), atol=2e-6, rtol=0)
    assert isinstance(trace[0].scores, DotProduct)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_values_and_output_on_request(form):
    q, k, v = tensors()
    trace = record(form, q, k, v, values=True)
    expected = FORMS[form](q, k).softmax(-1)[..., :QUERIES] @ v.double()
    torch.testing.assert_close(trace[0].output(None, 1).double(), expected[1], atol=1e-5, rtol=0)


@pytest.mark.parametrize("form", GATES, ids=lambda form: form.__name__)
def test_sigmoid_attention_is_worked_out_from_queries_and_keys(form, tmp_path):
    q, k, v = tensors()
    trace = record(form, q, k, v)
    assert not trace.notes
    trace.save(tmp_path / "trace.safetensors")
    for found in (trace[0], attnviz.load(tmp_path / "trace.safetensors")[0]):
        assert isinstance(found.scores, Pointwise)
        assert not found.normalised
        torch.testing.assert_close(found.weights(None, 1).double(), GATES[form](q, k)[1], atol=1e-6, rtol=0)
        assert found.check.agrees


def test_a_sigmoid_that_multiplies_no_values_is_a_gate():
    def gate(q, k, v):
        return (q @ k.mT).sigmoid().sum(-1, keepdim=True) * v

    trace = record(gate, *tensors())
    assert len(trace) == 0
    assert not trace.lookalikes


def written_by_indices(q, k, v):
    scores = q @ k.mT / WIDTH**0.5
    scores[..., 2:, 1] = -torch.inf
    return scores.softmax(-1) @ v


def squared(q, k, v):
    return ((q @ k.mT / WIDTH**0.5) ** 2).softmax(-1) @ v


def rectified_in_place(q, k, v):
    return (q @ k.mT / WIDTH**0.5).relu_().softmax(-1) @ v


def of_a_view(q, k, v):
    scores = q @ k.mT / WIDTH**0.5
    scores[0].mul_(2)
    return scores.softmax(-1) @ v


def finite_fill(q, k, v):
    return (q @ k.mT / WIDTH**0.5).masked_fill(~CAUSAL, -3.0).softmax(-1) @ v


def uniform_rows(q, k, v):
    nothing = torch.zeros(QUERIES, QUERIES, dtype=torch.bool)
    nothing[2] = True
    return (q @ k.mT / WIDTH**0.5).masked_fill(nothing, -1e4).softmax(-1) @ v


@pytest.mark.parametrize(
    "form",
    [written_by_indices, squared, rectified_in_place, of_a_view, finite_fill, uniform_rows],
    ids=lambda form: form.__name__,
)
def test_where_something_else_happens_to_the_scores_the_weights_are_kept_as_they_were_made(form):
    q, k, v = tensors(dtype=torch.float64)
    trace = record(form, q, k, v)
    (found,) = trace
    assert isinstance(found.scores, Stored)
    made = form(q, k, torch.eye(QUERIES, dtype=torch.float64).expand(ITEMS, HEADS, -1, -1))
    torch.testing.assert_close(found.weights(None, 1).double(), made[1], atol=1e-6, rtol=0)
    assert found.check.agrees


def test_attention_whose_product_with_values_is_never_seen_still_is_attention():
    def alone(q, k, v):
        return (q @ k.mT).softmax(-1).cumsum(-2)

    trace = record(alone, *tensors(1.0))
    assert len(trace) == 1
    assert trace[0].check is None


def one_head_ablated(q, k, v):
    weights = (q @ k.mT / math.sqrt(WIDTH)).softmax(-1)
    weights[:, 1] = 0
    return weights @ v


def overwritten(q, k, v):
    weights = (q @ k.mT / math.sqrt(WIDTH)).softmax(-1)
    weights.copy_(torch.eye(QUERIES))
    return weights @ v


def hardened(q, k, v):
    weights = (q @ k.mT / math.sqrt(WIDTH)).softmax(-1)
    return (F.one_hot(weights.argmax(-1), QUERIES) - weights.detach() + weights) @ v


def differential(q, k, v):
    one, other = ((q[..., part] @ k[..., part].mT / 2).softmax(-1) for part in (slice(4), slice(4, None)))
    return (one - 0.5 * other) @ v


def contrasted(q, k, v):
    return (q @ k.mT / math.sqrt(WIDTH)).softmax(-1)


@pytest.mark.parametrize("form", [one_head_ablated, overwritten, hardened, differential, contrasted])
def test_weights_that_multiply_no_values_as_they_were_made_say_so(form):
    trace = record(form, *tensors())
    assert len(trace) == (2 if form is differential else 1)
    assert all("not seen to multiply values" in str(found.note) for found in trace)
    (note,) = trace.notes
    assert "“blocks.0.attn”" in str(note)
    assert "not seen to multiply values" in str(note)


def test_weights_that_multiply_values_say_nothing():
    trace = record(plain, *tensors())
    assert not trace[0].note
    assert not trace.notes


def test_dropout_is_said_and_shown_are_the_weights_before_it():
    def dropping(q, k, v):
        return F.dropout((q @ k.mT * WIDTH**-0.5).softmax(-1), 0.5) @ v

    q, k, v = tensors()
    model = Model(dropping)
    with attnviz.capture(model) as trace:
        model(q, k, v)
    assert ["dropped" in str(note) for note in trace.notes] == [True]
    torch.testing.assert_close(trace[0].weights(None, 1).double(), scores(q, k).softmax(-1)[1], atol=2e-6, rtol=0)
    assert trace[0].check is None


def test_masks_that_layers_share_stay_shared_and_rules_take_no_memory():
    odd = random(QUERIES, QUERIES, seed=3) > -0.3
    odd.fill_diagonal_(True)

    def shared(q, k, v):
        return (q @ k.mT).masked_fill(odd, -torch.inf).masked_fill(~CAUSAL, -torch.inf).softmax(-1) @ v

    q, k, v = tensors(1.0)
    odd = ~odd
    first, second = record(shared, q, k, v, layers=2)
    one, other = (next(iter(found.mask.tensors().values())) for found in (first, second))
    assert one is other
    assert any(isinstance(rule, Causal) for rule in first.mask.rules)


def test_no_weights_stay_in_memory_where_queries_and_keys_tell():
    def long(q, k, v):
        return (q @ k.mT).softmax(-1) @ v

    q, k, v = (random(1, 2, 256, 4, seed=seed) for seed in range(3))
    (found,) = record(long, q, k, v)
    assert found.nbytes() <= 1.05 * (q.nbytes + k.nbytes)
    assert found.scores.query.data_ptr() == q.data_ptr()


def test_bfloat16_is_kept_and_what_is_shown_is_not_rounded():
    q, k, v = tensors(dtype=torch.bfloat16)
    (found,) = record(plain, q, k, v)
    assert isinstance(found.scores, DotProduct)
    assert found.scores.query.dtype == torch.bfloat16
    torch.testing.assert_close(found.weights(None, 1).double(), scores(q, k).softmax(-1)[1], atol=2e-6, rtol=0)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("query", torch.zeros(ITEMS, HEADS, QUERIES, WIDTH + 1)),
        ("key", torch.zeros(ITEMS + 1, HEADS, QUERIES, WIDTH)),
        ("bias", torch.zeros(1, HEADS, QUERIES, QUERIES + 1)),
        ("bias", torch.zeros(1, 1, QUERIES, QUERIES, dtype=torch.bool)),
        ("scale", "1"),
        ("shift", None),
        ("factor", 1e301),
    ],
)
def test_a_file_of_sigmoid_attention_that_does_not_fit_is_refused(field, wrong, tmp_path, monkeypatch):
    trace = record(sigmoid, *tensors())
    object.__setattr__(trace[0].scores, field, wrong)
    file = written(trace, tmp_path, monkeypatch)
    with pytest.raises(attnviz.InputError):
        attnviz.load(file)
    with pytest.raises(attnviz.InputError):
        trace.to_bytes()


def written(trace, folder, monkeypatch):
    """A file that nobody looked at before it was written, as a stranger may have it."""
    monkeypatch.setattr("attnviz.trace.trace.from_document", lambda *_: None)
    trace.save(folder / "trace.safetensors")
    monkeypatch.undo()
    return folder / "trace.safetensors"
