"""What a model that learnt is shown on the Intersection page: which model, which street, which moment."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, model_validator

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.models.turn import shipped
from attnviz.models.turn.study import RATIOS
from attnviz.ui.views.street import EGO, Named, Place, Traffic

MOST_MOVERS = 40
FASTEST = 20.0
"""Metres a second: what the sliders offer."""
OWN = "own/"
"""Before the checksum of a model of one's own, in place of a name."""
MEAN = -1
"""The mean over the heads, where a head is asked for."""
SIMULATED = 1_000
"""How many scenes of the simulator are offered."""

LIVE_RUNOUTS = (0, 10, 30, 100, 300, 1000, 3000)
"""What the training in the page offers; more would take longer than somebody waits."""

Speed = Annotated[float, Field(ge=0, le=FASTEST)]


class Mover(Named, frozen=True):
    """One road user that moves the way it looks, at `speed` m/s."""

    speed: Speed = 0.0


LESSON_MOVERS = (
    Mover(id="oncoming", kind="car", known="oncoming car", place=Place(x=1.7, y=30.0, heading=-90), speed=8.0),
    Mover(id="pedestrian", kind="pedestrian", place=Place(x=7.2, y=-4.0, heading=90), speed=1.4),
    Mover(id="parked", kind="parked-car", place=Place(x=15.5, y=4.5, heading=0)),
)


class Drive(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """A turn model of the study, and what it is shown.

    kind, hazard, runouts, seed: which model (`attnviz.models.turn.shipped`). own: the checksum of a model of one's own,
    that is asked instead. layer, head: whose weights are drawn. part: of the page.
    moving: whether a simulated scene is played instead of the street that one's own hand makes; scene: its number,
    near, child: what is in it, t: seconds from its beginning. threshold: the probability from which on the ego waits.
    probe: whether a child is put behind every occluder. question: what the study below is asked.
    remedied, ratio, counted_near: which remedies are compared, at what costs, over which scenes. live_…: what is trained in the page.
    """

    kind: Literal["ego", "self"] = "ego"
    hazard: float = 0.5
    runouts: int = 15_000
    seed: int = Field(default=0, ge=0, lt=shipped.SEEDS)
    own: str = Field(default="", max_length=64, pattern=r"^[0-9a-f]*$")
    layer: int = Field(default=0, ge=0, le=1)
    head: int = Field(default=MEAN, ge=MEAN, le=1)
    part: Literal["street", "study", "remedies", "live"] = "street"
    traffic: Traffic = "left"
    ego: Place = Place(x=-1.7, y=-11.5, heading=90)
    ego_speed: Speed = 4.0
    users: Annotated[tuple[Mover, ...], Field(max_length=MOST_MOVERS)] = LESSON_MOVERS
    moving: bool = False
    scene: int = Field(default=3, ge=0, lt=SIMULATED)
    near: bool = True
    child: bool = True
    t: float = Field(default=0.0, ge=0, le=9.0)
    question: Literal["weight", "probability", "difference", "missed", "unavoidable", "accuracy", "agreement"] = (
        "weight"
    )
    probe: bool = False
    remedied: int = 60
    ratio: int = 10
    counted_near: bool = True
    threshold: float = Field(default=0.5, ge=0.001, le=0.999)
    selected: str = Field(default="parked", max_length=40)
    live_hazard: float = Field(default=0.5, ge=0.05, le=1)
    live_runouts: int = 300
    live_seed: int = Field(default=0, ge=0, le=999)

    @model_validator(mode="after")
    def _fits(self) -> "Drive":
        ids = [user.id for user in self.users]
        if len(set(ids)) < len(ids) or EGO in ids:
            raise InputError(_m("Two road users have the same id, or one has the id of the ego car."))
        if self.hazard not in shipped.HAZARDS or self.runouts not in shipped.RUNOUTS:
            raise InputError(
                _m("No model was trained at hazard {hazard} with {runouts} run-outs."),
                hazard=self.hazard, runouts=self.runouts,
            )  # fmt: skip
        if self.remedied not in shipped.REMEDIED or self.ratio not in RATIOS:
            raise InputError(
                _m("No remedy was tried with {runouts} run-outs, or no cost ratio of {ratio} is offered."),
                runouts=self.remedied, ratio=self.ratio,
            )  # fmt: skip
        if self.live_runouts not in LIVE_RUNOUTS:
            raise InputError(_m("{found} run-outs cannot be trained in the page."), found=self.live_runouts)
        return self

    @property
    def name(self) -> str:
        """The model, as in the catalogue; of one's own the checksum."""
        if self.own:
            return f"{OWN}{self.own}"
        return f"{shipped.Cell(self.kind, self.hazard, self.runouts).name}/seed-{self.seed}"

    def user(self, name: str) -> Mover | None:
        """The road user with this id; None for the ego or where there is none."""
        return next((user for user in self.users if user.id == name), None)

    def but(self, **fields: Any) -> dict[str, Any]:
        """The fields of the page's view that change when these of mine do."""
        return {"drive": Drive(**{**dict(self), **fields})}

    def with_user(self, user: Mover) -> tuple[Mover, ...]:
        """Everybody, with this road user instead of the one with its id."""
        return tuple(user if other.id == user.id else other for other in self.users)

    def summary(self) -> str:
        """Which model, and which scene."""
        if self.moving:
            return _("{model} · simulated scene {number}, {t} s", model=self.name, number=self.scene, t=f"{self.t:.1f}")
        return f"{self.name} · " + ", ".join(user.label() for user in self.users[:4])


class Recorded(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """Where in scenes that were read from a file somebody looks. moment: its number in the scene.

    layer, head: whose weights are drawn, where a trace is open beside it.
    """

    scene: str = Field(default="", max_length=200)
    moment: int = Field(default=0, ge=0, le=10_000_000)
    layer: int = Field(default=0, ge=0, le=100_000)
    head: int = Field(default=MEAN, ge=MEAN, le=100_000)
    selected: str = Field(default="", max_length=200)

    def but(self, **fields: Any) -> dict[str, Any]:
        """The fields of the page's view that change when these of mine do."""
        return {"recorded": Recorded(**{**dict(self), **fields})}
