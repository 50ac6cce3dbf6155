"""All weights of an attention at a glance, exactly, without ever holding n × n of them.

The weights are worked out strip by strip, each strip as whole rows, so that one pass gives everything.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int, Int8
from torch import Tensor

from attnviz.attention.masks import Mask
from attnviz.attention.rows import RowState, RowStatistics, row_strips
from attnviz.attention.scores import DotProduct, Given
from attnviz.attention.strips import Layout, Strip, Strips
from attnviz.attention.tiles import strip_elements
from attnviz.base.errors import InputError
from attnviz.base.language import _m

TOP = 8


@dataclass(frozen=True, eq=False)
class Overview:
    """What can be seen of n × m weights on R × C cells, and for each row and column.

    Rows that are not normal, and padding among the queries, take no part in the maps and the mass.

    maximum, mean: the greatest weight in a cell and the mean of those that are allowed; NaN where none is.
    entropy: bits, as `statistics.entropy`; NaN in rows that are not normal.
    top_keys, top_weights: greatest first; −1 and NaN where a row has fewer keys.
    mass_received: the mean weight of a key over the rows that may see it; NaN where none may.
    row_state: a `RowState` for each row.
    cell: queries and keys in one cell; the last cells may hold fewer.
    """

    maximum: Float[Tensor, "heads R C"]
    mean: Float[Tensor, "heads R C"]
    entropy: Float[Tensor, "heads n"]
    top_keys: Int[Tensor, "heads n k"]
    top_weights: Float[Tensor, "heads n k"]
    mass_received: Float[Tensor, "heads m"]
    row_state: Int8[Tensor, "heads n"]
    cell: tuple[int, int]


def survey(
    scores: DotProduct | Given,
    mask: Mask | None,
    item: int,
    head: int | None,
    size: int,
    present: Bool[Tensor, " n"] | None = None,
) -> tuple[Overview, RowStatistics]:
    """The overview of one head or of all, and what the pass has found out about the rows.

    `present` leaves out queries that are padding. Raises `InputError` for a size below 1.
    """
    if size < 1:
        raise InputError(_m("The size of an overview is {size}; at least 1 was expected."), size=size)
    _, heads, queries, keys = scores.sizes
    tall = math.ceil(queries / size)
    together = head is not None or heads * tall * keys <= strip_elements(scores.device)
    passes = [_Pass(scores, mask, item, one, size, present).run() for one in ([head] if together else range(heads))]
    return _joined([found.overview() for found in passes]), _joined_rows([found.rows for found in passes])


def _joined(parts: list[Overview]) -> Overview:
    if len(parts) == 1:
        return parts[0]
    names = ("maximum", "mean", "entropy", "top_keys", "top_weights", "mass_received", "row_state")
    return Overview(**{name: torch.cat([getattr(one, name) for one in parts]) for name in names}, cell=parts[0].cell)


def _joined_rows(parts: list[RowStatistics]) -> RowStatistics:
    return RowStatistics(torch.cat([one.maximum for one in parts]), torch.cat([one.total for one in parts]))


class _Pass:
    """One pass over the strips, and what it has gathered so far."""

    def __init__(
        self,
        scores: DotProduct | Given,
        mask: Mask | None,
        item: int,
        head: int | None,
        size: int,
        present: Bool[Tensor, " n"] | None,
    ) -> None:
        _, heads, queries, keys = scores.sizes
        layout = Layout.of(keys, size, scores.device)
        self.strips = Strips.of(scores, mask, item, head, layout, min(TOP, keys))
        self.tall = math.ceil(queries / size)
        self.present = present

        def numbers(*shape: int, fill: float = 0, dtype: torch.dtype = scores.dtype) -> Tensor:
            return torch.full((heads if head is None else 1, *shape), fill, dtype=dtype, device=scores.device)

        tall_cells = math.ceil(queries / self.tall)
        self.maximum = numbers(tall_cells, layout.cells, fill=-torch.inf)
        self.cell_total, self.cell_pairs = (numbers(tall_cells, layout.cells) for _ in range(2))
        self.key_total, self.key_pairs = (numbers(layout.wide, layout.cells) for _ in range(2))
        self.entropy = numbers(queries)
        self.top_keys = numbers(queries, self.strips.top, dtype=torch.long)
        self.top_weights = numbers(queries, self.strips.top)
        self.state = numbers(queries, dtype=torch.int8)
        self.rows = RowStatistics(numbers(queries), numbers(queries))

    def run(self) -> "_Pass":
        """Looks at every strip once."""
        scores, mask, item, head = self.strips.scores, self.strips.mask, self.strips.item, self.strips.head
        for rows, cols in row_strips(scores, mask, item, head, slice(0, scores.sizes[2]), self.tall):
            wide = self.strips.layout.wide
            cells = slice(cols.start // wide, math.ceil(cols.stop / wide))
            strip = self.strips.strip(rows, cells)
            self._add_rows(rows, strip)
            takes_part = strip.state == RowState.NORMAL
            if self.present is not None:
                takes_part &= self.present[rows]
            first = rows.start // self.tall
            tall_cells = slice(first, first + math.ceil((rows.stop - rows.start) / self.tall))
            self._add_maxima(tall_cells, cells, strip, takes_part)
            self._add_sums(tall_cells, cells, strip, takes_part)
        return self

    def overview(self) -> Overview:
        """What was gathered, as it is handed out."""
        nowhere = self.cell_pairs == 0
        back = self.strips.layout.back
        return Overview(
            maximum=self.maximum.masked_fill(nowhere, torch.nan).float(),
            mean=(self.cell_total / self.cell_pairs).float(),
            entropy=(self.entropy / math.log(2)).float(),
            top_keys=self.top_keys,
            top_weights=self.top_weights.float(),
            mass_received=(back(self.key_total) / back(self.key_pairs)).float(),
            row_state=self.state,
            cell=(self.tall, self.strips.layout.wide),
        )

    def _add_rows(self, rows: slice, strip: Strip) -> None:
        self.entropy[:, rows], self.state[:, rows] = strip.entropy, strip.state
        self.top_keys[:, rows], self.top_weights[:, rows] = strip.top_keys, strip.top_weights
        self.rows.maximum[:, rows], self.rows.total[:, rows] = strip.rows.maximum, strip.rows.total

    def _add_maxima(self, tall_cells: slice, cells: slice, strip: Strip, takes_part: Bool[Tensor, "h b"]) -> None:
        maxima = strip.maxima.masked_fill(~takes_part[..., None], -torch.inf)
        found = torch.cat([group.amax(2) for group in _by_cell(maxima, self.tall)], 1)
        here = self.maximum[:, tall_cells, cells]
        torch.maximum(here, found, out=here)

    def _add_sums(self, tall_cells: slice, cells: slice, strip: Strip, takes_part: Bool[Tensor, "h b"]) -> None:
        sums = _sums_by_cell(strip.weights, strip.factor.where(takes_part, 0), self.tall)
        self._add(self.cell_total, self.key_total, tall_cells, cells, sums)
        count = takes_part.to(sums.dtype)
        if len(count) > 1 and bool((takes_part == takes_part[:1]).all()):
            count = count[:1]  # usually the same rows take part in every head
        pairs = _pairs_by_cell(strip.allowed, count, self.tall).expand(-1, -1, sums.shape[2])
        self._add(self.cell_pairs, self.key_pairs, tall_cells, cells, pairs)

    def _add(
        self,
        by_cell: Float[Tensor, "h R C"],
        by_key: Float[Tensor, "h wide C"],
        tall_cells: slice,
        cells: slice,
        sums: Float[Tensor, "h_or_1 g M"],
    ) -> None:
        """Sums over the rows of cells, added to their columns and to the keys."""
        laid_out = sums.reshape(*sums.shape[:2], self.strips.layout.wide, -1)
        by_key[:, :, cells] += laid_out.sum(1)
        by_cell[:, tall_cells, cells] += laid_out.sum(2)


def _by_cell(numbers: Float[Tensor, "h b x"], tall: int) -> list[Float[Tensor, "h g rows x"]]:
    """The rows cell by cell; a last cell that is cut short comes by itself."""
    whole = numbers.shape[1] // tall * tall
    groups = [numbers[:, :whole].reshape(len(numbers), -1, tall, numbers.shape[2])] if whole else []
    return groups if whole == numbers.shape[1] else [*groups, numbers[:, None, whole:]]


def _sums_by_cell(
    numbers: Float[Tensor, "h_or_1 b_or_1 M"], factor: Float[Tensor, "f_or_1 b"], tall: int
) -> Float[Tensor, "_ g M"]:
    """Σ factor × numbers over the rows of each cell, as matrix products."""
    rows = numbers.expand(-1, factor.shape[1], -1)
    if tall == 1:
        return rows * factor[..., None]
    pairs = zip(_by_cell(factor[..., None], tall), _by_cell(rows, tall), strict=True)
    return torch.cat([(factors.mT @ group)[:, :, 0] for factors, group in pairs], 1)


def _pairs_by_cell(
    allowed: Bool[Tensor, "h_or_1 b_or_1 M"] | None, count: Float[Tensor, "f_or_1 b"], tall: int
) -> Float[Tensor, "_ g M_or_1"]:
    """How many rows of each cell take part and see each key."""
    if allowed is not None and allowed.shape[1] > 1:
        # Seen as bytes, truth values become numbers several times as fast.
        return _sums_by_cell(allowed.contiguous().view(torch.uint8).to(count.dtype), count, tall)
    rows = _sums_by_cell(torch.ones_like(count)[..., None], count, tall)
    return rows if allowed is None else rows * allowed
