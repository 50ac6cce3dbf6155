"""Additive attention: a small network says how well a query and a key go together (Bahdanau et al. 2014)."""

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.kinds.cross import BAHDANAU
from attnviz.attention.kinds.kind import FULL, Inputs, Kind, Outcome, Settings, drawn
from attnviz.attention.kinds.masked import outcome_of_weights
from attnviz.base.language import _m


def additive_weights(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads m d"],
    w: Float[Tensor, "d da"],
    u: Float[Tensor, "d da"],
    v: Float[Tensor, " da"],
    temperature: float = 1.0,
) -> Float[Tensor, "heads n m"]:
    """softmax of e_ij = vᵀ tanh(W q_i + U k_j). Every pair has a hidden layer of its own: n · m · da numbers at once.

    The sum and its tanh are both there for a moment, so a broadcast takes about 2 · n · m · da numbers a head.
    """
    hidden = torch.tanh((query @ w)[:, :, None] + (key @ u)[:, None])
    return torch.softmax(hidden @ v / temperature, -1)


def additive_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads m d"],
    value: Float[Tensor, "heads m dv"],
    w: Float[Tensor, "d da"],
    u: Float[Tensor, "d da"],
    v: Float[Tensor, " da"],
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """The context vectors c_i = Σ_j a_ij h_j of the paper."""
    return additive_weights(query, key, w, u, v, temperature) @ value


def parameters(
    width: int, seed: int, dtype: torch.dtype
) -> tuple[Float[Tensor, "d da"], Float[Tensor, "d da"], Float[Tensor, " da"]]:
    """W, U and v, drawn at random; the hidden layer is as wide as a head. Scaled so that the tanh is not saturated."""
    numbers = drawn(2 * width + 1, width, seed=seed, dtype=dtype)
    return numbers[:width] / width**0.5, numbers[width : 2 * width] / width**0.5, numbers[2 * width]


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """Every position looks at every position, by a small network with random parameters."""
    inputs = inputs.in_heads(settings.heads)
    drawn_here = parameters(inputs.query.shape[2], settings.seed, inputs.dtype)
    w, u, v = (each.to(inputs.query.device) for each in drawn_here)
    weights = additive_weights(inputs.query, inputs.key, w, u, v, settings.temperature)
    return outcome_of_weights(inputs, weights, ADDITIVE.id, "additive")


ADDITIVE = Kind(
    id="additive",
    name=_m("Additive"),
    group=FULL,
    formula=(
        r"S_{ij} = v^\top \tanh(W^\top q_i + U^\top k_j)",
        r"O = \operatorname{softmax}_j(S / T)\, V",
    ),
    shapes=(
        r"W, U \in \mathbb{R}^{d \times d_a},\; v \in \mathbb{R}^{d_a},\; S, A \in \mathbb{R}^{n \times m}",
        r"\tanh(\cdot) \in \mathbb{R}^{n \times m \times d_a} \text{ where it is broadcast}",
    ),
    state=r"h\,m\,(d + d_v)",
    who_looks=_m("Every query looks at every key, through a hidden layer of their own pair."),
    gives_up=_m(
        "The one matrix product: a hidden vector for each pair, about 2·n·m·dₐ numbers at once in broadcast torch."
    ),
    computes=_m("All pairs."),
    papers=(BAHDANAU,),
    torch_function="",
    trap=_m("“Additive” is a later name; the paper calls it an alignment model."),
    drawn=_m("W, U and v are random numbers, not learnt: the weights have no meaning here."),
    sliders=("seed", "heads", "temperature"),
    run=run,
)
