"""Waymo Open Motion: a Scenario message in each record of a TFRecord file; 10 Hz, with signals and a map.

After waymo-research/waymo-open-dataset, scenario.proto and map.proto. The ego is the track of sdc_track_index.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from google.protobuf.message import DecodeError
from jaxtyping import Float

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.kinds import Kind
from attnviz.scenes.reading.assembling import assembled, finished, named_classes, with_ego
from attnviz.scenes.reading.batches import NO_ROWS, TOO_MANY_ROWS
from attnviz.scenes.reading.documents import is_number
from attnviz.scenes.reading.places import Record
from attnviz.scenes.reading.records import records_of
from attnviz.scenes.reading.source import Source
from attnviz.scenes.reading.waymo_messages import scenario_class
from attnviz.scenes.road import Area, Lane, Road, points
from attnviz.scenes.signs import MOST_SIGN_ROWS, SIGN_COLUMNS, State, no_signs
from attnviz.scenes.table import MOST_ROWS, Scenes
from attnviz.trace import Note

CLASSES: dict[str, Kind] = {"1": "car", "2": "pedestrian", "3": "cyclist"}
STATES: tuple[State, ...] = ("unknown", "red", "amber", "arrow", "red", "amber", "green", "red", "amber")
METRES_A_SECOND = 0.44704
MOST_STEPS = 10_000
# Points, lanes and crossings that are kept.
MOST_ROAD = 5_000_000
LICENCE = "Waymo Open Dataset: non-commercial, see waymo.com/open/terms"
COLUMNS = ("t", "x", "y", "heading", "vx", "vy", "length", "width")


def read(source: Source, ego: str | None) -> Scenes:
    """All scenarios of the file. Raises `InputError` for a damaged record or one that is no Scenario."""
    parts: list[pd.DataFrame] = []
    signs: list[tuple[object, ...]] = []
    lanes: list[Lane] = []
    crossings: list[Area] = []
    names: set[str] = set()
    count = room = 0
    for number, content in records_of(source):
        place = Record(source.name, number)
        scenario = _scenario(content, place)
        scene = scenario.scenario_id.decode("utf-8", "replace")[:100] or f"record {number}"
        if scene in names:
            raise InputError(_m("{place}: its scenario “{name}” was there before."), place=place, name=scene[:40])
        names.add(scene)
        part = _rows(scenario, scene, place, number)
        count += len(part)
        if count > MOST_ROWS:
            raise InputError(TOO_MANY_ROWS, file=source.name, most=MOST_ROWS)
        parts.append(part)
        signs += _signals(scenario, scene, place)
        road = _road(scenario, scene, place)
        room += road.points + len(road.lanes) + len(road.crossings)
        if room <= MOST_ROAD:
            lanes += road.lanes
            crossings += road.crossings
        if len(signs) > MOST_SIGN_ROWS:
            raise InputError(
                _m("The table of signs has {found} rows; at most {most} were expected."),
                found=len(signs),
                most=MOST_SIGN_ROWS,
            )
    if not count:
        raise InputError(NO_ROWS, file=source.name)
    notes: list[Note] = []
    frame = pd.concat(parts, ignore_index=True)
    frame["scene_id"] = pd.Categorical(frame["scene_id"], categories=list(dict.fromkeys(frame["scene_id"])))
    frame = assembled(named_classes(frame, CLASSES, notes), lambda record: Record(source.name, record), notes)
    if ego is not None or not frame["is_ego"].any():
        frame = with_ego(frame, ego, source.name)
    if any(row[3] == "stop-line" for row in signs):
        notes.append(Note(_m("Stop signs are read as stop lines at the place of the sign.")))
    if room > MOST_ROAD:
        notes.append(Note(_m("The roads of the last scenes are left out: together they are too large.")))
    return Scenes(
        finished(frame),
        traffic="right",
        origin=f"Waymo Open Motion: {source.name}",
        licence=LICENCE,
        road=Road(tuple(lanes), tuple(crossings)),
        signs=pd.DataFrame(signs, columns=list(SIGN_COLUMNS)) if signs else no_signs(),
        notes=tuple(notes),
    )


def _scenario(content: bytes, place: Record) -> Any:
    try:
        scenario = scenario_class().FromString(content)
    except DecodeError as error:
        raise InputError(_m("{place} is no Scenario message of Waymo Open Motion."), place=place) from error
    steps = len(scenario.timestamps_seconds)
    if not scenario.tracks or not 0 < steps <= MOST_STEPS:
        raise InputError(
            _m("{place} is no Scenario message of Waymo Open Motion: it has {tracks} tracks and {steps} moments."),
            place=place,
            tracks=len(scenario.tracks),
            steps=steps,
        )
    if not np.isfinite(np.asarray(scenario.timestamps_seconds, dtype=np.float64)).all():
        raise InputError(_m("{place}: a time that is no number was read; seconds were expected."), place=place)
    if not 0 <= scenario.sdc_track_index < len(scenario.tracks):
        raise InputError(
            _m("{place}: the ego is track {index}; there are {tracks} tracks."),
            place=place,
            index=scenario.sdc_track_index,
            tracks=len(scenario.tracks),
        )
    return scenario


def _rows(scenario: Any, scene: str, place: Record, number: int) -> pd.DataFrame:
    """The states that are valid; at the others nobody knows where a road user is."""
    times = np.round(np.asarray(scenario.timestamps_seconds, dtype=np.float64), 6)
    parts = []
    ids: set[int] = set()
    for index, track in enumerate(scenario.tracks):
        if len(track.states) > len(times) or track.id in ids:
            raise InputError(
                _m("{place}: the track {name} has more states than there are moments, or an id that another has."),
                place=place,
                name=track.id,
            )
        ids.add(track.id)
        values = np.array(list(_values(track)), dtype=np.float64).reshape(-1, len(COLUMNS))
        steps = values[:, 0].astype(np.int64)
        values[:, 0] = times[steps]
        part = pd.DataFrame(values, columns=list(COLUMNS))
        parts.append(
            part.assign(
                agent_id=str(track.id), is_ego=index == scenario.sdc_track_index, **{"class": str(track.object_type)}
            )
        )
    return pd.concat(parts, ignore_index=True).assign(scene_id=scene, line=number)


def _values(track: Any) -> Iterator[tuple[float, ...]]:
    for step, state in enumerate(track.states):
        if state.valid:
            yield (
                step, state.center_x, state.center_y, state.heading, state.velocity_x, state.velocity_y,
                state.length, state.width,
            )  # fmt: skip


def _signals(scenario: Any, scene: str, place: Record) -> Iterator[tuple[object, ...]]:
    """Signals at every moment at their stop points; stop signs for the whole scene. One without a place is left out."""
    lanes = {feature.id: feature.lane for feature in scenario.map_features if feature.HasField("lane")}
    times = np.round(np.asarray(scenario.timestamps_seconds, dtype=np.float64), 6)
    for t, moment in zip(times.tolist(), scenario.dynamic_map_states, strict=False):
        # A lane has one signal; should there be two, the last one counts.
        for lane, signal in {signal.lane: signal for signal in moment.lane_states}.items():
            state = STATES[signal.state] if 0 <= signal.state < len(STATES) else "unknown"
            if signal.HasField("stop_point"):
                at = _at(signal.stop_point, place)
                yield scene, t, f"signal-{lane}", "traffic-light", *at, _heading(lanes.get(lane)), state, np.nan
    signs = {feature.id: feature.stop_sign for feature in scenario.map_features if feature.HasField("stop_sign")}
    for name, sign in signs.items():
        if sign.HasField("position"):
            at = _at(sign.position, place)
            heading = _heading(lanes.get(next(iter(sign.lane), -1)))
            yield scene, np.nan, f"stop-{name}", "stop-line", *at, heading, None, np.nan


def _at(point: Any, place: Record) -> tuple[float, float]:
    """x and y of a point. Raises `InputError` for what is no place on a road."""
    if not (is_number(point.x) and is_number(point.y)):
        raise InputError(_m("{place} has a point that is none; x and y in metres were expected."), place=place)
    return point.x, point.y


def _heading(lane: Any) -> float:
    """The direction of a lane where it begins, for signals stand there; NaN without one."""
    if lane is None or len(lane.polyline) < 2:
        return float("nan")
    first, second = lane.polyline[0], lane.polyline[1]
    return float(np.arctan2(second.y - first.y, second.x - first.x))


def _road(scenario: Any, scene: str, place: Record) -> Road:
    """Middles of lanes, with their limits, and crosswalks. Bounds are given by other features and are left out."""
    lanes, crossings = [], []
    for feature in scenario.map_features:
        if feature.HasField("lane"):
            limit = feature.lane.speed_limit_mph * METRES_A_SECOND
            centre = _line(feature.lane.polyline, place)
            lanes.append(Lane(str(feature.id), points(), points(), centre, limit if 0 < limit < 1e3 else None, scene))
        elif feature.HasField("crosswalk"):
            crossings.append(Area(str(feature.id), _line(feature.crosswalk.polygon, place), scene))
    return Road(tuple(lanes), tuple(crossings))


def _line(line: Any, place: Record) -> Float[np.ndarray, "n 2"]:
    return points([_at(point, place) for point in line])
