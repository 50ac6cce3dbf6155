"""Where the Intersection page can start from."""

from collections.abc import Callable

import torch

from attnviz.base.language import _m
from attnviz.scenes.kinds import Kind
from attnviz.ui.views.intersection import LESSON_USERS, Handed, IntersectionView, RoadUser, Start
from attnviz.ui.views.street import Place

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
    """Who stands where: in the lanes, in the bay, on the crossings, on the pavements. Metres and degrees."""
    return [(kind, Place(x=x, y=y, heading=heading)) for kind, x, y, heading in (*_IN_LANES, *_ON_FOOT)]


_IN_LANES: tuple[tuple[Kind, float, float, float], ...] = (
    ("car", 1.7, 11.5, -90), ("car", 1.7, 17.5, -90), ("van", 1.7, 24.0, -90),
    ("car", -1.7, 13.0, 90), ("motorcyclist", -1.7, 20.0, 90),
    ("car", 12.5, -1.7, 180), ("van", 18.5, -1.7, 180), ("car", 24.5, -1.7, 180), ("car", 30.5, -1.7, 180),
    ("truck", 27.0, 1.7, 0), ("parked-car", 14.6, 4.4, 0), ("parked-car", 19.4, 4.4, 0),
    ("car", -12.5, 1.7, 0), ("car", -18.5, 1.7, 0), ("car", -24.5, 1.7, 0), ("bus", -20.0, -1.7, 180),
    ("car", -1.7, -18.5, 90), ("cyclist", -2.4, -24.0, 90), ("car", 1.7, -14.0, -90), ("car", 1.7, -21.0, -90),
)  # fmt: skip

_ON_FOOT: tuple[tuple[Kind, float, float, float], ...] = (
    ("pedestrian", 6.5, -2.4, 90), ("child", 8.3, -0.6, 90), ("pedestrian", 6.5, 1.2, -90), ("pedestrian", 8.3, 3.0, -90),
    ("pedestrian", -2.2, -7.4, 0), ("child", 2.0, -7.0, 180), ("obstacle", 5.0, -13.0, 0),
    ("pedestrian", -6.0, 7.5, -90), ("pedestrian", -4.6, 11.0, -90), ("child", -6.0, 14.5, 90),
    ("pedestrian", -4.7, -13.0, 90), ("pedestrian", -6.0, -17.5, -90), ("cyclist", -9.5, -4.7, 0), ("pedestrian", -14.0, -4.7, 180),
    ("pedestrian", 5.0, 10.0, -90), ("pedestrian", 6.0, 14.5, 90),
    ("pedestrian", 4.8, -8.5, 90), ("child", 10.0, -4.7, 0), ("pedestrian", 14.5, -4.9, 180), ("pedestrian", 20.0, -4.7, 0),
)  # fmt: skip


# Identifier in an address → (title, maker).
STARTS: dict[Start, tuple[str, Callable[[], IntersectionView]]] = {
    "lesson": (_m("Three road users, one head"), lesson),
    "own": (_m("The ego looks at itself too"), own_weight),
    "two-heads": (_m("Two heads, two questions"), two_heads),
    "step-out": (_m("A child steps out"), step_out),
    "crowd": (_m("Forty road users"), crowd),
}
