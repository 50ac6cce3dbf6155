"""How much the outputs change when the tokens are shuffled, by what tells attention the order: on a logarithmic axis."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped
from attnviz.figures.numerals import weight_text

ROUNDING = 1e-12
"""Below it a change of numbers near 1 is that of rounding in float64, many times over."""
_LEAST, _MOST = -17.5, 2.5
_ROW = 34
_ZONE = "rgba(128,128,128,0.16)"


def order_changes(changes: Mapping[str, float], *, chosen: int | None = None, title: str = "") -> go.Figure:
    """changes: by name the largest change of a number of an output; 0 stands at the left end. chosen: which one is drawn filled.

    A dot's `customdata` is its place among the names.
    """
    names, values = list(changes), np.array(list(changes.values()), dtype=np.float64)
    places = np.arange(len(names))
    at = np.maximum(values, 10.0 ** (_LEAST + 0.5))
    lines_x = [x for one in at for x in (10.0**_LEAST, float(one), None)]
    lines_y = [y for place in places for y in (int(place), int(place), None)]
    colours = [palette.HIGHLIGHT if place == chosen else palette.CATEGORICAL[0] for place in places]
    traces = [
        plot.scatter(
            name="", x=lines_x, y=lines_y, mode="lines", line={"color": palette.NEUTRAL, "width": 1}, hoverinfo="skip"
        ),
        plot.scatter(
            name="changes", x=at, y=places, mode="markers+text", customdata=places,
            marker={"size": 14, "color": colours}, text=[f"  {weight_text(float(one))}" for one in values],
            textposition="middle right", cliponaxis=False,
            hovertemplate="%{y}: <b>%{text}</b><extra></extra>",
        ),
    ]  # fmt: skip
    return plot.figure(traces, _layout(names, title))


def describe_order_changes(changes: Mapping[str, float]) -> str:
    """Every name with its number."""
    listed = ", ".join(f"{name} {weight_text(value)}" for name, value in changes.items())
    return _("Largest change of an output's number after shuffling: {numbers}.", numbers=listed)


def table_order_changes(changes: Mapping[str, float]) -> pd.DataFrame:
    """One row for each name."""
    return pd.DataFrame({_("positions"): list(changes), _("largest change"): list(changes.values())})


def _layout(names: list[str], title: str) -> dict[str, Any]:
    shared = layout.from_the_edge(
        layout.base(
            title=title, subtitle=_("Grey: no more than the rounding of float64."), height=58 + len(names) * _ROW + 60,
            left=layout.label_room(names, most=190.0), right=24, bottom=52,
        )
    )  # fmt: skip
    ticks = list(range(-16, 1, 4))
    zone = {
        "type": "rect", "x0": 10.0**_LEAST, "x1": ROUNDING, "yref": "paper", "y0": 0, "y1": 1, "fillcolor": _ZONE,
        "line": {"width": 0}, "layer": "below",
    }  # fmt: skip
    return shared | {
        "shapes": [zone],
        "xaxis": {
            "type": "log", "range": [_LEAST, _MOST], "tickvals": [10.0**one for one in ticks],
            "ticktext": ["1" if one == 0 else f"10<sup>−{-one}</sup>" for one in ticks], "fixedrange": True,
            "zeroline": False, "title": layout.axis_title(_("largest change of a number of an output")),
        },
        "yaxis": layout.token_axis([escaped(name) for name in names], reverse=True, fixedrange=True),
    }  # fmt: skip
