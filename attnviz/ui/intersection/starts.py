"""Where the Intersection page can start from."""

from collections.abc import Callable

import torch

from attnviz.base.language import _m
from attnviz.scenes.kinds import Kind
from attnviz.ui.views.intersection import LESSON_USERS, Handed, IntersectionView, Place, RoadUser, turned

CROWD = 40


def lesson() -> IntersectionView:
    """One head, three road users: weights 0.327, 0.663 and 0.0095."""
    return IntersectionView()


def own_weight() -> IntersectionView:
    """The lesson's scene where the ego also looks at itself, as in self-attention; its own key is zero."""
    return IntersectionView(start_from="own", own=Handed(keys=((0.0, 0.0),), values=(0.0,)))


def two_heads() -> IntersectionView:
    """The same keys asked two questions: the second head's query points to what stands still."""
    users = tuple(user.model_copy(update={"keys": user.keys * 2, "values": user.values * 2}) for user in LESSON_USERS)
    return IntersectionView(start_from="two-heads", queries=((1.0, 2.0), (-2.0, 0.0)), users=users)


def step_out() -> IntersectionView:
    """A child steps out from behind the parked car, with the key that the pedestrian has."""
    child = RoadUser(
        id="child", kind="child", place=Place(x=18.7, y=2.8, heading=-90), keys=((1.0, 2.0),), values=(1.0,)
    )
    return IntersectionView(start_from="step-out", users=(*LESSON_USERS, child), selected="child")


def crowd() -> IntersectionView:
    """Forty road users; keys from a normal distribution and values between 0 and 1, drawn with seed 0."""
    draw = torch.Generator().manual_seed(0)
    keys = torch.randn(CROWD, 2, generator=draw).tolist()
    values = torch.rand(CROWD, generator=draw).tolist()
    users = tuple(
        RoadUser(
            id=f"user-{index + 1}", kind=kind, name="", place=place,
            keys=((round(key[0], 2), round(key[1], 2)),), values=(round(value, 2),),
        )
        for index, ((kind, place), key, value) in enumerate(zip(_crowded_street(), keys, values, strict=True))
    )  # fmt: skip
    return IntersectionView(start_from="crowd", users=users, selected="user-1")


def _crowded_street() -> list[tuple[Kind, Place]]:
    """Where forty road users stand: queues in three arms, parked cars, people at the crossings and on the pavements."""
    found: list[tuple[Kind, Place]] = []

    def stand(kind: Kind, x: float, y: float, heading: float) -> None:
        found.append((kind, Place(x=x, y=y, heading=turned(heading))))

    for place in range(5):  # from the north, towards the ego
        stand("bus" if place == 3 else "car", 1.7, 11.5 + place * 7.5, -90)
    for place in range(5):  # from the east and from the west, waiting
        stand("van" if place == 2 else "car", 13.0 + place * 6.5, -1.7, 180)
        stand("truck" if place == 4 else "car", -13.0 - place * 6.5, 1.7, 0)
    stand("parked-car", 15.0, 4.4, 0)
    stand("parked-car", 20.0, 4.4, 0)
    for place in range(8):  # on the crossing that the ego means to pass, both ways
        stand(
            "child" if place % 3 == 2 else "pedestrian",
            6.3 + (place % 2) * 2.0,
            -3.2 + place * 0.9,
            90 if place % 2 else -90,
        )
    for place in range(6):  # on the pavement in the north-west
        stand("pedestrian", -5.0 - (place % 2) * 1.2, 5.0 + place * 1.7, -90)
    for place in range(4):
        stand("cyclist", -0.7, -17.5 - place * 3.0, 90)
    for place in range(3):
        stand("motorcyclist", 0.7, 19.0 + place * 4.0, -90)
    stand("obstacle", 4.8, -13.0, 0)
    stand("obstacle", 4.8, -15.5, 0)
    return found


# Identifier in an address → (title, maker).
STARTS: dict[str, tuple[str, Callable[[], IntersectionView]]] = {
    "lesson": (_m("Three road users, one head"), lesson),
    "own": (_m("The ego looks at itself too"), own_weight),
    "two-heads": (_m("Two heads, two questions"), two_heads),
    "step-out": (_m("A child steps out"), step_out),
    "crowd": (_m("Forty road users"), crowd),
}
