"""A moment of a scene from a file: its road, who is around the ego, and the risk of each, also of whoever only hides somebody."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.scenes import NAMES, Scenes, risk
from attnviz.scenes.sighting import with_sight
from attnviz.scenes.table import SAME_TIME
from attnviz.ui import presenting
from attnviz.ui.components import SceneEvent, SceneHead, SceneRoad, SceneSelect, SceneUser, scene
from attnviz.ui.intersection.recorded import weights
from attnviz.ui.intersection.recorded.opened import opened, told
from attnviz.ui.intersection.recorded.road import road_around
from attnviz.ui.intersection.street import IntersectionStore, exact
from attnviz.ui.page import complain, let_paint, plain
from attnviz.ui.views.driving import Recorded

MOST_USERS = 64
AROUND = 80.0
"""Metres around the ego within which road users and road are drawn."""
AHEAD = 4.0
"""Seconds of the ego's own track that are kept, for risk to be measured along it."""


def recorded(store: IntersectionStore) -> None:
    """Open files, choose scene and moment, see who is there and what the measures say."""
    scenes = opened()
    with st.container():
        if scenes is None:
            st.info(
                _(
                    "Open a scene file. Its road users become tokens with ids, its road is drawn, and for every moment the "
                    "risk measures stand beside each road user."
                ), icon=":material/upload_file:",
            )  # fmt: skip
            return
        presenting.leave_out(lambda: told(scenes))
        try:
            where = _where(store, scenes)
            complain(store.complaint)
            _moment(store, scenes, *where)
        except InputError as error:
            complain(error)


def _where(store: IntersectionStore, scenes: Scenes) -> tuple[str, float]:
    """The scene and the time that are chosen."""
    view, names = store.view.recorded, scenes.scene_ids
    name = view.scene if view.scene in names else names[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(names) > 1:
            st.selectbox(
                _("Scene"),
                names,
                width=260,
                **_widget(store, "scene", name, lambda chosen: {"scene": chosen, "moment": 0}),
            )
        times = scenes.times(name, of_ego=True)
        if not len(times):
            raise InputError(
                _m("The scene “{name}” has no ego; risk is measured from where the ego is."), name=name[:40]
            )
        place = min(view.moment, len(times) - 1)
        if len(times) > 1:
            st.slider(
                _("Moment"), 0, len(times) - 1,
                **_widget(store, "moment", place, lambda chosen: {"moment": int(chosen)}),
            )  # fmt: skip
        st.markdown(_("{t} s, moment {number} of {count}", t=f"{times[place]:.2f}", number=place + 1, count=len(times)))
    return name, float(times[place])


def _widget(
    store: IntersectionStore, name: str, shown: Any, changed: Callable[[Any], dict[str, Any]]
) -> dict[str, Any]:
    return store.widget(f"recorded {name}", shown, lambda chosen: store.view.recorded.but(**changed(chosen)))


def _moment(store: IntersectionStore, scenes: Scenes, name: str, t: float) -> None:
    near, left_out = around(scenes, name, t)
    above = st.container()
    left, right = st.columns([2, 1], gap="medium")
    origin = (float(near.iloc[0]["x"]), float(near.iloc[0]["y"]))
    ids = tuple(map(str, near["agent_id"]))
    with above:
        looked = weights.weights(store, ids[0], ids)
    with left:
        _street(store, near, looked, road_around(scenes, name, origin, AROUND), origin)
    let_paint()
    with right:
        _about(store.view.recorded, near, left_out, looked)
    table = _risk(scenes, name, t, ids)
    presenting.leave_out(lambda: _table(table, looked))


def around(scenes: Scenes, name: str, t: float) -> tuple[pd.DataFrame, int]:
    """The road users near the ego, the ego first, with whom it can see; and how many further ones are left out."""
    moment = scenes.moment(name, t)
    ego = moment.iloc[0]
    apart = np.hypot(moment["x"] - ego["x"], moment["y"] - ego["y"])
    order = np.argsort(apart.to_numpy(), kind="stable")
    kept = [place for place in order if apart.iloc[place] <= AROUND][: MOST_USERS + 1]
    near = moment.iloc[kept].sort_values("is_ego", ascending=False, kind="stable")
    sighted = with_sight(Scenes(near, scenes.traffic)).table
    return sighted, len(moment) - len(near)


def _street(
    store: IntersectionStore,
    near: pd.DataFrame,
    looked: Mapping[str, float],
    road: SceneRoad,
    origin: tuple[float, float],
) -> None:
    users = [_drawn({str(key): cell for key, cell in row.items()}, looked, origin) for row in near.to_dict("records")]
    view = store.view.recorded
    ids = {user.id for user in users}
    scene(
        "intersection-scene", users[0], users[1:], [SceneHead("")],
        {one: [weight] for one, weight in looked.items() if not math.isnan(weight)},
        description=_("A moment of a recorded scene: the ego and {count} road users around it.", count=len(users) - 1),
        selected=view.selected if view.selected in ids else "", start=road.name, fixed=True, height=620, road=road,
        on_event=lambda event: _happened(store, event),
    )  # fmt: skip


def _drawn(row: Mapping[str, object], looked: Mapping[str, float], origin: tuple[float, float]) -> SceneUser:
    number = {key: float(row[key]) for key in ("x", "y", "heading", "length", "width")}  # type: ignore[arg-type]  # a table's numbers
    label = _("ego car") if row["is_ego"] else f"{_(NAMES[row['class']])} {row['agent_id']}"  # type: ignore[index]  # checked by the table
    said = _("{name}: hidden from the ego", name=label) if row["visible"] is False else label
    if str(row["agent_id"]) in looked:
        said = _("{name}: weight {weight}", name=said, weight=exact(looked[str(row["agent_id"])]))
    return SceneUser(
        id=str(row["agent_id"]), label=label[:60], kind=row["class"],  # type: ignore[arg-type]  # checked by the table
        x=round(number["x"] - origin[0], 2), y=round(number["y"] - origin[1], 2), heading=math.degrees(number["heading"]),
        length=number["length"], width=number["width"], said=said,
    )  # fmt: skip


def _happened(store: IntersectionStore, event: SceneEvent) -> None:
    if isinstance(event, SceneSelect):
        store.look(**store.view.recorded.but(selected=event.id[:200]))


def _about(view: Recorded, near: pd.DataFrame, left_out: int, looked: Mapping[str, float]) -> None:
    hidden = int((near["visible"].astype(object) == False).sum())  # noqa: E712 - None is unknown
    st.metric(_("Road users around the ego"), len(near) - 1)
    st.markdown(
        _("{count} of them are hidden by vehicles, by our own lines of sight: they would be no tokens.", count=hidden)
    )
    if left_out:
        st.caption(_("{count} further away are not drawn.", count=left_out))
    with st.container():
        if not looked:
            st.caption(
                _(
                    "No weights: the shipped turn models know one simulated junction and would say nothing true about this "
                    "road. Bring a trace of your own model instead."
                )
            )
    row = near[near["agent_id"].astype(str) == view.selected]
    if len(row):
        speed = math.hypot(float(row.iloc[0]["vx"]), float(row.iloc[0]["vy"]))
        named = f"**{_(NAMES[row.iloc[0]['class']])} {plain(view.selected)}** · {speed:.1f} m/s"
        weight = looked.get(view.selected)
        st.markdown(named if weight is None else f"{named} · " + _("weight {weight}", weight=exact(weight)))


def _risk(scenes: Scenes, name: str, t: float, ids: tuple[str, ...]) -> pd.DataFrame:
    """The measures of this moment, along the ego's own recorded track where it goes on."""
    rows = scenes.table[(scenes.table["scene_id"] == name) & scenes.table["agent_id"].astype(str).isin(ids)]
    ego = rows["is_ego"].astype(bool)
    now = (rows["t"] - t).abs() < SAME_TIME
    kept = rows[now | (ego & (rows["t"] > t) & (rows["t"] <= t + AHEAD))]
    found = risk.measures(Scenes(kept, scenes.traffic), name)
    return found[(found["t"] - t).abs() < SAME_TIME]


def _table(found: pd.DataFrame, looked: Mapping[str, float]) -> None:
    described = risk.describe()
    columns = ["agent_id", "class", *(column for column in described if column in found and column != "pet")]
    shown = found[columns].copy()
    shown[columns[2:]] = shown[columns[2:]].map(_worded)
    shown["class"] = [_(NAMES[kind]) for kind in shown["class"]]
    named = {column: f"{_(described[column].name)}, {described[column].unit}" if described[column].unit else _(described[column].name)
             for column in columns[2:]}  # fmt: skip
    if looked:
        heading = _("weight")
        shown.insert(2, heading, [_worded(looked.get(str(one), math.nan)) for one in shown["agent_id"]])
        named["weight"] = heading
    numbers = {name: st.column_config.TextColumn(alignment="right") for name in named.values()}
    st.subheader(_("Risk at this moment"))
    st.dataframe(
        shown.rename(columns={"agent_id": _("road user"), "class": _("class"), **named}), hide_index=True, column_config=numbers,
        key="intersection:risk",
    )  # fmt: skip
    st.caption(
        _(
            "∞: never, as things go on; —: not known. A parked car beside the way has no time to collision at all; what it hides is told by "
            "the hidden area, the step-out time and the phantom's time to collision. Formulas and sources: docs/risk.md."
        )
    )


def _worded(number: object) -> str:
    """Three significant digits; ∞ for never, a dash for what is not known."""
    if not isinstance(number, int | float) or math.isnan(number):
        return "—"
    return "∞" if math.isinf(number) else f"{number:.3g}"
