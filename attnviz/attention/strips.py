"""Strips of whole rows, with the keys laid out for looking at cells: what an overview is gathered from."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int, Int8
from torch import Tensor
from torch.nn.functional import pad

from attnviz.attention.masks import Mask
from attnviz.attention.rows import RowStatistics, forbid, states
from attnviz.attention.scores import DotProduct, Given
from attnviz.attention.tiles import positions

# exp of this is 0 in every precision, and 0 times this is 0, which 0 times −∞ is not.
_NOTHING = -1e4
# From cells of this many keys on, looking for the greatest cells first is faster.
_WIDE_ENOUGH = 8


@dataclass(frozen=True, eq=False)
class Layout:
    """Keys in the order in which the columns of one cell lie a row of cells apart: "wide cells" and flattened.

    The maximum or sum of a cell then runs over an outer dimension, which is what processors are fast at.
    """

    keys: int
    order: Int[Tensor, "wide cells"]

    @classmethod
    def of(cls, keys: int, most_cells: int, device: torch.device) -> "Layout":
        """Cells of equal width, at most so many; the last may be cut short."""
        wide = -(-keys // most_cells)
        cells = -(-keys // wide)
        return cls(keys, torch.arange(cells * wide, device=device).view(cells, wide).T)

    @property
    def wide(self) -> int:
        """Keys in a cell."""
        return self.order.shape[0]

    @property
    def cells(self) -> int:
        """Cells in a row."""
        return self.order.shape[1]

    def places(self, cells: slice) -> tuple[Int[Tensor, " M"], Bool[Tensor, " M"] | None]:
        """The keys of some cells in this order, and which of them exist (None: all); the others repeat the last."""
        places = self.order[:, cells].reshape(-1)
        if cells.stop < self.cells or self.cells * self.wide == self.keys:
            return places, None
        return places.clamp(max=self.keys - 1), places < self.keys

    def back(self, numbers: Float[Tensor, "h wide cells"]) -> Float[Tensor, "h m"]:
        """Numbers for each key in the keys' own order."""
        return numbers.mT.flatten(1)[:, : self.keys]


@dataclass(frozen=True, eq=False)
class Strip:
    """The weights of some whole rows, as `weights` × `factor`, and what is known of each row.

    Rows that are not normal have weights 0. `maxima` and `top_weights` are weights as they are.
    """

    weights: Float[Tensor, "h b M"]
    factor: Float[Tensor, "h b"]
    maxima: Float[Tensor, "h b C"]
    top_keys: Int[Tensor, "h b k"]
    top_weights: Float[Tensor, "h b k"]
    entropy: Float[Tensor, "h b"]
    state: Int8[Tensor, "h b"]
    rows: RowStatistics
    allowed: Bool[Tensor, "h_or_1 b_or_1 M"] | None


@dataclass(frozen=True, eq=False)
class Strips:
    """One head (None: all heads) of one item, its keys laid out once for strip after strip."""

    scores: DotProduct | Given
    mask: Mask | None
    item: int
    head: int | None
    layout: Layout
    top: int
    keys: Float[Tensor, "kv laid_out d"] | None

    @classmethod
    def of(
        cls, scores: DotProduct | Given, mask: Mask | None, item: int, head: int | None, layout: Layout, top: int
    ) -> "Strips":
        """`top` is how many of the greatest weights of a row are looked for."""
        places, _ = layout.places(slice(0, layout.cells))
        keys = scores.keys(item, head, places) if isinstance(scores, DotProduct) else None
        return cls(scores, mask, item, head, layout, top, keys)

    def strip(self, rows: slice, cells: slice) -> Strip:
        """These rows over these cells, outside of which nothing is allowed."""
        cols, exist = self.layout.places(cells)
        allowed = None if exist is None else exist[None, None]
        if self.mask is not None:
            rule = self.mask.allowed(self.item, positions(rows, cols.device), cols, self.head)
            allowed = rule if allowed is None else rule & allowed
        if isinstance(self.scores, Given):
            return self._stored(self.scores, rows, cols, allowed)
        return self._dot_product(self.scores, rows, cols, cells, allowed)

    def _dot_product(
        self,
        scores: DotProduct,
        rows: slice,
        cols: Int[Tensor, " M"],
        cells: slice,
        allowed: Bool[Tensor, "h_or_1 b_or_1 M"] | None,
    ) -> Strip:
        assert self.keys is not None  # noqa: S101  for the type checker: `of` lays them out
        heads, _, width = self.keys.shape
        keys = self.keys.view(heads, self.layout.wide, -1, width)[:, :, cells].reshape(heads, -1, width)
        order = scores.logits(self.item, self.head, rows, cols, keys)
        if allowed is not None:
            forbid(order, allowed)
        maxima = self._cell_maxima(order)
        greatest, sinks = maxima.amax(2), scores.sinks_of(self.head)
        maximum = greatest if sinks is None else torch.maximum(greatest, sinks)
        masked = greatest == -torch.inf
        without = masked | ~maximum.isfinite()
        for numbers in (order, maxima):
            _subtract(numbers, maximum, without)
        top, top_keys = self._top(order, maxima, cols)
        weights = order.exp()
        of_keys = weights.sum(2)
        total = of_keys if sinks is None else of_keys + (sinks - maximum).exp()
        factor = total.reciprocal().masked_fill(without, 0)
        if allowed is not None:
            order.clamp_(min=_NOTHING)
        spread = torch.einsum("hbm,hbm->hb", weights, order)
        return Strip(
            weights=weights,
            factor=factor,
            maxima=maxima.exp_().mul_(factor[..., None]),
            top_keys=top_keys,
            top_weights=(top.exp() * factor[..., None]).masked_fill(top_keys < 0, torch.nan),
            entropy=((total.log() * of_keys - spread) * factor).masked_fill(without, torch.nan),
            state=states(masked, without),
            rows=RowStatistics(
                maximum.masked_fill(masked, -torch.inf), total.masked_fill(without, torch.nan).masked_fill(masked, 0)
            ),
            allowed=allowed,
        )

    def _stored(
        self, scores: Given, rows: slice, cols: Int[Tensor, " M"], allowed: Bool[Tensor, "h_or_1 b_or_1 M"] | None
    ) -> Strip:
        weights = scores.tile(self.item, self.head, rows, cols).clone()
        nan = weights.isnan().any(2)
        if allowed is not None:
            weights.masked_fill_(~allowed, 0)
        zero = (weights == 0).all(2)
        masked = torch.zeros_like(nan) if allowed is None else ~allowed.any(2).expand_as(nan)
        without = masked | nan | zero
        weights.masked_fill_(without[..., None], 0)
        order = weights.masked_fill(without[..., None], -torch.inf)
        if allowed is not None:
            forbid(order, allowed)
        maxima = self._cell_maxima(order)
        top, top_keys = self._top(order, maxima, cols)
        negative = (weights < 0).any(2)
        nothing = torch.zeros_like(weights[..., 0])
        return Strip(
            weights=weights,
            factor=(~without).to(weights.dtype),
            maxima=maxima,
            top_keys=top_keys,
            top_weights=top.masked_fill(top_keys < 0, torch.nan),
            entropy=torch.special.entr(weights).sum(2).masked_fill(without | negative, torch.nan),
            state=states(masked, nan, zero),
            rows=RowStatistics(nothing, nothing),
            allowed=allowed,
        )

    def _cell_maxima(self, order: Float[Tensor, "h b M"]) -> Float[Tensor, "h b C"]:
        return order.view(*order.shape[:2], self.layout.wide, -1).amax(2)

    def _top(
        self, order: Float[Tensor, "h b M"], maxima: Float[Tensor, "h b C"], cols: Int[Tensor, " M"]
    ) -> tuple[Float[Tensor, "h b k"], Int[Tensor, "h b k"]]:
        """The greatest of each row and their keys: −∞ and −1 where there are fewer.

        The greatest k lie in the k cells with the greatest maxima, so only these are looked through.
        """
        wide, cells = self.layout.wide, maxima.shape[2]
        if wide < _WIDE_ENOUGH or cells <= self.top:
            top, place = order.topk(min(self.top, order.shape[2]), 2)
        else:
            best = maxima.topk(self.top, 2, sorted=False).indices
            inside = torch.arange(wide, device=cols.device) * cells
            candidates = (best[..., None] + inside).flatten(2)
            top, chosen = order.gather(2, candidates).topk(self.top, 2)
            place = candidates.gather(2, chosen)
        keys = cols[place].masked_fill(top == -torch.inf, -1)
        missing = (0, self.top - top.shape[2])
        return pad(top, missing, value=-torch.inf), pad(keys, missing, value=-1)


def _subtract(numbers: Float[Tensor, "h b x"], maximum: Float[Tensor, "h b"], without: Bool[Tensor, "h b"]) -> None:
    """Each row less its maximum; −∞ throughout in rows that have no weights."""
    numbers.sub_(maximum[..., None])
    if bool(without.any()):
        numbers.masked_fill_(without[..., None], -torch.inf)
