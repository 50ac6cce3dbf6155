"""All heads of all layers as one array of bytes: a small map for each head, laid out layer by layer."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, UInt8

from attnviz.attention import Overview, RowState
from attnviz.figures.codes import CODE_ABSENT, CODE_FULLY_MASKED, CODE_NAN, CODE_ZERO, codes
from attnviz.figures.to_numpy import to_numpy

GAP = 1


@dataclass(frozen=True, eq=False)
class Atlas:
    """One tile for each head: layer l, head h starts at row l · rows_per_tile, column h · cols_per_tile.

    codes: see `attnviz.figures.codes`. Each tile ends with `gap` empty rows and columns that separate it from
    the next; so does a layer with fewer heads or smaller maps than others: what is empty is absent.
    """

    codes: UInt8[np.ndarray, "rows cols"]
    rows_per_tile: int
    cols_per_tile: int
    gap: int = GAP

    def head_at(self, row: int, column: int) -> tuple[int, int]:
        """The layer (its place in the atlas) and the head whose tile a cell belongs to."""
        return row // self.rows_per_tile, column // self.cols_per_tile


def atlas(overviews: Sequence[Overview], size: int = 32) -> Atlas:
    """The maximum maps of each layer's heads, at most size × size cells each.

    Maps that are larger are pooled: a cell is the greatest weight of its part.
    """
    maps = [_pooled(overview_codes(overview), size) for overview in overviews]
    heads = max(layer.shape[0] for layer in maps)
    tall, wide = (max(layer.shape[axis] for layer in maps) + GAP for axis in (1, 2))
    whole = np.full((len(maps), tall, heads, wide), CODE_ABSENT, dtype=np.uint8)
    for layer, found in enumerate(maps):
        count, rows, columns = found.shape
        whole[layer, :rows, :count, :columns] = found.transpose(1, 0, 2)
    return Atlas(whole.reshape(len(maps) * tall, heads * wide), tall, wide)


def overview_codes(overview: Overview) -> UInt8[np.ndarray, "heads R C"]:
    """The maximum map as bytes; a weight below 0 or above 1 as its size, at most 1, as `beyond_codes` asks.

    A cell without a weight is fully masked if all of its rows are; else NaN or zero if one of them is.
    """
    maximum, states = to_numpy(overview.maximum), to_numpy(overview.row_state)
    found = codes(np.abs(maximum).clip(0, 1))
    tall = overview.cell[0]
    nan, zero = (_rows_in_cells(states == state, tall).any(-1) for state in (RowState.NAN, RowState.ZERO))
    masked = (~_rows_in_cells(states != RowState.MASKED, tall)).all(-1)
    kind = np.select([masked, nan, zero], [CODE_FULLY_MASKED, CODE_NAN, CODE_ZERO], default=CODE_ABSENT).astype(
        np.uint8
    )
    return np.where(np.isnan(maximum), kind[..., None], found)


def beyond_codes(overview: Overview) -> bool:
    """Whether a weight is below 0 or above 1, so that a byte tells only its size, and no more than 1."""
    maximum = to_numpy(overview.maximum)
    with np.errstate(invalid="ignore"):
        return bool((maximum < 0).any() or (maximum > 1 + 1e-5).any())


def _rows_in_cells(rows: Bool[np.ndarray, "heads n"], tall: int) -> Bool[np.ndarray, "heads R tall"]:
    """The rows by the cell they lie in; a last cell with fewer rows is filled with False."""
    heads, n = rows.shape
    padded = np.zeros((heads, -(-n // tall) * tall), dtype=bool)
    padded[:, :n] = rows
    return padded.reshape(heads, -1, tall)


def _pooled(found: UInt8[np.ndarray, "heads R C"], size: int) -> UInt8[np.ndarray, "heads r c"]:
    """Greatest code of each part: the codes of weights are in the order of the weights, above all others."""
    for axis in (1, 2):
        length = found.shape[axis]
        step = -(-length // size)
        found = np.maximum.reduceat(found, np.arange(0, length, step), axis=axis)
    return found
