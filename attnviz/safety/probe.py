"""A child behind every occluder: where it could come from, how long it would be seen, and what the model then says."""

import math
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.models.turn.turn_model import Seen
from attnviz.scenes import SIZES, Scenes
from attnviz.scenes.boxes import corners
from attnviz.scenes.risk import Walker, along_points, corridor_of, phantom
from attnviz.scenes.sighting import LOW, with_sight

HORIZON = 9.0
_STEP = 0.05
CHILD = "phantom"


@runtime_checkable
class Probed(Protocol):
    """A model of scenes that decides: `attnviz.models.turn.turn_model.TurnModel` is one, and whatever offers the same."""

    def seen(self, scenes: Scenes, scene_id: str = "scene", times: tuple[float, ...] = (0.0,)) -> Seen:
        """What it reads."""
        ...

    def log_odds(self, seen: Seen) -> Float[Tensor, " times"]:
        """Of a conflict."""
        ...


@dataclass(frozen=True)
class Probe:
    """One occluder and the child that is put behind it. Metres, seconds from now, log-odds.

    hiding: where it stands hidden now; entry: where it enters the ego's way, just when the ego's front is there
    (`meeting`). first_seen: how long before that it comes into view and stays in it (`warning`), and where it is then.
    with_child, without_child: what the model says at that moment, of a scene in which everybody goes on as now.
    """

    occluder: str
    hiding: tuple[float, float]
    entry: tuple[float, float]
    meeting: float
    warning: float
    first_seen: tuple[float, float]
    with_child: float
    without_child: float


def probes(
    model: Probed, scenes: Scenes, scene_id: str, t: float, way: Float[Tensor, "points 2"], walker: Walker | None = None
) -> list[Probe]:
    """The earliest child behind each road user that can hide one, in the way of an ego that goes on along `way`.

    Road users behind whom nobody could be there in time are left out. See `attnviz.scenes.risk.phantom` for what is
    meant exactly. Raises `InputError` where the moment has no ego.
    """
    walker = walker or Walker()
    rows = scenes.moment(scene_id, t)
    ego, hiding = rows.iloc[0], rows[~rows["is_ego"].astype(bool) & ~rows["class"].isin(LOW)]
    speed = math.hypot(float(ego["vx"]), float(ego["vy"]))
    if not len(hiding) or not speed > 0:
        return []
    times = _STEP * torch.arange(round(HORIZON / _STEP) + 1, dtype=torch.float64)
    place = torch.tensor([float(ego["x"]), float(ego["y"])], dtype=torch.float64)
    path = along_points(way.double(), place, speed, times)
    ahead = corridor_of(path, float(ego["length"]), float(ego["width"]))
    found = phantom(path, ahead, _boxes(hiding), walker)
    made = []
    for number, name in enumerate(hiding["agent_id"].astype(str)):
        meeting, warning = float(found.ttc[number]), float(found.warning_time[number])
        if not math.isfinite(meeting):
            continue
        start, entry = found.hiding[number], found.entry[number]
        back = start - entry
        distance = float(back.norm())
        towards = back / distance if distance > 0 else back
        shown = entry + towards * min(distance, walker.speed * warning)
        moment = _later(scenes, rows, max(meeting - warning, 0.0), path.places, path.headings, times, speed)
        child = _with_child(moment, shown, -towards * walker.speed)
        answers = [float(model.log_odds(model.seen(with_sight(one), scene_id, (t,)))[0]) for one in (child, moment)]
        made.append(Probe(name, _pair(start), _pair(entry), meeting, warning, _pair(shown), *answers))
    return sorted(made, key=lambda probe: (probe.warning, probe.meeting))


def _later(
    scenes: Scenes, rows: pd.DataFrame, after: float, places: Tensor, headings: Tensor, times: Tensor, speed: float
) -> Scenes:
    """The moment so many seconds on: the ego along its way, everybody else straight on."""
    moved = rows.assign(
        x=rows["x"] + np.nan_to_num(rows["vx"]) * after, y=rows["y"] + np.nan_to_num(rows["vy"]) * after, visible=None
    )
    step = int((times - after).abs().argmin())
    heading = float(headings[step])
    ego = moved["is_ego"].astype(bool)
    for name, number in (
        ("x", float(places[step, 0])), ("y", float(places[step, 1])), ("heading", heading),
        ("vx", speed * math.cos(heading)), ("vy", speed * math.sin(heading)),
    ):  # fmt: skip
        moved.loc[ego, name] = number
    return replace(scenes, table=moved)


def _with_child(moment: Scenes, place: Tensor, velocity: Tensor) -> Scenes:
    taken, name = set(moment.table["agent_id"].astype(str)), CHILD
    while name in taken:
        name += "-"
    row = moment.table.iloc[0].to_dict() | {
        "agent_id": name, "class": "child", "x": float(place[0]), "y": float(place[1]),
        "heading": math.atan2(float(velocity[1]), float(velocity[0])), "vx": float(velocity[0]), "vy": float(velocity[1]),
        "length": SIZES["child"].length, "width": SIZES["child"].width, "is_ego": False, "valid": True, "visible": True,
    }  # fmt: skip
    return replace(moment, table=pd.concat([moment.table, pd.DataFrame([row])], ignore_index=True))


def _boxes(rows: pd.DataFrame) -> Float[Tensor, "rows 4 2"]:
    return corners(
        *(
            torch.from_numpy(rows[name].to_numpy(dtype=np.float64).copy())
            for name in ("x", "y", "heading", "length", "width")
        )
    )


def _pair(place: Tensor) -> tuple[float, float]:
    return float(place[0]), float(place[1])
