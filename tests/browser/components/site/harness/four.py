"""Four heatmaps with numbers in their cells, all of which change with the slider."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from attnviz.ui.components import chart

SIZES = (4, 5, 6, 8)

move = st.slider("move", 0, 100, 50)


def heatmap(size: int) -> go.Figure:
    scores = np.sin(np.arange(size * size).reshape(size, size) * 1.7 + move / 10)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    names = [f"token{position}" for position in range(size)]
    trace = go.Heatmap(z=weights, x=names, y=names, zmin=0, zmax=1, texttemplate="%{z:.3f}", colorscale="Viridis")
    return go.Figure(trace, layout={"yaxis": {"autorange": "reversed"}, "title": f"{size} tokens"})


figures = {f"size{size}": heatmap(size) for size in SIZES}
chart("four", figures, descriptions=dict.fromkeys(figures, "Weights of each query."), height=320)
st.write("VALUE", move)
