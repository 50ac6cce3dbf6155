"""A street whose weights the tests set by address, answering as slowly as they ask."""

import time
from dataclasses import replace

import streamlit as st

from attnviz.ui.components import (
    SceneAdd,
    SceneEvent,
    SceneHead,
    SceneHeadSwitch,
    ScenePlace,
    SceneRemove,
    SceneRename,
    SceneSelect,
    SceneUser,
    scene,
)

query = st.query_params
state = st.session_state
count = int(query.get("users", "3"))
heads = int(query.get("heads", "1"))
own = "own" in query
state.setdefault("users", [(f"u{index}", "<b>name</b>" if index == 0 else f"user {index}") for index in range(count)])
state.setdefault("places", {"ego": (0.0, -9.0, 90.0)})
state.setdefault("hidden", set())
state.setdefault("selected", "u0")
state.setdefault("heard", [])
state.setdefault("runs", 0)

WEIGHTS = (0.6, 0.39, 1e-6, 0.0095, 1.0, 0.0, float("nan"))


def happened(event: SceneEvent) -> None:
    state.heard.append(type(event).__name__)
    match event:
        case ScenePlace():
            state.places[event.id] = (event.x, event.y, event.heading)
            state.selected = event.id
        case SceneSelect():
            state.selected = event.id
        case SceneAdd():
            state.users.append((f"new{len(state.heard)}", event.kind))
            state.places[state.users[-1][0]] = (event.x, event.y, 0.0)
        case SceneRemove():
            state.users = [user for user in state.users if user[0] != event.id]
        case SceneRename():
            state.users = [(name, event.name if name == event.id else label) for name, label in state.users]
        case SceneHeadSwitch():
            state.hidden ^= {event.head}


@st.fragment
def street() -> None:
    state.runs += 1
    time.sleep(float(query.get("slow", "0")))
    drawn = []
    for index, (name, label) in enumerate(state.users):
        x, y, heading = state.places.get(name, (-12.0 + 6.0 * (index % 7), 2.0 + 3.4 * (index // 7), 0.0))
        drawn.append(SceneUser(name, label, "car", x, y, heading, 4.3, 1.8, f"{label}: exact"))
    if "together" in query:
        drawn = [replace(user, x=0.0, y=-9.0) for user in drawn]
    x, y, heading = state.places["ego"]
    ego = SceneUser("ego", "ego car", "car", x, y, heading, 4.3, 1.8, "ego car: exact")
    weights = {
        user.id: [WEIGHTS[(index + head) % len(WEIGHTS)] for head in range(heads)] for index, user in enumerate(drawn)
    }
    if own:
        weights["ego"] = [0.25] * heads
    scene(
        "scene",
        ego,
        drawn,
        [SceneHead(f"head {head + 1}", head not in state.hidden) for head in range(heads)],
        weights,
        description="A street of <b>tests</b>.",
        selected=state.selected,
        traffic="right" if "right" in query else "left",
        live="live" in query,
        tools="bare" not in query,
        on_event=happened,
    )
    last = state.places.get(state.selected)
    st.write(
        f"HEARD {' '.join(state.heard)} RUNS {state.runs} LAST {last} NAMES {[label for _name, label in state.users]}"
    )


street()
