"""Several heads whose keys and values are shared: grouped (Ainslie et al. 2023) or all by one (Shazeer 2019)."""

import math
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.kinds.full import VASWANI
from attnviz.attention.kinds.kind import FULL, Inputs, Kind, Outcome, Paper, Settings
from attnviz.attention.kinds.masked import outcome
from attnviz.base.errors import InputError
from attnviz.base.language import _m

AINSLIE = Paper("Ainslie et al.", 2023, "2305.13245")
SHAZEER = Paper("Shazeer", 2019, "1911.02150")


def grouped_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "kv_heads m d"],
    value: Float[Tensor, "kv_heads m dv"],
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """Consecutive query heads share one head of keys and values, which is not copied: a group is one more dimension."""
    query = torch.unflatten(query, 0, (key.shape[0], -1))  # kv_heads group n d
    scores = query @ key[:, None].mT / math.sqrt(query.shape[-1])
    output = torch.softmax(scores / temperature, -1) @ value[:, None]
    return output.flatten(0, 1)


def mean_of_groups(tensor: Float[Tensor, "heads m d"], kv_heads: int) -> Float[Tensor, "kv_heads m d"]:
    """The heads of each group averaged into one: how section 2.1 of Ainslie et al. makes a grouped model of another.

    Raises `InputError` where the heads do not divide into so many groups.
    """
    heads = tensor.shape[0]
    if heads % kv_heads:
        raise InputError(
            _m("{heads} query heads cannot share {kv_heads} key heads evenly."), heads=heads, kv_heads=kv_heads
        )
    return torch.unflatten(tensor, 0, (kv_heads, -1)).mean(1)


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """Every head looks at every position, through keys and values that it shares with the heads of its group."""
    inputs = inputs.in_heads(settings.heads)
    key, value = (mean_of_groups(each, settings.kv_heads) for each in (inputs.key, inputs.value))
    shared = replace(inputs, key=key, value=value)
    return outcome(shared, settings, GROUPED.id, grouped_attention(inputs.query, key, value, settings.temperature))


GROUPED = Kind(
    id="grouped",
    name=_m("Grouped key heads"),
    group=FULL,
    formula=(
        r"S^{(a)} = \frac{Q^{(a)} {K^{(g)}}^\top}{\sqrt{d}}, \qquad g = \lfloor a\, h_{kv} / h \rfloor",
        r"O^{(a)} = \operatorname{softmax}_j(S^{(a)} / T)\, V^{(g)}",
    ),
    shapes=(
        r"Q \in \mathbb{R}^{h \times n \times d},\; K \in \mathbb{R}^{h_{kv} \times m \times d},\; V \in \mathbb{R}^{h_{kv} \times m \times d_v}",
        r"S, A \in \mathbb{R}^{h \times n \times m},\; O \in \mathbb{R}^{h \times n \times d_v}",
    ),
    state=r"h_{kv}\,n\,(d + d_v)",
    who_looks=_m("Every head looks at every position; the heads of a group look at the same keys."),
    gives_up=_m("Keys and values of their own for each head. The cache is smaller by h / h_kv; the pairs stay."),
    computes=_m("All pairs in every query head."),
    papers=(AINSLIE, SHAZEER, VASWANI),
    torch_function="torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)",
    trap=_m("Without enable_gqa=True a single key head is broadcast, but other numbers of heads raise an error."),
    drawn=_m("Nothing is drawn: the shared keys and values are the means of those of the group's heads."),
    sliders=("heads", "kv_heads", "temperature"),
    run=run,
)
