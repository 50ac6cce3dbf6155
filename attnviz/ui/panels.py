"""Pictures with the text and the table that say the same."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from attnviz.base.language import _
from attnviz.ui import presenting
from attnviz.ui.components import ChartClick, ChartDrag, chart
from attnviz.ui.page import plain


@dataclass(frozen=True)
class Picture:
    """A figure, one or two sentences that say the same, and its exact numbers."""

    figure: go.Figure
    description: str
    table: Callable[[], pd.DataFrame]
    height: int = 380
    span: int = 1
    """How many columns it takes where there are as many."""


def show(
    key: str,
    pictures: Mapping[str, Picture],
    *,
    columns_min_width: int = 300,
    on_click: Callable[[ChartClick], None] | None = None,
    on_drag: Callable[[ChartDrag], None] | None = None,
) -> None:
    """Draw the pictures side by side, and below them, if asked for, what they say in words and numbers."""
    chart(
        key,
        {name: picture.figure for name, picture in pictures.items()},
        descriptions={name: picture.description for name, picture in pictures.items()},
        height={name: picture.height for name, picture in pictures.items()},
        spans={name: picture.span for name, picture in pictures.items()},
        columns_min_width=columns_min_width,
        on_click=on_click,
        on_drag=on_drag,
    )
    as_text(key, {name: (picture.description, picture.table) for name, picture in pictures.items()})


def as_text(key: str, contents: Mapping[str, tuple[str, Callable[[], pd.DataFrame]]]) -> None:
    """A switch that shows sentences and tables; the table's own menu saves it as CSV. Not while presenting."""
    presenting.leave_out(lambda: _as_text(key, contents))


def _as_text(key: str, contents: Mapping[str, tuple[str, Callable[[], pd.DataFrame]]]) -> None:
    if st.toggle(_("As text and tables"), key=f"{key}:as-text", persist_state="session"):
        for description, table in contents.values():
            st.markdown(plain(description))
            st.dataframe(table())
