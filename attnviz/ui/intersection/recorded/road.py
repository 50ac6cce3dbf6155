"""The road around the ego as the street is drawn: near parts only, from the ego's place."""

from collections.abc import Iterable

import numpy as np
from jaxtyping import Float

from attnviz.scenes import Scenes
from attnviz.ui.components import SceneRoad

MOST_POINTS = 20_000
VIEW = 35.0
"""Metres around the ego that are shown at least."""


def road_around(scenes: Scenes, name: str, origin: tuple[float, float], reach: float) -> SceneRoad:
    """Everything of the scene's road with a point within reach (m) of the origin, moved so that the origin is 0, 0."""
    road = scenes.road.of(name)
    left = [MOST_POINTS]

    def near(lines: Iterable[Float[np.ndarray, "n 2"]]) -> list[list[tuple[float, float]]]:
        found = []
        for line in lines:
            moved = line - np.array(origin)
            if len(moved) > 1 and (np.abs(moved).max(axis=1) < reach).any() and left[0] >= len(moved):
                left[0] -= len(moved)
                found.append([(round(float(x), 2), round(float(y), 2)) for x, y in moved])
        return found

    return SceneRoad(
        name=f"{name} {origin[0]:.1f} {origin[1]:.1f} {len(scenes.table)}",
        areas=near(area.polygon for area in road.drivable) or near(_surface(lane.left, lane.right) for lane in road.lanes),
        crossings=near(area.polygon for area in road.crossings),
        lanes=near(line for lane in road.lanes for line in (lane.left, lane.right)),
        middles=near(lane.centre for lane in road.lanes),
        left=-VIEW, right=VIEW, bottom=-VIEW, top=VIEW,
    )  # fmt: skip


def _surface(left: Float[np.ndarray, "n 2"], right: Float[np.ndarray, "m 2"]) -> Float[np.ndarray, "k 2"]:
    """A lane between its bounds, where nobody says what may be driven on."""
    return np.concatenate([left, right[::-1]]) if len(left) and len(right) else left
