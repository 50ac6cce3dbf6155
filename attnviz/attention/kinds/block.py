"""Block-local attention: the sequence or image is cut into blocks that do not see each other (Swin, Liu et al. 2021)."""

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attnviz.attention.kinds.full import full_attention
from attnviz.attention.kinds.kind import SPARSE, Inputs, Kind, Outcome, Paper, Settings
from attnviz.attention.kinds.masked import looking_back, masked_attention, outcome
from attnviz.base.errors import InputError
from attnviz.base.language import _m

LIU = Paper("Liu et al.", 2021, "2103.14030")
QIU = Paper("Qiu et al.", 2019, "1911.02972")


def block_of(
    positions: int, block: int, grid: tuple[int, int] | None = None, device: torch.device | None = None
) -> Int[Tensor, " n"]:
    """Which block each position lies in: `block` positions of a sequence, or block × block cells of an image."""
    place = torch.arange(positions, device=device)
    if grid is None:
        return place // block
    rows, columns = place // grid[1] // block, place % grid[1] // block
    return rows * -(-grid[1] // block) + columns


def block_pairs(
    positions: int, block: int, grid: tuple[int, int] | None = None, device: torch.device | None = None
) -> Bool[Tensor, "n n"]:
    """Pairs within one block. The last block of a row or column may be cut short."""
    of = block_of(positions, block, grid, device)
    return of[:, None] == of


def block_attention(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads n d"],
    value: Float[Tensor, "heads n dv"],
    block: int,
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """The blocks as a mask over all pairs."""
    return masked_attention(query, key, value, block_pairs(query.shape[1], block, device=query.device), temperature)


def block_attention_reshaped(
    query: Float[Tensor, "heads n d"],
    key: Float[Tensor, "heads n d"],
    value: Float[Tensor, "heads n dv"],
    block: int,
    temperature: float = 1.0,
) -> Float[Tensor, "heads n dv"]:
    """The blocks as one more dimension: full attention within each, and no other score is worked out.

    Raises `InputError` where the length is not a multiple of the block.
    """
    n = query.shape[1]
    if n % block:
        raise InputError(_m("{positions} positions cannot be cut into blocks of {block}."), positions=n, block=block)
    query, key, value = (torch.unflatten(each, 1, (-1, block)).flatten(0, 1) for each in (query, key, value))
    output = full_attention(query, key, value, temperature)
    return torch.unflatten(output, 0, (-1, n // block)).flatten(1, 2)


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """Every position looks at those of its own block."""
    inputs = inputs.in_heads(settings.heads)
    pairs = block_pairs(inputs.shape[0], settings.block, inputs.grid, inputs.query.device)
    live = looking_back(pairs, settings.causal)
    output = masked_attention(inputs.query, inputs.key, inputs.value, live, settings.temperature)
    sides = (inputs.shape[1],) if inputs.grid is None else inputs.grid
    kept = math.prod(min(settings.block, side) for side in sides)
    return outcome(inputs, settings, BLOCK.id, output, live=live, computed=pairs, kept=kept)


BLOCK = Kind(
    id="block",
    name=_m("Block-local"),
    group=SPARSE,
    formula=(
        r"S_{ij} = \begin{cases} q_i \cdot k_j / \sqrt{d} & \lfloor i / b \rfloor = \lfloor j / b \rfloor \\ -\infty & \text{otherwise} \end{cases}",
        r"O = \operatorname{softmax}_j(S / T)\, V",
    ),
    shapes=(
        r"Q, K \in \mathbb{R}^{(n / b) \times b \times d},\; V \in \mathbb{R}^{(n / b) \times b \times d_v}",
        r"A \in \mathbb{R}^{(n / b) \times b \times b}",
    ),
    state=r"h\,b\,(d + d_v), \quad \text{in an image } h\,b^2 (d + d_v)",
    who_looks=_m("Every position looks at those of its own block: b positions in a sequence, b × b cells in an image."),
    gives_up=_m(
        "Everything beyond the block's edge, even the position next to it. Swin shifts the blocks in every second layer."
    ),
    computes=_m("All pairs within each block, by reshaping; causal or not."),
    papers=(LIU, QIU),
    torch_function="torch.nn.functional.scaled_dot_product_attention(q.unflatten(-2, (-1, b)), …)",
    trap=_m("The length must be a multiple of the block, or be padded; a padded key needs a mask, or it takes weight."),
    sliders=("block", "causal", "heads", "temperature"),
    run=run,
)
