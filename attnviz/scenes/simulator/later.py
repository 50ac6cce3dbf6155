"""The same scenes some seconds later, if everybody goes on."""

from dataclasses import replace

import torch
from jaxtyping import Float64
from torch import Tensor

from attnviz.scenes.simulator.cast import CHILD, EGO, USERS, Cast
from attnviz.scenes.simulator.motion import motion
from attnviz.scenes.simulator.outcome import seconds
from attnviz.scenes.simulator.sight import visible


def later(cast: Cast, after: Float64[Tensor, " scenes"]) -> Cast:
    """Every scene so many seconds later; each has its own time. What was about to happen is so much nearer."""
    moved = motion(cast, after[:, None])
    metres = ((moved.speed[..., 0] + cast.speed) / 2 * after[:, None])[:, cast.on_way]
    way = cast.way.clone()
    way[:, cast.on_way] += metres
    child = USERS.index(CHILD)
    x, y, speed = (part[..., 0].clone() for part in (moved.x, moved.y, moved.speed))
    # A child is told by where and when it sets off, before as after.
    x[:, child], y[:, child], speed[:, child] = cast.x[:, child], cast.y[:, child], cast.speed[:, child]
    heading = cast.heading.clone()
    delay = cast.delay.clone()
    delay[:, child] -= after
    return replace(cast, x=x, y=y, heading=heading, way=way, speed=speed, delay=delay)


def first_seen(cast: Cast, name: str, horizon: float) -> Float64[Tensor, " scenes"]:
    """Seconds until the ego first sees this user, infinite where it does not within the horizon."""
    times = seconds(horizon)
    others = torch.tensor([user in (EGO, name) for user in USERS])
    # Only this one is looked for; everybody else may still stand in the way of the look.
    found = visible(cast, times.expand(len(cast), -1), looked_for=others)[:, USERS.index(name)]
    first = torch.where(found, times, torch.inf).amin(dim=1)
    return torch.where(cast.present[:, USERS.index(name)], first, torch.inf)
