"""Attention that modules write out themselves, each form against the same weights worked out in float64."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import attnviz
from attnviz.attention import Causal, DotProduct, Pointwise, Stored

ITEMS, HEADS, QUERIES, WIDTH = 2, 3, 6, 8
CAUSAL = torch.ones(QUERIES, QUERIES, dtype=torch.bool).tril()


def random(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


BIAS = random(HEADS, QUERIES, QUERIES, seed=7)
SINKS = random(HEADS, seed=8)
TEMPERATURES = random(HEADS, 1, 1, seed=9).exp() * 8
SOURCE = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])[:, None, None]


def plain(q, k, v):
    return (q @ k.transpose(-2, -1) / math.sqrt(WIDTH)).softmax(-1) @ v


def masked_fill(q, k, v):
    scores = torch.matmul(q, k.transpose(-2, -1)) * WIDTH**-0.5
    return F.dropout(F.softmax(scores.masked_fill(~CAUSAL, float("-inf")), dim=-1), 0.1, training=False) @ v


def masked_in_place(q, k, v):
    scores = torch.matmul(q, k.mT)
    scores /= math.sqrt(WIDTH)
    scores.masked_fill_(~CAUSAL, -1e9)
    return torch.matmul(scores.softmax(-1), v)


def half_precision_mask(q, k, v):
    scores = q @ k.mT * WIDTH**-0.5
    return scores.masked_fill(CAUSAL == 0, -1e4).softmax(-1) @ v


def where(q, k, v):
    scores = (q * WIDTH**-0.5) @ k.mT
    return torch.where(CAUSAL, scores, torch.finfo(scores.dtype).min).softmax(-1) @ v


def where_method(q, k, v):
    scores = (q * WIDTH**-0.5) @ k.mT
    return scores.where(CAUSAL, torch.tensor(-torch.inf)).softmax(-1) @ v


def where_full(q, k, v):
    scores = (q * WIDTH**-0.5) @ k.mT
    return torch.where(~CAUSAL, torch.full_like(scores, -torch.inf), scores).softmax(-1) @ v


def additive_mask(q, k, v):
    mask = torch.zeros(QUERIES, QUERIES).masked_fill(~CAUSAL, -torch.inf)
    scores = q @ k.mT / WIDTH**0.5 + mask
    return nn.Softmax(dim=-1)(scores) @ v


def subtracted_mask(q, k, v):
    scores = q @ k.mT / WIDTH**0.5 - 1e9 * (1 - CAUSAL.float())
    return scores.softmax(-1) @ v


def written_by_index(q, k, v):
    scores = q @ k.mT / WIDTH**0.5
    scores[~CAUSAL.expand_as(scores)] = -torch.inf
    return scores.softmax(-1) @ v


def einsum(q, k, v):
    scores = torch.einsum("bhid,bhjd->bhij", q, k) * WIDTH**-0.5
    return torch.einsum("bhij,bhjd->bhid", scores.softmax(-1), v)


def einsum_with_dots(q, k, v):
    scores = torch.einsum("...id,...jd->...ij", q, k) * WIDTH**-0.5
    return torch.einsum("...ij,...jd->...id", scores.softmax(dim=-1), v)


def einsum_in_another_order(q, k, v):
    q, k, v = (tensor.transpose(1, 2) for tensor in (q, k, v))
    scores = torch.einsum("bqhd,bkhd->bqkh", q, k) / WIDTH**0.5
    return torch.einsum("bqkh,bkhd->bhqd", scores.softmax(2), v)


def packed(q, k, v):
    q, k, v = (tensor.reshape(ITEMS * HEADS, QUERIES, WIDTH) for tensor in (q, k, v))
    weights = torch.softmax(torch.bmm(q, k.transpose(1, 2)) * WIDTH**-0.5, dim=-1)
    return torch.bmm(weights, v).view(ITEMS, HEADS, QUERIES, WIDTH)


def packed_with_a_view_for_the_mask(q, k, v):
    q, k, v = (tensor.reshape(ITEMS * HEADS, QUERIES, WIDTH) for tensor in (q, k, v))
    scores = torch.bmm(q * WIDTH**-0.5, k.transpose(1, 2))
    scores = scores.view(ITEMS, HEADS, QUERIES, QUERIES).masked_fill(~CAUSAL, -torch.inf)
    scores = scores.view(ITEMS * HEADS, QUERIES, QUERIES)
    return torch.bmm(F.softmax(scores, dim=-1), v).view(ITEMS, HEADS, QUERIES, WIDTH)


def baddbmm(q, k, v):
    q, k, v = (tensor.reshape(ITEMS * HEADS, QUERIES, WIDTH) for tensor in (q, k, v))
    bias = BIAS.repeat(ITEMS, 1, 1).to(q.dtype)
    scores = torch.baddbmm(bias, q, k.transpose(1, 2), beta=0.5, alpha=WIDTH**-0.5)
    return torch.bmm(scores.softmax(-1), v).view(ITEMS, HEADS, QUERIES, WIDTH)


def times_and_sum(q, k, v):
    scores = (q.unsqueeze(3) * k.unsqueeze(2)).sum(-1) * WIDTH**-0.5
    return (scores.softmax(-1).unsqueeze(-1) * v.unsqueeze(2)).sum(3)


def bias(q, k, v):
    return (BIAS.to(q.dtype) + q @ k.mT * WIDTH**-0.5).softmax(-1) @ v


def softcap(q, k, v):
    scores = q @ k.mT * WIDTH**-0.5
    scores = 2.0 * torch.tanh(scores / 2.0)
    return scores.masked_fill(~CAUSAL, -torch.inf).softmax(-1) @ v


def temperatures(q, k, v):
    scores = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT * TEMPERATURES.to(q.dtype)
    return scores.softmax(-1) @ v


def sinks(q, k, v):
    scores = q @ k.mT * WIDTH**-0.5
    column = SINKS.to(q.dtype).reshape(1, -1, 1, 1).expand(ITEMS, -1, QUERIES, -1)
    scores = torch.cat([scores, column], dim=-1)
    scores = scores - scores.max(dim=-1, keepdim=True).values
    return scores.softmax(-1)[..., :-1] @ v


def log_softmax(q, k, v):
    return F.log_softmax(q @ k.mT * WIDTH**-0.5, dim=-1).exp() @ v


def exponentials(q, k, v):
    scores = q @ k.mT * WIDTH**-0.5
    scores = torch.exp(scores - scores.amax(-1, keepdim=True))
    return scores / scores.sum(-1, keepdim=True) @ v


def masked_exponentials(q, k, v):
    scores = torch.exp(q @ k.mT * WIDTH**-0.5) * CAUSAL
    return (scores / (scores.sum(dim=-1, keepdim=True) + 1e-9)) @ v


def log_sum_exp(q, k, v):
    scores = q @ k.mT * WIDTH**-0.5
    return (scores - scores.logsumexp(-1, keepdim=True)).exp() @ v


def softmax_over_another_dimension(q, k, v):
    scores = k @ q.mT * WIDTH**-0.5
    return scores.softmax(-2).transpose(-2, -1) @ v


def channels_first(q, k, v):
    """As in the attention of YOLO11: positions last."""
    q, k, v = (tensor.transpose(-2, -1) for tensor in (q, k, v))
    weights = ((q.transpose(-2, -1) @ k) * WIDTH**-0.5).softmax(dim=-1)
    return (v @ weights.transpose(-2, -1)).transpose(-2, -1)


def in_another_type(q, k, v):
    scores = (q @ k.mT).float() * WIDTH**-0.5
    return F.softmax(scores, dim=-1, dtype=torch.float32).type_as(q) @ v


def clamped(q, k, v):
    scores = q @ k.mT * WIDTH**-0.5 + torch.zeros(QUERIES, QUERIES).masked_fill(~CAUSAL, torch.finfo(q.dtype).min)
    scores = torch.max(scores, torch.tensor(torch.finfo(scores.dtype).min))
    return scores.clamp(min=torch.finfo(q.dtype).min).softmax(-1) @ v


def padded(q, k, v):
    return (q @ k.mT * WIDTH**-0.5).masked_fill(~SOURCE, -torch.inf).softmax(-1) @ v


def scores(q, k):
    return q.double() @ k.double().mT / math.sqrt(WIDTH)


FORMS = {
    plain: scores,
    masked_fill: lambda q, k: scores(q, k).masked_fill(~CAUSAL, -torch.inf),
    masked_in_place: lambda q, k: scores(q, k).masked_fill(~CAUSAL, -torch.inf),
    half_precision_mask: lambda q, k: scores(q, k).masked_fill(~CAUSAL, -torch.inf),
    where: lambda q, k: scores(q, k).masked_fill(~CAUSAL, -torch.inf),
    where_method: lambda q, k: scores(q, k).masked_fill(~CAUSAL, -torch.inf),
    where_full: lambda q, k: scores(q, k).masked_fill(~CAUSAL, -torch.inf),
    additive_mask: lambda q, k: scores(q, k).masked_fill(~CAUSAL, -torch.inf),
    subtracted_mask: lambda q, k: scores(q, k).masked_fill(~CAUSAL, -torch.inf),
    written_by_index: lambda q, k: scores(q, k).masked_fill(~CAUSAL, -torch.inf),
    einsum: scores,
    einsum_with_dots: scores,
    einsum_in_another_order: scores,
    packed: scores,
    packed_with_a_view_for_the_mask: lambda q, k: scores(q, k).masked_fill(~CAUSAL, -torch.inf),
    baddbmm: lambda q, k: scores(q, k) + 0.5 * BIAS.double(),
    times_and_sum: scores,
    bias: lambda q, k: scores(q, k) + BIAS.double(),
    softcap: lambda q, k: (2 * (scores(q, k) / 2).tanh()).masked_fill(~CAUSAL, -torch.inf),
    temperatures: lambda q, k: (
        ((q.double() / q.double().norm(dim=-1, keepdim=True)) @ (k.double() / k.double().norm(dim=-1, keepdim=True)).mT)
        * TEMPERATURES.double()
    ),
    sinks: lambda q, k: torch.cat([scores(q, k), SINKS.double()[:, None, None].expand(ITEMS, -1, QUERIES, 1)], -1),
    log_softmax: scores,
    exponentials: scores,
    masked_exponentials: lambda q, k: scores(q, k).masked_fill(~CAUSAL, -torch.inf),
    log_sum_exp: scores,
    softmax_over_another_dimension: scores,
    channels_first: scores,
    in_another_type: scores,
    clamped: lambda q, k: scores(q, k).masked_fill(~CAUSAL, -torch.inf),
    padded: lambda q, k: scores(q, k).masked_fill(~SOURCE, -torch.inf),
}


class Attention(nn.Module):
    def __init__(self, form):
        super().__init__()
        self.form = form

    def forward(self, q, k, v):
        return self.form(q, k, v)


class Model(nn.Module):
    def __init__(self, form, layers=1):
        super().__init__()
        self.blocks = nn.ModuleList(nn.ModuleDict({"attn": Attention(form)}) for _ in range(layers))

    def forward(self, *tensors):
        return [block["attn"](*tensors) for block in self.blocks]


def record(form, *tensors, layers=1, **options):
    model = Model(form, layers)
    plain = model(*(tensor.clone() for tensor in tensors))
    with attnviz.capture(model, **options) as trace:
        recorded = model(*tensors)
    for expected, found in zip(plain, recorded, strict=True):
        assert torch.equal(expected, found)
    return trace


def tensors(peaked=4.0, dtype=torch.float32):
    return (
        random(ITEMS, HEADS, QUERIES, WIDTH, dtype=dtype) * peaked,
        random(ITEMS, HEADS, QUERIES, WIDTH, seed=1, dtype=dtype),
        random(ITEMS, HEADS, QUERIES, WIDTH, seed=2, dtype=dtype),
    )


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


def sigmoid(q, k, v):
    return torch.sigmoid(q @ k.mT * WIDTH**-0.5 - math.log(QUERIES)) @ v


def masked_sigmoid(q, k, v):
    scores = (q @ k.mT * WIDTH**-0.5).masked_fill(~CAUSAL, -torch.inf)
    return scores.sigmoid() @ v


def divided_sigmoid(q, k, v):
    return torch.einsum("bhij,bhjd->bhid", (q @ k.mT * WIDTH**-0.5 + BIAS.to(q.dtype)).sigmoid() / QUERIES, v)


GATES = {
    sigmoid: lambda q, k: (scores(q, k) - math.log(QUERIES)).sigmoid(),
    masked_sigmoid: lambda q, k: scores(q, k).masked_fill(~CAUSAL, -torch.inf).sigmoid(),
    divided_sigmoid: lambda q, k: (scores(q, k) + BIAS.double()).sigmoid() / QUERIES,
}


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
def test_a_file_of_sigmoid_attention_that_does_not_fit_is_refused(field, wrong, tmp_path):
    trace = record(sigmoid, *tensors())
    object.__setattr__(trace[0].scores, field, wrong)
    trace.save(tmp_path / "trace.safetensors")
    with pytest.raises(attnviz.InputError):
        attnviz.load(tmp_path / "trace.safetensors")
