"""Weights that may be negative as a map: query by key, zero in the middle of the colours, absent shown as absent."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.base.language import _, _n
from attnviz.figures import layout, palette, plot
from attnviz.figures.cells import outline, printed
from attnviz.figures.escape import tick_labels, whole_labels
from attnviz.figures.numerals import brief_text, signed_text
from attnviz.figures.to_numpy import to_numpy
from attnviz.tokens import Tokens, isolated

MOST_NUMBERS = 16
"""Up to this many rows and columns the numbers stand in the cells."""
WIDE_NUMBERS = 8

Labels = Tokens | Sequence[str] | None
Matrix = Float[np.ndarray | Tensor, "n m"]
Pairs = Bool[np.ndarray | Tensor, "n m"]


def signed_map(
    weights: Matrix,
    allowed: Pairs,
    query_labels: Labels = None,
    key_labels: Labels = None,
    *,
    query: int | None = None,
    title: str = "",
) -> go.Figure:
    """One head's weights, blue below zero and orange above; the colours end at the next round number.

    allowed: the pairs that are there. query: its row is outlined. `customdata` is [query, key, weight].
    """
    shown = _shown(weights, allowed)
    n, m = shown.shape
    most = palette.ceiling(shown, 0.1)
    traces = [_cells(shown, most), _absent(shown)]
    if max(n, m) <= MOST_NUMBERS:
        written = signed_text if m <= WIDE_NUMBERS else brief_text
        texts = [["" if np.isnan(one) else written(float(one)) for one in row] for row in shown]
        traces += printed(texts, (shown / most + 1) / 2, palette.DIVERGING)
    wholes = whole_labels(query_labels, n), whole_labels(key_labels, m)
    ticks = tick_labels(query_labels, wholes[0]), tick_labels(key_labels, wholes[1])
    shapes = [] if query is None else [outline(0.0, m - 1.0, float(query), float(query))]
    return plot.figure(traces, _layout(wholes, ticks, title, most) | {"shapes": shapes})


def describe_signed_map(weights: Matrix, allowed: Pairs, query_labels: Labels = None, key_labels: Labels = None) -> str:
    """The largest and the smallest weight, and how many are below zero."""
    shown = _shown(weights, allowed)
    if np.isnan(shown).all():
        return _("No pair has a weight.")
    names = whole_labels(query_labels, shown.shape[0]), whole_labels(key_labels, shown.shape[1])
    most, least = (np.unravel_index(found, shown.shape) for found in (np.nanargmax(shown), np.nanargmin(shown)))
    below = int((shown < 0).sum())
    return " ".join(
        [
            _(
                "Largest weight {weight}, of query “{query}” on key “{key}”; smallest {least}, of “{other}” on “{last}”.",
                weight=signed_text(float(shown[most])),
                query=isolated(names[0][most[0]]),
                key=isolated(names[1][most[1]]),
                least=signed_text(float(shown[least])),
                other=isolated(names[0][least[0]]),
                last=isolated(names[1][least[1]]),
            ),
            _n("{count} weight is below zero.", "{count} weights are below zero.", below),
        ]
    )


def table_signed_map(
    weights: Matrix, allowed: Pairs, query_labels: Labels = None, key_labels: Labels = None
) -> pd.DataFrame:
    """One row for each cell; absent weights are missing."""
    shown = _shown(weights, allowed)
    n, m = shown.shape
    row, column = (axis.ravel() for axis in np.indices((n, m)))
    queries, keys = whole_labels(query_labels, n), whole_labels(key_labels, m)
    return pd.DataFrame(
        {
            _("query position"): row,
            _("query"): [queries[index] for index in row],
            _("key position"): column,
            _("key"): [keys[index] for index in column],
            _("weight"): shown.ravel(),
        }
    )


def _shown(weights: Matrix, allowed: Pairs) -> Float[np.ndarray, "n m"]:
    return np.where(to_numpy(allowed), to_numpy(weights).astype(np.float64), np.nan)


def _cells(shown: Float[np.ndarray, "n m"], most: float) -> plot.Trace:
    n, m = shown.shape
    told = [
        _("query {label} (position {position})", label="<b>%{y}</b>", position="%{customdata[0]}"),
        _("key {label} (position {position})", label="<b>%{x}</b>", position="%{customdata[1]}"),
        _("weight {weight}", weight="<b>%{z:.4~g}</b>"),
    ]
    return plot.heatmap(
        name="weights", z=shown.astype(np.float32), zmin=-most, zmax=most,
        colorscale=[list(stop) for stop in palette.DIVERGING],
        customdata=np.stack([*np.indices(shown.shape), shown], -1).astype(np.float32),
        hovertemplate="<br>".join(told) + "<extra></extra>", hoverongaps=False,
        xgap=1 if m <= 64 else 0, ygap=1 if n <= 64 else 0,
        showscale=max(n, m) > MOST_NUMBERS, colorbar=layout.colour_bar(_("weight")),
    )  # fmt: skip


def _absent(shown: Float[np.ndarray, "n m"]) -> plot.Trace:
    """Pairs that are not there, in their own colour; the legend names it."""
    n, m = shown.shape
    return plot.heatmap(
        name="absent", z=np.where(np.isnan(shown), 0, np.nan).astype(np.float32), zmin=0, zmax=1, showscale=False,
        colorscale=[[0, palette.ABSENT], [1, palette.ABSENT]], hoverinfo="skip",
        xgap=1 if m <= 64 else 0, ygap=1 if n <= 64 else 0,
    )  # fmt: skip


def _layout(
    wholes: tuple[Sequence[str], Sequence[str]], ticks: tuple[Sequence[str], Sequence[str]], title: str, most: float
) -> dict[str, Any]:
    n, m = len(ticks[0]), len(ticks[1])
    key_room = min(layout.label_room(ticks[1]), 130)
    slanted = m > 6 or key_room > 90
    # As much room everywhere as the map of weights that are never negative has: the two stand side by side.
    bottom = (key_room * 0.75 + 14 if slanted else 26) + 20 + 30
    shared = layout.base(
        title=title,
        subtitle=_("Blue below zero, orange above; colours to ±{most}.", most=f"{most:g}"),
        height=round(58 + max(120, min(n * (30 if n <= 32 else 14), 900)) + bottom),
        left=layout.label_room(ticks[0]) + 22,
        right=16 if max(n, m) <= MOST_NUMBERS else 96,
        bottom=round(bottom),
    )
    return shared | {
        "dragmode": "zoom",
        "xaxis": layout.token_axis(
            ticks[1], wholes=wholes[1], tickangle=-45 if slanted else 0, most=36,
            title=layout.axis_title(_("key"), 4), constrain="domain",
        ),
        "yaxis": layout.token_axis(ticks[0], wholes=wholes[0], reverse=True, title=layout.axis_title(_("query"), 4)),
    }  # fmt: skip
