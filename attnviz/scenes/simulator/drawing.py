"""Scenes drawn from a seed: who is there, where, how fast, and whether a child runs out."""

import torch
from jaxtyping import Bool, Float64, Int64
from torch import Tensor

from attnviz.scenes.kinds import SIZES, Kind
from attnviz.scenes.simulator.cast import ARROW, EGO, GREEN, PARKED, Cast, obeying
from attnviz.scenes.simulator.chance import uniform
from attnviz.scenes.simulator.stage import Number, Stage
from attnviz.scenes.simulator.street import LANE, Street


def draw(
    seed: int,
    scenes: Int64[Tensor, " scenes"],
    *,
    near: Bool[Tensor, " scenes"],
    hazard: float,
    street: Street | None = None,
    hidden: int | None = None,
) -> Cast:
    """The scenes with these numbers: who is there, where, how fast.

    near: in which scenes a parked vehicle stands near the ego's way. hazard: the probability that, if one does, a
    child runs out from behind it so that the ego, going on, would hit it, if not always within what is looked ahead
    (`outcome.HORIZON`). hidden: another seed for that child alone, to
    draw what is hidden again. A scene depends on the seeds and its number alone, not on how many are drawn, and its
    other users neither on `near` nor on `hazard`; a child that runs at one hazard runs at every greater one.
    """
    deal = _Deal(seed, scenes, street or Street())
    deal.lit()
    deal.ego()
    deal.oncoming()
    deal.walkers()
    deal.parked(near)
    deal.seed = seed if hidden is None else hidden
    deal.child(near, hazard)
    return obeying(deal.cast())


class _Deal(Stage):
    """Scenes while they are drawn."""

    def __init__(self, seed: int, scenes: Int64[Tensor, " scenes"], street: Street) -> None:
        super().__init__(len(scenes), street)
        self.seed, self.scenes = seed, scenes

    def between(self, purpose: str, low: float, high: float) -> Float64[Tensor, " scenes"]:
        return low + (high - low) * uniform(self.seed, self.scenes, purpose)[:, 0]

    def chance(self, purpose: str, probability: float) -> Bool[Tensor, " scenes"]:
        return uniform(self.seed, self.scenes, purpose)[:, 0] < probability

    def about(self, name: str) -> Float64[Tensor, " scenes"]:
        """A twentieth larger or smaller than usual."""
        return self.between(f"{name} size", 0.95, 1.05)

    def varied(self, name: str, kind: Kind, present: Bool[Tensor, " scenes"], **numbers: Number) -> None:
        """Somebody, a little larger or smaller than its kind."""
        scale = self.about(name)
        self.put(name, kind, present, length=SIZES[kind].length * scale, width=SIZES[kind].width * scale, **numbers)

    def lit(self) -> None:
        """The light, the stop line and the limit."""
        chances = (("light", 0.35), ("stop line", 0.5), ("limit", 0.5))
        self.signs = torch.stack([self.chance(*one) for one in chances], dim=1)
        self.light = torch.where(self.chance("arrow", 0.5), ARROW, GREEN)
        self.limit = torch.where(self.chance("fifty", 0.5), 50.0, 30.0).to(torch.float64)

    def ego(self) -> None:
        speed = self.between("ego speed", 10 / 3.6, 20 / 3.6)
        way = self.between("ego way", 6.0, 34.0)
        self.put(EGO, "car", way=way, speed=speed)
        behind = way - self.between("follower gap", 8.0, 16.0)
        self.varied("follower-1", "car", self.chance("follower", 0.5), way=behind, speed=speed)

    def oncoming(self) -> None:
        """A stream at one speed, from the north; sometimes it stands."""
        speed = torch.where(self.chance("standing", 0.1), 0.0, self.between("oncoming speed", 5.0, 14.0))
        y = self.between("oncoming first", -8.0, 30.0)
        for number in (1, 2, 3):
            name = f"oncoming-{number}"
            self.varied(name, "car", self.chance(name, 0.45), x=LANE / 2, y=y, heading=-torch.pi / 2, speed=speed)
            y = y + self.between(f"{name} gap", 8.0, 36.0)
        self.varied(
            "cyclist-1", "cyclist", self.chance("cyclist", 0.3), x=2.9, y=self.between("cyclist y", -6.0, 35.0),
            heading=-torch.pi / 2, speed=self.between("cyclist speed", 3.0, 7.0),
        )  # fmt: skip

    def walkers(self) -> None:
        """On the crossing of the eastern arm, both ways; and a child on the pavement that stays there."""
        low, high = self.street.crossing
        for number in (1, 2):
            name = f"pedestrian-{number}"
            north = torch.where(self.chance(f"{name} north", 0.5), 1.0, -1.0).to(torch.float64)
            self.varied(
                name, "pedestrian", self.chance(name, 0.45), x=self.between(f"{name} x", low + 0.3, high - 0.3),
                y=self.between(f"{name} y", -9.0, 9.0), heading=north * torch.pi / 2,
                speed=self.between(f"{name} speed", 0.8, 1.8),
            )  # fmt: skip
        side = torch.where(self.chance("kerb side", 0.5), 1.0, -1.0).to(torch.float64)
        east = self.chance("kerb east", 0.5)
        self.varied(
            "child-2", "child", self.chance("kerb child", 0.1), x=self.between("kerb x", 9.5, 24.0),
            y=side * self.between("kerb y", 6.2, 7.5), heading=torch.where(east, 0.0, torch.pi).to(torch.float64),
            speed=self.between("kerb speed", 0.0, 1.8),
        )  # fmt: skip

    def parked(self, near: Bool[Tensor, " scenes"]) -> None:
        """One in the bay beside the ego's way; and one from behind which nobody runs: across the road, in the western
        arm, or set back from the bay, where whoever comes is seen in time."""
        low, high = self.street.bay
        lateral = self.between("parked lateral", 4.4, 4.6)
        self.varied(PARKED, "parked-car", near, x=self.between("parked x", low + 2.8, high - 2.4), y=lateral)
        place = torch.floor(self.between("other place", 0.0, 3.0))
        across, west = place == 0, place == 1
        x = torch.where(west, self.between("other west", -24.0, -12.0), self.between("other x", 12.0, 24.0))
        back = self.between("other back", 6.8, 9.0)
        y = torch.where(across, -4.6, torch.where(west, 4.6, back))
        heading = torch.where(across, torch.pi, 0.0).to(torch.float64)
        self.varied("parked-2", "parked-car", self.chance("other", 0.6), x=x, y=y, heading=heading)

    def child(self, near: Bool[Tensor, " scenes"], hazard: float) -> None:
        """From behind the parked vehicle. Ours: 0.5 to 2.5 m past its end, 1 to 2.5 m/s, anywhere along the ego's width."""
        x = self.of(PARKED, "x") + self.of(PARKED, "length") / 2 + self.between("child gap", 0.5, 2.5)
        runs = near & self.chance("run-out", hazard)
        self.run_out(runs, x, self.between("child speed", 1.0, 2.5), self.between("impact", 0.0, 1.0))
