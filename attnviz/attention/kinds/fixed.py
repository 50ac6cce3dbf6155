"""Fixed sparse attention: the own block, and the last position of every block (Child et al. 2019, section 4.2)."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.attention.kinds.kind import SPARSE, Inputs, Kind, Outcome, Settings
from attnviz.attention.kinds.masked import in_touched_blocks, looking_back, masked_attention, outcome
from attnviz.attention.kinds.strided import CHILD
from attnviz.base.language import _m


def fixed_pairs(
    positions: int, stride: int, causal: bool = False, device: torch.device | None = None
) -> Bool[Tensor, "n n"]:
    """⌊i/l⌋ = ⌊j/l⌋, or j the last of its block (c = 1 in the paper), both patterns in one head."""
    place = torch.arange(positions, device=device)
    own = (place // stride)[:, None] == place // stride
    summaries = place % stride == stride - 1
    return looking_back(own | summaries, causal)


def fixed_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads n d"],
    value: Float[Tensor, "heads n dv"],
    stride: int,
    causal: bool = False,
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """Softmax over the fixed pairs alone."""
    pairs = fixed_pairs(query.shape[1], stride, causal, query.device)
    return masked_attention(query, key, value, pairs, temperature)


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """The own block of `stride` positions and the last position of every block."""
    inputs = inputs.in_heads(settings.heads)
    n, stride = inputs.shape[0], settings.stride
    live = fixed_pairs(n, stride, settings.causal, inputs.query.device)
    output = masked_attention(inputs.query, inputs.key, inputs.value, live, settings.temperature)
    computed = in_touched_blocks(live, settings.block)
    # The newest block, and one summary of each block before it.
    kept = stride + max(-(-n // stride) - 1, 0) if settings.causal else n
    return outcome(inputs, settings, FIXED.id, output, live=live, computed=computed, kept=kept)


FIXED = Kind(
    id="fixed",
    name=_m("Sparse, fixed"),
    group=SPARSE,
    formula=(
        r"S_{ij} = \begin{cases} q_i \cdot k_j / \sqrt{d} & \lfloor i / l \rfloor = \lfloor j / l \rfloor \;\lor\; j \bmod l = l - 1 \\ -\infty & \text{otherwise} \end{cases}",
        r"O = \operatorname{softmax}_j(S / T)\, V",
    ),
    shapes=(
        r"Q, K \in \mathbb{R}^{n \times d},\; V \in \mathbb{R}^{n \times d_v}",
        r"A \in \mathbb{R}^{n \times n},\; \approx l + n / l \text{ (weights a row)}",
    ),
    state=r"h\,n\,(d + d_v), \quad \text{causal } h\,(l + n / l)(d + d_v)",
    who_looks=_m("Every position looks at its own block of l and at the last position of every block."),
    gives_up=_m("Other blocks, but for one position each, which has to sum up its block in an earlier layer."),
    computes=_m("All pairs of every block that holds a live one, as block-sparse kernels do."),
    papers=(CHILD,),
    torch_function="torch.nn.attention.flex_attention.flex_attention(q, k, v, block_mask=create_block_mask(...))",
    trap=_m(
        "Blocks are 128 × 128 unless told otherwise; a stride of at most 128 then has a live pair in every block, and nothing "
        "is saved."
    ),
    sliders=("stride", "block", "causal", "heads", "temperature"),
    run=run,
)
