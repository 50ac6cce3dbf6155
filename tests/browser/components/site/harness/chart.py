"""Two figures: a heatmap that reports clicks, and an arrow that can be dragged."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from attnviz.ui.components import ChartClick, ChartDrag, chart

TOKENS = ["The", "&lt;s&gt;", "=1+2", "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"]

state = st.session_state
state.setdefault("clicks", [])
state.setdefault("tip", (1.0, 1.0))
state.setdefault("drags", 0)


def clicked(click: ChartClick) -> None:
    state.clicks = [*state.clicks, click]


def dragged(drag: ChartDrag) -> None:
    state.tip = (drag.x, drag.y)
    state.drags += 1


shift = st.slider("shift", 0, 10, 0, key="shift")
weights = np.arange(16, dtype=np.float32).reshape(4, 4) / 16 + shift / 1000
heatmap = go.Figure(
    go.Heatmap(z=weights, customdata=weights * 2, texttemplate="%{z:.3f}", zmin=0, zmax=1),
    layout={
        "title": "Weights",
        "xaxis": {"tickvals": [0, 1, 2, 3], "ticktext": TOKENS},
        "yaxis": {"tickvals": [0, 1, 2, 3], "ticktext": TOKENS, "autorange": "reversed"},
    },
)
x, y = state.tip
arrow = go.Figure(
    go.Scatter(
        x=[0, x],
        y=[0, y],
        mode="lines+markers",
        marker={"symbol": ["circle", "arrow"], "angleref": "previous", "size": [5, 14]},
        meta={"handles": [None, "query:0"], "labels": ["", "Query of The"], "step": 0.25, "bounds": [-2, 2]},
    ),
    layout={"xaxis": {"range": [-2.2, 2.2]}, "yaxis": {"range": [-2.2, 2.2]}, "showlegend": False},
)
chart(
    "two",
    {"weights": heatmap, "arrow": arrow},
    descriptions={"weights": "Weights </script><img src=x onerror=alert(2)>.", "arrow": "One query as an arrow."},
    height={"weights": 360, "arrow": 360},
    on_click=clicked,
    on_drag=dragged,
)
st.write("CLICKS", str(state.clicks))
st.write(f"TIP {x:g} {y:g}")
st.write(f"DRAGS {state.drags}")
