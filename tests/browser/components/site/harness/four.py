"""Four grids of the library with numbers in their cells, all of which change with the slider."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from attnviz import figures
from attnviz.ui.components import chart

SIZES = (4, 5, 6, 8)

move = st.slider("move", 0, 100, 50)


def grid(size: int) -> go.Figure:
    scores = np.sin(np.arange(size * size).reshape(size, size) * 1.7 + move / 10)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    names = [f"token{position}" for position in range(size)]
    return figures.number_grid(weights, names, names, f"{size} tokens", "weights")


grids = {f"size{size}": grid(size) for size in SIZES}
chart("four", grids, descriptions=dict.fromkeys(grids, "Weights of each query."), height=320)
st.write("VALUE", move)
