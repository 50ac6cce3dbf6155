"""Causal attention: no position looks at a later one, all at once or one by one from a cache."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.attention.kinds.full import VASWANI, full_attention
from attnviz.attention.kinds.kind import FULL, Inputs, Kind, Outcome, Settings
from attnviz.attention.kinds.masked import masked_attention, outcome
from attnviz.base.language import _m


def causal_pairs(queries: int, keys: int, device: torch.device | None = None) -> Bool[Tensor, "n m"]:
    """Key j for query i where j ≤ i + m − n: the lower right corners meet, as n new queries after a cache need it."""
    every = torch.ones(queries, keys, dtype=torch.bool, device=device)
    return every.tril(keys - queries)


def causal_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads m d"],
    value: Float[Tensor, "heads m dv"],
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """All queries at once, every score worked out and those of later keys put to −∞."""
    pairs = causal_pairs(query.shape[1], key.shape[1], query.device)
    return masked_attention(query, key, value, pairs, temperature)


def cached_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads n d"],
    value: Float[Tensor, "heads n dv"],
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """One query at a time over the keys and values so far: what a model does when it writes. No mask is needed."""
    steps = []
    for last in range(1, query.shape[1] + 1):
        newest, cached_keys, cached_values = query[:, last - 1 : last], key[:, :last], value[:, :last]
        steps.append(full_attention(newest, cached_keys, cached_values, temperature))
    return torch.cat(steps, 1)


def largest_difference_upper_left(
    query: Float[Tensor, "heads 1 d"], key: Float[Tensor, "heads m d"], value: Float[Tensor, "heads m dv"]
) -> float:
    """How far `is_causal=True` is off for one query after a cache: PyTorch aligns the upper left corners there.

    So the newest query sees the first key alone, and its output is the first value.
    """
    right = causal_attention(query, key, value)
    wrong = torch.nn.functional.scaled_dot_product_attention(
        query[None], key[None], value[None], is_causal=True, scale=1 / math.sqrt(query.shape[-1])
    )[0]
    return float((right - wrong).abs().max())


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """Every position looks at itself and at all before it."""
    inputs = inputs.in_heads(settings.heads)
    output = causal_attention(inputs.query, inputs.key, inputs.value, settings.temperature)
    live = causal_pairs(*inputs.shape, inputs.query.device)
    return outcome(inputs, settings, CAUSAL.id, output, live=live, computed=live)


CAUSAL = Kind(
    id="causal",
    name=_m("Causal attention with a cache"),
    group=FULL,
    formula=(
        r"S_{ij} = \begin{cases} q_i \cdot k_j / \sqrt{d} & j \le i \\ -\infty & j > i \end{cases}",
        r"O = \operatorname{softmax}_j(S / T)\, V",
        r"o_t = \operatorname{softmax}_j\!\left(\tfrac{q_t K_{\le t}^\top}{\sqrt{d}\,T}\right) V_{\le t}",
    ),
    shapes=(
        r"Q, K \in \mathbb{R}^{n \times d},\; V \in \mathbb{R}^{n \times d_v},\; A \in \mathbb{R}^{n \times n}",
        r"K_{\le t} \in \mathbb{R}^{t \times d},\; V_{\le t} \in \mathbb{R}^{t \times d_v}",
    ),
    state=r"h\,n\,(d + d_v)",
    who_looks=_m("Every position looks at itself and at all earlier ones: n(n + 1)/2 pairs."),
    gives_up=_m("Everything that comes later. The cache grows by one key and one value with each step."),
    computes=_m("Step by step from the cache: the live pairs. As a mask over all pairs it would compute them all."),
    papers=(VASWANI,),
    torch_function="torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)",
    trap=_m(
        "With one query and a longer cache, is_causal=True aligns the upper left corners, and the newest query sees the "
        "first key alone; leave it out there, or use torch.nn.attention.bias.causal_lower_right."
    ),
    sliders=("heads", "temperature"),
    run=run,
)
