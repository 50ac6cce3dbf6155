"""From the columns of a source to the one table: classes, sizes, velocities, headings, the ego, and what was assumed."""

import difflib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.kinds import SIZES, Kind
from attnviz.scenes.reading.places import Line, Placed, short
from attnviz.scenes.table import COLUMNS, LEAST_SIZE, MOST_AT_ONCE
from attnviz.trace import Note

# Numbers beyond these are none of a road: metres, seconds, metres a second, radians.
FURTHEST = {"x": 1e8, "y": 1e8, "t": 1e11, "vx": 1e4, "vy": 1e4, "heading": 1e6, "length": 1e3, "width": 1e3}
# Slower than this (m/s), a velocity is noise and tells no heading.
STANDING = 0.1
MOST_CANDIDATES = 1_000
MOST_NAMED = 5
MOST_CLASSES_NAMED = 10
VEHICLES: tuple[Kind, ...] = ("car", "van", "bus", "truck", "motorcyclist")


class EgoMissing(InputError):  # noqa: N818 - what is missing, not that something went wrong
    """The file does not say which road user is the ego. candidates: ids of those that can be, vehicles first."""

    def __init__(self, file: str, candidates: tuple[str, ...]) -> None:
        super().__init__(
            _m("{file} does not say which road user is the ego; choose one with ego=, for example {candidates}."),
            file=file,
            candidates=", ".join(short(name) for name in candidates[:MOST_NAMED]),
        )
        self.candidates = candidates


def lines_of(file: str) -> Placed:
    """Places in a file of text."""
    return lambda line: Line(file, line)


def named_classes(frame: pd.DataFrame, known: Mapping[str, Kind], notes: list[Note]) -> pd.DataFrame:
    """The frame with our classes; a class that we lack is an obstacle, and is counted in a note."""
    words = frame["class"].astype("category")
    unknown = [word for word in words.cat.categories if word not in known]
    for word in unknown[:MOST_CLASSES_NAMED]:
        count = frame.loc[(words == word).to_numpy(), ["scene_id", "agent_id"]].drop_duplicates().shape[0]
        if count:
            notes.append(
                Note(_m("Road users of the class “{found}” are read as obstacles: {count}."),
                     {"found": short(word), "count": count})
            )  # fmt: skip
    ours = np.array([known.get(word, "obstacle") for word in words.cat.categories] + ["obstacle"], dtype=object)
    return frame.assign(**{"class": pd.Categorical(ours[words.cat.codes.to_numpy()])})


def check_numbers(frame: pd.DataFrame, place: Placed) -> None:
    """Refuse a position or time that is no number, and any number that is none of a road, naming where it stands."""
    for name, most in FURTHEST.items():
        if name not in frame:
            continue
        values = frame[name].to_numpy(dtype=np.float64)
        bad = np.abs(values) > most
        if name in ("x", "y", "t"):
            bad |= np.isnan(values)
        if name in ("length", "width"):
            bad |= values < 0
        if bad.any():
            row = int(bad.argmax())
            raise InputError(
                _m(
                    "{place}: “{found}” was read as “{name}” of the road user “{agent}”; a number up to {most} was expected."
                ),
                place=place(int(frame["line"].iloc[row])),
                found="" if np.isnan(values[row]) else f"{values[row]:g}",
                name=name,
                agent=short(frame["agent_id"].iloc[row]),
                most=f"{most:.0f}",
            )


def check_moments(frame: pd.DataFrame, place: Placed) -> None:
    """Refuse a road user without an id, two rows of one at one moment, times that go back, and a crowd, naming where."""
    nameless = (frame["agent_id"] == "").to_numpy()
    if nameless.any():
        raise InputError(
            _m("{place}: a road user without an id was read; one was expected."),
            place=place(int(frame["line"].iloc[int(nameless.argmax())])),
        )
    keys = frame.groupby(["scene_id", "agent_id"], sort=False, observed=True)
    steps = keys["t"].diff().to_numpy()
    back = steps < 0
    if back.any():
        row = int(back.argmax())
        raise InputError(
            _m("{place}: the time of the road user “{name}” goes back from {before} s to {t} s."),
            place=place(int(frame["line"].iloc[row])),
            name=short(frame["agent_id"].iloc[row]),
            before=round(float(frame["t"].iloc[row] - steps[row]), 6),
            t=round(float(frame["t"].iloc[row]), 6),
        )
    if (steps == 0).any():
        row = int((steps == 0).argmax())
        raise InputError(
            _m("{place}: the road user “{name}” has two rows for the moment {t} s; one was expected."),
            place=place(int(frame["line"].iloc[row])),
            name=short(frame["agent_id"].iloc[row]),
            t=round(float(frame["t"].iloc[row]), 6),
        )
    crowd = frame.groupby(["scene_id", "t"], sort=False, observed=True)["line"].transform("size").to_numpy()
    if crowd.max() > MOST_AT_ONCE:
        row = int(crowd.argmax())
        raise InputError(
            _m("{place}: there are {found} road users at the moment {t} s; at most {most} were expected."),
            place=place(int(frame["line"].iloc[row])),
            found=int(crowd[row]),
            t=round(float(frame["t"].iloc[row]), 6),
            most=MOST_AT_ONCE,
        )


def with_sizes(frame: pd.DataFrame, notes: list[Note]) -> pd.DataFrame:
    """Lengths and widths that are missing or 0, or below what a box needs, are those of the class.

    They are marked in `assumed` and counted in a note.
    """
    given = {name: frame[name].to_numpy(dtype=np.float64) if name in frame else 0.0 for name in ("length", "width")}
    kinds = frame["class"].astype("category")
    defaults = [SIZES[kind] for kind in kinds.cat.categories]
    codes = kinds.cat.codes.to_numpy()
    known = np.array([(size.length, size.width) for size in defaults]).reshape(-1, 2)[codes]
    length, width = (
        np.where(np.nan_to_num(given[name]) >= LEAST_SIZE, given[name], 0.0) for name in ("length", "width")
    )
    assumed = np.broadcast_to((length == 0) | (width == 0), (len(frame),))
    sized = frame.assign(
        length=np.where(length == 0, known[:, 0], length),
        width=np.where(width == 0, known[:, 1], width),
        assumed=assumed,
    )
    if assumed.any():
        count, everybody = (_agents(rows) for rows in (sized[assumed], sized))
        notes.append(
            Note(
                _m("Length or width is that of the class, for the source gives none: {count} of {all} road users."),
                {"count": count, "all": everybody},
            )
        )
    return sized


def with_velocities(frame: pd.DataFrame, notes: list[Note]) -> pd.DataFrame:
    """Velocities that the source lacks: from one moment to the next, the last as the one before; unknown for one moment.

    Where the source has the columns, what is missing in them stays unknown.
    """
    if "vx" in frame and "vy" in frame:
        return frame
    keys = frame.groupby(["scene_id", "agent_id"], sort=False, observed=True)
    seconds = keys["t"].diff(-1)
    found = {name: keys[axis].diff(-1) / seconds for name, axis in (("vx", "x"), ("vy", "y"))}
    moved = frame.assign(**found)
    filled = moved.groupby(["scene_id", "agent_id"], sort=False, observed=True)[["vx", "vy"]].ffill()
    notes.append(Note(_m("Velocities are differences of positions, for the source gives none.")))
    return frame.assign(vx=filled["vx"], vy=filled["vy"])


def with_headings(frame: pd.DataFrame, notes: list[Note]) -> pd.DataFrame:
    """Headings that are missing: along the velocity; one who stands keeps the last, or the next; else along the x axis."""
    given = frame["heading"].to_numpy(dtype=np.float64) if "heading" in frame else np.full(len(frame), np.nan)
    missing = np.isnan(given)
    if not missing.any():
        return frame
    vx, vy = (frame[name].to_numpy(dtype=np.float64) for name in ("vx", "vy"))
    moving = np.hypot(vx, vy) > STANDING
    heading = np.where(missing & moving, np.arctan2(vy, vx), given)
    keyed = frame.assign(heading=heading).groupby(["scene_id", "agent_id"], sort=False, observed=True)["heading"]
    forward = keyed.ffill()
    backward = frame.assign(heading=forward).groupby(["scene_id", "agent_id"], sort=False, observed=True)["heading"]
    notes.append(
        Note(
            _m("Headings are those of the velocities, for the source gives none: {count} of {all} road users."),
            {"count": _agents(frame[missing]), "all": _agents(frame)},
        )
    )
    return frame.assign(heading=backward.bfill().fillna(0.0))


def with_ego(frame: pd.DataFrame, ego: str | None, file: str) -> pd.DataFrame:
    """The frame with the ego that was asked for. Raises `EgoMissing` without one, `InputError` where nobody is it."""
    ids = [str(name) for name in frame["agent_id"].unique()]
    if ego is None:
        vehicles = set(frame.loc[frame["class"].isin(VEHICLES), "agent_id"].unique())
        ids.sort(key=lambda name: name not in vehicles)
        raise EgoMissing(file, tuple(ids[:MOST_CANDIDATES]))
    if ego not in ids:
        near = difflib.get_close_matches(ego[:100], ids[:5_000], n=MOST_NAMED, cutoff=0.3) or ids[:MOST_NAMED]
        raise InputError(
            _m("{file} has no road user “{name}” that could be the ego; near ones are {near}."),
            file=file,
            name=short(ego),
            near=", ".join(short(name) for name in near),
        )
    return frame.assign(is_ego=(frame["agent_id"] == ego).to_numpy())


def finished(frame: pd.DataFrame) -> pd.DataFrame:
    """The columns of the table in their order; who is in a row is there, and whether it is seen nobody knows."""
    rest: dict[str, Any] = {}
    if "valid" not in frame:
        rest["valid"] = True
    if "visible" not in frame:
        rest["visible"] = np.full(len(frame), None, dtype=object)
    if "is_ego" not in frame:
        rest["is_ego"] = False
    whole = frame.assign(**rest)
    for name in ("scene_id", "agent_id", "class"):
        whole[name] = whole[name].astype("category")
    return whole[[*COLUMNS, "assumed"]].reset_index(drop=True)


def assembled(frame: pd.DataFrame, place: Placed, notes: list[Note]) -> pd.DataFrame:
    """Everything that is done alike for every format, after classes were named and before the ego is chosen.

    frame: scene_id, agent_id, class, t, x, y, line; heading, vx, vy, length, width where the source has them.
    """
    check_numbers(frame, place)
    check_moments(frame, place)
    sized = with_sizes(frame, notes)
    return with_headings(with_velocities(sized, notes), notes)


def _agents(frame: pd.DataFrame) -> int:
    return int(frame[["scene_id", "agent_id"]].drop_duplicates().shape[0])
