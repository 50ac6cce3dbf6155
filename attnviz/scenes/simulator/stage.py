"""A street being filled: one table for each quantity, user by user."""

import torch
from jaxtyping import Bool, Float64
from torch import Tensor

from attnviz.scenes.kinds import KINDS, SIZES, Kind
from attnviz.scenes.simulator.cast import CHILD, EGO, SIGNS, USERS, Cast
from attnviz.scenes.simulator.street import LANE, Street

FROM_SIDE = 4.0
"""Metres beside the middle of the ego's way where a child stands that will run (CPNCO)."""
SPEEDS_UP_IN = 1.0
"""Metres in which such a child reaches its speed (CPNCO)."""

Number = Float64[Tensor, " scenes"] | float


class Stage:
    """So many scenes of a street, with nobody on it yet."""

    def __init__(self, count: int, street: Street) -> None:
        self.street, self.count = street, count
        shape = (count, len(USERS))
        self.present = torch.zeros(shape, dtype=torch.bool)
        self.kind = torch.zeros(shape, dtype=torch.int64)
        self.numbers = {
            name: torch.zeros(shape, dtype=torch.float64)
            for name in ("x", "y", "heading", "way", "speed", "acceleration", "final", "delay", "length", "width")
        }
        self.signs = torch.zeros(count, len(SIGNS), dtype=torch.bool)
        self.light = torch.zeros(count, dtype=torch.int64)
        self.limit = torch.full((count,), 50.0, dtype=torch.float64)

    def put(self, name: str, kind: Kind, present: Bool[Tensor, " scenes"] | bool = True, **numbers: Number) -> None:
        """Somebody of this kind, of the size of its kind if none is given; who does not accelerate keeps its speed."""
        slot = USERS.index(name)
        self.present[:, slot] = present
        self.kind[:, slot] = KINDS.index(kind)
        numbers = {"length": SIZES[kind].length, "width": SIZES[kind].width, **numbers}
        for column, number in numbers.items():
            self.numbers[column][:, slot] = number
        if "final" not in numbers:
            self.numbers["final"][:, slot] = self.numbers["speed"][:, slot]

    def of(self, name: str, quantity: str) -> Float64[Tensor, " scenes"]:
        """A quantity of somebody who was put there."""
        return self.numbers[quantity][:, USERS.index(name)]

    def run_out(self, present: Bool[Tensor, " scenes"] | bool, x: Number, speed: Number, hit: Number) -> None:
        """A child beside the eastern arm that sets off so that its front reaches the ego's front.

        hit: where along the ego's width, 0 at the side from which the child comes. After Euro NCAP's CPNCO as read in
        vectorgrp/OSC-NCAP-scenarios: from the near side, 4 m beside the ego's way, up to speed within 1 m.
        """
        x, speed, hit = (torch.as_tensor(part, dtype=torch.float64).expand(self.count) for part in (x, speed, hit))
        self.put(
            CHILD, "child", present, x=x, y=LANE / 2 + FROM_SIDE, heading=-torch.pi / 2, final=speed,
            acceleration=speed**2 / (2 * SPEEDS_UP_IN),
        )  # fmt: skip
        front = (self.of(EGO, "length") + self.of(CHILD, "width")) / 2
        arrival = (self.street.way_to(x) - self.of(EGO, "way") - front) / self.of(EGO, "speed")
        metres = FROM_SIDE - self.of(CHILD, "length") / 2 - (0.5 - hit) * self.of(EGO, "width")
        # From rest to its speed within a metre takes as long as two metres at that speed.
        self.numbers["delay"][:, USERS.index(CHILD)] = arrival - (metres + SPEEDS_UP_IN) / speed

    def cast(self) -> Cast:
        """The scenes as they are now."""
        return Cast(
            self.street, self.present, self.kind, signs=self.signs, light=self.light, limit=self.limit, **self.numbers
        )
