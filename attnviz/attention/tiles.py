"""Which part of a tensor is looked at: heads, rows and columns, asked for as a person would."""

from collections.abc import Sequence

import torch
from jaxtyping import Int, Shaped
from torch import Tensor

from attnviz.base.errors import InputError
from attnviz.base.language import _m

Wanted = slice | Sequence[int] | None  # as it is asked for: None is everything
Index = slice | Int[Tensor, "_"]  # as it is used: a slice of step 1 gives a view, anything else copies

# Elements of one strip of scores: small enough for a processor's cache, large enough to keep a GPU busy.
STRIP = {"cpu": 1 << 20}
STRIP_ELSEWHERE = 1 << 23


def strip_elements(device: torch.device) -> int:
    """How many scores are worked out at a time; 4 MB in float32 on a CPU, 32 MB elsewhere."""
    return STRIP.get(device.type, STRIP_ELSEWHERE)


def rows_index(wanted: Wanted, length: int, device: torch.device) -> Index:
    """The queries that are asked for. Raises `InputError` outside 0 … length − 1."""
    return _index(
        wanted,
        length,
        device,
        _m("Query {found} does not exist: queries are counted from 0, and their number is {length}."),
    )


def cols_index(wanted: Wanted, length: int, device: torch.device) -> Index:
    """The keys that are asked for. Raises `InputError` outside 0 … length − 1."""
    return _index(
        wanted, length, device, _m("Key {found} does not exist: keys are counted from 0, and their number is {length}.")
    )


def _index(wanted: Wanted, length: int, device: torch.device, complaint: str) -> Index:
    if wanted is None:
        return slice(0, length)
    if isinstance(wanted, slice):
        start, stop, step = wanted.indices(length)
        if step == 1:
            return slice(start, max(start, stop))
        wanted = range(start, stop, step)
    outside = [position for position in wanted if not 0 <= position < length]
    if outside:
        raise InputError(complaint, length=length, found=outside[0])
    return torch.tensor(list(wanted), dtype=torch.long, device=device)


def count(index: Index) -> int:
    """How many positions an index picks."""
    return int(index.stop - index.start) if isinstance(index, slice) else len(index)


def positions(index: Index, device: torch.device) -> Int[Tensor, " k"]:
    """The positions themselves."""
    return torch.arange(index.start, index.stop, device=device) if isinstance(index, slice) else index


def part(index: Index, start: int, stop: int) -> Index:
    """Some of the positions that an index picks."""
    return slice(index.start + start, index.start + stop) if isinstance(index, slice) else index[start:stop]


def pick(tensor: Shaped[Tensor, "..."], dim: int, index: Index) -> Shaped[Tensor, "..."]:
    """The entries along one dimension; a dimension of size 1 stands for every position and stays."""
    if isinstance(index, slice):
        return tensor.narrow(dim, index.start, count(index))
    return tensor.index_select(dim, index)


def tile_of(
    tensor: Shaped[Tensor, "items_or_1 heads_or_1 n_or_1 m_or_1"], item: int, head: int | None, rows: Index, cols: Index
) -> Shaped[Tensor, "h_or_1 rows_or_1 cols_or_1"]:
    """A tile of a tensor in which any dimension may be 1, meaning the same for all."""
    chosen = tensor[item if tensor.shape[0] > 1 else 0]
    if head is not None and chosen.shape[0] > 1:
        chosen = chosen[head : head + 1]
    if chosen.shape[1] > 1:
        chosen = pick(chosen, 1, rows)
    if chosen.shape[2] > 1:
        chosen = pick(chosen, 2, cols)
    return chosen
