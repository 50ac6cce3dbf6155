"""Self-attention: every position looks at every position of the same sequence (Vaswani et al. 2017)."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.kinds.kind import FULL, Inputs, Kind, Outcome, Paper, Settings
from attnviz.attention.kinds.masked import outcome
from attnviz.base.language import _m

VASWANI = Paper("Vaswani et al.", 2017, "1706.03762")


def full_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads m d"],
    value: Float[Tensor, "heads m dv"],
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """softmax(Q Kᵀ/√d) V, equation 1 of the paper; its temperature is 1."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores / temperature, -1)
    return weights @ value


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """Every position looks at every position."""
    inputs = inputs.in_heads(settings.heads)
    output = full_attention(inputs.query, inputs.key, inputs.value, settings.temperature)
    return outcome(inputs, settings, SELF.id, output)


SELF = Kind(
    id="self",
    name=_m("Self-attention"),
    group=FULL,
    formula=(
        r"S = \frac{Q K^\top}{\sqrt{d}}, \qquad A = \operatorname{softmax}_j(S / T)",
        r"O = A V",
    ),
    shapes=(
        r"Q \in \mathbb{R}^{n \times d},\; K \in \mathbb{R}^{n \times d},\; V \in \mathbb{R}^{n \times d_v}",
        r"S, A \in \mathbb{R}^{n \times n},\; O \in \mathbb{R}^{n \times d_v}",
    ),
    state=r"h\,n\,(d + d_v)",
    who_looks=_m("Every position looks at every position, itself included."),
    gives_up=_m(
        "Nothing but cost: pairs grow with the square of the length. Without positions it does not know order."
    ),
    computes=_m("All pairs, whether written out or fused."),
    papers=(VASWANI,),
    torch_function="torch.nn.functional.scaled_dot_product_attention(q, k, v)",
    trap=_m("It returns no weights, and a row without an allowed key is 0, where a softmax written out gives NaN."),
    sliders=("heads", "temperature"),
    run=run,
)
