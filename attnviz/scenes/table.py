"""Road users over time: one table with an id in every row."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes.kinds import KINDS, SIZES, Kind

Traffic = Literal["left", "right"]

COLUMNS = (
    "scene_id", "t", "agent_id", "class", "x", "y", "heading", "vx", "vy", "length", "width", "is_ego", "valid", "visible",
)  # fmt: skip
NUMBERS = ("t", "x", "y", "heading", "length", "width")


@dataclass(frozen=True)
class Agent:
    """One road user at one moment: metres, radians from east to north, metres a second. Speeds may be unknown (NaN)."""

    id: str
    kind: Kind
    x: float
    y: float
    heading: float
    vx: float = float("nan")
    vy: float = float("nan")
    length: float | None = None
    width: float | None = None
    is_ego: bool = False


@dataclass(frozen=True, eq=False)
class Scenes:
    """One row for each road user and moment.

    Columns: scene_id, t (s), agent_id, class (`attnviz.scenes.kinds`), x, y (m), heading (rad, from the x axis
    towards the y axis), vx, vy (m/s), length, width (m), is_ego, valid, visible. `valid`: the road user is there at
    that moment; `visible`: the ego can see it, None where nobody knows. traffic: the side that is driven on.
    origin: where the scenes come from. Raises `InputError` for a column that is missing, a number that is none, a
    class that is unknown, two rows of one road user at one moment, or two egos in one scene.
    """

    table: pd.DataFrame
    traffic: Traffic | None = None
    origin: str = ""

    def __post_init__(self) -> None:
        missing = [name for name in COLUMNS if name not in self.table]
        if missing:
            raise InputError(_m("The table of road users has no column “{name}”."), name=missing[0])
        for name in NUMBERS:
            if not np.isfinite(self.table[name].to_numpy(dtype=np.float64)).all():
                raise InputError(
                    _m("The column “{name}” of the table of road users holds what is no number."), name=name
                )
        unknown = sorted(set(self.table["class"]) - set(KINDS))
        if unknown:
            raise InputError(
                _m("The class “{found}” of a road user is unknown; expected is one of {expected}."),
                found=str(unknown[0])[:40],
                expected=", ".join(KINDS),
            )
        twice = self.table.duplicated(["scene_id", "t", "agent_id"])
        if twice.any():
            raise InputError(
                _m("The road user “{name}” has two rows for the same moment."),
                name=str(self.table.loc[twice, "agent_id"].iloc[0])[:40],
            )
        egos = self.table[self.table["is_ego"].astype(bool)].groupby("scene_id")["agent_id"].nunique()
        if (egos > 1).any():
            raise InputError(_m("The scene “{name}” has two egos."), name=str(egos.index[egos > 1][0])[:40])

    @classmethod
    def of_moment(
        cls, agents: Iterable[Agent], *, traffic: Traffic | None = None, origin: str = "", scene_id: str = "scene"
    ) -> "Scenes":
        """A scene of one moment; a size that is not given is that of its kind."""
        rows = [
            {
                "scene_id": scene_id,
                "t": 0.0,
                "agent_id": agent.id,
                "class": agent.kind,
                "x": agent.x,
                "y": agent.y,
                "heading": agent.heading,
                "vx": agent.vx,
                "vy": agent.vy,
                "length": SIZES[agent.kind].length if agent.length is None else agent.length,
                "width": SIZES[agent.kind].width if agent.width is None else agent.width,
                "is_ego": agent.is_ego,
                "valid": True,
                "visible": None,
            }
            for agent in agents
        ]
        return cls(pd.DataFrame(rows, columns=list(COLUMNS)), traffic, origin)

    def moment(self, scene_id: str = "scene", t: float = 0.0) -> pd.DataFrame:
        """The rows of the road users that are there at this moment, the ego first. Raises `InputError` without an ego."""
        table = self.table
        rows = table[(table["scene_id"] == scene_id) & (table["t"] == t) & table["valid"].astype(bool)]
        if not rows["is_ego"].astype(bool).any():
            raise InputError(_m("The scene “{name}” has no ego at {t} s."), name=scene_id, t=t)
        return rows.sort_values("is_ego", ascending=False, kind="stable")
