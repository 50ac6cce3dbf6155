"""Differential attention: one softmax minus a part of another, so that noise cancels out (Ye et al. 2024)."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.kinds.kind import SOFTMAX, Inputs, Kind, Outcome, Paper, Settings
from attnviz.attention.kinds.masked import outcome_of_weights
from attnviz.base.errors import InputError
from attnviz.base.language import _m

YE = Paper("Ye et al.", 2024, "2410.05258")


def differential_weights(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads m d"],
    lambda_: float,
    temperature: float = 1.0,
) -> Float[Tensor, "heads n m"]:
    """softmax(Q₁K₁ᵀ/√(d/2)) − λ softmax(Q₂K₂ᵀ/√(d/2)), the halves of each head's queries and keys (equation 1).

    Rows sum to 1 − λ; a weight is negative where the second half looks more than the first.
    Raises `InputError` where the width of a head is odd.
    """
    if query.shape[-1] % 2:
        raise InputError(
            _m("Differential attention halves each head; a head of width {width} is odd."), width=query.shape[-1]
        )
    scale = math.sqrt(query.shape[-1] // 2) * temperature
    (first_q, second_q), (first_k, second_k) = query.chunk(2, -1), key.chunk(2, -1)
    first = torch.softmax(first_q @ first_k.mT / scale, -1)
    second = torch.softmax(second_q @ second_k.mT / scale, -1)
    return first - lambda_ * second


def differential_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads m d"],
    value: Float[Tensor, "heads m dv"],
    lambda_: float,
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """The weights times the values. The paper then normalises each head's output and multiplies it; not done here."""
    return differential_weights(query, key, lambda_, temperature) @ value


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """Every position looks at every position, some with a weight below 0."""
    inputs = inputs.in_heads(settings.heads)
    weights = differential_weights(inputs.query, inputs.key, settings.lambda_, settings.temperature)
    return outcome_of_weights(inputs, weights, DIFFERENTIAL.id, "stored", normalised=False)


DIFFERENTIAL = Kind(
    id="differential",
    name=_m("Differential"),
    group=SOFTMAX,
    formula=(
        r"A = \operatorname{softmax}_j\!\left(\frac{Q_1 K_1^\top}{\sqrt{d/2}\;T}\right) - \lambda\, \operatorname{softmax}_j\!\left(\frac{Q_2 K_2^\top}{\sqrt{d/2}\;T}\right)",
        r"O = A V, \qquad \textstyle\sum_j A_{ij} = 1 - \lambda",
    ),
    shapes=(
        r"Q = [Q_1; Q_2],\; K = [K_1; K_2],\; Q_1, Q_2 \in \mathbb{R}^{n \times d/2}",
        r"A \in \mathbb{R}^{n \times m},\; -\lambda \le A_{ij} \le 1",
    ),
    state=r"h\,n\,(d + d_v)",
    who_looks=_m("Every position looks at every position; what both halves look at cancels out."),
    gives_up=_m("Weights that are shares: they can be negative, and a row sums to 1 − λ."),
    computes=_m("All pairs, twice, each at half the width."),
    papers=(YE,),
    torch_function="torch.nn.functional.scaled_dot_product_attention(q₁, k₁, v) − λ · …(q₂, k₂, v)",
    trap=_m("Two calls, whose outputs are subtracted. The paper also learns λ and normalises each head afterwards."),
    sliders=("lambda_", "heads", "temperature"),
    run=run,
)
