"""Figures of the library as the pages show them: printed numbers, absent entries, one of them twice as wide."""

import numpy as np
import streamlit as st

from attnviz import figures
from attnviz.ui.components import chart

move = st.slider("move", 0, 10, 0)
weights = np.tril(np.full((4, 4), 0.25)) + move / 1000
absent = np.triu(np.ones((4, 4), dtype=bool), 1)
grid = figures.number_grid(weights, ["a", "b", "a", "=b"], ["a", "b", "a", "=b"], "Weights", "weights", absent=absent)
chart(
    "grids",
    {"weights": grid, "wide": grid, "other": grid},
    descriptions=dict.fromkeys(("weights", "wide", "other"), "Weights of four queries."),
    height=240,
    columns_min_width=240,
    spans={"wide": 2},
)
