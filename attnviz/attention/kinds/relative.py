"""A relative bias: a learnt number for each distance is added to the scores (T5, Raffel et al. 2019; Swin)."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnviz.attention.kinds.biased import biased_attention, biased_outcome
from attnviz.attention.kinds.block import LIU
from attnviz.attention.kinds.kind import POSITIONS, Inputs, Kind, Outcome, Paper, Settings, drawn
from attnviz.base.language import _m

SHAW = Paper("Shaw et al.", 2018, "1803.02155")
RAFFEL = Paper("Raffel et al.", 2019, "1910.10683")


def distances(positions: int, furthest: int, device: torch.device | None = None) -> Int[Tensor, "n n"]:
    """i − j, cut to −furthest … furthest and counted from 0: the entry of the table that a pair uses."""
    place = torch.arange(positions, device=device)
    return (place[:, None] - place).clamp(-furthest, furthest) + furthest


def relative_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads n d"],
    value: Float[Tensor, "heads n dv"],
    table: Float[Tensor, "heads distances"],
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """softmax(S + b_{i−j}) V. The table has 2 · furthest + 1 numbers a head; beyond the furthest they stay the same."""
    bias = table[:, distances(query.shape[1], table.shape[1] // 2, query.device)]
    return biased_attention(query, key, value, bias, temperature)


def bias_of_an_image(
    grid: tuple[int, int], table: Float[Tensor, "heads distances distances"]
) -> Float[Tensor, "heads n n"]:
    """For the cells of an image: a number for each distance in rows and columns together, as Swin has it."""
    cells = torch.arange(grid[0] * grid[1], device=table.device)
    furthest = table.shape[1] // 2
    rows, columns = (
        (place[:, None] - place).clamp(-furthest, furthest) + furthest for place in (cells // grid[1], cells % grid[1])
    )
    return table[:, rows, columns]


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """Every position looks at every position, nearer or further by a random preference."""
    inputs = inputs.in_heads(settings.heads)
    heads, n, _ = inputs.query.shape
    # `window` is the furthest distance that has a number of its own.
    size, device = 2 * settings.window + 1, inputs.query.device
    if inputs.grid is None:
        table = drawn(heads, size, seed=settings.seed, dtype=inputs.dtype).to(device)
        bias = table[:, distances(n, settings.window, device)]
    else:
        table = drawn(heads, size, size, seed=settings.seed, dtype=inputs.dtype).to(device)
        bias = bias_of_an_image(inputs.grid, table)
    return biased_outcome(inputs, settings, RELATIVE.id, bias)


RELATIVE = Kind(
    id="relative",
    name=_m("Relative bias"),
    group=POSITIONS,
    formula=(
        r"S_{ij} = \frac{q_i \cdot k_j}{\sqrt{d}} + b_{\operatorname{clip}(i - j,\, -w,\, w)}",
        r"O = \operatorname{softmax}_j(S / T)\, V",
    ),
    shapes=(
        r"b \in \mathbb{R}^{h \times (2w + 1)}, \quad \text{in an image } b \in \mathbb{R}^{h \times (2w + 1) \times (2w + 1)}",
        r"S, A \in \mathbb{R}^{h \times n \times n}",
    ),
    state=r"h\,n\,(d + d_v)",
    who_looks=_m("Every position looks at every position; how far away a key is raises or lowers its score."),
    gives_up=_m("Where a position is in the whole: only the distance counts, and beyond w all distances are the same."),
    computes=_m("All pairs."),
    papers=(RAFFEL, LIU, SHAW),
    torch_function="torch.nn.attention.flex_attention.flex_attention(q, k, v, score_mod=...)",
    trap=_m(
        "As a float mask in scaled_dot_product_attention the bias takes n × n numbers a head, and flash kernels on a GPU "
        "refuse it. Shaw et al. add to the keys instead, T5 and Swin to the scores as here; T5 does not divide by √d."
    ),
    drawn=_m("The table is random, not learnt: which distances are preferred has no meaning here."),
    sliders=("window", "seed", "causal", "heads", "temperature"),
    run=run,
)
