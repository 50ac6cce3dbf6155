"""Simulated scenes as the one table that every source makes."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float64
from torch import Tensor

from attnviz.scenes.kinds import KINDS
from attnviz.scenes.road import Area, Lane, Road, points
from attnviz.scenes.signs import SIGN_COLUMNS
from attnviz.scenes.simulator.cast import ARROW, EGO, SIGNS, USERS, Cast
from attnviz.scenes.simulator.motion import motion
from attnviz.scenes.simulator.sight import visible
from attnviz.scenes.simulator.street import LANE, Street
from attnviz.scenes.table import COLUMNS, Scenes

ORIGIN = "simulated"
SIGN_PLACES = ((-3.9, -6.0), (-1.7, -9.4), (-3.9, -14.0))
"""Where the light, the stop line and the speed limit stand, for the ego that comes from the south."""
SIGN_CLASSES = ("traffic-light", "stop-line", "speed-limit")


def scenes_of(cast: Cast, times: Float64[Tensor, " times"], names: Sequence[str] | None = None) -> Scenes:
    """The scenes at these seconds after their moment, in left-hand traffic; names: of the scenes, else their place.

    Whoever is hidden has rows too, with `visible` False: it is the truth, and no token.
    """
    called = list(names) if names is not None else [f"scene-{number}" for number in range(len(cast))]
    moved = motion(cast, times.expand(len(cast), -1))
    seen = visible(cast, times.expand(len(cast), -1))
    scene, time, user = cast.present[:, None].expand(-1, len(times), -1).nonzero(as_tuple=True)
    heading, speed = moved.heading[scene, user, time], moved.speed[scene, user, time]
    table = {
        "scene_id": [called[number] for number in scene.tolist()],
        "t": times[time].numpy(),
        "agent_id": [USERS[number] for number in user.tolist()],
        "class": [KINDS[number] for number in cast.kind[scene, user].tolist()],
        "x": moved.x[scene, user, time].numpy(),
        "y": moved.y[scene, user, time].numpy(),
        "heading": heading.numpy(),
        "vx": (speed * heading.cos()).numpy(),
        "vy": (speed * heading.sin()).numpy(),
        "length": cast.length[scene, user].numpy(),
        "width": cast.width[scene, user].numpy(),
        "is_ego": (user == USERS.index(EGO)).numpy(),
        "valid": True,
        "visible": pd.Series(seen[scene, user, time].tolist(), dtype=object),
    }
    frame = pd.DataFrame(table, columns=list(COLUMNS))
    return Scenes(frame, "left", ORIGIN, road=road(cast.street), signs=_signs(cast, called))


def road(street: Street) -> Road:
    """Lanes of the ego's way and of those who come towards it, and the crossing of the eastern arm."""
    half, far = LANE / 2, street.end + 20
    metres = torch.linspace(
        0, float(street.way_to(torch.tensor(street.end, dtype=torch.float64))), 60, dtype=torch.float64
    )
    way = np.stack([part.numpy() for part in street.place(metres)[:2]], axis=1)
    low, high = street.crossing
    lanes = [Lane("ego's way", points(), points(), way)]
    if street.turns:
        lanes.append(Lane("oncoming", points(), points(), points([(half, far), (half, -far)])))
    across = points([(low, -LANE), (high, -LANE), (high, LANE), (low, LANE)])
    return Road(tuple(lanes), (Area("crossing", across),))


def _signs(cast: Cast, names: Sequence[str]) -> pd.DataFrame:
    scene, sign = cast.signs.nonzero(as_tuple=True)
    rows = []
    for name, number, which in zip((names[n] for n in scene.tolist()), scene.tolist(), sign.tolist(), strict=True):
        lit = "arrow" if int(cast.light[number]) == ARROW else "green"
        limit = float(cast.limit[number]) / 3.6
        kind = SIGN_CLASSES[which]
        x, y = SIGN_PLACES[which]
        state, allowed = lit if kind == "traffic-light" else None, limit if kind == "speed-limit" else np.nan
        rows.append((name, np.nan, SIGNS[which], kind, x, y, np.pi / 2, state, allowed))
    return pd.DataFrame(rows, columns=list(SIGN_COLUMNS)).astype({"t": float, "limit": float})
