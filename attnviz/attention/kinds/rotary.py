"""Rotary positions: queries and keys are turned by their position, so that scores know the distance (Su et al. 2021)."""

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.kinds.kind import POSITIONS, Inputs, Kind, Outcome, Paper, Settings
from attnviz.attention.kinds.masked import looking_back, masked_attention, outcome
from attnviz.attention.positions import rotary
from attnviz.base.language import _m

SU = Paper("Su et al.", 2021, "2104.09864")


def rotate(tensor: Float[Tensor, "heads n d"], start: int = 0) -> Float[Tensor, "heads n d"]:
    """Neighbouring numbers turned as a pair, as in the paper. start: the position of the first.

    Raises `InputError` where the width is odd.
    """
    places = torch.arange(start, start + tensor.shape[1], device=tensor.device)
    return rotary(tensor, places, neighbours=True)


def rotary_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads n d"],
    value: Float[Tensor, "heads n dv"],
    causal: bool = False,
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """softmax((R_i q_i) · (R_j k_j) / √d) V; the values are not turned."""
    n = query.shape[1]
    live = looking_back(torch.ones(n, n, dtype=torch.bool, device=query.device), causal)
    return masked_attention(rotate(query), rotate(key), value, live, temperature)


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """Every position looks at every position; the distance turns the scores."""
    inputs = inputs.in_heads(settings.heads)
    output = rotary_attention(inputs.query, inputs.key, inputs.value, settings.causal, settings.temperature)
    turned = replace(inputs, query=rotate(inputs.query), key=rotate(inputs.key))
    every = torch.ones(inputs.shape, dtype=torch.bool, device=inputs.query.device)
    return outcome(turned, settings, ROTARY.id, output, live=looking_back(every, settings.causal), computed=every)


ROTARY = Kind(
    id="rotary",
    name=_m("Rotary positions"),
    group=POSITIONS,
    formula=(
        r"S_{ij} = \frac{(R_i q_i) \cdot (R_j k_j)}{\sqrt{d}} = \frac{q_i \cdot (R_{j - i}\, k_j)}{\sqrt{d}}, \qquad R_t = \operatorname{diag}_p\!\begin{pmatrix} \cos t\theta_p & -\sin t\theta_p \\ \sin t\theta_p & \cos t\theta_p \end{pmatrix}",
        r"\theta_p = 10000^{-2p/d}, \qquad O = \operatorname{softmax}_j(S / T)\, V",
    ),
    shapes=(
        r"R_t \in \mathbb{R}^{d \times d}:\; d/2 \text{ blocks, nothing learnt}",
        r"S, A \in \mathbb{R}^{n \times n}",
    ),
    state=r"h\,n\,(d + d_v)",
    who_looks=_m("Every position looks at every position; scores depend on the distance alone, not on the place."),
    gives_up=_m("Distances beyond those of training turn to angles that were never seen."),
    computes=_m("All pairs."),
    papers=(SU,),
    torch_function="torch.nn.functional.scaled_dot_product_attention(rotate(q), rotate(k), v)",
    trap=_m(
        "PyTorch has no function for the turning. Which numbers make a pair differs: neighbours in the paper, halves in "
        "Llama's code; weights of one do not work with the other."
    ),
    sliders=("causal", "heads", "temperature"),
    run=run,
)
