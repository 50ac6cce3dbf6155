"""nuScenes: tables in JSON that refer to each other by tokens; 2 Hz, every scene of every log.

After nutonomy/nuscenes-devkit, docs/schema_nuscenes.md. Which table a file holds is told by the keys of its first
record, and every file is read record by record.
"""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.kinds import Kind
from attnviz.scenes.reading import json_streams
from attnviz.scenes.reading.assembling import assembled, finished, named_classes, with_ego
from attnviz.scenes.reading.batches import NO_ROWS, TOO_MANY_ROWS, categories
from attnviz.scenes.reading.places import Placed, Record, short
from attnviz.scenes.reading.source import Source
from attnviz.scenes.table import MOST_ROWS, Scenes, Traffic
from attnviz.trace import Note

EGO = "ego"
# A pose further in time (s) from its sample is none of that sample.
SAME_MOMENT = 0.05
# Visibility is given in bins of 0–40, 40–60, 60–80 and 80–100 %; the first one holds what cannot be seen at all.
HARDLY = "v0-40"
# How far from 1 the square of the length of a rotation may be: more is no rounding.
UNIT = 0.01
LICENCE = "nuScenes: CC BY-NC-SA 4.0"
PARKED = "vehicle.parked"
MOST_RECORDS = 10_000_000

CLASSES: dict[str, Kind] = {
    "vehicle.car": "car",
    "vehicle.emergency.ambulance": "van",
    "vehicle.emergency.police": "car",
    "vehicle.bus.bendy": "bus",
    "vehicle.bus.rigid": "bus",
    "vehicle.truck": "truck",
    "vehicle.motorcycle": "motorcyclist",
    "vehicle.bicycle": "cyclist",
    "human.pedestrian.adult": "pedestrian",
    "human.pedestrian.child": "child",
    "human.pedestrian.construction_worker": "pedestrian",
    "human.pedestrian.police_officer": "pedestrian",
    "human.pedestrian.personal_mobility": "pedestrian",
    "human.pedestrian.stroller": "pedestrian",
    "human.pedestrian.wheelchair": "pedestrian",
    "parked-car": "parked-car",
}
# The keys by which a table is told; the first that fits.
TABLES: dict[str, frozenset[str]] = {
    "sample_annotation": frozenset({"sample_token", "instance_token", "translation", "size", "rotation"}),
    "sample_data": frozenset({"sample_token", "ego_pose_token", "is_key_frame"}),
    "sample": frozenset({"timestamp", "scene_token"}),
    "scene": frozenset({"log_token", "first_sample_token"}),
    "instance": frozenset({"category_token", "nbr_annotations"}),
    "log": frozenset({"logfile", "location"}),
    "ego_pose": frozenset({"timestamp", "translation", "rotation"}),
    "visibility": frozenset({"level"}),
    # Categories and attributes look alike; their tokens tell them apart.
    "names": frozenset({"token", "name", "description"}),
}
Kept = TypeVar("Kept")
NEEDED = ("sample", "sample_annotation", "instance", "scene", "ego_pose")


@dataclass
class _Tables:
    """What is kept of each table: from tokens to what they stand for."""

    samples: dict[str, tuple[int, float]] = field(default_factory=dict)
    scenes: dict[str, tuple[str, str]] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    levels: dict[str, str] = field(default_factory=dict)
    instances: dict[str, str] = field(default_factory=dict)


def table_of(source: Source) -> str | None:
    """Which table a file holds; None where it is none of nuScenes."""
    try:
        return _told(source)
    except InputError:
        return None


def _told(source: Source) -> str | None:
    """The same, with an `InputError` where its first record is damaged."""
    if not source.text.startswith(b"["):
        return None
    first = next(iter(_items(source)), None)
    if not isinstance(first, dict):
        return None
    return next((name for name, keys in TABLES.items() if keys <= set(first)), None)


def read(source: Source, ego: str | None, companions: Sequence[Source]) -> Scenes:
    """All scenes of the tables. Raises `InputError` where one that is needed is missing or damaged."""
    files: dict[str, list[Source]] = {}
    for file in (source, *companions):
        # What is damaged at its beginning might be a table that is needed: it is not passed over.
        name = _told(file)
        if name is not None:
            files.setdefault(name, []).append(file)
    missing = [name for name in NEEDED if name not in files]
    if missing:
        raise InputError(
            _m(
                "{file} needs the table “{name}” of nuScenes; hand it over as a companion, or the folder with all of them."
            ),
            file=source.name,
            name=missing[0],
        )
    tables = _tables(files)
    notes: list[Note] = []
    frame = _annotations(files["sample_annotation"][0], tables)
    poses = _poses(files, tables)
    frame, place = _joined(frame, poses, tables, files["sample_annotation"][0].name, notes)
    frame = assembled(named_classes(frame, CLASSES, notes), place, notes)
    frame = with_ego(frame, ego or EGO, source.name)
    notes.append(
        Note(_m("“Visible” means more than 40 % visible in the six camera pictures, as nuScenes gives it in bins."))
    )
    return Scenes(
        finished(frame), traffic=_traffic(tables, notes), origin=f"nuScenes: {source.name}", licence=LICENCE,
        notes=tuple(notes),
    )  # fmt: skip


def _items(source: Source) -> Iterator[Any]:
    """The records of a table, one after the other."""
    found = json_streams.items(source, "item", lambda count: Record(source.name, count))
    for count, item in enumerate(found, 1):
        if count > MOST_RECORDS:
            raise InputError(TOO_MANY_ROWS, file=source.name, most=MOST_RECORDS)
        yield item


def _read(files: Mapping[str, Sequence[Source]], name: str, take: Callable[[dict[str, Any]], None]) -> None:
    for source in files.get(name, ()):
        for number, item in enumerate(_items(source), 1):
            try:
                take(item)
            except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
                if isinstance(error, InputError):
                    raise
                raise _odd(source, number, name) from error


def _fill(
    files: Mapping[str, Sequence[Source]], name: str, table: dict[str, Kept], take: Callable[[dict[str, Any]], Kept]
) -> None:
    """What is kept of each record, by its token, which no other record of the table may have."""

    def keep(item: dict[str, Any]) -> None:
        token = _text(item["token"])
        if token in table:
            raise KeyError(token)
        table[token] = take(item)

    _read(files, name, keep)


def _odd(source: Source, number: int, name: str) -> InputError:
    return InputError(
        _m("{place}: what was read is no record of the table “{name}” of nuScenes."),
        place=Record(source.name, number),
        name=name,
    )


def _text(found: object) -> str:
    if not isinstance(found, str) or len(found) > 200:
        raise TypeError
    return found


def _tables(files: Mapping[str, Sequence[Source]]) -> _Tables:
    tables = _Tables()
    order: dict[str, int] = {}

    def sample(item: dict[str, Any]) -> tuple[int, float]:
        scene = order.setdefault(_text(item["scene_token"]), len(order))
        return scene, _seconds(item["timestamp"])

    _fill(files, "sample", tables.samples, sample)
    _fill(files, "scene", tables.scenes, lambda item: (_text(item["name"]), _text(item["log_token"])))
    _fill(files, "log", tables.places, lambda item: _text(item["location"]))
    _fill(files, "names", tables.names, lambda item: _text(item["name"]))
    _fill(files, "visibility", tables.levels, lambda item: _text(item["level"]))
    _fill(files, "instance", tables.instances, lambda item: _text(item["category_token"]))
    lacking = next((token for token in order if token not in tables.scenes), None)
    if lacking is not None:
        raise InputError(
            _m("The table “{name}” of nuScenes has no record “{token}”."), name="scene", token=short(lacking)
        )
    tables.scenes = {token: tables.scenes[token] for token in order}
    return tables


def _annotations(source: Source, tables: _Tables) -> pd.DataFrame:
    """A row for every annotation: scene, instance, class, t, x, y, heading, length, width, visible."""
    numbers = array("d")
    codes = array("l")
    ids: dict[str, int] = {}
    kinds: dict[str, int] = {}
    seen: list[bool | None] = []

    def take(item: dict[str, Any]) -> None:
        scene, t = tables.samples[_text(item["sample_token"])]
        x, y = _pair(item["translation"])
        width, length = _pair(item["size"])
        numbers.extend((t, x, y, _yaw(item["rotation"]), length, width))
        instance = _text(item["instance_token"])
        kind = tables.names.get(tables.instances[instance], "")
        parked = any(tables.names.get(token) == PARKED for token in item.get("attribute_tokens", ()))
        kind = "parked-car" if parked and kind == "vehicle.car" else kind
        codes.extend((scene, ids.setdefault(instance, len(ids)), kinds.setdefault(kind, len(kinds))))
        level = tables.levels.get(str(item.get("visibility_token", "")))
        seen.append(None if level is None else level != HARDLY)
        if len(seen) > MOST_ROWS:
            raise InputError(TOO_MANY_ROWS, file=source.name, most=MOST_ROWS)

    _read({"sample_annotation": [source]}, "sample_annotation", take)
    if not seen:
        raise InputError(NO_ROWS, file=source.name)
    values = np.array(numbers).reshape(-1, 6)
    marks = np.array(codes).reshape(-1, 3)
    frame = pd.DataFrame(values, columns=["t", "x", "y", "heading", "length", "width"])
    return frame.assign(
        scene=marks[:, 0],
        agent_id=categories(marks[:, 1], ids),
        visible=pd.Series(seen, dtype=object),
        line=np.arange(1, len(frame) + 1),
        **{"class": categories(marks[:, 2], kinds)},
    )


def _poses(files: Mapping[str, Sequence[Source]], tables: _Tables) -> pd.DataFrame:
    """Where the ego is at each sample: the pose of a key frame of that sample, or the one of the same time."""
    wanted: dict[str, str] = {}
    late: dict[str, float] = {}

    def key_frame(item: dict[str, Any]) -> None:
        if not item["is_key_frame"] or item["sample_token"] not in tables.samples:
            return
        sample = item["sample_token"]
        apart = abs(_seconds(item["timestamp"]) - tables.samples[sample][1])
        if apart < late.get(sample, np.inf):
            late[sample] = apart
            wanted[sample] = _text(item["ego_pose_token"])

    _read(files, "sample_data", key_frame)
    tokens = set(wanted.values())
    by_token: dict[str, tuple[float, float, float]] = {}
    timed: list[tuple[float, float, float, float]] = []

    def pose(item: dict[str, Any]) -> None:
        if tokens and item["token"] not in tokens:
            return
        x, y = _pair(item["translation"])
        found = (x, y, _yaw(item["rotation"]))
        if tokens:
            by_token[item["token"]] = found
        else:
            timed.append((_seconds(item["timestamp"]), *found))

    _read(files, "ego_pose", pose)
    rows = []
    times = np.array(sorted(timed)).reshape(-1, 4)
    for sample, (scene, t) in tables.samples.items():
        found = by_token.get(wanted.get(sample, "")) if tokens else _nearest(times, t)
        if found is not None:
            rows.append((scene, t, *found))
    return pd.DataFrame(rows, columns=["scene", "t", "x", "y", "heading"]).astype({"scene": np.int64, "t": np.float64})


def _nearest(times: np.ndarray, t: float) -> tuple[float, float, float] | None:
    if not len(times):
        return None
    after = int(np.searchsorted(times[:, 0], t))
    near = min((place for place in (after - 1, after) if 0 <= place < len(times)), key=lambda n: abs(times[n, 0] - t))
    row = times[near]
    return (float(row[1]), float(row[2]), float(row[3])) if abs(row[0] - t) <= SAME_MOMENT else None


def _joined(
    frame: pd.DataFrame, poses: pd.DataFrame, tables: _Tables, file: str, notes: list[Note]
) -> tuple[pd.DataFrame, Placed]:
    """Annotations and the ego, each scene from its first moment on, in the order of time."""
    ego = poses.assign(agent_id=EGO, visible=None, line=0, length=0.0, width=0.0, **{"class": "vehicle.car"})
    lost = len(tables.samples) - len(poses)
    if lost:
        notes.append(Note(_m("Moments at which the place of the ego is not known: {count}."), {"count": lost}))
    whole = pd.concat([ego, frame.astype({"agent_id": object, "class": object})], ignore_index=True)
    starts = np.full(len(tables.scenes), np.inf)
    for scene, t in tables.samples.values():
        starts[scene] = min(starts[scene], t)
    marks = whole["scene"].to_numpy(dtype=np.int64)
    names = [name for name, _ in tables.scenes.values()]
    # Two scenes of one name would be one scene.
    names = [name if names.count(name) == 1 else f"{name} {place}" for place, name in enumerate(names)]
    whole = whole.assign(t=np.round(whole["t"] - starts[marks], 6), scene_id=categories(marks, names))
    whole = whole.sort_values(["scene", "t"], kind="stable", ignore_index=True)
    return whole, lambda line: Record(file, line)


def _traffic(tables: _Tables, notes: list[Note]) -> Traffic | None:
    """Singapore drives on the left, Boston on the right."""
    found = {tables.places.get(log, "") for _, log in tables.scenes.values()}
    sides = {"left" if name.startswith("singapore") else "right" if name.startswith("boston") else "" for name in found}
    if sides == {"left"}:
        return "left"
    if sides == {"right"}:
        return "right"
    notes.append(Note(_m("The side that is driven on is not known, or not the same in all scenes.")))
    return None


def _pair(found: Any) -> tuple[float, float]:
    one, other = found[0], found[1]
    return _number(one), _number(other)


def _number(found: object) -> float:
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        raise TypeError
    return float(found)


def _seconds(microseconds: object) -> float:
    return _number(microseconds) / 1e6


def _yaw(rotation: Any) -> float:
    """The heading of a quaternion w, x, y, z: the angle about the upward axis."""
    w, x, y, z = (_number(part) for part in rotation)
    if abs(w * w + x * x + y * y + z * z - 1) > UNIT:
        raise ValueError
    return float(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))
