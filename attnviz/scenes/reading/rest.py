"""What scenes are beside their rows, as one JSON document: traffic, origin, licence, road, signs and notes."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.reading.assembling import FURTHEST
from attnviz.scenes.reading.documents import is_number, line_of
from attnviz.scenes.reading.places import Element, short
from attnviz.scenes.road import Area, Lane, Road
from attnviz.scenes.signs import MOST_SIGN_ROWS, SIGN_COLUMNS, no_signs
from attnviz.scenes.table import Scenes, Traffic
from attnviz.trace import Note

VERSION = 1
KEYS = ("version", "traffic", "origin", "licence", "road", "signs", "notes")
SIGN_NUMBERS = ("t", "x", "y", "heading", "limit")
AXES = (0, 1)
MOST_NOTES = 1_000
MOST_SIGNS_OF_TEXT = 1_000


@dataclass(frozen=True)
class Rest:
    """Everything but the rows."""

    traffic: Traffic | None = None
    origin: str = ""
    licence: str = ""
    road: Road = field(default_factory=Road)
    signs: pd.DataFrame = field(default_factory=no_signs)
    notes: tuple[Note, ...] = ()


def rest_of(document: Any, file: str) -> Rest:
    """What was written beside the rows. Raises `InputError` for what is none of it, and for a later version."""
    place = Element(file, "attnviz")
    if not isinstance(document, dict):
        raise InputError(_m("{place}: objects with an id were expected."), place=place)
    version = document.get("version", VERSION)
    if version != VERSION:
        raise InputError(
            _m("{place}: the version “{found}” was read; one of {expected} was expected."),
            place=place,
            found=short(version),
            expected=VERSION,
        )
    traffic = document.get("traffic")
    texts = [document.get(name, "") for name in ("origin", "licence")]
    if traffic not in (None, "left", "right") or not all(isinstance(text, str) for text in texts):
        raise InputError(_m("{place}: traffic, origin or licence is none."), place=place)
    return Rest(
        traffic, texts[0][:MOST_SIGNS_OF_TEXT], texts[1][:MOST_SIGNS_OF_TEXT], _road_of(document.get("road") or {}, file),
        _signs_of(document.get("signs") or [], file), _notes_of(document.get("notes") or [], file),
    )  # fmt: skip


def _road_of(document: Any, file: str) -> Road:
    parts: dict[str, list[Any]] = {}
    for name in ("lanes", "crossings", "drivable"):
        found = document.get(name, []) if isinstance(document, dict) else None
        if not isinstance(found, list) or not all(isinstance(part, dict) for part in found):
            raise InputError(_m("{place}: objects with an id were expected."), place=Element(file, name))
        parts[name] = found
    lanes = []
    for lane in parts["lanes"]:
        place = Element(file, "lanes", short(lane.get("id", "")))
        limit = lane.get("limit")
        if limit is not None and not is_number(limit):
            raise InputError(
                _m("{place}: “{found}” was read in “{name}”; a number was expected."),
                place=place, found=short(limit), name="limit",
            )  # fmt: skip
        left, right, centre = (line_of(lane.get(name, []), place, AXES) for name in ("left", "right", "centre"))
        lanes.append(Lane(str(lane.get("id", ""))[:200], left, right, centre,
                          None if limit is None else float(limit), str(lane.get("scene_id", ""))[:200]))  # fmt: skip
    areas = [
        tuple(
            Area(str(area.get("id", ""))[:200], line_of(area.get("polygon"), Element(file, name, short(area.get("id", ""))), AXES),
                 str(area.get("scene_id", ""))[:200])
            for area in parts[name]
        )
        for name in ("crossings", "drivable")
    ]  # fmt: skip
    return Road(tuple(lanes), *areas)


def _signs_of(rows: Any, file: str) -> pd.DataFrame:
    place = Element(file, "signs")
    if not isinstance(rows, list) or len(rows) > MOST_SIGN_ROWS or not all(isinstance(row, list) for row in rows):
        raise InputError(
            _m("{place}: rows of {expected} were expected."), place=place, expected=", ".join(SIGN_COLUMNS)
        )
    if not rows:
        return no_signs()
    cells = [[math.nan if cell is None and name in SIGN_NUMBERS else cell
              for name, cell in zip(SIGN_COLUMNS, row, strict=False)] for row in rows]  # fmt: skip
    numbers = [
        is_number(cell, FURTHEST["t"]) or (isinstance(cell, float) and math.isnan(cell))
        if name in SIGN_NUMBERS
        else cell is None or isinstance(cell, str)
        for row in cells
        for name, cell in zip(SIGN_COLUMNS, row, strict=False)
    ]
    if not all(numbers) or any(len(row) != len(SIGN_COLUMNS) for row in cells):
        raise InputError(
            _m("{place}: rows of {expected} were expected."), place=place, expected=", ".join(SIGN_COLUMNS)
        )
    return pd.DataFrame(cells, columns=list(SIGN_COLUMNS)).astype(dict.fromkeys(SIGN_NUMBERS, np.float64))


def _notes_of(found: Any, file: str) -> tuple[Note, ...]:
    """Notes are sentences of ours with fields; whatever else a file holds there is said as it stands."""
    if not isinstance(found, list) or len(found) > MOST_NOTES:
        raise InputError(_m("{place}: a list was expected."), place=Element(file, "notes"))
    return tuple(
        Note("{note}", {"note": short(text) if len(str(text)) > MOST_SIGNS_OF_TEXT else str(text)}) for text in found
    )


def document_of(scenes: Scenes) -> dict[str, Any]:
    """What `rest_of` reads."""
    rows = scenes.signs[list(SIGN_COLUMNS)].astype(object).itertuples(index=False)
    return {
        "version": VERSION,
        "traffic": scenes.traffic,
        "origin": scenes.origin,
        "licence": scenes.licence,
        "road": {
            "lanes": [
                {"id": lane.id, "left": lane.left.tolist(), "right": lane.right.tolist(), "centre": lane.centre.tolist(),
                 "limit": lane.limit, "scene_id": lane.scene_id}
                for lane in scenes.road.lanes
            ],
            **{
                name: [{"id": area.id, "polygon": area.polygon.tolist(), "scene_id": area.scene_id} for area in areas]
                for name, areas in (("crossings", scenes.road.crossings), ("drivable", scenes.road.drivable))
            },
        },
        "signs": [[plain(cell) for cell in row] for row in rows],
        "notes": [str(note) for note in scenes.notes],
    }  # fmt: skip


def plain(cell: Any) -> Any:
    """What JSON can hold: no NaN, no numbers of numpy."""
    if cell is None or cell is pd.NA or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, (bool, np.bool_)):
        return bool(cell)
    return float(cell) if isinstance(cell, (float, np.floating)) else str(cell) if isinstance(cell, str) else int(cell)
