"""Cross-attention: the queries of one sequence look at the keys of another."""

import math

import torch

from attnviz.attention.attention import Attention
from attnviz.attention.kinds.full import VASWANI, full_attention
from attnviz.attention.kinds.kind import FULL, Inputs, Kind, Outcome, Paper, Settings
from attnviz.base.language import _m

BAHDANAU = Paper("Bahdanau et al.", 2014, "1409.0473")


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """The queries look at the keys and values of `Inputs.memory`."""
    inputs = inputs.in_heads(settings.heads)
    query, memory = inputs.query, inputs.memory
    pairs = torch.ones(query.shape[1], memory.key.shape[1], dtype=torch.bool, device=query.device)
    return Outcome(
        output=full_attention(query, memory.key, memory.value, settings.temperature),
        live=pairs,
        computed=pairs,
        state=memory.key.numel() + memory.value.numel(),
        attention=Attention.from_qk(
            query,
            memory.key,
            value=memory.value,
            scale=1 / (math.sqrt(query.shape[-1]) * settings.temperature),
            name=CROSS.id,
            role="cross",
            query_tokens=inputs.tokens,
            key_tokens=memory.tokens,
        ),
    )


CROSS = Kind(
    id="cross",
    name=_m("Cross-attention"),
    group=FULL,
    formula=(
        r"S = \frac{Q K^\top}{\sqrt{d}}, \qquad Q = X W_Q,\; K = Y W_K,\; V = Y W_V",
        r"O = \operatorname{softmax}_j(S / T)\, V",
    ),
    shapes=(
        r"Q \in \mathbb{R}^{n \times d},\; K \in \mathbb{R}^{m \times d},\; V \in \mathbb{R}^{m \times d_v}",
        r"S, A \in \mathbb{R}^{n \times m},\; O \in \mathbb{R}^{n \times d_v}",
    ),
    state=r"h\,m\,(d + d_v)",
    who_looks=_m("Every position of one sequence looks at every position of another, never at its own."),
    gives_up=_m("Nothing within the pairs; the two sequences do not look at themselves here."),
    computes=_m("All n × m pairs, whether written out or fused."),
    papers=(VASWANI, BAHDANAU),
    torch_function="torch.nn.functional.scaled_dot_product_attention(q, k, v)",
    trap=_m("A causal flag has no meaning between two sequences and would cut off the upper right corner."),
    drawn=_m("Where nothing else is given, the other sequence is drawn at random and has half the length."),
    sliders=("heads", "temperature"),
    run=run,
)
