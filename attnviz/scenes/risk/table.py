"""All measures of one scene in a table: a row for each road user and moment."""

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from torch import Tensor

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.boxes import corners, gap
from attnviz.scenes.risk.collision import time_to_collision, time_to_collision_along
from attnviz.scenes.risk.columns import COLUMNS
from attnviz.scenes.risk.corridor import corridor_of
from attnviz.scenes.risk.deceleration import required_deceleration
from attnviz.scenes.risk.encounter import closest_encounter
from attnviz.scenes.risk.encroachment import post_encroachment_time
from attnviz.scenes.risk.path import Path, along_points, as_recorded, moved, straight_on
from attnviz.scenes.risk.stepping_out import Walker, phantom, shadow_area
from attnviz.scenes.table import Scenes

HORIZON = 8.0
STEP = 0.05
# Two moments that are nearer to each other than this, in s, are one.
SAME = 1e-6


def measures(
    scenes: Scenes,
    scene_id: str = "scene",
    path: Float[Tensor, "points 2"] | None = None,
    *,
    horizon: float = HORIZON,
    walker: Walker | None = None,
) -> pd.DataFrame:
    """The measures of every other road user at every moment with an ego; `describe` says what each column is.

    path: points in m along which the ego goes on at its speed. Without it the ego's own recorded track is its path,
    and where that ends, constant velocity; the column “path” says which. horizon: s that are looked ahead. walker:
    who might be hidden. A speed that is not in the table is taken from the track, to the next moment or from the last;
    where there is none either, what needs it is NaN.
    Raises `InputError` for a scene that is not there or has no ego, and for a path that is none.
    """
    table = scenes.table
    rows = table[(table["scene_id"] == scene_id) & table["valid"].astype(bool)].sort_values("t", kind="stable")
    if not rows["is_ego"].astype(bool).any():
        raise InputError(
            _m("The scene “{name}” has no ego; risk is measured from where the ego is."), name=scene_id[:40]
        )
    points = None if path is None else _checked(path)
    rows = _with_velocities(rows)
    ego = rows[rows["is_ego"].astype(bool)]
    encroachments = _encroachments(rows, ego)
    times = rows["t"].to_numpy(dtype=np.float64)
    found = []
    for t in ego["t"].tolist():
        first, last = np.searchsorted(times, [t - SAME, t + SAME], side="left")
        found.append(_of_moment(rows.iloc[first:last], ego[ego["t"] >= t - SAME], points, horizon, walker))
    together = pd.concat(found, ignore_index=True)
    together["pet"] = together["agent_id"].map(encroachments).astype(np.float64)
    return together[list(COLUMNS)]


def _of_moment(
    rows: pd.DataFrame, coming: pd.DataFrame, points: Tensor | None, horizon: float, walker: Walker | None
) -> pd.DataFrame:
    ego, others = rows[rows["is_ego"].astype(bool)].iloc[0], rows[~rows["is_ego"].astype(bool)]
    table = others[["scene_id", "t", "agent_id", "class"]].reset_index(drop=True)
    box, boxes = _boxes(rows[rows["is_ego"].astype(bool)])[0], _boxes(others)
    table["distance"] = gap(box, boxes).numpy()
    velocity = torch.tensor([ego["vx"], ego["vy"]], dtype=torch.float64)
    if not velocity.isfinite().all():
        return table.reindex(columns=[*COLUMNS]).assign(path="unknown")
    times = STEP * torch.arange(round(horizon / STEP) + 1, dtype=torch.float64)
    path = _path(ego, velocity, coming, points, times)
    length, width, speed = float(ego["length"]), float(ego["width"]), float(velocity.norm())
    velocities = _columns(others, "vx", "vy")
    planned, predicted = path.boxes(length, width), moved(boxes, velocities, times)
    ahead = corridor_of(path, length, width)
    hidden = phantom(path, ahead, boxes, walker)
    when, nearest = closest_encounter(times, planned, predicted)
    columns = {
        "ttc": time_to_collision(box, boxes, velocity, velocities, horizon),
        "ttc_path": time_to_collision_along(times, planned, predicted),
        "ttce": when,
        "dce": nearest,
        "required_deceleration": required_deceleration(path, speed, length, width, boxes, velocities),
        "shadow_on_path": shadow_area(path.places[0], boxes, ahead, reach=0.0),
        "shadow_area": shadow_area(path.places[0], boxes, ahead),
        "step_out_time": hidden.step_out_time,
        "phantom_ttc": hidden.ttc,
        "warning_time": hidden.warning_time,
    }
    return table.assign(path=path.origin, **{name: values.numpy() for name, values in columns.items()})


def _path(
    ego: pd.Series, velocity: Tensor, coming: pd.DataFrame, points: Tensor | None, times: Float[Tensor, " times"]
) -> Path:
    place = torch.tensor([ego["x"], ego["y"]], dtype=torch.float64)
    if points is not None:
        return along_points(points, place, float(velocity.norm()), times)
    if len(coming) < 2:
        return straight_on(place, float(ego["heading"]), velocity, times)
    track = _columns(coming, "t", "x", "y", "heading")
    return as_recorded(track[:, 0] - float(ego["t"]), track[:, 1:3], track[:, 3], times)


def _encroachments(rows: pd.DataFrame, ego: pd.DataFrame) -> dict[object, float]:
    """The post-encroachment time of each road user with the ego, over the whole recording."""
    own_times, own = _columns(ego, "t")[:, 0], _boxes(ego)
    others = rows[~rows["is_ego"].astype(bool)].groupby("agent_id")
    return {
        name: post_encroachment_time(own_times, own, _columns(track, "t")[:, 0], _boxes(track)).item()
        for name, track in others
    }


def _with_velocities(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with speeds that are unknown filled in from the track."""
    tracks = rows.groupby("agent_id")
    filled = rows.copy()
    for place, speed in (("x", "vx"), ("y", "vy")):
        forward = tracks[place].diff().div(tracks["t"].diff())
        to_next = forward.groupby(rows["agent_id"]).shift(-1)
        filled[speed] = rows[speed].astype(np.float64).fillna(to_next).fillna(forward)
    return filled


def _boxes(rows: pd.DataFrame) -> Float[Tensor, "rows 4 2"]:
    return corners(*_columns(rows, "x", "y", "heading", "length", "width").unbind(-1))


def _columns(rows: pd.DataFrame, *names: str) -> Float[Tensor, "rows columns"]:
    return torch.tensor(rows[list(names)].to_numpy(dtype=np.float64))


def _checked(path: Float[Tensor, "points 2"]) -> Float[Tensor, "points 2"]:
    points = path.double()
    if not points.isfinite().all() or len(points) < 2 or not (points.diff(dim=0) != 0).any():
        raise InputError(
            _m("The path of the ego has {count} points; at least two different places in metres were expected."),
            count=len(points),
        )
    return points
