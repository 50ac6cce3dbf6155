"""A driver with a stated reaction and brake, to tell conflicts that could have been avoided from those that could not."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float64
from torch import Tensor

from attnviz.scenes.simulator.cast import EGO, USERS, Cast
from attnviz.scenes.simulator.outcome import outcome, seconds

STANDARD_GRAVITY = 9.80665


@dataclass(frozen=True)
class Driver:
    """The careful and competent driver of UN Regulation 157 as esmini's model of it has it: reacts after `delay` s,
    brakes fully (`deceleration`, m/s²) after another `build_up` s, evenly more until then. A baseline, no measure of
    conformity: the regulation is for roads without pedestrians."""

    delay: float = 0.75
    build_up: float = 0.6
    deceleration: float = 0.774 * STANDARD_GRAVITY


def braked(
    times: Float64[Tensor, "scenes times"],
    speed: Float64[Tensor, " scenes"],
    noticed: Float64[Tensor, " scenes"],
    driver: Driver,
) -> Float64[Tensor, "scenes times"]:
    """Metres gone after so many seconds when something is noticed at `noticed`; who has stopped stays.

    While the brake builds up, deceleration is deceleration · s / build_up after s seconds of braking, so that speed
    falls by deceleration · s² / (2 build_up) and the way by deceleration · s³ / (6 build_up).
    """
    rate = driver.deceleration / driver.build_up
    begins = (noticed + driver.delay)[:, None]
    start = speed[:, None]
    # It may stand before the brake is fully built up.
    building = torch.minimum((2 * start / rate).sqrt(), torch.full_like(start, driver.build_up))
    at_full = (start - rate * building**2 / 2).clamp(min=0)
    stopping = at_full / driver.deceleration
    since = (times - begins).clamp(min=0)
    first = torch.minimum(since, building)
    second = torch.minimum((since - building).clamp(min=0), stopping)
    before = start * torch.minimum(times, begins)
    return before + start * first - rate * first**3 / 6 + at_full * second - driver.deceleration * second**2 / 2


def avoids(
    cast: Cast, noticed: Float64[Tensor, " scenes"], driver: Driver | None = None, horizon: float = 9.0
) -> Bool[Tensor, " scenes"]:
    """Whether the driver, braking once it has noticed at these seconds, comes into no conflict with anybody.

    It brakes on its way and does not steer; who is hit by somebody from behind or the side while it stands counts as
    in conflict.
    """
    ego = USERS.index(EGO)
    times = seconds(horizon).expand(len(cast), -1)
    way = cast.way[:, ego, None] + braked(times, cast.speed[:, ego], noticed, driver or Driver())
    return ~outcome(cast, horizon, ego_way=way).conflict
