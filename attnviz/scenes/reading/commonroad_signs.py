"""The traffic lights, stop lines and speed limits of CommonRoad, at the places that the file or its lanelets give."""

from collections.abc import Mapping
from xml.etree.ElementTree import Element as Node

import numpy as np
import pandas as pd
from jaxtyping import Float

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.reading.commonroad_roads import Lanelet
from attnviz.scenes.reading.places import Element, short
from attnviz.scenes.reading.xml_elements import number_in, number_of
from attnviz.scenes.signs import MOST_SIGN_ROWS, SIGN_COLUMNS, State, no_signs
from attnviz.trace import Note

# “redYellow” comes before green and still means to stop.
STATES: dict[str, State] = {
    "red": "red", "redYellow": "red", "yellow": "amber", "green": "green", "inactive": "off",
}  # fmt: skip
# Speed limits: 274 in Germany and the countries that number their signs alike, R2-1 in the United States. In m/s.
LIMITS = ("274", "R2-1")

Row = tuple[str, float, str, str, float, float, float, str | None, float]


def limits_of(signs: Mapping[str, Node], file: str) -> dict[str, float]:
    """The speed in m/s that each speed limit allows, by its id."""
    limits = {}
    for number, node in signs.items():
        for element in node.findall("trafficSignElement"):
            value = element.findtext("additionalValue")
            if (element.findtext("trafficSignID") or "").strip() in LIMITS and value is not None:
                limits[number] = number_of(value, Element(file, "trafficSign", short(number)), "additionalValue")
    return limits


def signs_of(
    lights: Mapping[str, Node],
    signs: Mapping[str, Node],
    lanelets: Mapping[str, Lanelet],
    scene: str,
    times: Float[np.ndarray, " moments"],
    step: float,
    file: str,
) -> tuple[pd.DataFrame, list[Note]]:
    """The table of signs, and notes on what has no place and was left out."""
    if len(lights) * len(times) > MOST_SIGN_ROWS:
        raise InputError(
            _m("The table of signs has {found} rows; at most {most} were expected."),
            found=len(lights) * len(times),
            most=MOST_SIGN_ROWS,
        )
    rows: list[Row] = []
    placeless = 0
    for number, node in lights.items():
        place = Element(file, "trafficLight", short(number))
        at = _place(node, place, [lanelet for lanelet in lanelets.values() if number in lanelet.lights], -1)
        if at is None:
            placeless += 1
            continue
        states = _states(node, np.rint(times / step).astype(np.int64), place)
        rows += [(scene, float(t), f"light-{number}", "traffic-light", *at, state, np.nan)
                 for t, state in zip(times, states, strict=True)]  # fmt: skip
    for number, limit in limits_of(signs, file).items():
        concerned = [lanelet for lanelet in lanelets.values() if number in lanelet.signs]
        at = _place(signs[number], Element(file, "trafficSign", short(number)), concerned, 0)
        if at is None:
            placeless += 1
        else:
            rows.append((scene, np.nan, f"sign-{number}", "speed-limit", *at, None, limit))
    for number, lanelet in lanelets.items():
        if lanelet.stop is not None:
            x, y, heading = lanelet.at(-1)
            if len(lanelet.stop):
                x, y = (float(value) for value in lanelet.stop.mean(axis=0))
            rows.append((scene, np.nan, f"stop-{number}", "stop-line", x, y, heading, None, np.nan))
    notes = []
    if placeless:
        notes.append(Note(_m("Signs and traffic lights without a place, left out: {count}."), {"count": placeless}))
    return (pd.DataFrame(rows, columns=list(SIGN_COLUMNS)) if rows else no_signs()), notes


def _place(node: Node, place: Element, lanelets: list[Lanelet], end: int) -> tuple[float, float, float] | None:
    """x, y, heading: from the element, or from the end of the lanelets that it concerns; None where neither says."""
    x, y = (number_in(node, f"position/point/{axis}", place) for axis in ("x", "y"))
    there = lanelets[0].at(end) if lanelets else None
    if x is None or y is None:
        return there
    return x, y, there[2] if there else np.nan


def _states(node: Node, steps: np.ndarray, place: Element) -> list[State]:
    """The state at each step: the cycle begins at its offset and repeats (as in commonroad-io, traffic_light.py)."""
    if (node.findtext("active") or "true").strip() == "false":
        return ["off"] * len(steps)
    elements = node.findall("cycle/cycleElement")
    lengths = [number_in(element, "duration", place) or 0.0 for element in elements]
    colours = [STATES.get((element.findtext("color") or "").strip(), "unknown") for element in elements]
    ends = np.cumsum(lengths)
    if not elements or min(lengths) < 0 or ends[-1] <= 0:
        return ["unknown"] * len(steps)
    offset = number_in(node, "cycle/timeOffset", place) or 0.0
    found = np.searchsorted(ends, np.mod(steps - offset, ends[-1]), side="right")
    return [colours[number] for number in found]
