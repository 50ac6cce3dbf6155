"""What stands on a street, however it is looked at: a place, a kind, a name."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from attnviz.base.language import _, _m
from attnviz.scenes.kinds import NAMES, Kind

FARTHEST = 500.0

EGO = "ego"
ADDED = "user-"
"""Ids of road users that were added are this and a number."""
MOST_DIGITS = 6

# Names that we gave, so that a link speaks the language of whoever opens it.
KNOWN = {"oncoming car": _m("oncoming car"), "ego car": _m("ego car")}

Metres = Annotated[float, Field(ge=-FARTHEST, le=FARTHEST)]
Degrees = Annotated[float, Field(ge=-360, le=360)]
Traffic = Literal["left", "right"]


class Place(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """Where something stands: metres east and north of the middle of the junction, degrees from east to north."""

    x: Metres
    y: Metres
    heading: Degrees

    def mirrored(self) -> "Place":
        """The same on the other side of the road: what left-hand traffic is to right-hand traffic."""
        return Place(x=-self.x, y=self.y, heading=turned(180 - self.heading))


class Named(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """One road user. `name` is what a person called it, `known` a name of ours; without both its kind is its name."""

    id: str = Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")
    kind: Kind
    place: Place
    name: str = Field(default="", max_length=60)
    known: str = Field(default="", max_length=40)

    def label(self) -> str:
        """What it is called, in the current language; those that were added are numbered."""
        if self.name:
            return self.name
        called = _(KNOWN.get(self.known, NAMES[self.kind]))
        return f"{called} {self.number}" if self.number else called

    @property
    def number(self) -> int:
        """The number in an id that this page gave, 0 for others."""
        counted = self.id.removeprefix(ADDED)
        return int(counted) if counted != self.id and counted.isdecimal() and len(counted) <= MOST_DIGITS else 0


def turned(degrees: float) -> float:
    """The same direction between −180 and 180 degrees."""
    return (degrees + 180) % 360 - 180


def nearest(x: float, y: float, heading: float) -> Place:
    """The nearest place that a view may hold."""
    x, y = (min(max(metres, -FARTHEST), FARTHEST) for metres in (x, y))
    return Place(x=x, y=y, heading=turned(heading))
