"""Who may look at whom in one layer: allowed pairs as cells, everything else as absent."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Bool
from torch import Tensor

from attnviz.base.grouping import grouped
from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.cells import outline
from attnviz.figures.to_numpy import to_numpy

_HEIGHT = 320
_MOST_GAPS = 40


def pattern_map(pairs: Bool[Tensor, "n m"], *, row: int | None = None, title: str = "") -> go.Figure:
    """Queries downwards, keys to the right. row: a query to outline. `customdata` is [query, key]."""
    known = to_numpy(pairs)
    queries, keys = known.shape
    names = (_("may not look"), _("may look"))
    gap = 1 if max(queries, keys) <= _MOST_GAPS else 0
    cells = plot.heatmap(
        name="pairs",
        z=known.astype(np.float32),
        zmin=0,
        zmax=1,
        colorscale=[(0.0, palette.ABSENT), (0.5, palette.ABSENT), (0.5, palette.CATEGORICAL[0]), (1.0, palette.CATEGORICAL[0])],
        showscale=False,
        customdata=np.stack([*np.indices(known.shape)], -1),
        text=[[names[int(one)] for one in line] for line in known],
        hovertemplate=_("query {query}, key {key}: {state}", query="<b>%{y}</b>", key="<b>%{x}</b>", state="%{text}")
        + "<extra></extra>",
        xgap=gap,
        ygap=gap,
    )  # fmt: skip
    axis = {"showgrid": False, "zeroline": False, "ticks": "", "nticks": 6, "fixedrange": True, "automargin": False}
    described = layout.from_the_edge(layout.base(title=title, height=_HEIGHT, left=52, right=12, bottom=48)) | {
        "xaxis": {**axis, "range": [-0.5, keys - 0.5], "title": layout.axis_title(_("key")), "constrain": "domain"},
        "yaxis": {**axis, "range": [queries - 0.5, -0.5], "title": layout.axis_title(_("query")), "scaleanchor": "x",
                  "constrain": "domain"},
        "shapes": [] if row is None else [outline(0.0, keys - 1.0, float(row), float(row))],
    }  # fmt: skip
    return plot.figure([cells], described)


def describe_pattern_map(pairs: Bool[Tensor, "n m"], *, row: int | None = None) -> str:
    """How many pairs are allowed of how many, and where one query may look."""
    known = to_numpy(pairs)
    said = [_("{count} of {all} pairs are allowed.", count=grouped(int(known.sum())), all=grouped(known.size))]
    if row is not None:
        said.append(_("Query {row} may look at {count} keys.", row=row, count=int(known[row].sum())))
    return " ".join(said)


def table_pattern_map(pairs: Bool[Tensor, "n m"]) -> pd.DataFrame:
    """One row for each query: how many keys it may look at, and which."""
    known = to_numpy(pairs)
    return pd.DataFrame(
        {
            _("query"): range(len(known)),
            _("number of keys"): known.sum(1),
            _("keys"): [_ranges(np.flatnonzero(line).tolist()) for line in known],
        }
    )


def _ranges(numbers: list[int]) -> str:
    """0–3, 8, 12."""
    groups: list[list[int]] = []
    for number in numbers:
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return ", ".join(str(group[0]) if len(group) == 1 else f"{group[0]}–{group[-1]}" for group in groups)
