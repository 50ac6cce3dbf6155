"""Argoverse 2, motion forecasting: a scenario in a Parquet file, and its map in JSON.

After argoverse/av2-api, src/av2/datasets/motion_forecasting/data_schema.py and scenario_serialization.py: 10 Hz, the
ego has the track_id “AV”, and no road user has a length or a width.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.kinds import Kind
from attnviz.scenes.reading import parquet_tables
from attnviz.scenes.reading.assembling import assembled, finished, named_classes, with_ego
from attnviz.scenes.reading.batches import one_text
from attnviz.scenes.reading.documents import document_of, line_of
from attnviz.scenes.reading.places import Element, Row, short
from attnviz.scenes.reading.source import Source
from attnviz.scenes.road import Area, Lane, Road
from attnviz.scenes.table import Scenes
from attnviz.trace import Note

NEEDED = ("track_id", "object_type", "timestep", "position_x", "position_y", "heading", "velocity_x", "velocity_y")
NAMES = {
    "track_id": "agent_id", "object_type": "class", "scenario_id": "scene_id",
    "position_x": "x", "position_y": "y", "velocity_x": "vx", "velocity_y": "vy",
}  # fmt: skip
EGO = "AV"
STEP = 0.1
CLASSES: dict[str, Kind] = {
    "vehicle": "car",
    "bus": "bus",
    "pedestrian": "pedestrian",
    "cyclist": "cyclist",
    "motorcyclist": "motorcyclist",
}
LICENCE = "Argoverse 2: CC BY-NC-SA 4.0"


def is_argoverse(columns: Sequence[str]) -> bool:
    """Whether a table with these columns is a scenario of Argoverse 2."""
    return set(NEEDED) <= set(columns)


def read(source: Source, ego: str | None, companions: Sequence[Source]) -> Scenes:
    """The scenario, with its road where a map is among the companions. Raises `InputError` for damage."""
    columns = parquet_tables.columns_of(source)
    raw = parquet_tables.read_columns(
        source,
        numbers=("timestep", "position_x", "position_y", "heading", "velocity_x", "velocity_y"),
        texts=("track_id", "object_type", *(["scenario_id"] if "scenario_id" in columns else [])),
        flags=("observed",) if "observed" in columns else (),
    )
    notes: list[Note] = []
    frame = raw.rename(columns=NAMES).assign(t=np.round(raw["timestep"] * STEP, 6))
    if "scene_id" not in frame:
        frame["scene_id"] = one_text("scene", len(frame))
    frame = assembled(named_classes(frame, CLASSES, notes), lambda row: Row(source.name, row), notes)
    if "observed" in raw:
        notes += _history(frame)
    known = ego is not None or (frame["agent_id"] == EGO).any()
    table = finished(with_ego(frame, (ego or EGO) if known else None, source.name))
    return Scenes(
        table, traffic="right", origin=f"Argoverse 2: {source.name}", licence=LICENCE,
        road=_road(companions), notes=tuple(notes),
    )  # fmt: skip


def _history(frame: pd.DataFrame) -> list[Note]:
    """“observed” says what a forecaster is given, not what the ego can see."""
    observed = frame.loc[frame["observed"].fillna(False).astype(bool), "t"]
    if observed.empty:
        return []
    return [Note(_m("A forecaster is given the time up to {t} s; whether the ego can see a road user, the file does not say."),
                 {"t": round(float(observed.max()), 6)})]  # fmt: skip


def is_map(document: Any) -> bool:
    """Whether this is a map of Argoverse 2."""
    return isinstance(document, dict) and "lane_segments" in document


def looks_like_map(source: Source) -> bool:
    """Whether the file begins as a map of Argoverse 2 does."""
    return source.text.startswith(b"{") and any(
        key in source.start for key in (b'"lane_segments"', b'"drivable_areas"')
    )


def _road(companions: Sequence[Source]) -> Road:
    for companion in companions:
        if companion.text.startswith(b"{"):
            document = document_of(companion)
            if is_map(document):
                return road_of(document, companion.name)
    return Road()


def road_of(document: Any, file: str) -> Road:
    """Lanes, crossings and drivable areas of a map. Raises `InputError` for what is none."""
    lanes = []
    for name, lane in _objects(document, "lane_segments", file):
        place = Element(file, "lane_segments", short(name))
        left, right, centre = (
            line_of(lane.get(key, []), place) for key in ("left_lane_boundary", "right_lane_boundary", "centerline")
        )
        lanes.append(Lane(str(name), left, right, centre))
    crossings = []
    for name, crossing in _objects(document, "pedestrian_crossings", file):
        place = Element(file, "pedestrian_crossings", short(name))
        crossings.append(Area(str(name), _outline(*(line_of(crossing.get(key), place) for key in ("edge1", "edge2")))))
    drivable = [
        Area(str(name), line_of(area.get("area_boundary"), Element(file, "drivable_areas", short(name))))
        for name, area in _objects(document, "drivable_areas", file)
    ]
    return Road(tuple(lanes), tuple(crossings), tuple(drivable))


def _objects(document: Any, key: str, file: str) -> list[tuple[str, dict[str, Any]]]:
    found = document.get(key, {})
    if not isinstance(found, dict) or not all(isinstance(value, dict) for value in found.values()):
        raise InputError(_m("{place}: objects with an id were expected."), place=Element(file, key))
    return list(found.items())


def _outline(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The outline between two edges, which run the same way or opposite ways."""
    if not len(one) or not len(other):
        return np.concatenate([one, other])
    along = np.linalg.norm(one[-1] - other[-1]) < np.linalg.norm(one[-1] - other[0])
    return np.concatenate([one, other[::-1] if along else other])
