"""Sinks: one more score without a key takes up weight that no key deserves (Xiao et al. 2023; gpt-oss)."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.kinds.kind import SOFTMAX, Inputs, Kind, Outcome, Paper, Settings
from attnviz.attention.kinds.masked import outcome
from attnviz.base.language import _m

XIAO = Paper("Xiao et al.", 2023, "2309.17453")


def sink_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads m d"],
    value: Float[Tensor, "heads m dv"],
    sink: Float[Tensor, " heads"],
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """softmax over the scores and the sink's, whose column is then cut off: rows sum to less than 1."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    column = sink[:, None, None].expand(-1, query.shape[1], 1)
    weights = torch.softmax(torch.cat([scores, column], -1) / temperature, -1)
    return weights[..., :-1] @ value


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """Every position looks at every position, or at nothing."""
    inputs = inputs.in_heads(settings.heads)
    sink = torch.full((settings.heads,), settings.sink, dtype=inputs.dtype, device=inputs.query.device)
    output = sink_attention(inputs.query, inputs.key, inputs.value, sink, settings.temperature)
    return outcome(inputs, settings, SINKS.id, output, sinks=sink)


SINKS = Kind(
    id="sinks",
    name=_m("Sinks"),
    group=SOFTMAX,
    formula=(
        r"A_{ij} = \frac{e^{S_{ij} / T}}{e^{\sigma / T} + \sum_l e^{S_{il} / T}}, \qquad S = \frac{Q K^\top}{\sqrt{d}}",
        r"O = A V, \qquad \textstyle\sum_j A_{ij} < 1",
    ),
    shapes=(
        r"\sigma \in \mathbb{R}^{h} \text{ (learnt; here set by hand)}",
        r"S, A \in \mathbb{R}^{h \times n \times m}",
    ),
    state=r"h\,n\,(d + d_v)",
    who_looks=_m("Every position looks at every position; a part of its weight goes to a sink that holds no value."),
    gives_up=_m("Rows that sum to 1: an output can be small, which says that nothing was found."),
    computes=_m("All pairs, and one score more for each query."),
    papers=(XIAO,),
    torch_function="torch.nn.functional.scaled_dot_product_attention(q, [k, 0], [v, 0], attn_mask=[0, σ])",
    trap=_m(
        "There is no argument for it: add a key and a value of zeros and give the sink's score as a mask. In Xiao et al. "
        "the sinks are the first tokens themselves; the score without a key is gpt-oss's."
    ),
    sliders=("sink", "heads", "temperature"),
    run=run,
)
