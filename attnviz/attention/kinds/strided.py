"""Strided sparse attention: the near positions, and every l-th one (Sparse Transformer, Child et al. 2019)."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.attention.kinds.kind import SPARSE, Inputs, Kind, Outcome, Paper, Settings
from attnviz.attention.kinds.masked import in_touched_blocks, looking_back, masked_attention, outcome
from attnviz.base.language import _m

CHILD = Paper("Child et al.", 2019, "1904.10509")


def strided_pairs(
    positions: int, stride: int, causal: bool = False, device: torch.device | None = None
) -> Bool[Tensor, "n n"]:
    """|i − j| ≤ l, or i − j a multiple of l: both patterns of section 4.2 in one head, "merged" in section 5.1."""
    place = torch.arange(positions, device=device)
    apart = place[:, None] - place
    return looking_back((apart.abs() <= stride) | (apart % stride == 0), causal)


def strided_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads n d"],
    value: Float[Tensor, "heads n dv"],
    stride: int,
    causal: bool = False,
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """Softmax over the strided pairs alone."""
    pairs = strided_pairs(query.shape[1], stride, causal, query.device)
    return masked_attention(query, key, value, pairs, temperature)


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """The near positions and every `stride`-th one."""
    inputs = inputs.in_heads(settings.heads)
    live = strided_pairs(inputs.shape[0], settings.stride, settings.causal, inputs.query.device)
    output = masked_attention(inputs.query, inputs.key, inputs.value, live, settings.temperature)
    computed = in_touched_blocks(live, settings.block)
    return outcome(inputs, settings, STRIDED.id, output, live=live, computed=computed)


STRIDED = Kind(
    id="strided",
    name=_m("Sparse, strided"),
    group=SPARSE,
    formula=(
        r"S_{ij} = \begin{cases} q_i \cdot k_j / \sqrt{d} & |i - j| \le l \;\lor\; (i - j) \bmod l = 0 \\ -\infty & \text{otherwise} \end{cases}",
        r"O = \operatorname{softmax}_j(S / T)\, V",
    ),
    shapes=(
        r"Q, K \in \mathbb{R}^{n \times d},\; V \in \mathbb{R}^{n \times d_v}",
        r"A \in \mathbb{R}^{n \times n},\; \approx 2l + n / l \text{ (weights a row)}",
    ),
    state=r"h\,n\,(d + d_v)",
    who_looks=_m("Every position looks at those at most l away and at every l-th one, counted from itself."),
    gives_up=_m("Most pairs; any two positions still meet within two layers. Suits images whose width is l."),
    computes=_m(
        "All pairs of every block that holds a live one, as block-sparse kernels do. A block wider than half the stride "
        "leaves out nothing but later keys."
    ),
    papers=(CHILD,),
    torch_function="torch.nn.attention.flex_attention.flex_attention(q, k, v, block_mask=create_block_mask(...))",
    trap=_m(
        "Blocks are 128 × 128 unless told otherwise; a stride below 256 then has a live pair in every block, and nothing is saved."
    ),
    sliders=("stride", "block", "causal", "heads", "temperature"),
    run=run,
)
