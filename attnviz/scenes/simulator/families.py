"""Three families of tests with their published figures, after Euro NCAP, mirrored for left-hand traffic.

The figures are those of vectorgrp/OSC-NCAP-scenarios (its authors' reading of Euro NCAP's protocols for vulnerable
road users and for frontal collisions). "After" means that distances, speeds and sizes are taken from there; nothing
here is a test by Euro NCAP, nor conforms to one. Left-hand traffic turning right is their turn to the far side.
"""

import math
from dataclasses import dataclass
from typing import Literal

import torch

from attnviz.scenes.kinds import SIZES
from attnviz.scenes.simulator.cast import EGO, PARKED, Cast
from attnviz.scenes.simulator.stage import Stage
from attnviz.scenes.simulator.street import LANE, Street

Direction = Literal["same", "opposite"]

TURN_RADIUS = {10: 9.0, 15: 11.75, 20: 14.75}
"""Metres, for the ego's speed in km/h (R2 of a turn to the far side)."""
TARGET_SPEEDS = (30, 45, 60)
NEAR_SIDE_SPEEDS = tuple(range(10, 61, 10))
IMPACTS = (25, 50, 75)
_HALF = SIZES["car"].length / 2
_WALKING = 5 / 3.6
_WALKER_FROM: dict[Direction, float] = {"same": 9.5, "opposite": 6.0}
_WALKER_SPEEDS_UP_IN = 2.0
_BEFORE = 4.0
"""Seconds before the ego's front would touch somebody when a scene begins (6 s in CPNCO; shorter here, ours, for the
whole to fit into what is looked ahead)."""


@dataclass(frozen=True)
class Concrete:
    """One concrete scenario: its name and the parameters that were set, km/h and per cent."""

    family: str
    parameters: tuple[tuple[str, int | str], ...]
    cast: Cast

    @property
    def name(self) -> str:
        """The family and its parameters."""
        return f"{self.family} " + " ".join(f"{key}={value}" for key, value in self.parameters)


def car_across(ego: int, target: int) -> Concrete:
    """After CCFtap: the ego turns across the path of an oncoming car; both middles of their fronts meet.

    ego: 10, 15 or 20 km/h. target: 30, 45 or 60 km/h.
    """
    street = Street(radius=TURN_RADIUS[ego], start=-30.0, crossing=_crossing(TURN_RADIUS[ego]))
    stage = Stage(1, street)
    # The turn meets the middle of the oncoming lane where it has gone a lane's width to the side.
    angle = math.acos(1 - LANE / street.radius)
    meets = street.before_turn + street.radius * angle
    y = street.start + street.before_turn + street.radius * math.sin(angle)
    _ego(stage, ego, meets)
    stage.put(
        "oncoming-1", "car", x=LANE / 2, y=y + _HALF + target / 3.6 * _BEFORE, heading=-math.pi / 2, speed=target / 3.6
    )
    return Concrete("car across the path", (("ego", ego), ("target", target)), stage.cast())


def pedestrian_on_turn(ego: int, direction: Direction) -> Concrete:
    """After CPTA, far side: the ego turns, and an adult crosses the arm that it enters at 5 km/h, hit at half its width.

    ego: 10, 15 or 20 km/h. direction: of the adult, as the ego came ("same") or against it.
    """
    street = Street(radius=TURN_RADIUS[ego], start=-30.0, crossing=_crossing(TURN_RADIUS[ego]))
    stage = Stage(1, street)
    x = sum(street.crossing) / 2
    meets = float(street.way_to(torch.tensor(x, dtype=torch.float64)))
    _ego(stage, ego, meets)
    north = 1 if direction == "same" else -1
    metres = _WALKER_FROM[direction]
    # From rest to its speed within two metres takes as long as four metres at that speed.
    takes = (metres + _WALKER_SPEEDS_UP_IN) / _WALKING
    stage.put(
        "pedestrian-1", "pedestrian", x=x, y=LANE / 2 - north * metres, heading=north * math.pi / 2, final=_WALKING,
        acceleration=_WALKING**2 / (2 * _WALKER_SPEEDS_UP_IN), delay=_BEFORE - takes,
    )  # fmt: skip
    return Concrete("pedestrian on the turn", (("ego", ego), ("direction", direction)), stage.cast())


def child_from_behind(ego: int, impact: int) -> Concrete:
    """After CPNCO: on a straight road a child runs at 5 km/h from behind two parked cars and is hit at 25, 50 or 75 %
    of the ego's width; both cars 1 m beside the ego, 1 m apart, the child 1 m past the nearer one.

    ego: 10 to 60 km/h.
    """
    street = Street(radius=0.0, start=-90.0, end=40.0)
    stage = Stage(1, street)
    x = 20.0
    meets = float(street.way_to(torch.tensor(x, dtype=torch.float64)))
    _ego(stage, ego, meets)
    side = LANE / 2 + SIZES["car"].width / 2 + 1.0
    # Of the ranges that are given, the middle: a small car of 4.25 m and a large one of 4.5 m, 1.825 m wide.
    front = x - 1.0
    for name, length in ((PARKED, 4.25), ("parked-2", 4.5)):
        stage.put(name, "parked-car", x=front - length / 2, y=side + 1.825 / 2, length=length, width=1.825)
        front -= length + 1.0
    stage.run_out(present=True, x=x, speed=_WALKING, hit=impact / 100)
    return Concrete("child from behind parked vehicles", (("ego", ego), ("impact", impact)), stage.cast())


def all_concrete() -> tuple[Concrete, ...]:
    """Every combination of the published parameters."""
    return (
        *(car_across(ego, target) for ego in TURN_RADIUS for target in TARGET_SPEEDS),
        *(pedestrian_on_turn(ego, direction) for ego in TURN_RADIUS for direction in _WALKER_FROM),
        *(child_from_behind(ego, impact) for ego in NEAR_SIDE_SPEEDS for impact in IMPACTS),
    )


def _ego(stage: Stage, speed: int, meets: float) -> None:
    """The ego, whose front is at `meets` metres of its way after `_BEFORE` seconds."""
    stage.put(EGO, "car", way=meets - _HALF - speed / 3.6 * _BEFORE, speed=speed / 3.6)


def _crossing(radius: float) -> tuple[float, float]:
    """Three metres wide, a metre past the end of the turn."""
    after = radius - LANE / 2 + 1.0
    return after, after + 3.0
