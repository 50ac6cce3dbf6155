"""Whoever might be hidden: the shadow beside the ego's path, and how soon somebody could step out of it."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.scenes.kinds import SIZES
from attnviz.scenes.occlusion import hides, shadow, sides
from attnviz.scenes.risk.corridor import STEP, Corridor, within
from attnviz.scenes.risk.path import Path, between

# The child of Euro NCAP's CPNCO walks at 5 km/h and starts 4 m beside the path; 10 km/h is running.
WALKING = 5 / 3.6
RUNNING = 10 / 3.6
REACH = 4.0
WARNING_STEP = 0.05


@dataclass(frozen=True)
class Walker:
    """Somebody who might be hidden: a disc of this radius in m that is at this speed in m/s at once.

    Unless told, a child that walks; the radius is half of the box's longer side, so that it is hidden whichever way
    it faces.
    """

    speed: float = WALKING
    radius: float = SIZES["child"].length / 2


@dataclass(frozen=True, eq=False)
class Phantom:
    """The soonest that somebody hidden could do, for each blocker; see `phantom` for what is meant exactly.

    step_out_time, ttc and warning_time in s. hiding: where the one who would be in the ego's way first stands now;
    entry: where it enters the corridor; both in m, NaN where the ego meets nobody.
    """

    step_out_time: Float[Tensor, " blockers"]
    ttc: Float[Tensor, " blockers"]
    warning_time: Float[Tensor, " blockers"]
    hiding: Float[Tensor, "blockers 2"]
    entry: Float[Tensor, "blockers 2"]


def shadow_area(
    eye: Float[Tensor, "2"], blockers: Float[Tensor, "blockers 4 2"], ahead: Corridor, reach: float = REACH
) -> Float[Tensor, " blockers"]:
    """A = ∫ (hidden part of the line across the path at s) ds, in m²: what each blocker hides near the corridor.

    Counted is what lies no farther than `reach` metres from the corridor's edges (0: on the corridor itself), ahead of
    the ego's front up to where the path ends, without the blocker's own box. Lines are 0.1 m apart and exact along
    themselves, so that the blocker's ends cost at most 0.1 m of its width; in a bend their parts are weighed with
    1 − bend · d, and end where lines meet. An eye within a blocker gives NaN. Each blocker by itself: areas that two
    hide are counted for both. Ours. On a straight path it is 0 with reach 0 for all that stands beside it, since an
    eye on the path sees all of a straight path.
    """
    left = ahead.left()
    low, high = _limits(ahead, reach)
    hidden = _weighed(within(ahead, left, *shadow(eye, blockers)), low, high, ahead.bends)
    own = _weighed(within(ahead, left, *sides(blockers)), low, high, ahead.bends)
    area = torch.trapezoid((hidden - own).clamp(min=0), dx=STEP)
    return area.where(~_holds(eye, blockers), torch.nan)


def phantom(
    path: Path,
    ahead: Corridor,
    blockers: Float[Tensor, "blockers 4 2"],
    walker: Walker | None = None,
) -> Phantom:
    """What somebody who stands hidden by each blocker now could do. Ours.

    Hidden is who is so with all of the disc, from the ego's middle at the path's first moment, and does not stand in
    the blocker. They walk along the lines across the corridor, straight to it, not through the blocker (grown by the
    radius); other boxes stop nobody and hide nobody.

    - step_out_time = min over lines of max(0, d − r − w/2)/u: the earliest moment at which the disc could touch the
      corridor; d is how far from the path the nearest hidden place of the line is, r the radius, w the ego's width, u
      the walker's speed. Infinite where nobody can be hidden and get there, NaN for an eye within the blocker.
    - ttc (“phantom TTC”) = min {arrival of the ego's front at a line : step-out time of that line ≤ arrival}.
      Infinite where nobody can be there in time, NaN as above.
    - warning_time: for that line and somebody who enters at just that moment, waiting hidden as long as possible: how
      long before it their middle is in sight without a break, the ego going on along its path, the blocker standing;
      in steps of 0.05 s. NaN where the ego meets nobody.
    """
    walker = walker or Walker()
    eye = path.places[0]
    count = len(blockers)
    nobody = blockers.new_full((count,), math.inf)
    if len(ahead.places) == 0:
        nowhere = blockers.new_full((count, 2), math.nan)
        return Phantom(nobody, nobody, nobody * math.nan, nowhere, nowhere)
    left = ahead.left()
    ways = torch.stack([left, -left])
    nearest = torch.stack([_nearest_hidden(eye, blockers, ahead, way, walker) for way in ways], dim=1)
    inside = _holds(eye, blockers)
    nearest = nearest.masked_fill(inside[:, None, None], math.inf)
    edge = ahead.half_width + walker.radius
    soonest = ((nearest - edge).clamp(min=0) / walker.speed).flatten(1)
    arrivals = torch.where(soonest <= ahead.arrivals.repeat(2), ahead.arrivals.repeat(2), math.inf)
    first = arrivals.min(dim=1)
    way, place = ways.flatten(0, 1)[first.indices], ahead.places.repeat(2, 1)[first.indices]
    distance = nearest.flatten(1).gather(1, first.indices.unsqueeze(1))
    met = first.values.isfinite().unsqueeze(1)
    return Phantom(
        soonest.amin(dim=1).masked_fill(inside, math.nan),
        first.values.masked_fill(inside, math.nan),
        _warning(path, blockers, walker, first.values, place, way, distance, edge),
        torch.where(met, place + way * distance, math.nan),
        torch.where(met, place + way * torch.minimum(distance, torch.full_like(distance, edge)), math.nan),
    )


def step_out_time(
    path: Path, ahead: Corridor, blockers: Float[Tensor, "blockers 4 2"], walker: Walker | None = None
) -> Float[Tensor, " blockers"]:
    """The earliest moment, in s, at which somebody hidden could stand in the corridor; see `phantom`."""
    return phantom(path, ahead, blockers, walker).step_out_time


def phantom_ttc(
    path: Path, ahead: Corridor, blockers: Float[Tensor, "blockers 4 2"], walker: Walker | None = None
) -> Float[Tensor, " blockers"]:
    """When the ego, in s, is first where somebody hidden could be by then; see `phantom`."""
    return phantom(path, ahead, blockers, walker).ttc


def _nearest_hidden(eye: Tensor, blockers: Tensor, ahead: Corridor, way: Tensor, walker: Walker) -> Tensor:
    """How far from the path the nearest hidden place is on each line, to one side; infinite where none or blocked."""
    outwards, offsets = shadow(eye, blockers)
    low, high = within(ahead, way, outwards, offsets - walker.radius)
    nearest = low.clamp(min=0)
    # Beyond the centre of a bend a place belongs to other lines, which are nearer to it.
    turning = ahead.bends * (way * ahead.left()).sum(dim=-1)
    farthest = torch.where(turning > 0, 1 / turning, math.inf)
    outwards, offsets = sides(blockers)
    wall_low, wall_high = within(ahead, way, outwards, offsets + walker.radius)
    between_them = (wall_low < wall_high) & (wall_low < nearest)
    blocked = between_them & (wall_high > nearest.clamp(max=ahead.half_width))
    return torch.where((nearest <= torch.minimum(high, farthest)) & ~blocked, nearest, math.inf)


def _warning(
    path: Path,
    blockers: Tensor,
    walker: Walker,
    meeting: Tensor,
    place: Tensor,
    way: Tensor,
    distance: Tensor,
    edge: float,
) -> Tensor:
    met = meeting.isfinite()
    found = torch.full_like(meeting, math.nan)
    if not met.any():
        return found
    when = meeting[met].unsqueeze(1)
    count = int(when.max() / WARNING_STEP) + 1
    earlier = WARNING_STEP * torch.arange(count, dtype=when.dtype)
    eyes = between((when - earlier).clamp(min=0), path.times, path.places)
    away = torch.minimum(distance[met], edge + walker.speed * earlier)
    walkers = place[met].unsqueeze(1) + away.unsqueeze(-1) * way[met].unsqueeze(1)
    hidden = hides(eyes, blockers[met].unsqueeze(1), walkers.unsqueeze(-2)).squeeze(-1) & (earlier <= when)
    seen_steps = (hidden.to(torch.int8).argmax(dim=1) - 1).clamp(min=0)
    found[met] = torch.where(hidden.any(dim=1), seen_steps * WARNING_STEP, meeting[met])
    return found


def _limits(ahead: Corridor, reach: float) -> tuple[Tensor, Tensor]:
    """From where to where the lines count: to the reach on both sides, and not beyond the centre of a bend."""
    edge = torch.full_like(ahead.bends, ahead.half_width + reach)
    centre = 1 / ahead.bends
    low = torch.where(ahead.bends < 0, torch.maximum(-edge, centre), -edge)
    return low, torch.where(ahead.bends > 0, torch.minimum(edge, centre), edge)


def _weighed(reaches: tuple[Tensor, Tensor], low: Tensor, high: Tensor, bends: Tensor) -> Tensor:
    """∫ (1 − bend · d) dd over what of each line is reached between the limits."""
    start, end = torch.maximum(reaches[0], low), torch.minimum(reaches[1], high)
    return torch.where(start < end, (end - start) - bends * (end**2 - start**2) / 2, 0.0)


def _holds(eye: Tensor, blockers: Tensor) -> Tensor:
    outwards, offsets = sides(blockers)
    return ((outwards @ eye) <= offsets).all(dim=-1)
