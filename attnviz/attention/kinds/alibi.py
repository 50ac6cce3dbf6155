"""ALiBi: what is further away loses score in proportion to the distance, and nothing is learnt (Press et al. 2021)."""

from jaxtyping import Float
from torch import Tensor

from attnviz.attention.kinds.biased import biased_attention, biased_outcome
from attnviz.attention.kinds.kind import POSITIONS, Inputs, Kind, Outcome, Paper, Settings
from attnviz.attention.positions import alibi_slopes, distances
from attnviz.base.language import _m

PRESS = Paper("Press et al.", 2021, "2108.12409")


def alibi_bias(positions: int, slope: Float[Tensor, " heads"]) -> Float[Tensor, "heads n n"]:
    """−m_h |i − j|. The paper has earlier keys alone; a bidirectional model takes the distance on both sides."""
    apart = distances(positions, positions).abs().to(slope.device)
    return -slope[:, None, None] * apart


def alibi_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads n d"],
    value: Float[Tensor, "heads n dv"],
    slope: Float[Tensor, " heads"],
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """softmax(S − m_h |i − j|) V."""
    return biased_attention(query, key, value, alibi_bias(query.shape[1], slope), temperature)


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """Every position looks at every position, at near ones more."""
    inputs = inputs.in_heads(settings.heads)
    slope = alibi_slopes(settings.heads).to(inputs.query) * settings.slope
    return biased_outcome(inputs, settings, ALIBI.id, alibi_bias(inputs.shape[0], slope))


ALIBI = Kind(
    id="alibi",
    name=_m("ALiBi"),
    group=POSITIONS,
    formula=(
        r"S_{ij} = \frac{q_i \cdot k_j}{\sqrt{d}} - m_a\,|i - j|, \qquad m_a = 2^{-8(a + 1)/h} \;\; (h = 2^p)",
        r"O = \operatorname{softmax}_j(S / T)\, V",
    ),
    shapes=(
        r"m \in \mathbb{R}^{h} \text{ (fixed, not learnt)},\; a = 0 \ldots h - 1",
        r"S, A \in \mathbb{R}^{h \times n \times n}",
    ),
    state=r"h\,n\,(d + d_v)",
    who_looks=_m(
        "Every position looks at every position; each step away costs score, in some heads more than in others."
    ),
    gives_up=_m(
        "What is far away is looked at less, whatever it holds. It stretches to longer inputs than were trained on."
    ),
    computes=_m("All pairs."),
    papers=(PRESS,),
    torch_function="torch.nn.attention.flex_attention.flex_attention(q, k, v, score_mod=...)",
    trap=_m(
        "The paper is causal; two-sided distances are a later use. In an image the distance here runs along the rows."
    ),
    sliders=("slope", "causal", "heads", "temperature"),
    run=run,
)
