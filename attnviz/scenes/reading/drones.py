"""inD, rounD and highD: tracks from drones over German roads, with a tracksMeta and a recordingMeta file each.

After ika-rwth-aachen/drone-dataset-tools, src/tracks_import.py, and RobertKrajewski/highD-dataset,
Python/src/data_management/read_csv.py and visualization/visualize_frame.py. inD and rounD: middle of the box, heading in
degrees, y upwards. highD: x and y are the upper left corner of the box in the picture, whose y runs downwards; “width”
is along the road, “height” across it; no heading.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.kinds import Kind
from attnviz.scenes.reading.assembling import assembled, finished, named_classes, with_ego
from attnviz.scenes.reading.batches import one_text
from attnviz.scenes.reading.places import short, written
from attnviz.scenes.reading.source import Source
from attnviz.scenes.reading.text_tables import Header, header_of, lines_in, notes_on_end, read_columns
from attnviz.scenes.road import Lane, Road, points
from attnviz.scenes.table import Scenes
from attnviz.trace import Note

CROSSING = ("trackId", "frame", "xCenter", "yCenter", "heading", "width", "length", "xVelocity", "yVelocity")
HIGHWAY = ("frame", "id", "x", "y", "width", "height", "xVelocity", "yVelocity", "laneId")
TRACKS_META = ({"trackId", "class", "numFrames"}, {"id", "class", "drivingDirection"})
RECORDING_META = {"frameRate", "locationId"}
USUAL_RATE = 25.0
CLASSES: dict[str, Kind] = {
    "car": "car",
    "Car": "car",
    "truck": "truck",
    "Truck": "truck",
    "truck_bus": "truck",
    "bus": "bus",
    "van": "van",
    "bicycle": "cyclist",
    "motorcycle": "motorcyclist",
    "pedestrian": "pedestrian",
}
LICENCE = "levelXdata: non-commercial, see levelxdata.com"


def is_crossing(header: Header) -> bool:
    """Whether a table with these columns holds tracks of inD or rounD."""
    return set(CROSSING) <= set(header.names)


def is_highway(header: Header) -> bool:
    """Whether a table with these columns holds tracks of highD."""
    return set(HIGHWAY) <= set(header.names)


def read_crossing(source: Source, header: Header, ego: str | None, companions: Sequence[Source]) -> Scenes:
    """A recording of inD or rounD. Raises `InputError` without its tracksMeta, `EgoMissing` without an ego."""
    texts = ["trackId", *(["recordingId"] if "recordingId" in header.names else [])]
    raw = read_columns(source, header, numbers=[name for name in CROSSING if name != "trackId"], texts=texts)
    recordings = list(raw["recordingId"].cat.categories) if "recordingId" in raw else []
    notes = notes_on_end(source)
    kinds, _ = _about_tracks(source, companions, "trackId", recordings)
    rate, _ = _about_recording(source, companions, notes, "recordingId", recordings)
    frame = raw.rename(columns={"trackId": "agent_id", "xVelocity": "vx", "yVelocity": "vy"}).assign(
        scene_id=raw["recordingId"] if recordings else one_text("scene", len(raw)),
        t=np.round(raw["frame"] / rate, 6),
        x=raw["xCenter"],
        y=raw["yCenter"],
        heading=np.radians(raw["heading"]),
        **{"class": _classes(raw["trackId"], kinds, source)},
    )
    frame = assembled(named_classes(frame, CLASSES, notes), lines_in(source, header), notes)
    return Scenes(
        finished(with_ego(frame, ego, source.name)), traffic="right", origin=f"inD / rounD: {source.name}",
        licence=LICENCE, notes=tuple(notes),
    )  # fmt: skip


def read_highway(source: Source, header: Header, ego: str | None, companions: Sequence[Source]) -> Scenes:
    """A recording of highD. Raises `InputError` without its tracksMeta, `EgoMissing` without an ego."""
    numbers = [name for name in HIGHWAY if name not in ("id", "laneId")]
    raw = read_columns(source, header, numbers=numbers, texts=("id",))
    notes = notes_on_end(source)
    kinds, directions = _about_tracks(source, companions, "id", [])
    rate, about = _about_recording(source, companions, notes, "id", [])
    codes = raw["id"].cat.codes.to_numpy()
    towards = np.array([_heading(directions.get(name, "")) for name in raw["id"].cat.categories])[codes]
    frame = raw.rename(columns={"id": "agent_id", "width": "length", "height": "width", "xVelocity": "vx"}).assign(
        scene_id=one_text("scene", len(raw)),
        t=np.round(raw["frame"] / rate, 6),
        x=raw["x"] + raw["width"] / 2,
        # The picture's y runs downwards, ours upwards: otherwise Germans would drive on the left.
        y=-(raw["y"] + raw["height"] / 2),
        vy=-raw["yVelocity"],
        heading=towards,
        **{"class": _classes(raw["id"], kinds, source)},
    )
    frame = assembled(named_classes(frame, CLASSES, notes), lines_in(source, header), notes)
    notes.append(Note(_m("The y axis was turned upwards; headings are those of the driving direction.")))
    extent = (float(frame["x"].min()), float(frame["x"].max()))
    return Scenes(
        finished(with_ego(frame, ego, source.name)), traffic="right", origin=f"highD: {source.name}",
        licence=LICENCE, road=_lanes(about, extent), notes=tuple(notes),
    )  # fmt: skip


def _heading(direction: str) -> float:
    """1: the upper lanes, to the left in the picture; 2: the lower ones, to the right. Unknown: along the velocity."""
    return {"1": np.pi, "2": 0.0}.get(direction, np.nan)


def _classes(ids: pd.Series, kinds: Mapping[str, str], source: Source) -> pd.Categorical:
    """The class of every row, in the source's own words."""
    lacking = [name for name in ids.cat.categories if name not in kinds]
    if lacking:
        raise InputError(
            _m("The tracksMeta file says nothing of the road user “{name}” in {file}."),
            name=short(lacking[0]),
            file=source.name,
        )
    words = np.array([kinds[name] for name in ids.cat.categories], dtype=object)
    return pd.Categorical(words[ids.cat.codes.to_numpy()])


def _about_tracks(
    source: Source, companions: Sequence[Source], key: str, recordings: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """From ids to classes, and to driving directions where there are some."""
    for companion, header in _fitting(source, companions, TRACKS_META, key):
        directed = "drivingDirection" in header.names
        texts = [key, "class", *(["drivingDirection"] if directed else [])]
        own = "recordingId" in header.names and bool(recordings)
        meta = read_columns(companion, header, numbers=(), texts=[*texts, *(["recordingId"] if own else [])])
        if own:
            meta = meta[meta["recordingId"].isin(list(recordings))]
        if meta[key].duplicated().any():
            raise InputError(
                _m("{file} has two rows for the road user “{name}”; one was expected."),
                file=companion.name,
                name=short(meta.loc[meta[key].duplicated(), key].iloc[0]),
            )
        if not meta.empty:
            return (
                dict(zip(meta[key], meta["class"], strict=True)),
                dict(zip(meta[key], meta["drivingDirection"], strict=True)) if directed else {},
            )
    raise InputError(
        _m("{file} needs its tracksMeta file, which tells the classes; hand it over as a companion."), file=source.name
    )


def _about_recording(
    source: Source, companions: Sequence[Source], notes: list[Note], key: str, recordings: Sequence[str]
) -> tuple[float, dict[str, str]]:
    """Frames a second, and everything else that is said of the recording."""
    for companion, header in _fitting(source, companions, (RECORDING_META,), key):
        meta = read_columns(companion, header, numbers=(), texts=[*dict.fromkeys(header.names)])
        rows = meta[meta[key].isin(list(recordings))] if recordings and key in meta else meta
        if rows.empty:
            continue
        about = {name: str(rows[name].iloc[0]) for name in header.names}
        rate = written(about["frameRate"])
        if not 0 < rate <= 1000:
            raise InputError(
                _m("{file}: “{found}” was read as “frameRate”; frames a second were expected."),
                file=companion.name,
                found=short(about["frameRate"]),
            )
        return rate, about
    notes.append(Note(_m("Without a recordingMeta file, {rate} frames a second are assumed."), {"rate": USUAL_RATE}))
    return USUAL_RATE, {}


def _fitting(
    source: Source, companions: Sequence[Source], columns: Sequence[set[str]], key: str
) -> list[tuple[Source, Header]]:
    """Companions with these columns. Where several say not of which recording they are, the names have to tell."""
    found = []
    for companion in companions:
        header = header_of(companion)
        if header is not None and any(one <= set(header.names) for one in columns) and key in header.names:
            found.append((companion, header))
    if len(found) > 1 and key == "id":
        number = source.name.split("_")[0]
        found = [(companion, header) for companion, header in found if companion.name.split("_")[0] == number]
    return found


def _lanes(about: Mapping[str, str], extent: tuple[float, float]) -> Road:
    """Lanes between the markings; the upper ones lead to the left."""
    limit = written(about.get("speedLimit", ""))
    lanes = []
    for side in ("upper", "lower"):
        marks = [-written(text) for text in about.get(f"{side}LaneMarkings", "").split(";") if text]
        if not np.isfinite(marks).all():
            continue
        along = extent[::-1] if side == "upper" else extent
        for number, (above, below) in enumerate(pairwise(marks), 1):
            left, right = (below, above) if side == "upper" else (above, below)
            one, other, middle = (points([(x, y) for x in along]) for y in (left, right, (left + right) / 2))
            lanes.append(Lane(f"{side}-{number}", one, other, middle, limit if limit > 0 else None))
    return Road(lanes=tuple(lanes))
