"""A map whose cells and special states the tests know, and an atlas of small maps."""

import numpy as np
import streamlit as st

from attnviz.ui.components import MatrixAsk, MatrixClick, MatrixValue, matrix

state = st.session_state
state.setdefault("clicked", None)
state.setdefault("asked", None)

size = int(st.query_params.get("size", "160"))
shift = st.slider("shift", 0, 10, 0)

codes = np.full((size, size), 100 + shift, dtype=np.uint8)
codes[0] = [0, 1, 2, 3, 255] + [100] * (size - 5)
codes[1] = 0
codes[2] = 1
codes[3] = 2
codes[4] = 3
if size > 500:
    # One single large weight in a sea of small ones.
    codes[5:] = 10 + shift
    codes[size - 7, size - 9] = 255


def clicked(click: MatrixClick) -> None:
    state.clicked = (click.row, click.column)


def asked(ask: MatrixAsk) -> None:
    state.asked = (ask.row, ask.column)


value = None
if state.asked:
    row, column = state.asked
    value = MatrixValue(row, column, f"exactly {codes[row, column]} at {row}, {column} with shift {shift}")
labels = [f"<b>token{position}</b>" for position in range(size)]
matrix(
    "matrix",
    codes,
    description="A map of <b>weights</b>.",
    row_labels=labels,
    column_labels=labels,
    selected=state.clicked or (None, None),
    value=value,
    on_click=clicked,
    on_ask=asked,
    height=520,
)
st.write(f"CLICKED {state.clicked} ASKED {state.asked} SHIFT {shift}")

atlas = np.tile(np.arange(4, 4 + 16 * 12, dtype=np.uint8).reshape(12, 16), (4, 6))
matrix(
    "atlas",
    atlas,
    description="Maps of all heads.",
    tile=(12, 16),
    tile_labels=([f"layer {layer}" for layer in range(4)], [str(head) for head in range(6)]),
    selected_tile=(1, 2),
    height=320,
)
