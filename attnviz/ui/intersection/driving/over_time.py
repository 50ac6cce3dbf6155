"""A simulated scene as it moves: the time, playing it, and weight, effect and time to collision as lanes."""

import numpy as np
import streamlit as st

from attnviz import figures
from attnviz.base import language
from attnviz.base.language import _
from attnviz.figures import Lane
from attnviz.scenes.simulator.outcome import HORIZON
from attnviz.ui import panels
from attnviz.ui.components import ChartClick
from attnviz.ui.intersection.driving.compute import EVERY, Played, labels, played, weights_of, whole
from attnviz.ui.intersection.street import IntersectionStore
from attnviz.ui.panels import Picture
from attnviz.ui.views.driving import Drive
from attnviz.ui.views.street import EGO

_PLAYING = "intersection:playing"
PLAY_EVERY = 0.4
"""Seconds between two pictures while it plays, at half the speed of the street."""
STEP = 0.2
MOST_EFFECT = 8.0
MOST_SECONDS = 8.0


def clock(store: IntersectionStore) -> None:
    """Where in time, a step to and fro, and playing."""
    drive = store.view.drive
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.slider(
            _("Time, s"), 0.0, HORIZON, step=EVERY, format="%.1f",
            **store.widget("drive t", float(drive.t), lambda t: store.view.drive.but(t=round(t, 1))),
        )  # fmt: skip
        for text, icon, by in (
            (_("A step back"), ":material/skip_previous:", -EVERY),
            (_("A step on"), ":material/skip_next:", EVERY),
        ):
            st.button(text, icon=icon, key=f"intersection:step {by}", on_click=_step, args=(store, by))
        going = is_playing()
        st.button(
            _("Pause") if going else _("Play"), icon=":material/pause:" if going else ":material/play_arrow:",
            key="intersection:play", on_click=_toggle, args=(store,),
        )  # fmt: skip
    if is_playing():
        _ticking(store)


def is_playing() -> bool:
    """Whether the scene is being played in this session."""
    return bool(st.session_state.get(_PLAYING))


def stop() -> None:
    """Nothing plays any more: somebody chose a moment, or one's own street."""
    st.session_state[_PLAYING] = False


def _toggle(store: IntersectionStore) -> None:
    st.session_state[_PLAYING] = not is_playing()
    if is_playing() and store.view.drive.t >= HORIZON - EVERY / 2:
        store.change("play", store.view.drive.but(t=0.0))


def _step(store: IntersectionStore, by: float) -> None:
    stop()
    drive = store.view.drive
    store.change("drive t", drive.but(t=round(min(max(drive.t + by, 0.0), HORIZON), 1)))


@st.fragment(run_every=PLAY_EVERY)
def _ticking(store: IntersectionStore) -> None:
    """Moves the time on; the street around it is drawn anew by a run of the whole."""
    language.choose(st.session_state.get("lang") or "en")
    if not st.session_state.get("intersection:ticked"):
        # The first run is the one that draws this fragment: time has not passed yet.
        st.session_state["intersection:ticked"] = True
        return
    st.session_state["intersection:ticked"] = False
    drive = store.view.drive
    t = round(drive.t + STEP, 1)
    if t >= HORIZON:
        stop()
        t = HORIZON
    store.change("play", drive.but(t=t))
    st.rerun()


def over_time(store: IntersectionStore) -> None:
    """The lanes; a click goes to that moment and chooses that object."""
    drive = store.view.drive
    found = whole(drive.scene, near=drive.near, child=drive.child, name=drive.name)
    called = labels(drive, played(drive.scene, near=drive.near, child=drive.child))
    ids = [name for name in found.found.ids if name != EGO]
    names = [called.get(name, name) for name in ids]
    parts = lanes_of(drive, found, ids)
    first = {place: found.first_seen[name] for place, name in enumerate(ids) if name in found.first_seen}
    figure = figures.lanes(
        names, found.times, parts, now=drive.t, first_seen=first,
        row=ids.index(drive.selected) if drive.selected in ids else None, title=_("The whole scene"),
    )  # fmt: skip
    description = figures.describe_lanes(names, found.times, parts, now=drive.t, first_seen=first)
    panels.show(
        "intersection-lanes",
        {
            "lanes": Picture(
                figure, description, lambda: figures.table_lanes(names, found.times, parts), int(figure.layout.height)
            )
        },
        on_click=lambda click: _clicked(store, ids, click),
    )
    st.caption(
        _(
            "Fixed scales: weights from 0 to 1, effects from −{effect} to {effect} log-odds (with the object less without it), "
            "time to collision with the ego on its way from 0 to {seconds} s, twice a second and also for whoever is hidden. Empty: "
            "no token, or no collision course. The orange tick: first seen. The line: the moment shown above.",
            effect=f"{MOST_EFFECT:g}", seconds=f"{MOST_SECONDS:g}",
        )
    )  # fmt: skip


def lanes_of(drive: Drive, found: Played, ids: list[str]) -> list[Lane]:
    """Weight, effect and time to collision of these objects at every time."""
    places = [found.found.ids.index(name) for name in ids]
    weight = weights_of(found.found, drive)[:, places].T.double().numpy()
    effect = found.found.effect[:, places].T.double().numpy()
    return [
        Lane(_("weight"), weight, "share", 1.0),
        Lane(_("effect on the decision, log-odds"), effect, "change", MOST_EFFECT),
        Lane(_("time to collision, s"), _collision(found, ids), "seconds", MOST_SECONDS),
    ]


def _collision(found: Played, ids: list[str]) -> np.ndarray:
    """The time to collision of every object at every time; NaN where there is none, or it was not measured."""
    grid = np.full((len(ids), len(found.times)), np.nan)
    rows = found.risk[np.isfinite(found.risk["ttc_path"])]
    for name, t, seconds in zip(rows["agent_id"].astype(str), rows["t"], rows["ttc_path"], strict=True):
        if name in ids:
            # Held until it is measured again.
            start = int(np.abs(found.times - float(t)).argmin())
            grid[ids.index(name), start : start + 5] = seconds
    return grid


def _clicked(store: IntersectionStore, ids: list[str], click: ChartClick) -> None:
    stop()
    if isinstance(click.custom, int) and 0 <= click.custom < len(ids) and isinstance(click.x, int | float):
        t = round(min(max(float(click.x), 0.0), HORIZON), 1)
        store.change("drive t", store.view.drive.but(t=t, selected=ids[click.custom]))
