"""Which pairs of queries and keys are computed, which of these are thrown away, and which are never computed."""

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Bool, Int
from torch import Tensor

from attnviz.base.grouping import grouped
from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.cells import outline
from attnviz.figures.to_numpy import to_numpy

Pairs = Bool[np.ndarray | Tensor, "n m"]

NOT_COMPUTED, THROWN_AWAY, LIVE, IMPLICIT = 0, 1, 2, 3
_COLOURS = (palette.ABSENT, "#E69F00", palette.CATEGORICAL[0], palette.CATEGORICAL[4])
_HEIGHT = 300


def pair_map(live: Pairs, computed: Pairs, *, query: int | None = None, title: str = "") -> go.Figure:
    """A cell for every pair: it is computed and has a weight, computed and thrown away, or not computed at all.

    Where a weight is there without being computed, as in linear attention, the pair has a colour of its own.
    """
    states = pair_states(live, computed)
    n, m = states.shape
    names = _names()
    cells = plot.heatmap(
        name="pairs", z=states, zmin=0, zmax=3, showscale=False,
        colorscale=[[at / 4, colour] for at, colour in _stops()],
        text=[[names[state] for state in row] for row in states],
        hovertemplate=_("query {query}, key {key}: {state}", query="%{y}", key="%{x}", state="%{text}")
        + "<extra></extra>",
        xgap=1 if m <= 32 else 0, ygap=1 if n <= 32 else 0,
    )  # fmt: skip
    shapes = [] if query is None else [outline(0.0, m - 1.0, float(query), float(query))]
    return plot.figure([cells, *_legend(states)], _layout(n, m, title) | {"shapes": shapes})


def describe_pair_map(live: Pairs, computed: Pairs) -> str:
    """How many pairs of each sort there are."""
    states = pair_states(live, computed)
    counted = ", ".join(f"{_names()[state]}: {grouped(int((states == state).sum()))}" for state in _told(states))
    return _("Of {total} pairs: {counted}.", total=grouped(states.size), counted=counted)  # fmt: skip


def table_pair_map(live: Pairs, computed: Pairs) -> pd.DataFrame:
    """For every query how many keys of each sort it has."""
    states = pair_states(live, computed)
    counted = {name: (states == state).sum(1) for state, name in reversed(list(enumerate(_names())))}
    return pd.DataFrame({_("query position"): range(len(states))} | counted)


def pair_states(live: Pairs, computed: Pairs) -> Int[np.ndarray, "n m"]:
    """For every pair `LIVE`, `IMPLICIT`, `THROWN_AWAY` or `NOT_COMPUTED`."""
    there, worked = to_numpy(live), to_numpy(computed)
    return np.where(there, np.where(worked, LIVE, IMPLICIT), np.where(worked, THROWN_AWAY, NOT_COMPUTED)).astype(
        np.int16
    )


def _names() -> tuple[str, str, str, str]:
    return (
        _("not computed"),
        _("computed, thrown away"),
        _("has a weight"),
        _("has a weight, its score is never computed"),
    )


def _told(states: Int[np.ndarray, "n m"]) -> list[int]:
    """The sorts that are named: the implicit one only where there is one, instead of the usual one."""
    usual = IMPLICIT if (states == IMPLICIT).any() else LIVE
    return [usual, THROWN_AWAY, NOT_COMPUTED]


def _stops() -> list[tuple[float, str]]:
    return [(float(edge), colour) for at, colour in enumerate(_COLOURS) for edge in (at, at + 1)]


def _legend(states: Int[np.ndarray, "n m"]) -> list[plot.Trace]:
    names = _names()
    return [
        plot.scatter(
            x=[None], y=[None], mode="markers", showlegend=True,
            marker={"symbol": "square", "size": 12, "color": _COLOURS[state]},
            name=f"{names[state]}: {grouped(int((states == state).sum()))}",
        )
        for state in _told(states)
    ]  # fmt: skip


def _layout(n: int, m: int, title: str) -> dict[str, Any]:
    shared = layout.base(title=title, height=_HEIGHT, left=46, right=12, bottom=98)
    rows, columns = [str(one) for one in range(n)], [str(one) for one in range(m)]
    return shared | {
        "showlegend": True,
        "legend": {
            "orientation": "v", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom",
            "itemclick": False, "itemdoubleclick": False, "font": {"size": 12},
        },
        "xaxis": layout.token_axis(columns, most=13, title=layout.axis_title(_("key"), 2), fixedrange=True),
        "yaxis": layout.token_axis(rows, most=9, reverse=True, title=layout.axis_title(_("query"), 2), fixedrange=True),
    }  # fmt: skip
