"""How a road user or a sign becomes the numbers that a turn model reads."""

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float32, Float64, Int64
from torch import Tensor

from attnviz.scenes.kinds import KINDS, Kind
from attnviz.scenes.simulator.cast import ARROW, EGO, GREEN, LIGHT, LIMIT, SIGNS, USERS, Cast
from attnviz.scenes.simulator.motion import motion
from attnviz.scenes.simulator.tables import SIGN_CLASSES, SIGN_PLACES

# Kinds that look alike to the model share a column.
_COLUMNS: dict[Kind, int] = {
    "car": 1, "van": 1, "bus": 1, "truck": 1, "motorcyclist": 2, "cyclist": 2, "pedestrian": 3, "child": 4,
    "parked-car": 5, "obstacle": 6,
}  # fmt: skip
_SIGN_COLUMNS = {"traffic-light": 7, "stop-line": 8, "speed-limit": 9}
_MOTION, _STATES, _LIMIT = 10, 18, 20
FEATURES = 21
"""Ten columns for what it is, eight for place and motion, two for the light's state, one for the limit."""

_LIMIT_SCALE = 50.0
"""km/h"""
STATES = ("green", "arrow")
_SCALES = torch.tensor([20.0, 20.0, 1.0, 1.0, 10.0, 10.0, 5.0, 2.0], dtype=torch.float64)
"""What x, y (m), heading (cosine, sine), vx, vy (m/s), length and width (m) are divided by."""

_COLUMN_OF_KIND = torch.tensor([_COLUMNS[kind] for kind in KINDS])


def of_users(
    column: Int64[Tensor, "*any"],
    x: Float64[Tensor, "*any"],
    y: Float64[Tensor, "*any"],
    heading: Float64[Tensor, "*any"],
    vx: Float64[Tensor, "*any"],
    vy: Float64[Tensor, "*any"],
    length: Float64[Tensor, "*any"],
    width: Float64[Tensor, "*any"],
) -> Float32[Tensor, "*any features"]:
    """Features from metres, radians and metres a second, in the junction's frame of left-hand traffic."""
    moving = torch.stack([x, y, heading.cos(), heading.sin(), vx, vy, length, width], -1) / _SCALES
    found = torch.zeros(*x.shape, FEATURES, dtype=torch.float32)
    found.scatter_(-1, column[..., None], 1.0)
    found[..., _MOTION:_STATES] = moving.to(torch.float32)
    return found


def column_of(kind: str, *, ego: bool = False) -> int:
    """The column that says what it is: a class of road users, or of signs."""
    if ego:
        return 0
    return _SIGN_COLUMNS[kind] if kind in _SIGN_COLUMNS else _COLUMNS[kind]  # type: ignore[index]  # kinds are checked by the table


def of_cast(cast: Cast) -> Float32[Tensor, "scenes tokens features"]:
    """Features of everybody and every sign of simulated scenes at their moment, in the order of `USERS`, `SIGNS`."""
    now = motion(cast, torch.zeros(len(cast), 1, dtype=torch.float64))
    x, y, heading, speed = (part[..., 0] for part in (now.x, now.y, now.heading, now.speed))
    column = _COLUMN_OF_KIND[cast.kind].clone()
    column[:, USERS.index(EGO)] = 0
    users = of_users(column, x, y, heading, speed * heading.cos(), speed * heading.sin(), cast.length, cast.width)
    return torch.cat([users, _signs(cast)], dim=1)


def _signs(cast: Cast) -> Float32[Tensor, "scenes signs features"]:
    places = torch.tensor(SIGN_PLACES, dtype=torch.float64).expand(len(cast), -1, -1)
    still = torch.zeros(len(cast), len(SIGNS), dtype=torch.float64)
    column = torch.tensor([_SIGN_COLUMNS[kind] for kind in SIGN_CLASSES]).expand(len(cast), -1)
    towards = torch.full_like(still, torch.pi / 2)
    found = of_users(column, places[..., 0], places[..., 1], towards, still, still, still, still)
    for number, state in ((GREEN, "green"), (ARROW, "arrow")):
        found[:, SIGNS.index(LIGHT), _STATES + STATES.index(state)] = (cast.light == number).to(torch.float32)
    found[:, SIGNS.index(LIMIT), _LIMIT] = (cast.limit / _LIMIT_SCALE).to(torch.float32)
    return found


def of_signs(signs: pd.DataFrame, *, mirrored: bool) -> Float32[Tensor, "signs features"]:
    """Features of the rows of a table of signs; states that the model was never shown are read as none."""
    x, y = (torch.from_numpy(signs[name].to_numpy(dtype=np.float64).copy()) for name in ("x", "y"))
    still = torch.zeros_like(x)
    column = torch.tensor([_SIGN_COLUMNS[str(kind)] for kind in signs["class"]], dtype=torch.int64)
    found = of_users(column, -x if mirrored else x, y, still + torch.pi / 2, still, still, still, still)
    for row, (state, limit) in enumerate(zip(signs["state"], signs["limit"], strict=True)):
        if state in STATES:
            found[row, _STATES + STATES.index(state)] = 1.0
        if limit == limit:  # a limit that is none is NaN
            found[row, _LIMIT] = float(limit) * 3.6 / _LIMIT_SCALE
    return found
