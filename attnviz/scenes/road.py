"""The road beneath a scene: lanes, crossings, the surface that may be driven on."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attnviz.base.errors import InputError
from attnviz.base.language import _m

MOST_LANES = 500_000
MOST_POINTS = 10_000_000


def points(pairs: object = ()) -> Float[np.ndarray, "n 2"]:
    """A line or an outline as an array; nothing makes an empty one."""
    found = np.asarray(pairs, dtype=np.float64)
    return found.reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class Lane:
    """A lane: its bounds and its middle, in the direction of travel, in metres; any of them may be empty.

    limit: the speed that is allowed, in m/s; None where the source gives none. scene_id: the only scene that it
    belongs to; empty where it belongs to all.
    """

    id: str
    left: Float[np.ndarray, "left 2"]
    right: Float[np.ndarray, "right 2"]
    centre: Float[np.ndarray, "centre 2"]
    limit: float | None = None
    scene_id: str = ""

    def mirrored(self) -> "Lane":
        """The lane with x exchanged for −x: what was its left bound is then its right one."""
        return Lane(
            self.id, _mirrored(self.right), _mirrored(self.left), _mirrored(self.centre), self.limit, self.scene_id
        )


@dataclass(frozen=True, eq=False)
class Area:
    """An outline, in metres; its last point is joined to the first. scene_id: as with a lane."""

    id: str
    polygon: Float[np.ndarray, "n 2"]
    scene_id: str = ""

    def mirrored(self) -> "Area":
        """The area with x exchanged for −x."""
        return Area(self.id, _mirrored(self.polygon), self.scene_id)


@dataclass(frozen=True, eq=False)
class Road:
    """What is known of the road; all of it may be empty.

    Raises `InputError` for points that are no numbers, and for more of them than can be drawn.
    """

    lanes: tuple[Lane, ...] = ()
    crossings: tuple[Area, ...] = ()
    drivable: tuple[Area, ...] = ()

    def __post_init__(self) -> None:
        parts = [(lane.id, line) for lane in self.lanes for line in (lane.left, lane.right, lane.centre)]
        parts += [(area.id, area.polygon) for area in (*self.crossings, *self.drivable)]
        count = len(self.lanes) + len(self.crossings) + len(self.drivable)
        if count > MOST_LANES or self.points > MOST_POINTS:
            raise InputError(
                _m("The road has more than {lanes} lanes and areas, or more than {points} points."),
                lanes=MOST_LANES,
                points=MOST_POINTS,
            )
        for name, line in parts:
            if not np.isfinite(line).all():
                raise InputError(
                    _m("The lane or area “{name}” of the road has a point that is no number."), name=name[:40]
                )

    def __bool__(self) -> bool:
        """Whether anything is known of the road."""
        return bool(self.lanes or self.crossings or self.drivable)

    @property
    def points(self) -> int:
        """How many points the road has, all lines together."""
        lines = [line for lane in self.lanes for line in (lane.left, lane.right, lane.centre)]
        return sum(len(line) for line in (*lines, *(area.polygon for area in (*self.crossings, *self.drivable))))

    def of(self, scene_id: str) -> "Road":
        """What of the road belongs to this scene."""
        return Road(
            tuple(lane for lane in self.lanes if lane.scene_id in ("", scene_id)),
            tuple(area for area in self.crossings if area.scene_id in ("", scene_id)),
            tuple(area for area in self.drivable if area.scene_id in ("", scene_id)),
        )

    def mirrored(self) -> "Road":
        """The road with x exchanged for −x: left- and right-hand traffic change places."""
        return Road(
            tuple(lane.mirrored() for lane in self.lanes),
            tuple(area.mirrored() for area in self.crossings),
            tuple(area.mirrored() for area in self.drivable),
        )


def _mirrored(line: Float[np.ndarray, "n 2"]) -> Float[np.ndarray, "n 2"]:
    return points(line * [-1.0, 1.0])
