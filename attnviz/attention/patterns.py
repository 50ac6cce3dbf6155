"""Who may look at whom where windows have gaps or blocks are shifted, as matrices of truth values.

Row i is the position that asks, column j the position that may be looked at; both are counted from 0. Windows, blocks,
strided and fixed patterns and global tokens are in `attnviz.attention.kinds`.
"""

import torch
from jaxtyping import Bool
from torch import Tensor

from attnviz.base.errors import InputError
from attnviz.base.language import _m


def dilated_pairs(positions: int, window: int, dilation: int) -> Bool[Tensor, "n n"]:
    """As many keys as a window of so many positions on each side has, `dilation` positions apart.

    As Longformer has it (Beltagy, Peters, Cohan 2020, arXiv 2004.05150). Raises `InputError` for a dilation below 1.
    """
    _check(dilation)
    place = torch.arange(positions)
    apart = place[:, None] - place
    return (apart % dilation == 0) & (apart.abs() <= window * dilation)


def shifted_block_pairs(positions: int, block: int, shift: int) -> Bool[Tensor, "n n"]:
    """Neighbouring positions in blocks that do not overlap, each border `shift` positions to the left.

    The windows of Swin in one dimension (Liu et al. 2021, arXiv 2103.14030), which shifts them by half a block in
    every other layer. The first block is the shorter one: what Swin rolls around the border, it masks as well.
    Raises `InputError` for a block below 1.
    """
    _check(block)
    number = (torch.arange(positions) + shift) // block
    return number[:, None] == number


def _check(size: int) -> None:
    if size < 1:
        raise InputError(_m("A block or a dilation has at least 1 position; {found} was given."), found=size)
