"""The corridor of the ego's path, as lines across it, and which part of each line a blocker hides."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.scenes.risk.path import Path, between

# How far apart the lines are, in m.
STEP = 0.1
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Corridor:
    """What the ego's width sweeps on the way ahead: lines across the path, from the ego's front on.

    places: where each line crosses the path, in m. headings: of the path there, in rad. bends: its curvature in 1/m,
    positive to the left. arrivals: when the ego's front is there, in s from now. half_width: of the ego, in m. Turning
    cuts corners a little beyond that width; this is left out.
    """

    places: Float[Tensor, "lines 2"]
    headings: Float[Tensor, " lines"]
    bends: Float[Tensor, " lines"]
    arrivals: Float[Tensor, " lines"]
    half_width: float

    def left(self) -> Float[Tensor, "lines 2"]:
        """The unit vectors to the path's left."""
        return torch.stack([-self.headings.sin(), self.headings.cos()], dim=-1)


def corridor_of(path: Path, length: float, width: float) -> Corridor:
    """The corridor that an ego of this size covers up to the path's last moment; no lines where it stands."""
    travelled = path.travelled()
    # The line at the very end is there however the way to it is rounded.
    count = int(((travelled[-1] - length / 2) / STEP + _ROUNDING).clamp(min=-1)) + 1
    ahead = length / 2 + STEP * torch.arange(count, dtype=travelled.dtype)
    before, after = (between(ahead + way * STEP / 2, travelled, path.headings, turns=True) for way in (-1, 1))
    bend = torch.atan2((after - before).sin(), (after - before).cos()) / STEP
    return Corridor(
        between(ahead, travelled, path.places),
        between(ahead, travelled, path.headings, turns=True),
        bend,
        between(ahead - length / 2, travelled, path.times),
        width / 2,
    )


def within(
    ahead: Corridor,
    directions: Float[Tensor, "lines 2"],
    outwards: Float[Tensor, "*batch sides 2"],
    offsets: Float[Tensor, "*batch sides"],
) -> tuple[Float[Tensor, "*batch lines"], Float[Tensor, "*batch lines"]]:
    """From how far to how far along each line, in m from the path, a convex region reaches: high < low for nowhere.

    The region is n · p ≤ c for all its sides: outwards n and offsets c, as from `occlusion.shadow` and `sides`.
    """
    slope = directions @ outwards.mT
    room = offsets.unsqueeze(-2) - ahead.places @ outwards.mT
    # A side along the line parts nothing of it, or all; a nanometre in a metre is rounding.
    level = slope.abs() < 1e-9
    crossing = room / torch.where(level, torch.ones_like(slope), slope)
    endless = torch.full_like(crossing, math.inf)
    outside = level & (room < 0)
    low = torch.where(slope < 0, crossing, -endless).masked_fill(level, -math.inf).masked_fill(outside, math.inf)
    high = torch.where(slope > 0, crossing, endless).masked_fill(level, math.inf)
    return low.amax(dim=-1), high.amin(dim=-1)
