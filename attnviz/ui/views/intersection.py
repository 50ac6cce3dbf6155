"""The Intersection's state: who is on the street, and the vectors that were typed in for each of them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, model_validator

from attnviz.base.errors import InputError
from attnviz.base.language import _m, _n
from attnviz.figures.numerals import numbers_text
from attnviz.ui.address import View
from attnviz.ui.views.driving import Drive, Recorded
from attnviz.ui.views.street import EGO, Named, Place, Traffic

MOST_USERS = 64
MOST_HEADS = 6
MOST_NUMBERS = 4
MOST_SAID = 4
"""How many road users a summary names."""

Number = Annotated[float, Field(ge=-1000, le=1000)]
Vector = Annotated[tuple[Number, ...], Field(min_length=1, max_length=MOST_NUMBERS)]
Vectors = Annotated[tuple[Vector, ...], Field(min_length=1, max_length=MOST_HEADS)]
Numbers = Annotated[tuple[Number, ...], Field(min_length=1, max_length=MOST_HEADS)]
Start = Literal["lesson", "own", "two-heads", "step-out", "crowd"]


class Handed(BaseModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """What one road user hands to the attention, for every head: a key and a value."""

    keys: Vectors
    values: Numbers


class RoadUser(Handed, Named, frozen=True):
    """One road user of the typed-in street, with what it hands to the attention."""


LESSON_USERS = (
    RoadUser(
        id="oncoming", kind="car", known="oncoming car", place=Place(x=1.7, y=10.5, heading=-90),
        keys=((2.0, 1.0),), values=(0.6,),
    ),
    RoadUser(
        id="pedestrian", kind="pedestrian", place=Place(x=7.2, y=-0.6, heading=90), keys=((1.0, 2.0),), values=(0.9,)
    ),
    RoadUser(id="parked", kind="parked-car", place=Place(x=15.5, y=4.4, heading=0), keys=((-1.0, 0.0),), values=(0.1,)),
)  # fmt: skip


class IntersectionView(View, frozen=True):
    """`queries` has one vector for each head, and so have every road user's `keys`; `values` one number.

    `own`: the ego's own key and value, where the query may look at itself. `hidden`: heads that are switched
    off. `head`: whose numbers stand beside the street. `selected`: the road user that is edited. `value_if`:
    the value that is tried for it. source: typed-in vectors, a model that
    learnt (`drive` is what it is shown), or scenes from a file, which stays in the session (`recorded` is where in it).
    """

    page: Literal["intersection"] = "intersection"
    source: Literal["typed", "model", "file"] = "typed"
    drive: Drive = Drive()
    recorded: Recorded = Recorded()
    start_from: Start = "lesson"
    traffic: Traffic = "left"
    ego: Place = Place(x=-1.7, y=-11.5, heading=90)
    queries: Vectors = ((1.0, 2.0),)
    users: Annotated[tuple[RoadUser, ...], Field(max_length=MOST_USERS)] = LESSON_USERS
    own: Handed | None = None
    hidden: Annotated[tuple[int, ...], Field(max_length=MOST_HEADS)] = ()
    head: int = Field(default=0, ge=0, lt=MOST_HEADS)
    selected: str = Field(default="parked", max_length=40)
    value_if: Number = 1.0

    @model_validator(mode="after")
    def _fits(self) -> "IntersectionView":
        width = len(self.queries[0])
        named = [("query", self.queries, len(self.queries))]
        for user in self.users:
            named.append((user.id, user.keys, len(user.values)))
        if self.own is not None:
            named.append((EGO, self.own.keys, len(self.own.values)))
        for name, vectors, values in named:
            if len(vectors) != self.heads or values != self.heads or any(len(vector) != width for vector in vectors):
                raise InputError(
                    _m("“{name}” needs {heads} vectors of {width} numbers and as many values, one for each head."),
                    name=name,
                    heads=self.heads,
                    width=width,
                )
        ids = [user.id for user in self.users]
        if len(set(ids)) < len(ids) or EGO in ids:
            raise InputError(_m("Two road users have the same id, or one has the id of the ego car."))
        if self.head >= self.heads or any(not 0 <= head < self.heads for head in self.hidden):
            raise InputError(_m("The view selects a head that it does not have."))
        if self.selected not in (*ids, EGO, ""):
            raise InputError(_m("The view selects the road user “{name}”, which it does not have."), name=self.selected)
        return self

    def summary(self) -> str:
        """Who is on the street, and the numbers of the one that is selected."""
        if self.source == "model":
            return self.drive.summary()
        said = ", ".join(user.label() for user in self.users[:MOST_SAID])
        if len(self.users) > MOST_SAID:
            said += " … " + _n("({count} road user)", "({count} road users)", len(self.users))
        chosen = self.user(self.selected)
        if chosen is None:
            return said
        key, value = numbers_text(chosen.keys[self.head]), numbers_text([chosen.values[self.head]])
        return f"{said} · {chosen.label()}: ({key}), {value}"

    @property
    def heads(self) -> int:
        """How many heads look at the street."""
        return len(self.queries)

    def user(self, name: str) -> RoadUser | None:
        """The road user with this id; None for the ego or where there is none."""
        return next((user for user in self.users if user.id == name), None)

    def with_user(self, user: RoadUser) -> dict[str, Any]:
        """The fields that change when this road user becomes another; it keeps its id."""
        return {"users": tuple(user if other.id == user.id else other for other in self.users)}

    def without(self, name: str) -> dict[str, Any]:
        """The fields that change when a road user leaves; the next in the list is then selected."""
        ids = [user.id for user in self.users]
        left = tuple(user for user in self.users if user.id != name)
        if self.selected != name:
            return {"users": left}
        return {"users": left, "selected": left[min(ids.index(name), len(left) - 1)].id if left else EGO}
