"""Who is on the street at a moment, and what each is about to do."""

from dataclasses import dataclass, fields, replace

import torch
from jaxtyping import Bool, Float64, Int64
from torch import Tensor

from attnviz.scenes.simulator.street import Street

EGO = "ego"
PARKED = "parked-1"
"""The parked vehicle near the ego's way, from behind which a child may run."""
CHILD = "child-1"
"""That child. It is no token until the ego can see it."""

USERS: tuple[str, ...] = (
    EGO, "oncoming-1", "oncoming-2", "oncoming-3", "cyclist-1", "pedestrian-1", "pedestrian-2", PARKED, "parked-2",
    "follower-1", CHILD, "child-2",
)  # fmt: skip
LIGHT, STOP_LINE, LIMIT = "light-1", "stop-line-1", "limit-1"
SIGNS: tuple[str, ...] = (LIGHT, STOP_LINE, LIMIT)
OBJECTS: tuple[str, ...] = (*USERS[1:], *SIGNS)
"""All that can be taken away: everybody but the ego, and the signs."""

ONCOMING = slice(1, 5)
"""Who comes from the north and obeys the light: three vehicles and a cyclist."""
ON_WAY = (USERS.index(EGO), USERS.index("follower-1"))

GREEN, ARROW = 0, 1
"""States of the light. Green: everybody may go. Arrow: the ego may turn, whoever comes towards it has to stop."""
STOPS_AT = 9.4
"""Metres north of the middle where those stop, before the crossing of the northern arm."""
HARDEST_STOP = 4.5
"""m/s²: who would have to brake harder than this goes on. Ours, between comfortable and full braking."""


@dataclass(frozen=True, eq=False)
class Cast:
    """Everybody and every sign in some scenes, at the moment of the decision, and what comes.

    x, y, heading: where somebody stands (m, rad); the ego and its follower are at `way` metres of the ego's way
    instead. speed (m/s) until `delay` (s), then `acceleration` (m/s²) until `final`. A child that set off before the
    moment has a negative delay and x, y where it stood then. limit: km/h on the sign.
    """

    street: Street
    present: Bool[Tensor, "scenes users"]
    kind: Int64[Tensor, "scenes users"]
    x: Float64[Tensor, "scenes users"]
    y: Float64[Tensor, "scenes users"]
    heading: Float64[Tensor, "scenes users"]
    way: Float64[Tensor, "scenes users"]
    speed: Float64[Tensor, "scenes users"]
    acceleration: Float64[Tensor, "scenes users"]
    final: Float64[Tensor, "scenes users"]
    delay: Float64[Tensor, "scenes users"]
    length: Float64[Tensor, "scenes users"]
    width: Float64[Tensor, "scenes users"]
    signs: Bool[Tensor, "scenes signs"]
    light: Int64[Tensor, " scenes"]
    limit: Float64[Tensor, " scenes"]

    def __len__(self) -> int:
        return len(self.present)

    @property
    def on_way(self) -> list[int]:
        """Which users go the ego's way."""
        return list(ON_WAY)

    def part(self, scenes: slice | Int64[Tensor, " some"] | Bool[Tensor, " scenes"]) -> "Cast":
        """Some of the scenes."""
        chosen = {one.name: getattr(self, one.name)[scenes] for one in fields(self) if one.name != "street"}
        return replace(self, **chosen)

    def without(self, name: str) -> "Cast":
        """The same scenes without one object: a parked vehicle takes with it whoever would run from behind it, and
        without the light nobody stops for it."""
        if name in SIGNS:
            signs = self.signs.clone()
            signs[:, SIGNS.index(name)] = False
            return obeying(replace(self, signs=signs))
        present = self.present.clone()
        present[:, USERS.index(name)] = False
        if name == PARKED:
            present[:, USERS.index(CHILD)] = False
        return replace(self, present=present)

    def alone(self, name: str) -> "Cast":
        """The ego, this object and the signs: a parked vehicle with whoever would run from behind it.

        The signs stay, for nobody can be hit by them, and a car that the light holds is no danger by being alone.
        """
        kept = {EGO, name} | ({CHILD} if name == PARKED else set())
        users = torch.tensor([user in kept for user in USERS])
        return replace(self, present=self.present & users)


def obeying(cast: Cast) -> Cast:
    """The same, in which whoever comes towards the ego brakes evenly to the stop line where the light tells it to."""
    lit = cast.signs[:, SIGNS.index(LIGHT)] & (cast.light == ARROW)
    speed, front = cast.speed[:, ONCOMING], cast.y[:, ONCOMING] - cast.length[:, ONCOMING] / 2
    left = front - STOPS_AT
    braking = speed**2 / (2 * left.clamp(min=0.01))
    stops = lit[:, None] & (left > 0) & (braking <= HARDEST_STOP) & (speed > 0)
    acceleration, final = cast.acceleration.clone(), cast.final.clone()
    acceleration[:, ONCOMING] = torch.where(stops, -braking, 0.0)
    final[:, ONCOMING] = torch.where(stops, 0.0, speed)
    return replace(cast, acceleration=acceleration, final=final)
