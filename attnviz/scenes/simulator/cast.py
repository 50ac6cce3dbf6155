"""Who is on the street at a moment, and what each is about to do: drawn from a seed."""

from dataclasses import dataclass, fields, replace

import torch
from jaxtyping import Bool, Float64, Int64
from torch import Tensor

from attnviz.scenes.kinds import KINDS, SIZES, Kind
from attnviz.scenes.simulator.chance import uniform
from attnviz.scenes.simulator.street import LANE, Street

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
        """The ego and this object, and nothing else: a parked vehicle with whoever would run from behind it."""
        kept = {EGO, name} | ({CHILD} if name == PARKED else set())
        users = torch.tensor([user in kept for user in USERS])
        signs = torch.tensor([sign in kept for sign in SIGNS])
        return obeying(replace(self, present=self.present & users, signs=self.signs & signs))


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
    child runs out from behind it so that the ego, going on, would hit it. hidden: another seed for that child alone, to
    draw what is hidden again. A scene depends on the seeds and its number alone, not on how many are drawn, and its
    other users neither on `near` nor on `hazard`; a child that runs at one hazard runs at every greater one.
    """
    deal = _Deal(seed, scenes, street or Street())
    deal.ego()
    deal.oncoming()
    deal.walkers()
    deal.parked(near)
    deal.seed = seed if hidden is None else hidden
    deal.child(near, hazard)
    return obeying(deal.dealt())


class _Deal:
    """Scenes while they are drawn: one table for each quantity, filled user by user."""

    def __init__(self, seed: int, scenes: Int64[Tensor, " scenes"], street: Street) -> None:
        self.seed, self.scenes, self.street = seed, scenes, street
        shape = (len(scenes), len(USERS))
        self.present = torch.zeros(shape, dtype=torch.bool)
        self.kind = torch.zeros(shape, dtype=torch.int64)
        self.numbers = {
            name: torch.zeros(shape, dtype=torch.float64)
            for name in ("x", "y", "heading", "way", "speed", "acceleration", "final", "delay", "length", "width")
        }
        self.signs = torch.stack(
            [self.chance("light", 0.35), self.chance("stop line", 0.5), self.chance("limit", 0.5)], 1
        )
        self.light = torch.where(self.chance("arrow", 0.5), ARROW, GREEN)
        self.limit = torch.where(self.chance("fifty", 0.5), 50.0, 30.0).to(torch.float64)

    def between(self, purpose: str, low: float, high: float) -> Float64[Tensor, " scenes"]:
        return low + (high - low) * uniform(self.seed, self.scenes, purpose)[:, 0]

    def chance(self, purpose: str, probability: float) -> Bool[Tensor, " scenes"]:
        return uniform(self.seed, self.scenes, purpose)[:, 0] < probability

    def put(
        self, name: str, kind: Kind, present: Bool[Tensor, " scenes"], **numbers: Float64[Tensor, " scenes"] | float
    ) -> None:
        """Somebody of this kind; a tenth longer or shorter, wider or narrower than usual."""
        slot = USERS.index(name)
        self.present[:, slot] = present
        self.kind[:, slot] = KINDS.index(kind)
        scale = self.between(f"{name} size", 0.95, 1.05)
        numbers.setdefault("length", SIZES[kind].length * scale)
        numbers.setdefault("width", SIZES[kind].width * scale)
        for column, number in numbers.items():
            self.numbers[column][:, slot] = number
        if "final" not in numbers:
            self.numbers["final"][:, slot] = self.numbers["speed"][:, slot]

    def dealt(self) -> Cast:
        return Cast(
            self.street, self.present, self.kind, signs=self.signs, light=self.light, limit=self.limit, **self.numbers
        )

    def ego(self) -> None:
        everywhere = torch.ones(len(self.scenes), dtype=torch.bool)
        speed = self.between("ego speed", 10 / 3.6, 20 / 3.6)
        way = self.between("ego way", 6.0, 34.0)
        self.put(EGO, "car", everywhere, way=way, speed=speed, length=SIZES["car"].length, width=SIZES["car"].width)
        behind = way - self.between("follower gap", 8.0, 16.0)
        self.put("follower-1", "car", self.chance("follower", 0.5), way=behind, speed=speed)

    def oncoming(self) -> None:
        """A stream at one speed, from the north; sometimes it stands."""
        speed = torch.where(self.chance("standing", 0.1), 0.0, self.between("oncoming speed", 5.0, 14.0))
        y = self.between("oncoming first", -8.0, 30.0)
        for number in (1, 2, 3):
            name = f"oncoming-{number}"
            self.put(name, "car", self.chance(name, 0.45), x=LANE / 2, y=y, heading=-torch.pi / 2, speed=speed)
            y = y + self.between(f"{name} gap", 8.0, 36.0)
        self.put(
            "cyclist-1", "cyclist", self.chance("cyclist", 0.3), x=2.9, y=self.between("cyclist y", -6.0, 35.0),
            heading=-torch.pi / 2, speed=self.between("cyclist speed", 3.0, 7.0),
        )  # fmt: skip

    def walkers(self) -> None:
        """On the crossing of the eastern arm, both ways; and a child on the pavement that stays there."""
        low, high = self.street.crossing
        for number in (1, 2):
            name = f"pedestrian-{number}"
            north = torch.where(self.chance(f"{name} north", 0.5), 1.0, -1.0).to(torch.float64)
            self.put(
                name, "pedestrian", self.chance(name, 0.45), x=self.between(f"{name} x", low + 0.3, high - 0.3),
                y=self.between(f"{name} y", -9.0, 9.0), heading=north * torch.pi / 2,
                speed=self.between(f"{name} speed", 0.8, 1.8),
            )  # fmt: skip
        side = torch.where(self.chance("kerb side", 0.5), 1.0, -1.0).to(torch.float64)
        east = self.chance("kerb east", 0.5)
        self.put(
            "child-2", "child", self.chance("kerb child", 0.1), x=self.between("kerb x", 9.5, 24.0),
            y=side * self.between("kerb y", 6.2, 7.5), heading=torch.where(east, 0.0, torch.pi).to(torch.float64),
            speed=self.between("kerb speed", 0.0, 1.8),
        )  # fmt: skip

    def parked(self, near: Bool[Tensor, " scenes"]) -> None:
        """One in the bay beside the ego's way, and one where nobody's way leads past it."""
        low, high = self.street.bay
        lateral = self.between("parked lateral", 4.4, 4.6)
        self.put(PARKED, "parked-car", near, x=self.between("parked x", low + 2.8, high - 2.4), y=lateral)
        east = self.chance("other east", 0.5)
        self.put(
            "parked-2", "parked-car", self.chance("other", 0.6),
            x=torch.where(east, self.between("other x", 12.0, 24.0), self.between("other west", -24.0, -12.0)),
            y=torch.where(east, -4.6, 4.6).to(torch.float64),
            heading=torch.where(east, torch.pi, 0.0).to(torch.float64),
        )  # fmt: skip

    def child(self, near: Bool[Tensor, " scenes"], hazard: float) -> None:
        """Sets off so that its front reaches the ego's front somewhere between both sides of the ego.

        After Euro NCAP's CPNCO as read in vectorgrp/OSC-NCAP-scenarios: from the near side, 4 m beside the ego's
        way, up to speed within 1 m, hit between 0 and 100 % of the ego's width. Ours: 0.5 to 2.5 m past the vehicle's
        end, and 1 to 2.5 m/s, around the 5 km/h of CPNCO.
        """
        slot, ego = USERS.index(PARKED), USERS.index(EGO)
        x = self.numbers["x"][:, slot] + self.numbers["length"][:, slot] / 2 + self.between("child gap", 0.5, 2.5)
        speed = self.between("child speed", 1.0, 2.5)
        self.put(
            CHILD, "child", near & self.chance("run-out", hazard), x=x, y=LANE / 2 + FROM_SIDE, heading=-torch.pi / 2,
            final=speed, acceleration=speed**2 / (2 * SPEEDS_UP_IN), length=SIZES["child"].length,
            width=SIZES["child"].width,
        )  # fmt: skip
        hit = self.between("impact", 0.0, 1.0)
        front = self.numbers["length"][:, ego] / 2 + SIZES["child"].width / 2
        arrival = (self.street.way_to(x) - self.numbers["way"][:, ego] - front) / self.numbers["speed"][:, ego]
        metres = FROM_SIDE - SIZES["child"].length / 2 - (0.5 - hit) * self.numbers["width"][:, ego]
        self.numbers["delay"][:, USERS.index(CHILD)] = arrival - (metres + SPEEDS_UP_IN) / speed


FROM_SIDE = 4.0
"""Metres beside the middle of the ego's way where the child stands."""
SPEEDS_UP_IN = 1.0
"""Metres in which the child reaches its speed."""
