"""The scenes of the fourth kind of question: one road user's weight among those of others."""

import functools
import itertools
import math
from typing import NamedTuple

from attnviz.scenes.kinds import Kind
from attnviz.ui.intersection.compute import look
from attnviz.ui.quiz.draw import draw
from attnviz.ui.views.intersection import IntersectionView, RoadUser
from attnviz.ui.views.street import Place

LESSONS = "parked"
ASKED = "asked"
"""The ids of whom is asked about: in the lesson's scene, and in ours."""

OTHERS_VALUE = 0.5
VALUE_IF = 1.0
"""The other value that is tried: something that stands fully in the way."""


class Scene(NamedTuple):
    """`kind` gets `weight` among `among` road users and has `value`; all others share the rest evenly."""

    kind: Kind
    weight: float
    among: int
    value: float


class Numbers(NamedTuple):
    """What is asked about, worked out from a view: the weight, and the output as it is and as it would be."""

    among: int
    weight: float
    value: float
    output: float
    if_value: float
    without: float

    @property
    def even(self) -> float:
        """An even share."""
        return 1 / self.among

    @property
    def below(self) -> bool:
        """Whether the weight lies below an even share."""
        return self.weight < self.even


# Where each stands when it is asked about; the others queue in the lanes.
PLACES: dict[Kind, Place] = {
    "parked-car": Place(x=15.5, y=4.4, heading=0),
    "pedestrian": Place(x=7.2, y=-0.6, heading=90),
    "child": Place(x=11.0, y=5.0, heading=-90),
    "cyclist": Place(x=-9.0, y=3.4, heading=0),
    "van": Place(x=-13.0, y=-4.4, heading=180),
}
QUEUED: tuple[Kind, ...] = ("car", "truck", "car", "cyclist", "car", "motorcyclist")
GAP = 8.0
"""Metres from one to the next in a lane."""


@functools.cache
def others() -> tuple[Scene, ...]:
    """Weights clearly below or clearly above an even share of so many; one and the same may be either."""
    weights = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15)
    listed = (
        Scene(kind, weight, among, value)
        for kind, weight, among, value in itertools.product(PLACES, weights, (3, 4, 5, 8, 10, 20, 25), (0.1, 0.2))
    )
    return tuple(scene for scene in listed if not 0.6 < scene.weight * scene.among < 1.45)


def view(seed: int) -> IntersectionView:
    """The intersection of this seed; seed 0 is the lesson's own."""
    scene = draw(seed, None, others)
    return IntersectionView(selected=LESSONS, value_if=VALUE_IF) if scene is None else arranged(scene)


def arranged(scene: Scene) -> IntersectionView:
    """A street on which the weights come out as the scene says.

    With query (1, 0), the key (√2 · s, 0) scores s after ÷ √2, and all others 0; s is such that
    exp(s) / (exp(s) + among − 1) is the weight.
    """
    score = math.log(scene.weight * (scene.among - 1) / (1 - scene.weight))
    asked = RoadUser(
        id=ASKED, kind=scene.kind, place=PLACES[scene.kind],
        keys=((round(math.sqrt(2) * score, 6), 0.0),), values=(scene.value,),
    )  # fmt: skip
    return IntersectionView(
        start_from="lesson",
        queries=((1.0, 0.0),),
        users=(*(_queued(index) for index in range(scene.among - 1)), asked),
        selected=ASKED,
        value_if=VALUE_IF,
    )


def _queued(index: int) -> RoadUser:
    """The road user with this number: oncoming, from the left, from the right and ahead by turns."""
    row = index // 4 * GAP
    lanes = (
        Place(x=1.7, y=10.5 + row, heading=-90),
        Place(x=-17.0 - row, y=1.7, heading=0),
        Place(x=21.0 + row, y=-1.7, heading=180),
        Place(x=-1.7, y=12.0 + row, heading=90),
    )
    return RoadUser(
        id=f"other-{index + 1}", kind=QUEUED[index % len(QUEUED)], place=lanes[index % 4],
        keys=((0.0, 1.0),), values=(OTHERS_VALUE,),
    )  # fmt: skip


def numbers(shown: IntersectionView) -> Numbers:
    """The weight that the selected road user gets in this view, and what would become of the output."""
    found = look(shown)
    place = found.ids.index(shown.selected)
    return Numbers(
        among=len(found.ids),
        weight=float(found.weights[0, place]),
        value=shown.users[place].values[0],
        output=float(found.output[0]),
        if_value=float(found.valued[0, place]),
        without=float(found.without[0, place]),
    )
