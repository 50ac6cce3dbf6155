"""Parts of a whole in per cent, each inside the one before it: bars that lie on one another, not on top."""

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped

HEIGHT = 320
_WIDTHS = (0.8, 0.52, 0.24)
Shares = Mapping[str, Sequence[float]]
"""By name, from the largest part to the smallest: a share from 0 to 1 for each of the wholes."""


def share_bars(
    wholes: Sequence[str],
    shares: Shares,
    *,
    chosen: int | None = None,
    most: float | None = None,
    axis: str = "",
    title: str = "",
) -> go.Figure:
    """A bar for each whole and part; narrower where it is a part of the wider one. most: upper end of the axis, in
    per cent, so that it is the same in two figures. chosen: the whole whose name is printed bold."""
    traces = [
        plot.bar(
            x=list(range(len(wholes))), y=[100 * share for share in numbers], name=escaped(name), width=_WIDTHS[place],
            marker={"color": palette.with_alpha(palette.category(0), 0.3) if place == 0 else palette.category(place - 1)},
            text=[f"{100 * share:.2g}" for share in numbers] if place == 0 else None, textposition="outside", cliponaxis=False,
            hovertemplate="%{customdata}: %{y:.2f} %" + f"<extra>{escaped(name)}</extra>", customdata=[escaped(whole) for whole in wholes],
            showlegend=True,
        )
        for place, (name, numbers) in enumerate(shares.items())
    ]  # fmt: skip
    top = most if most is not None else palette.ceiling([100 * share for part in shares.values() for share in part])
    described = layout.base(title=escaped(title), height=HEIGHT, left=48, right=12, bottom=100) | {
        "barmode": "overlay",
        "xaxis": {
            "tickvals": list(range(len(wholes))),
            "ticktext": [f"<b>{escaped(whole)}</b>" if place == chosen else escaped(whole) for place, whole in enumerate(wholes)],
            "title": layout.axis_title(escaped(axis)), "showgrid": False, "zeroline": False, "fixedrange": True,
            "automargin": False, "tickangle": 0,
        },
        "yaxis": {
            "range": [0, top * 1.08], "ticksuffix": " %", "gridcolor": palette.PLAIN, "zeroline": False, "fixedrange": True,
            "automargin": False,
        },
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom", "font": {"size": 11}},
    }  # fmt: skip
    return plot.figure(traces, described)


def describe_share_bars(wholes: Sequence[str], shares: Shares) -> str:
    """The same in words, whole by whole."""
    said = []
    for place, whole in enumerate(wholes):
        parts = ", ".join(f"{name} {100 * numbers[place]:.2f} %" for name, numbers in shares.items())
        said.append(f"{whole}: {parts}.")
    return " ".join(said)


def table_share_bars(wholes: Sequence[str], shares: Shares) -> pd.DataFrame:
    """One row for each whole, per cent in the columns."""
    columns = {f"{name}, %": [100 * share for share in numbers] for name, numbers in shares.items()}
    return pd.DataFrame({_("network"): list(wholes)} | columns)
