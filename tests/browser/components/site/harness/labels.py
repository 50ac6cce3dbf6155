"""Plots with more labels along their axes than there is room for where it is narrow."""

import numpy as np
import streamlit as st

from attnviz.figures import layout, plot, weight_bars
from attnviz.ui.components import chart

WORDS = [f"token number {position}" for position in range(24)]

move = st.slider("move", 0, 10, 0)
straight = layout.token_axis(WORDS, tickangle=0)
straight["ticktext"] = [f"<b>{text}</b>" if at == 7 else text for at, text in enumerate(straight["ticktext"])]
named = {"type": "category", "automargin": False, "tickangle": 0}
points = list(range(24))


def figure(xaxis, yaxis, x, y):
    frame = layout.base(title="", height=260, left=120, right=60, bottom=60)
    trace = plot.scatter(x=x, y=y, mode="markers", hovertemplate="%{x}<extra></extra>")
    return plot.figure([trace], frame | {"xaxis": xaxis, "yaxis": yaxis})


figures = {
    "straight": figure(straight, {"range": [-1, 35]}, points, [number + move for number in points]),
    "slanted": figure(layout.token_axis(WORDS, tickangle=-45), layout.token_axis(WORDS, reverse=True), points, points),
    "categories": figure(named, {}, WORDS, points),
    # Many keys: the axis ends at an eighth, and a share is far below zero.
    "bars": weight_bars(
        np.array([0.002, 0.003, 0.12] + [0.875 / 17] * 17),
        shares=np.array([-4.2, 0.3, 0.2] + [0.1] * 17),
        key_labels=[f"a very long road user {position}" for position in range(20)],
    ),
}
chart(
    "labels",
    figures,
    descriptions=dict.fromkeys(figures, "Labels."),
    height={**dict.fromkeys(figures, 260), "bars": 672},
    columns_min_width=2000,
)
