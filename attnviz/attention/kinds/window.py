"""A sliding window: every position looks at its neighbours (Longformer, Beltagy et al. 2020).

The window counts positions on each side: query i looks at the keys j with |i − j| ≤ w.
"""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.attention.kinds.full import full_attention
from attnviz.attention.kinds.kind import SPARSE, Inputs, Kind, Outcome, Paper, Settings
from attnviz.attention.kinds.masked import looking_back, masked_attention, outcome
from attnviz.base.language import _m

BELTAGY = Paper("Beltagy et al.", 2020, "2004.05150")
MISTRAL = Paper("Jiang et al.", 2023, "2310.06825")


def window_pairs(
    positions: int, window: int, causal: bool = False, device: torch.device | None = None
) -> Bool[Tensor, "n n"]:
    """Key j for query i where |i − j| ≤ w, and not after it where attention is causal."""
    place = torch.arange(positions, device=device)
    near = (place[:, None] - place).abs() <= window
    return looking_back(near, causal)


def neighbourhood_pairs(grid: tuple[int, int], window: int, device: torch.device | None = None) -> Bool[Tensor, "n n"]:
    """In an image: cells at most w rows and w columns away, (2w + 1)² of them where the edge does not cut them off."""
    cells = torch.arange(grid[0] * grid[1], device=device)
    rows, columns = cells // grid[1], cells % grid[1]
    near_rows = (rows[:, None] - rows).abs() <= window
    near_columns = (columns[:, None] - columns).abs() <= window
    return near_rows & near_columns


def live_pairs(positions: int, window: int, causal: bool = False) -> int:
    """n(2w + 1) − w(w + 1) pairs, or n(w + 1) − w(w + 1)/2 of a causal window; w is at most n − 1."""
    reach = min(window, positions - 1)
    cut_off = reach * (reach + 1)
    return positions * (reach + 1) - cut_off // 2 if causal else positions * (2 * reach + 1) - cut_off


def window_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads n d"],
    value: Float[Tensor, "heads n dv"],
    window: int,
    causal: bool = False,
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """The window as a mask: every score is worked out, and all but a few are thrown away."""
    pairs = window_pairs(query.shape[1], window, causal, query.device)
    return masked_attention(query, key, value, pairs, temperature)


def window_attention_by_blocks(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads n d"],
    value: Float[Tensor, "heads n dv"],
    window: int,
    causal: bool = False,
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """Blocks of w queries look at their own block and those beside it: 3w scores a query, 2w if causal, for any n."""
    n, block, blocks_seen = query.shape[1], max(window, 1), 2 if causal else 3
    query, key, value = (F.pad(each, (0, 0, 0, -n % block)) for each in (query, key, value))
    query = torch.unflatten(query, 1, (-1, block))  # heads blocks w d
    key, value = (_with_neighbours(each, block, blocks_seen) for each in (key, value))  # heads blocks 3w d
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    near = _near_in_blocks(n, block, blocks_seen, window, causal, query.device)
    scores = scores.masked_fill(~near, -torch.inf)
    output = torch.softmax(scores / temperature, -1).nan_to_num() @ value  # queries of the padding see nothing
    return output.flatten(1, 2)[:, :n]


def neighbourhood_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads n d"],
    value: Float[Tensor, "heads n dv"],
    grid: tuple[int, int],
    window: int,
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """In an image: the (2w + 1)² cells around each are gathered, and no other score is worked out."""
    here = torch.ones_like(key[:1, :, :1])
    keys, values, inside = (_around(each, grid, window) for each in (key, value, here))
    scores = (query[:, :, None] * keys).sum(-1) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(inside[..., 0] == 0, -torch.inf)
    weights = torch.softmax(scores / temperature, -1)
    return (weights[..., None] * values).sum(2)


def cached_window_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads n d"],
    value: Float[Tensor, "heads n dv"],
    window: int,
    temperature: float = 1.0,
) -> tuple[Float[Tensor, "heads n dv"], int]:
    """One query at a time, from a cache that forgets; and the most keys it held, w + 1 with the query's own."""
    steps, largest = [], 0
    keys, values = key[:, :0], value[:, :0]
    for now in range(query.shape[1]):
        keys = torch.cat([keys, key[:, now : now + 1]], 1)[:, -(window + 1) :]
        values = torch.cat([values, value[:, now : now + 1]], 1)[:, -(window + 1) :]
        steps.append(full_attention(query[:, now : now + 1], keys, values, temperature))
        largest = max(largest, keys.shape[1])
    return torch.cat(steps, 1), largest


def pairs_by_blocks(
    positions: int, window: int, causal: bool = False, device: torch.device | None = None
) -> Bool[Tensor, "n n"]:
    """What `window_attention_by_blocks` works out: a block of w queries with its own keys and those beside it.

    A causal one leaves out the block that comes after.
    """
    block = max(window, 1)
    of = torch.arange(positions, device=device) // block
    apart = of - of[:, None]
    beside = apart.abs() <= (1 if window else 0)
    return beside & (apart <= 0) if causal else beside


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """Every position looks at its neighbours: in a sequence, or in both directions of an image."""
    inputs = inputs.in_heads(settings.heads)
    n, window, device = inputs.shape[0], settings.window, inputs.query.device
    if inputs.grid is None:
        live = window_pairs(n, window, settings.causal, device)
        computed = pairs_by_blocks(n, window, settings.causal, device)
        kept = window + 1 if settings.causal else 2 * window + 1
    else:
        live = computed = looking_back(neighbourhood_pairs(inputs.grid, window, device), settings.causal)
        kept = _kept_of_an_image(inputs.grid, window, settings.causal)
    output = masked_attention(inputs.query, inputs.key, inputs.value, live, settings.temperature)
    return outcome(inputs, settings, WINDOW.id, output, live=live, computed=computed, kept=kept)


def _kept_of_an_image(grid: tuple[int, int], window: int, causal: bool) -> int:
    """The cells between the first and the last that a query in the middle looks at: whole rows of the image."""
    rows, columns = grid
    reach = min(window, rows - 1) * columns + min(window, columns - 1)
    return reach + 1 if causal else 2 * reach + 1


def _around(tensor: Float[Tensor, "heads n d"], grid: tuple[int, int], window: int) -> Float[Tensor, "heads n near d"]:
    """What lies around each cell, 0 outside of the image."""
    image = torch.unflatten(tensor.mT, 2, grid)
    around = F.unfold(image, 2 * window + 1, padding=window)
    return torch.unflatten(around, 1, (tensor.shape[2], -1)).permute(0, 3, 2, 1)


def _with_neighbours(
    tensor: Float[Tensor, "heads n d"], block: int, blocks_seen: int
) -> Float[Tensor, "heads blocks seen d"]:
    padded = F.pad(tensor, (0, 0, block, block * (blocks_seen - 2)))
    return padded.unfold(1, blocks_seen * block, block).mT


def _near_in_blocks(
    positions: int, block: int, blocks_seen: int, window: int, causal: bool, device: torch.device
) -> Bool[Tensor, "blocks block seen"]:
    queries = torch.arange(-(-positions // block) * block, device=device).view(-1, block, 1)
    keys = queries[:, :1] - block + torch.arange(blocks_seen * block, device=device)
    near = (queries - keys).abs() <= window
    if causal:
        near &= keys <= queries
    return near & (keys >= 0) & (keys < positions)


WINDOW = Kind(
    id="window",
    name=_m("Sliding window"),
    group=SPARSE,
    formula=(
        r"S_{ij} = \begin{cases} q_i \cdot k_j / \sqrt{d} & |i - j| \le w \\ -\infty & \text{otherwise} \end{cases}",
        r"O = \operatorname{softmax}_j(S / T)\, V",
    ),
    shapes=(
        r"Q, K \in \mathbb{R}^{n \times d},\; V \in \mathbb{R}^{n \times d_v}",
        r"A \in \mathbb{R}^{n \times n},\; \le 2w + 1 \text{ (weights a row)}",
    ),
    state=r"h\,(2w + 1)(d + d_v), \quad \text{causal } h\,(w + 1)(d + d_v)",
    who_looks=_m(
        "Every position looks at w positions on each side and at itself; in an image at w rows and w columns on each side."
    ),
    gives_up=_m("What is further away than w: it arrives only over several layers, w positions a layer."),
    computes=_m(
        "By blocks of w queries, each with its own block and those beside it; in an image each cell's own neighbourhood, "
        "as the kernels of neighbourhood attention do."
    ),
    papers=(BELTAGY, MISTRAL),
    torch_function="torch.nn.attention.flex_attention.flex_attention(q, k, v, block_mask=create_block_mask(...))",
    trap=_m(
        "As a mask in scaled_dot_product_attention it saves nothing. Conventions differ: Mistral's W counts the query's "
        "own key, so W = w + 1; Longformer's w counts both sides, 2w here."
    ),
    sliders=("window", "causal", "heads", "temperature"),
    run=run,
)
