"""The bar of a story of six steps, and beside it everything that may have the focus."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from attnviz.ui.components import chart, story

COUNT = 6
state = st.session_state
state.setdefault("at", 0)
state.setdefault("messages", 0)
state.setdefault("over", False)


def go_to(at: int) -> None:
    state.at = at
    state.messages += 1


def begin(name: str) -> None:
    state.at, state.over = 0, False


def end() -> None:
    state.over = True


if st.toggle("large"):
    st.html("<style>html { font-size: 24px !important; }</style>")
walking = not state.over
with st.container(key="bar"):
    story(
        "story",
        page="story",
        at=state.at if walking else None,
        count=COUNT if walking else 0,
        sentence=f"Sentence <b>{state.at + 1}</b>",
        stories=[("one", "The <i>first</i>")],
        on_go=go_to,
        on_begin=begin,
        on_end=end,
    )
st.write(f"AT {state.at} MESSAGES {state.messages}")
st.button("a button")
st.toggle("a toggle")
st.write("SLIDER", st.slider("a slider", 0, 100, 50, step=1))
st.text_input("a text", "hello")
st.number_input("a number", 0, 10, 5)
st.selectbox("a menu", ["first", "second", "third"])
st.radio("a choice", ["left", "middle", "right"], horizontal=True)
st.data_editor(pd.DataFrame({"a": [1, 2], "b": [3, 4]}), key="table")
figure = go.Figure(
    go.Heatmap(z=np.eye(3, dtype=np.float32), zmin=0, zmax=1, xgap=2, showscale=False),
    layout={
        "title": {"text": "Title", "font": {"size": 15}},
        "margin": {"l": 40, "r": 10, "t": 30, "b": 30, "autoexpand": False},
    },
)
chart("figure", {"figure": figure}, descriptions={"figure": "Three by three."}, height=200)
