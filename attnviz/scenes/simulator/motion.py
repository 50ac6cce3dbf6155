"""Where everybody is after so many seconds: along the ego's way, or along a straight line."""

from dataclasses import dataclass

import torch
from jaxtyping import Float64
from torch import Tensor

from attnviz.scenes.simulator.cast import Cast


@dataclass(frozen=True, eq=False)
class Motion:
    """Metres, radians from east to north, metres a second."""

    x: Float64[Tensor, "scenes users times"]
    y: Float64[Tensor, "scenes users times"]
    heading: Float64[Tensor, "scenes users times"]
    speed: Float64[Tensor, "scenes users times"]


def travelled(
    t: Float64[Tensor, "*#any"],
    speed: Float64[Tensor, "*#any"],
    acceleration: Float64[Tensor, "*#any"],
    final: Float64[Tensor, "*#any"],
    delay: Float64[Tensor, "*#any"],
) -> tuple[Float64[Tensor, "..."], Float64[Tensor, "..."]]:
    """Metres and speed after t seconds: `speed` until `delay`, then a constant acceleration until `final`, then that.

    An acceleration of 0 keeps `speed` for ever. What began before t = 0 (a negative delay) has gone its metres.
    """
    changing = acceleration != 0
    takes = torch.where(changing, (final - speed) / torch.where(changing, acceleration, 1.0), 0.0)
    after = (t - delay).clamp(min=0)
    during = torch.minimum(after, takes)
    reached = torch.where(changing, final, speed)
    metres = speed * (torch.minimum(t, delay) + during) + acceleration * during**2 / 2 + reached * (after - during)
    # Before the delay has begun, nothing has changed yet; what stood still has not moved.
    return metres, speed + acceleration * during


def motion(cast: Cast, times: Float64[Tensor, "scenes times"]) -> Motion:
    """Everybody at these times, in seconds from the moment that was drawn."""
    metres, speed = travelled(
        times[:, None], *(part[..., None] for part in (cast.speed, cast.acceleration, cast.final, cast.delay))
    )
    start, heading = cast.heading.cos()[..., None], cast.heading.sin()[..., None]
    x, y = cast.x[..., None] + metres * start, cast.y[..., None] + metres * heading
    turned = cast.heading[..., None].expand_as(x).clone()
    # The ego and its follower go the ego's way instead of straight on.
    on_way = cast.on_way
    x[:, on_way], y[:, on_way], turned[:, on_way] = cast.street.place(cast.way[:, on_way, None] + metres[:, on_way])
    return Motion(x, y, turned, speed)
