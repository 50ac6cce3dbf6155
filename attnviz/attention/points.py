"""Attention that looks at a few points between the keys: deformable attention (Zhu et al. 2020, arXiv 2010.04159).

Each query has sampling points and a weight for each. The value at a point is interpolated between the four keys
around it, so each point's weight goes to those keys, in the shares that `torch.nn.functional.grid_sample` gives them.
"""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnviz.attention.scores import Given
from attnviz.attention.tiles import Index, count, pick, positions
from attnviz.base.errors import InputError
from attnviz.base.language import _m

_SIZES = _m(
    "The sampling points have shape {points}, their weights {weights}, and their levels are {levels} in number; "
    "they do not go together."
)


@dataclass(frozen=True, eq=False)
class Sampled:
    """The points of one query and one head. row, column: in keys of the level, −0.5 at the outer edge of the first.

    weight: what the value at the point is multiplied by.
    """

    level: Int[Tensor, " points"]
    row: Float[Tensor, " points"]
    column: Float[Tensor, " points"]
    weight: Float[Tensor, " points"]


@dataclass(frozen=True, eq=False)
class Points(Given):
    """Weights from sampling points; keys are the levels one after the other, each row by row.

    locations: x and y as `grid_sample` takes them, −1 and 1 at the edges. level_of: the level of each point.
    shapes: rows and columns of each level. align_corners: −1 and 1 are the middles of the outer keys, not the edges.
    border: a point outside takes the nearest key; otherwise it takes nothing. nearest: a point takes one key whole.
    """

    locations: Float[Tensor, "items heads n points 2"]
    weights: Float[Tensor, "items heads n points"]
    level_of: tuple[int, ...]
    shapes: tuple[tuple[int, int], ...]
    align_corners: bool = False
    border: bool = False
    nearest: bool = False

    def __post_init__(self) -> None:
        fits = (
            self.locations.ndim == 5
            and tuple(self.locations.shape[:4]) == tuple(self.weights.shape)
            and self.locations.shape[4] == 2
            and len(self.level_of) == self.weights.shape[3] > 0
            and all(0 <= level < len(self.shapes) for level in self.level_of)
            and all(rows > 0 and columns > 0 for rows, columns in self.shapes)
        )
        if not fits:
            raise InputError(
                _SIZES,
                points=tuple(self.locations.shape),
                weights=tuple(self.weights.shape),
                levels=len(self.shapes),
            )

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Items, heads, queries, keys."""
        items, heads, queries, _ = self.weights.shape
        return items, heads, queries, sum(rows * columns for rows, columns in self.shapes)

    @property
    def device(self) -> torch.device:
        """Where everything is."""
        return self.weights.device

    @property
    def dtype(self) -> torch.dtype:
        """Float64 for float64 weights, float32 for all others."""
        return torch.float64 if self.weights.dtype == torch.float64 else torch.float32

    def tensors(self) -> tuple[Tensor, ...]:
        """Points and weights."""
        return (self.locations, self.weights)

    def on(self, device: torch.device) -> "Points":
        """The same points on another device."""
        return replace(self, locations=self.locations.to(device), weights=self.weights.to(device))

    def tile(self, item: int, head: int | None, rows: Index, cols: Index) -> Float[Tensor, "h n m"]:
        """What each key gets from the points of these queries; other keys are not worked out."""
        heads = slice(None) if head is None else slice(head, head + 1)
        place, of_level = self._places(item, heads, rows)
        weights = pick(self.weights[item, heads], 1, rows).to(self.dtype)
        queries, wanted = weights.shape[1], count(cols)
        # One column more takes what falls outside and what goes to other keys.
        column = torch.full((self.sizes[3] + 1,), wanted, device=self.device)
        column[positions(cols, self.device)] = torch.arange(wanted, device=self.device)
        found = torch.zeros(len(weights), queries, wanted + 1, dtype=self.dtype, device=self.device)
        for key, share in self._corners(place, of_level):
            found.scatter_add_(2, column[key], weights * share)
        return found[..., :wanted]

    def at(self, item: int, head: int, query: int) -> Sampled:
        """The points of one query, to be drawn."""
        place, levels = self._places(item, slice(head, head + 1), slice(query, query + 1))
        column, row = place[0, 0].unbind(-1)
        return Sampled(levels, row, column, self.weights[item, head, query].to(self.dtype))

    def outside(self, item: int = 0) -> Float[Tensor, "heads n"]:
        """The part of each query's weights that no key gets, because it falls outside the picture."""
        place, levels = self._places(item, slice(None), slice(0, self.sizes[2]))
        weights = self.weights[item].to(self.dtype)
        inside = torch.zeros_like(weights)
        for key, share in self._corners(place, levels):
            inside += share.where(key < self.sizes[3], 0)
        return (weights * (1 - inside)).sum(-1)

    def _places(
        self, item: int, heads: slice, rows: Index
    ) -> tuple[Float[Tensor, "h n points 2"], Int[Tensor, " points"]]:
        """Where the points lie, in keys of their levels, and which level that is."""
        levels = torch.tensor(self.level_of, device=self.device)
        grid = pick(self.locations[item, heads], 1, rows).to(self.dtype)
        size = torch.tensor([(columns, tall) for tall, columns in self.shapes], device=self.device)[levels]
        place = (grid + 1) / 2 * (size - 1) if self.align_corners else ((grid + 1) * size - 1) / 2
        return (place.maximum(size.new_zeros(())).minimum(size - 1) if self.border else place), levels

    def _corners(
        self, place: Float[Tensor, "h n points 2"], levels: Int[Tensor, " points"]
    ) -> list[tuple[Int[Tensor, "h n points"], Float[Tensor, "h n points"]]]:
        """The keys around each point, or one past the last, and each one's share of the point."""
        shapes = torch.tensor(self.shapes, device=self.device)
        tall, wide = shapes[levels].unbind(1)
        start = (torch.cat([shapes.new_zeros(1), shapes.prod(1).cumsum(0)])[:-1])[levels]
        first = place.round() if self.nearest else place.floor()
        beyond = place - first
        found = []
        for down in (0,) if self.nearest else (0, 1):
            for right in (0,) if self.nearest else (0, 1):
                column, row = (first[..., 0] + right).long(), (first[..., 1] + down).long()
                there = (row >= 0) & (row < tall) & (column >= 0) & (column < wide)
                key = (start + row * wide + column).where(there, self.sizes[3])
                share = torch.ones_like(beyond[..., 0])
                if not self.nearest:
                    for step, part in ((right, beyond[..., 0]), (down, beyond[..., 1])):
                        share = share * (part if step else 1 - part)
                found.append((key, share))
        return found
