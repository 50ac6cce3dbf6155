"""A plot whose legend needs more lines where it is narrow."""

import streamlit as st

from attnviz.figures.seed_dots import seed_dots
from attnviz.ui.components import chart

move = st.slider("move", 0, 10, 0)
names = (
    "nobody waits",
    "oversampled: three of ten scenes in a batch",
    "re-weighted: counts five times",
    "both at once",
)
dots = seed_dots(
    ["10", "60"], {name: [[0.0, 0.5], [move / 10, 1.0]] for name in names}, axis="missed", factor="run-outs"
)
chart("legend", {"dots": dots}, descriptions={"dots": "Missed run-outs."}, height=340)
