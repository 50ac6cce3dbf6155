"""Road users over time: one table with an id in every row."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd
from jaxtyping import Float

from attnviz.base.errors import InputError
from attnviz.base.language import _m
from attnviz.scenes import signs as sign_table
from attnviz.scenes.kinds import KINDS, SIZES, Kind
from attnviz.scenes.road import Road
from attnviz.trace import Note

Traffic = Literal["left", "right"]

COLUMNS = (
    "scene_id", "t", "agent_id", "class", "x", "y", "heading", "vx", "vy", "length", "width", "is_ego", "valid", "visible",
)  # fmt: skip
NUMBERS = ("t", "x", "y", "heading", "length", "width")
IDS = ("scene_id", "agent_id", "class")
# A box without any extent has no sides, so that nothing can be measured of it. In metres.
LEAST_SIZE = 0.001
MOST_AT_ONCE = 1_000
MOST_ROWS = 5_000_000
# Two times that differ by less than this (s) are one moment: files round them.
SAME_TIME = 1e-6


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
    that moment; `visible`: the ego can see it, None where nobody knows. A column `assumed` may be there: length and
    width are those of the class, for the source gives none. Ids and classes may be categories, which take less memory.

    traffic: the side that is driven on. origin: where the scenes come from. licence: what a licence says of them.
    road, signs: what is known of the road, and of traffic lights, stop lines and speed limits
    (`attnviz.scenes.signs`). notes: what was assumed or left out in reading.

    Raises `InputError` for a column that is missing, a number that is none, a size below `LEAST_SIZE`, a class that is
    unknown, two rows of one road user at one moment, times that go back, two egos in one scene, more than
    `MOST_AT_ONCE` road users at one moment or more than `MOST_ROWS` rows.
    """

    table: pd.DataFrame
    traffic: Traffic | None = None
    origin: str = ""
    licence: str = ""
    road: Road = field(default_factory=Road)
    signs: pd.DataFrame = field(default_factory=sign_table.no_signs)
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        self._check_columns()
        self._check_moments()
        sign_table.check(self.signs)

    def _check_columns(self) -> None:
        missing = [name for name in COLUMNS if name not in self.table]
        if missing:
            raise InputError(_m("The table of road users has no column “{name}”."), name=missing[0])
        for name in NUMBERS:
            if not np.isfinite(self.table[name].to_numpy(dtype=np.float64)).all():
                raise InputError(
                    _m("The column “{name}” of the table of road users holds what is no number."), name=name
                )
        for name in ("length", "width"):
            if (self.table[name].to_numpy(dtype=np.float64) < LEAST_SIZE).any():
                raise InputError(
                    _m("The column “{name}” of the table of road users holds a size of less than {least} m."),
                    name=name,
                    least=LEAST_SIZE,
                )
        if len(self.table) > MOST_ROWS:
            raise InputError(
                _m("The table of road users has {found} rows; at most {most} were expected."),
                found=len(self.table),
                most=MOST_ROWS,
            )
        unknown = sorted(set(self.table["class"].unique()) - set(KINDS), key=str)
        if unknown:
            raise InputError(
                _m("The class “{found}” of a road user is unknown; expected is one of {expected}."),
                found=str(unknown[0])[:40],
                expected=", ".join(KINDS),
            )

    def _check_moments(self) -> None:
        twice = self.table.duplicated(["scene_id", "t", "agent_id"])
        if twice.any():
            raise InputError(
                _m("The road user “{name}” has two rows for the same moment."),
                name=str(self.table["agent_id"].to_numpy()[twice.to_numpy()][0])[:40],
            )
        steps = self.table.groupby(["scene_id", "agent_id"], sort=False, observed=True)["t"].diff().to_numpy()
        if (steps < 0).any():
            row = int(np.argmax(steps < 0))
            raise InputError(
                _m("The time of the road user “{name}” goes back from {before} s to {t} s."),
                name=str(self.table["agent_id"].iloc[row])[:40],
                before=round(float(self.table["t"].iloc[row] - steps[row]), 6),
                t=round(float(self.table["t"].iloc[row]), 6),
            )
        crowd = self.table.groupby(["scene_id", "t"], sort=False, observed=True).size()
        if len(crowd) and crowd.max() > MOST_AT_ONCE:
            moments = crowd.index.get_level_values("t")
            raise InputError(
                _m("At {t} s there are {found} road users; at most {most} were expected."),
                t=round(float(moments[int(crowd.to_numpy().argmax())]), 6),
                found=int(crowd.max()),
                most=MOST_AT_ONCE,
            )
        egos = self.table[self.table["is_ego"].astype(bool)].groupby("scene_id", observed=True)["agent_id"].nunique()
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

    @property
    def scene_ids(self) -> tuple[str, ...]:
        """The scenes, in the order of the table."""
        return tuple(str(name) for name in self.table["scene_id"].unique())

    @property
    def assumed(self) -> "pd.Series[bool]":
        """For each row, whether length and width are those of the class; False where nothing is said of it."""
        if "assumed" in self.table:
            return self.table["assumed"].astype(bool)
        return pd.Series(False, index=self.table.index)

    def times(self, scene_id: str = "scene", *, of_ego: bool = False) -> Float[np.ndarray, " moments"]:
        """The moments of a scene, in seconds, from the first to the last. Raises `InputError` for an unknown scene.

        of_ego: just those at which the ego is there, which are the ones that `moment` can give.
        """
        rows = self._rows(scene_id)
        if of_ego:
            rows = rows[rows["is_ego"].astype(bool) & rows["valid"].astype(bool)]
        return np.unique(rows["t"].to_numpy(dtype=np.float64))

    def agent_ids(self, scene_id: str = "scene") -> tuple[str, ...]:
        """The road users of a scene, in the order of the table. Raises `InputError` for an unknown scene."""
        return tuple(str(name) for name in self._rows(scene_id)["agent_id"].unique())

    def moment(self, scene_id: str = "scene", t: float = 0.0) -> pd.DataFrame:
        """The rows of the road users that are there at this moment, the ego first. Raises `InputError` without an ego."""
        table = self.table
        at = (table["t"] - t).abs() <= SAME_TIME
        rows = table[(table["scene_id"] == scene_id) & at & table["valid"].astype(bool)]
        if not rows["is_ego"].astype(bool).any():
            raise InputError(_m("The scene “{name}” has no ego at {t} s."), name=scene_id, t=t)
        # Few rows: ids are plain text again, which nothing that is done with them can trip over.
        categories = [name for name in IDS if isinstance(rows[name].dtype, pd.CategoricalDtype)]
        plain = rows.astype(dict.fromkeys(categories, object)) if categories else rows
        return plain.sort_values("is_ego", ascending=False, kind="stable")

    def signs_at(self, scene_id: str = "scene", t: float = 0.0) -> pd.DataFrame:
        """The signs of this moment, and those that stand during the whole scene."""
        now = ((self.signs["t"] - t).abs() <= SAME_TIME) | self.signs["t"].isna()
        return self.signs[(self.signs["scene_id"] == scene_id) & now]

    def first_visible(self, scene_id: str = "scene") -> dict[str, float | None]:
        """When the ego could first see each road user, in seconds; None for one that it never could.

        Road users of whom nobody knows are left out. Raises `InputError` for an unknown scene.
        """
        rows = self._rows(scene_id)
        known = rows[rows["visible"].notna()]
        seen = known[known["visible"].astype(bool) & known["valid"].astype(bool)]
        first = seen.groupby("agent_id", sort=False, observed=True)["t"].min()
        return {str(name): float(first[name]) if name in first.index else None for name in known["agent_id"].unique()}

    def with_ego(self, agent_id: str) -> "Scenes":
        """The same with another ego, in every scene that has this road user; in the others nothing changes.

        Raises `InputError` where no scene has it.
        """
        here = (self.table["agent_id"] == agent_id).to_numpy()
        if not here.any():
            raise InputError(_m("There is no road user “{name}” in these scenes."), name=agent_id[:40])
        changed = self.table["scene_id"].isin(self.table["scene_id"][here].unique()).to_numpy()
        ego = np.where(changed, here, self.table["is_ego"].to_numpy(dtype=bool))
        return replace(self, table=self.table.assign(is_ego=ego))

    def mirrored(self) -> "Scenes":
        """The same with x exchanged for −x, road and signs too: left- and right-hand traffic change places."""
        table = self.table.assign(
            x=-self.table["x"],
            vx=-self.table["vx"],
            # The direction (cos h, sin h) becomes (−cos h, sin h), which is that of π − h; kept within ±π.
            heading=np.pi - np.mod(self.table["heading"], 2 * np.pi),
        )
        other: dict[Traffic | None, Traffic | None] = {"left": "right", "right": "left"}
        return replace(
            self,
            table=table,
            traffic=other.get(self.traffic),
            road=self.road.mirrored(),
            signs=sign_table.mirrored(self.signs),
        )

    def _rows(self, scene_id: str) -> pd.DataFrame:
        rows = self.table[self.table["scene_id"] == scene_id]
        if rows.empty:
            raise InputError(
                _m("There is no scene “{name}”; the first ones here are {known}."),
                name=scene_id[:40],
                known=", ".join(name[:40] for name in self.scene_ids[:5]),
            )
        return rows
