"""Deformable attention: each query says where to look and how much, without keys and without dot products.

O = Σ_points A · V(p + Δp): the offsets Δp and the weights A (softmax over all points of a head) are linear in the
query; V is interpolated between the four tokens around the point (Zhu et al. 2020, arXiv 2010.04159, section 4.1).
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.attention.attention import Attention
from attnviz.attention.kinds.kind import WITHOUT_PAIRS, Inputs, Kind, Outcome, Paper, Settings
from attnviz.attention.points import Points
from attnviz.base.language import _m

ZHU = Paper("Zhu et al.", 2020, "2010.04159")
XIA = Paper("Xia et al.", 2022, "2201.00520")

Shapes = tuple[tuple[int, int], ...]
"""Rows and columns of each level."""


@dataclass(frozen=True, eq=False)
class Aim:
    """The two linear maps from a query to its points: how far away they lie (x, y, in tokens) and their scores."""

    offset: Float[Tensor, "heads levels points 2 d"]
    offset_bias: Float[Tensor, "heads levels points 2"]
    score: Float[Tensor, "heads levels points d"]
    score_bias: Float[Tensor, "heads levels points"]

    @classmethod
    def drawn(
        cls,
        width: int,
        *,
        heads: int = 1,
        levels: int = 1,
        points: int = 4,
        seed: int = 0,
        dtype: torch.dtype = torch.float32,
    ) -> "Aim":
        """Biases as Deformable DETR begins, each head in a direction of its own, its points 1, 2, 3 … tokens away.

        Its maps begin at zero and are learned; here they are drawn, so that queries look to different places.
        """
        generator = torch.Generator().manual_seed(seed)
        maps = torch.randn(heads, levels, points, 3, width, generator=generator, dtype=torch.float64)
        maps = (maps / math.sqrt(width)).to(dtype)
        angle = 2 * math.pi * torch.arange(heads, dtype=torch.float64) / heads
        direction = torch.stack([angle.cos(), angle.sin()], -1)
        direction = direction / direction.abs().amax(-1, keepdim=True)
        away = direction[:, None, None] * torch.arange(1, points + 1)[:, None]
        return cls(
            maps[..., :2, :],
            away.expand(-1, levels, -1, -1).to(dtype),
            maps[..., 2, :],
            torch.zeros(heads, levels, points, dtype=dtype),
        )

    def along_a_row(self) -> "Aim":
        """The same points without their y: a sequence has nothing above or below it."""
        across = torch.tensor([1, 0], dtype=self.offset.dtype)
        return Aim(self.offset * across[:, None], self.offset_bias * across, self.score, self.score_bias)

    def on(self, device: torch.device) -> "Aim":
        """The same maps on another device."""
        parts = (self.offset, self.offset_bias, self.score, self.score_bias)
        return Aim(*(part.to(device) for part in parts))


def own_places(rows: int, columns: int, *, dtype: torch.dtype = torch.float32) -> Float[Tensor, "n 2"]:
    """Where each token of a picture lies: x and y of its middle, 0 to 1, row by row."""
    place = torch.arange(rows * columns, dtype=dtype)
    return torch.stack([(place % columns + 0.5) / columns, (place // columns + 0.5) / rows], -1)


def points_of(
    query: Float[Tensor, "n d"],
    places: Float[Tensor, "n 2"],
    aim: Aim,
    shapes: Shapes,
    *,
    temperature: float = 1.0,
) -> Points:
    """The points of every query and head, and their weights.

    places: each query's reference point, x and y from 0 to 1. shapes: one for each of the aim's levels. The scores
    are divided by the temperature just before the softmax over a head's points, those of all levels together.
    """
    offset = torch.einsum("nd,hlpxd->hnlpx", query, aim.offset) + aim.offset_bias[:, None]
    size = torch.tensor([(columns, rows) for rows, columns in shapes], dtype=query.dtype, device=query.device)
    location = places[:, None, None] + offset / size[:, None]
    score = torch.einsum("nd,hlpd->hnlp", query, aim.score) + aim.score_bias[:, None]
    weight = (score.flatten(2) / temperature).softmax(-1)
    levels, points = aim.score.shape[1:3]
    level_of = tuple(level for level in range(levels) for _point in range(points))
    return Points((2 * location - 1).flatten(2, 3)[None], weight[None], level_of, shapes)


def bilinear(
    values: Float[Tensor, "heads rows columns dv"], location: Float[Tensor, "heads n points 2"]
) -> Float[Tensor, "heads n points dv"]:
    """Values between four tokens, 0 outside; x and y from −1 to 1 at the edges (`grid_sample`, align_corners=False)."""
    heads, rows, columns, _ = values.shape
    place = ((location + 1) * location.new_tensor([columns, rows]) - 1) / 2
    first = place.floor()
    head = torch.arange(heads, device=values.device)[:, None, None]
    found = values.new_zeros(())
    for right, down in ((0, 0), (1, 0), (0, 1), (1, 1)):
        corner = first + first.new_tensor([right, down])
        share = (1 - (place - corner).abs()).prod(-1)
        column, row = corner.long().unbind(-1)
        inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
        seen = values[head, row.clamp(0, rows - 1), column.clamp(0, columns - 1)]
        found = found + seen * (share * inside)[..., None]
    return found


def look(points: Points, value: Float[Tensor, "heads m dv"]) -> Float[Tensor, "heads n dv"]:
    """Σ weight · value at the point, over the points of each query; n × m is never made.

    value: the levels' tokens one after the other, each level row by row.
    """
    output = value.new_zeros(())
    start, each = 0, points.weights.shape[-1] // len(points.shapes)
    for level, (rows, columns) in enumerate(points.shapes):
        here = value[:, start : start + rows * columns].reshape(len(value), rows, columns, -1)
        chosen = slice(level * each, (level + 1) * each)
        seen = bilinear(here, points.locations[0][:, :, chosen])
        output = output + (points.weights[0][:, :, chosen, None] * seen).sum(2)
        start += rows * columns
    return output


def flops(queries: int, keys: int, width: int, heads: int, levels: int, points: int) -> int:
    """Offsets and scores 2nd·3hLK, reading and adding about 10nLKd, value and output projections 2(n + m)d²."""
    aiming = 2 * queries * width * 3 * heads * levels * points
    return aiming + 10 * queries * levels * points * width + 2 * (queries + keys) * width**2


def run(inputs: Inputs, settings: Settings) -> Outcome:
    """Every position reads the values at a few points around its own place, by linear maps that are drawn at random."""
    inputs = inputs.in_heads(settings.heads)
    device, dtype, grid = inputs.query.device, inputs.dtype, inputs.grid or (1, inputs.shape[1])
    query, _key, _value = inputs.joined
    aim = Aim.drawn(inputs.width, heads=settings.heads, points=settings.points, seed=settings.seed, dtype=dtype)
    aim = aim if inputs.grid else aim.along_a_row()
    places = own_places(*grid, dtype=dtype).to(device)
    points = points_of(query, places, aim.on(device), (grid,), temperature=settings.temperature)
    queries, keys = inputs.shape
    read = (points.tile(0, None, slice(0, queries), slice(0, keys)) > 0).any(0)
    return Outcome(
        output=look(points, inputs.value),
        live=read,
        # No score of a pair is worked out; what is read are values.
        computed=torch.zeros_like(read),
        state=inputs.value.numel(),
        attention=Attention.from_scores(
            points,
            form="deformable",
            value=inputs.value,
            normalised=False,
            name=DEFORMABLE.id,
            query_tokens=inputs.tokens,
            key_tokens=inputs.tokens,
        ),
        points=points,
    )


DEFORMABLE = Kind(
    id="deformable",
    name=_m("Deformable"),
    group=WITHOUT_PAIRS,
    formula=(
        r"o_i = \sum_{k=1}^{K} A_{ik}\, V(p_i + \Delta p_{ik}), \qquad \Delta p_{ik} = W^{\Delta}_k q_i + b_k",
        r"A_i = \operatorname{softmax}_k(W^{A} q_i / T), \qquad V(p) \text{ (interpolated between the positions around it)}",
    ),
    shapes=(
        r"W^{\Delta} \in \mathbb{R}^{2K \times d},\; W^{A} \in \mathbb{R}^{K \times d} \text{ (a head)}",
        r"\Delta p \in \mathbb{R}^{n \times K \times 2},\; A \in \mathbb{R}^{n \times K},\; O \in \mathbb{R}^{n \times d_v}",
    ),
    state=r"h\,n\,d_v",
    who_looks=_m(
        "Every query looks at K points around its own place. Where they lie and how much each counts is linear in the "
        "query: there are no keys and no dot products."
    ),
    gives_up=_m(
        "Whatever lies between the points, and finding something by what it is: a query has to know where to look. What "
        "falls outside counts as 0."
    ),
    computes=_m("The four positions around each point, two in a sequence, are read; no score of a pair is worked out."),
    papers=(ZHU, XIA),
    torch_function="torch.nn.functional.grid_sample(v, 2 * p - 1, align_corners=False)",
    trap=_m(
        "grid_sample reads the values; points and weights are one's own. torchvision's DeformConv2d is another "
        "operation, and DAT (Xia et al. 2022) does compute q · k, at keys that were moved."
    ),
    drawn=_m("The maps from query to points are random numbers, not learnt: where it looks has no meaning here."),
    sliders=("points", "seed", "heads", "temperature"),
    run=run,
)
