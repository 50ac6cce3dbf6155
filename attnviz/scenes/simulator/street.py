"""The street of the simulator: a junction, a crossing, a bay for parked vehicles, and the way that the ego takes.

Metres; x to the east and y to the north of the middle of the junction; left-hand traffic. The ego comes from the
south and turns right, across the oncoming lane, into the eastern arm. Right-hand traffic is this in a mirror.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float64
from torch import Tensor

LANE = 3.4
"""Width of a lane; there is one each way."""


@dataclass(frozen=True)
class Street:
    """radius: of the ego's turn, 0 where it goes straight on to the east. start: where its way begins.

    crossing: from, to, along the eastern arm. bay: likewise, on the northern side of that arm. end: where the scene
    ends, along the eastern arm.
    """

    radius: float = 7.0
    start: float = -20.0
    crossing: tuple[float, float] = (5.9, 8.9)
    bay: tuple[float, float] = (11.2, 21.8)
    end: float = 30.0

    @property
    def turns(self) -> bool:
        """Whether the ego turns, or goes straight on to the east."""
        return self.radius > 0

    @property
    def before_turn(self) -> float:
        """Metres of its way before the turn."""
        return LANE / 2 - self.radius - self.start if self.turns else 0.0

    @property
    def turn(self) -> float:
        """Metres of its way that the turn takes, a quarter of a circle."""
        return self.radius * math.pi / 2

    @property
    def after_turn(self) -> float:
        """Where, along the eastern arm, the way is straight again."""
        return self.radius - LANE / 2 if self.turns else self.start

    def way_to(self, x: Float64[Tensor, "*any"]) -> Float64[Tensor, "*any"]:
        """Metres of the ego's way until its middle is at x on the eastern arm, past the turn."""
        return x - self.after_turn + self.before_turn + self.turn

    def place(
        self, way: Float64[Tensor, "*any"]
    ) -> tuple[Float64[Tensor, "*any"], Float64[Tensor, "*any"], Float64[Tensor, "*any"]]:
        """x, y and heading (radians from east to north) after so many metres; before the start the way is straight."""
        lane = LANE / 2
        if not self.turns:
            return self.start + way, torch.full_like(way, lane), torch.zeros_like(way)
        straight, left = way.clamp(max=self.before_turn), way - self.before_turn
        angle = (left / self.radius).clamp(0, math.pi / 2)
        beyond = (left - self.turn).clamp(min=0)
        # The arc's middle lies to the right of where the turn begins.
        x = -lane + self.radius * (1 - angle.cos()) + beyond
        y = self.start + straight + self.radius * angle.sin()
        return x, y, math.pi / 2 - angle
