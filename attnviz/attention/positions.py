"""How attention is told the order: without positions it does not know one.

Added to the tokens: sinusoidal (Vaswani et al. 2017, arXiv 1706.03762, 3.5) and learned positions. Turned into
queries and keys: rotary (Su et al. 2021, arXiv 2104.09864). Added to the scores: ALiBi (Press et al. 2021,
arXiv 2108.12409) and a learned bias by distance (Shaw et al. 2018, arXiv 1803.02155; in buckets: Raffel et al.
2019, arXiv 1910.10683; in windows of an image: Liu et al. 2021, arXiv 2103.14030).

Positions are counted from 0. A distance is the key's position minus the query's: negative where the key comes before.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnviz.base.errors import InputError
from attnviz.base.language import _m

_ODD = _m("Positions of this kind go in pairs of numbers, so the width must be even; it is {found}.")
_NO_HEADS = _m("At least one head is needed; {found} were asked for.")
_TOO_FEW_BUCKETS = _m(
    "Distances cannot be put into {buckets} buckets up to {farthest}: at least {least} buckets are needed, "
    "and a farthest distance above {exact}."
)


def sinusoidal(
    count: int, width: int, *, base: float = 10_000.0, dtype: torch.dtype = torch.float32
) -> Float[Tensor, "count width"]:
    """sin(p / base^(2i/width)) in columns 2i, cos of the same in columns 2i + 1 (Vaswani et al. 2017, 3.5).

    Added to the tokens. Raises `InputError` for an odd width.
    """
    angles = _angles(torch.arange(count), width, base)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(-2).to(dtype)


def learned(
    count: int, width: int, *, seed: int = 0, spread: float = 0.02, dtype: torch.dtype = torch.float32
) -> Float[Tensor, "count width"]:
    """A table of learned positions as it is before training: normal numbers with the standard deviation `spread`.

    0.02 is what BERT and GPT-2 begin with. Added to the tokens. Nothing has been learned here.
    """
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(count, width, generator=generator, dtype=torch.float64) * spread).to(dtype)


def rotary(
    vectors: Float[Tensor, "*heads n d"],
    places: Int[Tensor, " n"] | None = None,
    *,
    base: float = 10_000.0,
    neighbours: bool = False,
) -> Float[Tensor, "*heads n d"]:
    """Queries or keys turned by their positions, so that q·k depends on the distance alone (Su et al. 2021, 3.2).

    Pair i is turned by p / base^(2i/d) radians. neighbours: numbers 2i and 2i + 1 are a pair, as in the paper;
    otherwise i and i + d/2 are, as in Llama and its relatives: the same up to the order of the columns.
    places: 0, 1, 2 … if not given. Values are not turned. Raises `InputError` for an odd d.
    """
    count, width = vectors.shape[-2:]
    places = torch.arange(count) if places is None else places
    angles = _angles(places.to(vectors.device), width, base)
    cos, sin = angles.cos().to(vectors.dtype), angles.sin().to(vectors.dtype)
    pairs = vectors.reshape(*vectors.shape[:-1], *((width // 2, 2) if neighbours else (2, width // 2)))
    first, second = pairs.unbind(-1 if neighbours else -2)
    turned = (first * cos - second * sin, first * sin + second * cos)
    return torch.stack(turned, -1).flatten(-2) if neighbours else torch.cat(turned, -1)


def alibi_slopes(heads: int) -> Float[Tensor, " heads"]:
    """1 / 2^(8i / heads) for i = 1 … heads (Press et al. 2021, section 3), float64.

    Where heads is no power of 2: those of the power below, then every second one of the power above, as the
    authors' program does and the models trained with it have. Raises `InputError` without a head.
    """
    if heads < 1:
        raise InputError(_NO_HEADS, found=heads)
    below = 2 ** (heads.bit_length() - 1)
    steps = torch.arange(1, below + 1, dtype=torch.float64)
    between = torch.arange(heads - below, dtype=torch.float64) + 0.5
    return torch.exp2(-8 * torch.cat([steps, between]) / below)


def distances(queries: int, keys: int, first: int = 0) -> Int[Tensor, "n m"]:
    """The key's position minus the query's; `first` is the position of the first query (of a cache, say)."""
    return torch.arange(keys) - (first + torch.arange(queries))[:, None]


def alibi(
    heads: int, queries: int, keys: int, first: int = 0, *, dtype: torch.dtype = torch.float32
) -> Float[Tensor, "heads n m"]:
    """−slope · |distance|, added to the scores after the scale (Press et al. 2021).

    The paper's models look back alone; for looking both ways this is the symmetric form.
    """
    return (-alibi_slopes(heads)[:, None, None] * distances(queries, keys, first).abs()).to(dtype)


def buckets_of(
    distance: Int[Tensor, "*any"], *, buckets: int = 32, farthest: int = 128, both_ways: bool = True
) -> Int[Tensor, "*any"]:
    """T5's buckets: one for each small distance, then wider and wider ones (Raffel et al. 2019, 2.1).

    both_ways: half of the buckets are for keys after the query; otherwise these all count as distance 0.
    From `farthest` on everything is in the last bucket. Raises `InputError` where the buckets do not suffice.
    """
    one_way = buckets // 2 if both_ways else buckets
    exact = one_way // 2
    if exact < 1 or farthest <= exact:
        raise InputError(
            _TOO_FEW_BUCKETS, buckets=buckets, farthest=farthest, least=4 if both_ways else 2, exact=max(exact, 1)
        )
    apart = distance.abs() if both_ways else (-distance).clamp(min=0)
    # In float32, as trained models have it: at the edges of the buckets float64 may round the other way.
    octaves = (apart.clamp(min=1).float() / exact).log() / math.log(farthest / exact)
    wide = (exact + (octaves * (one_way - exact)).long()).clamp(max=one_way - 1)
    found = apart.where(apart < exact, wide)
    return found + one_way * (distance > 0) if both_ways else found


def relative(
    table: Float[Tensor, "heads buckets"],
    queries: int,
    keys: int,
    first: int = 0,
    *,
    farthest: int = 128,
    both_ways: bool = True,
) -> Float[Tensor, "heads n m"]:
    """A bias looked up by bucket of distance, added to the scores (T5). Raises `InputError` as `buckets_of` does."""
    found = buckets_of(distances(queries, keys, first), buckets=table.shape[1], farthest=farthest, both_ways=both_ways)
    return table[:, found.to(table.device)]


def relative_table(
    heads: int, buckets: int = 32, *, seed: int = 0, spread: float = 1.0, dtype: torch.dtype = torch.float32
) -> Float[Tensor, "heads buckets"]:
    """A table of biases as it is before training: normal numbers, `spread` their standard deviation."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(heads, buckets, generator=generator, dtype=torch.float64) * spread).to(dtype)


def window_relative(table: Float[Tensor, "heads down across"], rows: int, columns: int) -> Float[Tensor, "heads n n"]:
    """The bias of a window of rows × columns tokens, row by row, by distance down and across (Swin, Liu et al. 2021).

    The table has 2·rows − 1 by 2·columns − 1 numbers a head; its middle is distance 0. Swin takes the query's
    place minus the key's. Raises `InputError` where the table has another size.
    """
    if tuple(table.shape[1:]) != (2 * rows - 1, 2 * columns - 1):
        raise InputError(
            _m("A window of {rows} × {columns} needs a table of {down} × {across} biases; it has {found}."),
            rows=rows,
            columns=columns,
            down=2 * rows - 1,
            across=2 * columns - 1,
            found=" × ".join(map(str, table.shape[1:])),
        )
    row, column = torch.arange(rows * columns) // columns, torch.arange(rows * columns) % columns
    down = row[:, None] - row + rows - 1
    across = column[:, None] - column + columns - 1
    return table[:, down.to(table.device), across.to(table.device)]


def _angles(places: Int[Tensor, " n"], width: int, base: float) -> Float[Tensor, "n half"]:
    """p / base^(2i/width) radians, in float64: far positions lose no digits."""
    if width < 2 or width % 2:
        raise InputError(_ODD, found=width)
    frequency = base ** -(torch.arange(0, width, 2, dtype=torch.float64, device=places.device) / width)
    return places.to(torch.float64)[:, None] * frequency
