"""The lanelets of CommonRoad as lanes and crossings."""

from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element as Node

import numpy as np
from jaxtyping import Float

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.reading.places import Element
from attnviz.scenes.reading.xml_elements import number_in
from attnviz.scenes.road import Area, Lane, Road, points

CROSSING, SIDEWALK = "crosswalk", "sidewalk"


@dataclass(frozen=True, eq=False)
class Lanelet:
    """A lanelet: its bounds, what it is, and which signs, lights and stop line it has."""

    left: Float[np.ndarray, "left 2"]
    right: Float[np.ndarray, "right 2"]
    types: frozenset[str]
    limit: float | None
    signs: tuple[str, ...]
    lights: tuple[str, ...]
    stop: Float[np.ndarray, "ends 2"] | None

    def at(self, end: int) -> tuple[float, float, float]:
        """x, y and the direction of travel at its first (0) or last (−1) points. Bounds have two points at least."""
        x, y = (self.left[end] + self.right[end]) / 2
        step = slice(0, 2) if end == 0 else slice(-2, None)
        across = np.diff(self.left[step], axis=0) + np.diff(self.right[step], axis=0)
        return float(x), float(y), float(np.arctan2(across[0, 1], across[0, 0]))


def lanelet_of(node: Node, place: Element) -> Lanelet:
    """A lanelet element. Raises `InputError` where a bound has fewer than two points."""
    left, right = (_line(node, f"{side}Bound/point", place) for side in ("left", "right"))
    if len(left) < 2 or len(right) < 2:
        raise InputError(_m("{place} has a bound of fewer than two points; two or more were expected."), place=place)
    stop = node.find("stopLine")
    return Lanelet(
        left,
        right,
        frozenset((kind.text or "").strip() for kind in node.findall("laneletType")),
        number_in(node, "speedLimit", place),
        tuple(ref.get("ref", "") for ref in node.iter("trafficSignRef")),
        tuple(ref.get("ref", "") for ref in node.iter("trafficLightRef")),
        None if stop is None else _line(stop, "point", place),
    )


def road_of(lanelets: Mapping[str, Lanelet], limits: Mapping[str, float]) -> Road:
    """Lanes and crossings; limits: what each sign allows, in m/s. Sidewalks are no lanes and are left out."""
    lanes, crossings = [], []
    for number, lanelet in lanelets.items():
        if CROSSING in lanelet.types:
            crossings.append(Area(number, np.concatenate([lanelet.left, lanelet.right[::-1]])))
        elif SIDEWALK not in lanelet.types:
            paired = len(lanelet.left) == len(lanelet.right)
            centre = (lanelet.left + lanelet.right) / 2 if paired else points()
            signed = [limits[sign] for sign in lanelet.signs if sign in limits]
            limit = lanelet.limit if lanelet.limit is not None else min(signed, default=None)
            lanes.append(Lane(number, lanelet.left, lanelet.right, centre, limit))
    return Road(tuple(lanes), tuple(crossings))


def _line(node: Node, path: str, place: Element) -> Float[np.ndarray, "n 2"]:
    found = [[number_in(point, axis, place) for axis in ("x", "y")] for point in node.findall(path)]
    if any(value is None for point in found for value in point):
        raise InputError(_m("{place} has a point that is none; x and y in metres were expected."), place=place)
    return points(found)
