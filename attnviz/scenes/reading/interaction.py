"""INTERACTION: tracks of vehicles, and of pedestrians without heading and size.

After interaction-dataset/interaction-dataset, README.md and python/utils/dataset_reader.py: track_id, frame_id,
timestamp_ms, agent_type, x, y (m), vx, vy (m/s), psi_rad, length, width; with case_id in the files of the challenges.
"""

import pandas as pd

from attnviz.base.language import _m
from attnviz.scenes.kinds import Kind
from attnviz.scenes.reading.assembling import assembled, finished, named_classes, with_ego
from attnviz.scenes.reading.batches import categories, one_text
from attnviz.scenes.reading.source import Source
from attnviz.scenes.reading.text_tables import Header, lines_in, notes_on_end, read_columns
from attnviz.scenes.table import Scenes
from attnviz.trace import Note

NEEDED = ("track_id", "timestamp_ms", "agent_type", "x", "y", "vx", "vy")
OPTIONAL = {"psi_rad": "heading", "length": "length", "width": "width"}
CLASSES: dict[str, Kind] = {
    "car": "car",
    "truck": "truck",
    "bus": "bus",
    "van": "van",
    "motorcycle": "motorcyclist",
    "bicycle": "cyclist",
    "pedestrian": "pedestrian",
    # Files of pedestrians call everybody who is no vehicle so.
    "pedestrian/bicycle": "pedestrian",
}


def is_interaction(header: Header) -> bool:
    """Whether a table with these columns is one of INTERACTION's."""
    return set(NEEDED) <= set(header.names)


def read(source: Source, header: Header, ego: str | None) -> Scenes:
    """The scenes of a file; every case is one. Raises `EgoMissing` without an ego, `InputError` for damage."""
    more = [name for name in OPTIONAL if name in header.names]
    cases = "case_id" in header.names
    raw = read_columns(
        source,
        header,
        numbers=("timestamp_ms", "x", "y", "vx", "vy", *more),
        texts=("track_id", "agent_type", *(["case_id"] if cases else [])),
    )
    notes = notes_on_end(source)
    frame = raw.rename(columns=OPTIONAL | {"track_id": "agent_id", "agent_type": "class"}).assign(
        t=raw["timestamp_ms"] / 1000,
        scene_id=_scene_ids(raw) if cases else one_text("scene", len(raw)),
    )
    frame = assembled(named_classes(frame, CLASSES, notes), lines_in(source, header), notes)
    if (raw["agent_type"] == "pedestrian/bicycle").any():
        notes.append(Note(_m("“pedestrian/bicycle” is read as pedestrians: the file does not tell them apart.")))
    return Scenes(
        finished(with_ego(frame, ego, source.name)), traffic="right", origin=f"INTERACTION: {source.name}",
        licence="INTERACTION dataset: see interaction-dataset.com", notes=tuple(notes),
    )  # fmt: skip


def _scene_ids(raw: pd.DataFrame) -> pd.Categorical:
    """Cases are written as 1.0 in some files."""
    names = [name.removesuffix(".0") for name in raw["case_id"].cat.categories]
    if len(set(names)) < len(names):
        names = list(raw["case_id"].cat.categories)
    return categories(raw["case_id"].cat.codes.to_numpy(), names)
