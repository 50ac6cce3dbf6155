"""Softcap: scores are bent so that none goes beyond ±c (Gemma 2, 2024)."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.kinds.kind import SOFTMAX, Inputs, Kind, Outcome, Paper, Settings
from attnviz.attention.kinds.masked import outcome
from attnviz.base.language import _m

GEMMA = Paper("Gemma Team", 2024, "2408.00118")


def softcap_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads m d"],
    value: Float[Tensor, "heads m dv"],
    softcap: float,
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """softmax(c · tanh(S / c)) V; section 2 of the paper has c = 50."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores = softcap * torch.tanh(scores / softcap)
    return torch.softmax(scores / temperature, -1) @ value


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """Every position looks at every position, and none at one alone."""
    inputs = inputs.in_heads(settings.heads)
    output = softcap_attention(inputs.query, inputs.key, inputs.value, settings.softcap, settings.temperature)
    return outcome(inputs, settings, SOFTCAP.id, output, softcap=settings.softcap)


SOFTCAP = Kind(
    id="softcap",
    name=_m("Softcap"),
    group=SOFTMAX,
    formula=(
        r"S = c \tanh\!\left(\frac{Q K^\top}{c \sqrt{d}}\right)",
        r"O = \operatorname{softmax}_j(S / T)\, V",
    ),
    shapes=(
        r"c \in \mathbb{R}, \; -c < S_{ij} < c",
        r"S, A \in \mathbb{R}^{n \times m}",
    ),
    state=r"h\,n\,(d + d_v)",
    who_looks=_m("Every position looks at every position."),
    gives_up=_m("Certainty: with m keys no weight can exceed 1 / (1 + (m − 1)·e^(−2c/T))."),
    computes=_m("All pairs."),
    papers=(GEMMA,),
    torch_function="torch.nn.attention.flex_attention.flex_attention(q, k, v, score_mod=...)",
    trap=_m(
        "scaled_dot_product_attention cannot bend scores between the product and the softmax: leaving it out is another model."
    ),
    sliders=("softcap", "heads", "temperature"),
    run=run,
)
