"""Linear attention: keys and values are summed up once, and no pair is worked out (Katharopoulos et al. 2020).

It is another attention than softmax's, no approximation of it: its weights are flatter.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.attention import Attention
from attnviz.attention.kinds.kind import WITHOUT_PAIRS, Inputs, Kind, Outcome, Paper, Settings
from attnviz.attention.kinds.masked import looking_back
from attnviz.attention.linear import Linear
from attnviz.attention.masks import Causal
from attnviz.base.language import _m

KATHAROPOULOS = Paper("Katharopoulos et al.", 2020, "2006.16236")
CHOROMANSKI = Paper("Choromanski et al.", 2020, "2009.14794")


def features(tensor: Float[Tensor, "heads n d"]) -> Float[Tensor, "heads n d"]:
    """φ(x) = elu(x) + 1, which is above 0."""
    return F.elu(tensor) + 1


def linear_attention(
    query: Float[Tensor, "heads n d"], key: Float[Tensor, "heads m d"], value: Float[Tensor, "heads m dv"]
) -> Float[Tensor, "heads n dv"]:
    """φ(Q) (φ(K)ᵀ V), each row divided by φ(q) · Σ φ(k): the brackets are what makes it linear in n."""
    query, key = features(query), features(key)
    summed = key.mT @ value  # heads d dv
    total = query @ key.sum(1)[:, :, None]  # heads n 1
    return query @ summed / total


def pairwise_linear_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads m d"],
    value: Float[Tensor, "heads m dv"],
    causal: bool = False,
) -> Float[Tensor, "heads n dv"]:
    """The same with the other brackets: (φ(Q) φ(K)ᵀ) V, which writes down the weights that nobody needs."""
    weights = features(query) @ features(key).mT
    weights = weights.tril() if causal else weights
    return weights / weights.sum(-1, keepdim=True) @ value


def recurrent_linear_attention(
    query: Float[Tensor, "heads n d"], key: Float[Tensor, "heads n d"], value: Float[Tensor, "heads n dv"]
) -> Float[Tensor, "heads n dv"]:
    """The causal form, one position at a time: a state of d · dv + d numbers a head, however long the past is."""
    query, key = features(query), features(key)
    summed = torch.zeros_like(key[:, 0, :, None] * value[:, 0, None])  # heads d dv
    total = torch.zeros_like(key[:, 0])  # heads d
    steps = []
    for now in range(query.shape[1]):
        summed = summed + key[:, now, :, None] * value[:, now, None]
        total = total + key[:, now]
        steps.append(query[:, now, None] @ summed / (query[:, now, None] @ total[..., None]))
    return torch.cat(steps, 1)


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """Every position is mixed from all, and no pair is computed; the weights are worked out for the picture alone."""
    inputs = inputs.in_heads(settings.heads)
    query, key, value = inputs.query, inputs.key, inputs.value
    every = torch.ones(inputs.shape, dtype=torch.bool, device=query.device)
    live = looking_back(every, settings.causal)
    heads, _, width = key.shape
    implicit = Linear(features(query)[None], features(key)[None], causal=settings.causal)
    return Outcome(
        output=(recurrent_linear_attention if settings.causal else linear_attention)(query, key, value),
        live=live,
        computed=torch.zeros_like(live),
        state=heads * (width * value.shape[2] + width),
        attention=Attention.from_scores(
            implicit,
            form="linear",
            mask=Causal() if settings.causal else None,
            value=value,
            name=LINEAR.id,
            query_tokens=inputs.tokens,
            key_tokens=inputs.tokens,
        ),
    )


LINEAR = Kind(
    id="linear",
    name=_m("Linear"),
    group=WITHOUT_PAIRS,
    formula=(
        r"o_i = \frac{\phi(q_i)^\top \sum_j \phi(k_j)\, v_j^\top}{\phi(q_i)^\top \sum_j \phi(k_j)}, \qquad \phi(x) = \operatorname{elu}(x) + 1",
        r"A_{ij} = \frac{\phi(q_i) \cdot \phi(k_j)}{\sum_l \phi(q_i) \cdot \phi(k_l)} \quad \text{(implicit, never computed)}",
    ),
    shapes=(
        r"\textstyle\sum_j \phi(k_j) v_j^\top \in \mathbb{R}^{d \times d_v},\; \sum_j \phi(k_j) \in \mathbb{R}^{d}",
        r"O \in \mathbb{R}^{n \times d_v}",
    ),
    state=r"h\,(d\,d_v + d)",
    who_looks=_m("Every position is mixed from all of them, with weights that are above 0 and sum to 1."),
    gives_up=_m(
        "Sharp weights: they are flatter than a softmax's on the same numbers. A state of fixed size has to hold the past."
    ),
    computes=_m(
        "No pair at all: keys and values are summed up once. The picture's weights are worked out for the picture."
    ),
    papers=(KATHAROPOULOS, CHOROMANSKI),
    torch_function="",
    trap=_m("It does not approximate softmax attention; Performer's random features do."),
    sliders=("causal", "heads"),
    run=run,
)
