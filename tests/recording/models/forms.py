"""Ways to write attention out by hand, each with the same scores worked out in float64."""

import math

import torch
import torch.nn.functional as F
from torch import nn

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


def tensors(peaked=4.0, dtype=torch.float32):
    return (
        random(ITEMS, HEADS, QUERIES, WIDTH, dtype=dtype) * peaked,
        random(ITEMS, HEADS, QUERIES, WIDTH, seed=1, dtype=dtype),
        random(ITEMS, HEADS, QUERIES, WIDTH, seed=2, dtype=dtype),
    )


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
