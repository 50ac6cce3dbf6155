"""CommonRoad scenarios, XML of 2018b and 2020a: obstacles, lanelets, the start of a planning problem.

After the XSD of CommonRoad 2020a (documentation/XML_commonRoad_XSD_2020a.xsd). In 2018b, obstacles are “obstacle”
with a role, and lanelets have a speedLimit. Units are m, s, rad; times are steps of timeStepSize.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element as Node

import numpy as np
import pandas as pd

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.kinds import Kind
from attnviz.scenes.reading import commonroad_signs
from attnviz.scenes.reading.assembling import EgoMissing, assembled, finished, named_classes, with_ego
from attnviz.scenes.reading.batches import TOO_MANY_ROWS
from attnviz.scenes.reading.commonroad_roads import Lanelet, lanelet_of, road_of
from attnviz.scenes.reading.places import Element, Placed, short
from attnviz.scenes.reading.source import Source
from attnviz.scenes.reading.xml_elements import children_of, number_in, number_of
from attnviz.scenes.table import MOST_ROWS, Scenes, Traffic
from attnviz.trace import Note

ROOT = "commonRoad"
VERSIONS = ("2018b", "2020a")
OBSTACLES = ("obstacle", "staticObstacle", "dynamicObstacle")
# Closer than this (m), the start of a planning problem and that of an obstacle of the same id are one.
SAME_PLACE = 0.01
CLASSES: dict[str, Kind] = {
    "car": "car",
    "taxi": "car",
    "priorityVehicle": "car",
    "truck": "truck",
    "bus": "bus",
    "motorcycle": "motorcyclist",
    "bicycle": "cyclist",
    "pedestrian": "pedestrian",
    "parkedVehicle": "parked-car",
}
# Country codes of ISO 3166-1, with which benchmark ids begin; “ZAM” is made up and drives on no known side.
LEFT = ("AUS", "CYP", "GBR", "HKG", "IDN", "IND", "IRL", "JPN", "KEN", "MLT", "MYS", "NZL", "SGP", "THA", "ZAF")
RIGHT = (
    "ARG", "AUT", "BEL", "BGR", "BRA", "CAN", "CHE", "CHL", "CHN", "COL", "CZE", "DEU", "DNK", "ESP", "EST", "FIN", "FRA",
    "GRC", "HRV", "HUN", "ISR", "ITA", "KOR", "LTU", "LUX", "LVA", "MEX", "NLD", "NOR", "POL", "PRT", "ROU", "RUS", "SRB",
    "SVK", "SVN", "SWE", "TUR", "UKR", "USA",
)  # fmt: skip


@dataclass
class _Found:
    """What was read so far."""

    rows: list[tuple[str, str, float, float, float, float, float, float, float]] = field(default_factory=list)
    still: list[tuple[str, str, float, float, float, float, float, float, float]] = field(default_factory=list)
    places: list[Element] = field(default_factory=list)
    obstacles: dict[str, Element] = field(default_factory=dict)
    lanelets: dict[str, Lanelet] = field(default_factory=dict)
    starts: dict[str, tuple[float, float, float, float, float]] = field(default_factory=dict)
    lights: dict[str, Node] = field(default_factory=dict)
    signs: dict[str, Node] = field(default_factory=dict)
    pathless: int = 0
    uncertain: int = 0


def read(source: Source, ego: str | None) -> Scenes:
    """The scenario. Raises `InputError` for damage, `EgoMissing` where there is no planning problem to start from."""
    found, root, step = _Found(), None, 0.0
    for top, node in children_of(source):
        if root is None:
            root = dict(top.attrib)
            step = _step(root, source)
        _take(node, found, source.name, step)
    if root is None or not (found.rows or found.still):
        raise InputError(_m("{file} has no road users; obstacles of CommonRoad were expected."), file=source.name)
    notes: list[Note] = []
    frame = _frame(found, str(root.get("benchmarkID") or "scene"), source)
    place: Placed = lambda line: found.places[min(line, len(found.places) - 1)]  # noqa: E731 - a small table look-up
    frame, chosen = _with_start(frame, found, ego, source.name, notes)
    frame = assembled(named_classes(frame, CLASSES, notes), place, notes)
    table = finished(with_ego(frame, chosen, source.name))
    notes += _notes(found)
    scene = str(table["scene_id"].iloc[0])
    times = np.unique(table["t"].to_numpy(dtype=np.float64))
    signs, more = commonroad_signs.signs_of(found.lights, found.signs, found.lanelets, scene, times, step, source.name)
    return Scenes(
        table,
        traffic=_traffic(scene),
        origin=f"CommonRoad: {source.name}",
        road=road_of(found.lanelets, commonroad_signs.limits_of(found.signs, source.name)),
        signs=signs,
        notes=(*notes, *more),
    )


def _step(root: Mapping[str, str], source: Source) -> float:
    place = Element(source.name, ROOT)
    version = root.get("commonRoadVersion", "")
    if version not in VERSIONS:
        raise InputError(
            _m("{place}: the version “{found}” was read; one of {expected} was expected."),
            place=place,
            found=short(version),
            expected=", ".join(VERSIONS),
        )
    step = number_of(root.get("timeStepSize"), place, "timeStepSize")
    if not 0 < step <= 100:
        raise InputError(
            _m("{place}: “{found}” was read in “{name}”; a number of seconds above 0 was expected."),
            place=place,
            found=short(root.get("timeStepSize")),
            name="timeStepSize",
        )
    return step


def _take(node: Node, found: _Found, file: str, step: float) -> None:
    name, number = node.tag, node.get("id", "")
    place = Element(file, short(name), short(number))
    if name in OBSTACLES:
        _obstacle(node, found, place, step)
    elif name == "lanelet":
        _once(found.lanelets, number, place)
        found.lanelets[number] = lanelet_of(node, place)
    elif name == "planningProblem":
        _once(found.starts, number, place)
        t, x, y, heading, speed = _state(node.find("initialState"), place, step, found)
        found.starts[number] = (t, x, y, heading, speed)
    elif name in ("trafficLight", "trafficSign"):
        kept = found.lights if name == "trafficLight" else found.signs
        _once(kept, number, place)
        kept[number] = node


def _once(known: Mapping[str, object], number: str, place: Element) -> None:
    if not number or number in known:
        raise InputError(_m("{place}: an id that no other element of its kind has was expected."), place=place)


def _obstacle(node: Node, found: _Found, place: Element, step: float) -> None:
    _once(found.obstacles, node.get("id", ""), place)
    number, kind = node.get("id", ""), (node.findtext("type") or "unknown").strip()
    length, width = _size(node.find("shape"), place)
    states = node.findall("trajectory/state")
    static = node.tag == "staticObstacle" or (node.findtext("role") or "").strip() == "static"
    if len(found.rows) + len(states) + 1 > MOST_ROWS:
        raise InputError(TOO_MANY_ROWS, file=place.file, most=MOST_ROWS)
    for state in (node.find("initialState"), *states):
        t, x, y, heading, speed = _state(state, place, step, found, static=static)
        row = (number, kind, t, x, y, heading, 0.0 if static else speed, length, width)
        (found.still if static else found.rows).append(row)
        if static:
            break
    found.pathless += not static and not states
    found.obstacles[number] = place
    found.places += [place] * (1 if static else 1 + len(states))


def _state(
    node: Node | None, place: Element, step: float, found: _Found, *, static: bool = False
) -> tuple[float, float, float, float, float]:
    """Time (s), x, y, heading, speed; of what is given as an interval, the middle. What stands still needs no time."""
    if node is None:
        raise InputError(_m("{place} has no initial state; one was expected."), place=place)
    centre = node.find("position/point")
    if centre is None:
        centre = node.find("position/*/center")
        found.uncertain += 1
    x, y = (number_in(centre, axis, place) for axis in ("x", "y"))
    if x is None or y is None:
        raise InputError(_m("{place} has a state without a position; a point was expected."), place=place)
    time = 0.0 if static else _value(node, "time", place)
    if time is None:
        raise InputError(_m("{place} has a state without a time; a time step was expected."), place=place)
    heading, speed = _value(node, "orientation", place), _value(node, "velocity", place)
    return (
        round(time * step, 6),
        x,
        y,
        heading if heading is not None else np.nan,
        np.nan if speed is None else speed,
    )


def _value(node: Node, name: str, place: Element) -> float | None:
    exact = number_in(node, f"{name}/exact", place)
    if exact is not None:
        return exact
    ends = [number_in(node, f"{name}/{end}", place) for end in ("intervalStart", "intervalEnd")]
    return None if None in ends else sum(end for end in ends if end is not None) / 2


def _size(shape: Node | None, place: Element) -> tuple[float, float]:
    """Length and width of the first shape; a circle's diameter, a polygon's extent along its axes; 0 without one."""
    if shape is None:
        return 0.0, 0.0
    if shape.find("rectangle") is not None:
        length, width = (number_in(shape, f"rectangle/{name}", place) for name in ("length", "width"))
        return length or 0.0, width or 0.0
    radius = number_in(shape, "circle/radius", place)
    if radius is not None:
        return 2 * radius, 2 * radius
    corners = [
        [number_in(point, axis, place) or 0.0 for axis in ("x", "y")] for point in shape.findall("polygon/point")
    ]
    if not corners:
        return 0.0, 0.0
    extent = np.ptp(np.array(corners), axis=0)
    return float(extent[0]), float(extent[1])


def _frame(found: _Found, scene: str, source: Source) -> pd.DataFrame:
    """One row for each obstacle and moment; what stands still stands at every moment."""
    names = ["agent_id", "class", "t", "x", "y", "heading", "speed", "length", "width"]
    moving = pd.DataFrame(found.rows, columns=names)
    # The moment of the first planning problem too: it may be the only one at which there is an ego.
    start = [t for t, *_ in list(found.starts.values())[:1]]
    times = np.unique(np.concatenate([moving["t"].to_numpy(dtype=np.float64), [0.0], start]))
    if len(moving) + len(found.still) * len(times) > MOST_ROWS:
        raise InputError(TOO_MANY_ROWS, file=source.name, most=MOST_ROWS)
    still = pd.DataFrame(found.still, columns=names)
    standing = still.loc[still.index.repeat(len(times))].assign(t=np.tile(times, len(still)))
    frame = pd.concat([part for part in (moving, standing) if len(part)], ignore_index=True)
    order = {place.id: number for number, place in enumerate(found.places)}
    return frame.assign(scene_id=scene[:200], line=frame["agent_id"].map(lambda name: order.get(short(name), 0)))


def _with_start(
    frame: pd.DataFrame, found: _Found, ego: str | None, file: str, notes: list[Note]
) -> tuple[pd.DataFrame, str | None]:
    """The ego: an obstacle that was asked for, one that is the planning problem's own, or that problem's start alone."""
    frame = _with_velocity(frame)
    if ego is not None and (frame["agent_id"] == ego).any():
        return frame, ego
    if not found.starts:
        if ego is None:
            raise EgoMissing(file, tuple(frame["agent_id"].unique()))
        return frame, ego
    number, (t, x, y, heading, speed) = next(iter(found.starts.items()))
    same = frame[(frame["agent_id"] == number) & (frame["t"] == t)]
    if ego is None and len(same) and np.hypot(*(same[["x", "y"]].iloc[0] - [x, y])) <= SAME_PLACE:
        notes.append(
            Note(
                _m("The ego is the obstacle {name}: the planning problem has its id and its start."),
                {"name": short(number)},
            )
        )
        return frame, number
    name = f"planning-{number}"
    if ego is not None and ego != name:
        return frame, ego
    notes.append(Note(_m("The ego has no recorded path: only its start, from the planning problem {name}, is known."),
                      {"name": short(number)}))  # fmt: skip
    start = {"agent_id": name, "class": "car", "t": t, "x": x, "y": y, "heading": heading, "speed": speed, "line": 0}
    start |= {"scene_id": frame["scene_id"].iloc[0], "length": 0.0, "width": 0.0}
    return pd.concat([frame, _with_velocity(pd.DataFrame([start]))], ignore_index=True), name


def _with_velocity(frame: pd.DataFrame) -> pd.DataFrame:
    """A speed is along the heading."""
    return frame.assign(vx=frame["speed"] * np.cos(frame["heading"]), vy=frame["speed"] * np.sin(frame["heading"]))


def _notes(found: _Found) -> list[Note]:
    notes = []
    if len(found.starts) > 1:
        notes.append(Note(_m("There are {count} planning problems; the first is used."), {"count": len(found.starts)}))
    if found.pathless:
        notes.append(Note(_m("Moving obstacles without a path, of which only the start is read: {count}."),
                          {"count": found.pathless}))  # fmt: skip
    if found.uncertain:
        notes.append(Note(_m("States with an area for a position, of which the middle is read: {count}."),
                          {"count": found.uncertain}))  # fmt: skip
    return notes


def _traffic(benchmark: str) -> Traffic | None:
    country = benchmark.removeprefix("C-").removeprefix("S-")[:3]
    if country in LEFT:
        return "left"
    return "right" if country in RIGHT else None
