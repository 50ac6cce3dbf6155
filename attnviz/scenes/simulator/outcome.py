"""What happens if the ego goes on as it does: whom it would hit, and when."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float64
from torch import Tensor

from attnviz.scenes.boxes import corners, overlap
from attnviz.scenes.simulator.cast import EGO, OBJECTS, USERS, Cast
from attnviz.scenes.simulator.motion import Motion, motion

HERTZ = 10
HORIZON = 9.0
"""Seconds that are looked ahead."""
MARGIN = 0.3
"""Metres: whoever touches the ego's box, longer and wider by this on every side, is in conflict with it."""
_AT_ONCE = 512


@dataclass(frozen=True, eq=False)
class Outcome:
    """When each user is first in conflict with the ego (`MARGIN`), in seconds from the moment; infinite if never.

    Looked for ten times a second: who grazes the box's corner in between is missed.
    """

    at: Float64[Tensor, "scenes users"]

    @property
    def conflict(self) -> Bool[Tensor, " scenes"]:
        """Whether anybody does."""
        return self.at.isfinite().any(dim=1)


def seconds(horizon: float = HORIZON) -> Float64[Tensor, " times"]:
    """The simulated times, ten a second, the moment itself first."""
    return torch.arange(round(horizon * HERTZ) + 1, dtype=torch.float64) / HERTZ


def outcome(cast: Cast, horizon: float = HORIZON, ego_way: Float64[Tensor, "scenes times"] | None = None) -> Outcome:
    """Runs the scenes; nobody reacts to anybody, apart from the light.

    ego_way: where the ego is on its way at each simulated time, if it does not simply go on at its speed.
    """
    times = seconds(horizon)
    parts = []
    for at in range(0, len(cast), _AT_ONCE):
        rows = slice(at, at + _AT_ONCE)
        parts.append(_first_conflicts(cast.part(rows), times, None if ego_way is None else ego_way[rows]))
    return Outcome(torch.cat(parts) if parts else torch.zeros(0, len(USERS), dtype=torch.float64))


def _first_conflicts(
    cast: Cast, times: Float64[Tensor, " times"], ego_way: Float64[Tensor, "scenes times"] | None
) -> Float64[Tensor, "scenes users"]:
    moved = motion(cast, times.expand(len(cast), -1))
    ego = USERS.index(EGO)
    if ego_way is not None:
        moved.x[:, ego], moved.y[:, ego], moved.heading[:, ego] = cast.street.place(ego_way)
    scene, user, time = _close(cast, moved).nonzero(as_tuple=True)
    mine = corners(
        moved.x[scene, ego, time], moved.y[scene, ego, time], moved.heading[scene, ego, time],
        cast.length[scene, ego] + 2 * MARGIN, cast.width[scene, ego] + 2 * MARGIN,
    )  # fmt: skip
    theirs = corners(
        moved.x[scene, user, time], moved.y[scene, user, time], moved.heading[scene, user, time],
        cast.length[scene, user], cast.width[scene, user],
    )  # fmt: skip
    hit = overlap(mine, theirs)
    first = torch.full((len(cast), len(USERS)), math.inf, dtype=torch.float64)
    place = scene[hit] * len(USERS) + user[hit]
    first.view(-1).scatter_reduce_(0, place, times[time[hit]], "amin")
    return first


def _close(cast: Cast, moved: Motion) -> Bool[Tensor, "scenes users times"]:
    """Where the circles around two boxes touch: the only places where the boxes themselves can."""
    ego = USERS.index(EGO)
    radius = (cast.length**2 + cast.width**2).sqrt() / 2
    apart = (moved.x - moved.x[:, ego : ego + 1]) ** 2 + (moved.y - moved.y[:, ego : ego + 1]) ** 2
    close = apart <= (radius + radius[:, ego : ego + 1] + math.sqrt(2) * MARGIN)[..., None] ** 2
    close &= cast.present[..., None]
    close[:, ego] = False
    return close


@dataclass(frozen=True, eq=False)
class Relevance:
    """What really decides, as only a simulator can tell: the outcome, without each object, and with it alone."""

    conflict: Bool[Tensor, " scenes"]
    without: Bool[Tensor, "scenes objects"]
    alone: Bool[Tensor, "scenes objects"]

    @property
    def relevant(self) -> Bool[Tensor, "scenes objects"]:
        """The outcome is another without the object, or the object alone makes a conflict.

        The second finds what the first misses: two objects each of which is enough.
        """
        return (self.without != self.conflict[:, None]) | self.alone


def relevance(cast: Cast, horizon: float = HORIZON) -> Relevance:
    """Every scene run again without each object, and with each object alone."""
    without = torch.stack([outcome(cast.without(name), horizon).conflict for name in OBJECTS], dim=1)
    alone = torch.stack([outcome(cast.alone(name), horizon).conflict for name in OBJECTS], dim=1)
    return Relevance(outcome(cast, horizon).conflict, without, alone)
