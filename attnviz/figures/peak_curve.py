"""How much memory each form of an attention took at most, measured, over the number of positions; both axes logarithmic."""

import math
from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.grouping import grouped
from attnviz.base.language import _
from attnviz.base.memory import amount
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped

_HEIGHT = 380
_SYMBOLS = ("circle", "square", "diamond")
_DASHES = ("solid", "dash", "dot")

Peaks = Mapping[str, Sequence[int]]
"""By form, bytes at each length."""


def peak_curve(lengths: Sequence[int], peaks: Peaks, *, last: int, title: str = "") -> go.Figure:
    """A line with its amounts for each form. last: the largest length that is tried, so that the axis does not move."""
    traces = [
        plot.scatter(
            x=list(lengths), y=list(found), mode="lines+markers+text", name=escaped(name), showlegend=True,
            text=[amount(size) for size in found], textposition="top left" if place == 0 else "bottom right",
            textfont={"size": 11}, cliponaxis=False, marker={"symbol": _SYMBOLS[place % 3], "size": 9},
            line={"color": palette.category(place), "width": 2.5, "dash": _DASHES[place % 3]},
            hovertemplate="%{x}: %{text}<extra>%{fullData.name}</extra>",
        )
        for place, (name, found) in enumerate(peaks.items())
    ]  # fmt: skip
    ticks = [length for length in (128, 256, 512, 1024, 2048, 4096) if length <= last]
    every = [size for found in peaks.values() for size in found] or [2**20]
    least, most = math.log10(min(every) / 2), math.log10(max(every) * 4)
    described = layout.base(
        title=title, subtitle=_("Measured here, beyond the inputs; both axes are logarithmic."), height=_HEIGHT,
        left=74, right=40, bottom=78,
    )  # fmt: skip
    described |= {
        "xaxis": {
            "type": "log", "title": layout.axis_title(_("positions")), "tickvals": ticks, "fixedrange": True,
            "range": [math.log10(100), math.log10(last * 1.25)], "ticktext": [grouped(one) for one in ticks], "showgrid": False,
        },
        "yaxis": {
            "type": "log", "tickvals": [2**power for power in range(14, 34, 2)], "fixedrange": True,
            "range": [least, most], "ticktext": [amount(2**power) for power in range(14, 34, 2)], "gridcolor": palette.PLAIN,
        },
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"},
    }  # fmt: skip
    return plot.figure(traces, described)


def describe_peak_curve(lengths: Sequence[int], peaks: Peaks) -> str:
    """What each form took at the largest length."""
    if not lengths:
        return _("Nothing was measured yet.")
    said = [
        _("{name}: at most {amount} at {count} positions.", name=name, amount=amount(found[-1]), count=lengths[-1])
        for name, found in peaks.items()
    ]
    return " ".join(said)


def table_peak_curve(lengths: Sequence[int], peaks: Peaks) -> pd.DataFrame:
    """One row for each length, in bytes."""
    return pd.DataFrame({_("positions"): list(lengths)} | {name: list(found) for name, found in peaks.items()})
