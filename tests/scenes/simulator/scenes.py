"""Scenes made by hand for the tests of the simulator."""

import math

import torch

from attnviz.scenes.simulator.cast import EGO
from attnviz.scenes.simulator.stage import Stage
from attnviz.scenes.simulator.street import LANE, Street

STRAIGHT = Street(radius=0.0, start=0.0, end=100.0)
"""The ego's way is the x axis, 1.7 m to the north: after s metres it is at (s, 1.7)."""


def straight(speed: float = 5.0, way: float = 0.0) -> Stage:
    """An ego of 4.3 × 1.8 m on a straight road."""
    stage = Stage(1, STRAIGHT)
    stage.put(EGO, "car", way=way, speed=speed)
    return stage


def ahead(stage: Stage, x: float, y: float = LANE / 2, speed: float = 0.0, heading: float = math.pi) -> Stage:
    """A car of 4.3 × 1.8 m whose middle is at x, y."""
    stage.put("oncoming-1", "car", x=x, y=y, speed=speed, heading=heading)
    return stage


def numbers(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)
