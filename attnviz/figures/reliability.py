"""Does it happen as often as is said? Predicted against observed, both on logarithmic axes."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.grouping import grouped
from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped
from attnviz.figures.length_curve import wilson

_HEIGHT = 340
LEAST = 0.001
"""Where the axes begin: what is predicted or observed less often is drawn there and says how often; hollow where the share is less."""


@dataclass(frozen=True)
class Bin:
    """Of the predictions in one bin: how many, their mean, how many came true."""

    count: int
    predicted: float
    happened: int


def reliability(bins: Sequence[Bin], *, title: str = "") -> go.Figure:
    """A point for each bin that holds anything, with its 95 % interval (Wilson 1927) and its count."""
    shown = [one for one in bins if one.count]
    shares = [one.happened / one.count for one in shown]
    ends = [wilson(one.happened, one.count) for one in shown]
    points = plot.scatter(
        x=[max(one.predicted, LEAST) for one in shown], y=[max(share, LEAST) for share in shares], mode="markers+text",
        text=[grouped(one.count) for one in shown], textposition="middle right",
        customdata=[[one.count, one.happened, share, one.predicted] for one, share in zip(shown, shares, strict=True)],
        hovertemplate="%{customdata[3]:.3g}: %{customdata[2]:.3g} (%{customdata[1]} / %{customdata[0]})<extra></extra>",
        marker={
            "color": palette.CATEGORICAL[0], "size": 9,
            "symbol": ["circle-open" if share < LEAST else "circle" for share in shares], "line": {"width": 1.5, "color": palette.CATEGORICAL[0]},
        },
        error_y={
            "type": "data", "symmetric": False, "thickness": 1.5, "width": 3, "color": palette.CATEGORICAL[0],
            "array": [max(high, LEAST) - max(share, LEAST) for share, (_low, high) in zip(shares, ends, strict=True)],
            "arrayminus": [max(share, LEAST) - max(low, LEAST) for share, (low, _high) in zip(shares, ends, strict=True)],
        },
    )  # fmt: skip
    perfect = plot.scatter(
        x=[LEAST, 1], y=[LEAST, 1], mode="lines", hoverinfo="skip",
        line={"color": palette.NEUTRAL, "width": 1.2, "dash": "dash"},
    )  # fmt: skip
    described = layout.base(title=escaped(title), height=_HEIGHT, left=62, right=44, bottom=48)
    axis = {
        "type": "log",
        "range": [-3.1, 0.12],
        "fixedrange": True,
        "gridcolor": palette.PLAIN,
        "tickvals": [0.001, 0.01, 0.1, 1],
    }
    described["xaxis"] = axis | {"title": layout.axis_title(_("predicted probability"))}
    described["yaxis"] = axis | {"title": layout.axis_title(_("share that came true"))}
    return plot.figure([perfect, points], described)


def describe_reliability(bins: Sequence[Bin]) -> str:
    """The same in words."""
    return " ".join(
        _("Of {count} predictions around {predicted}, {share} came true.", count=grouped(one.count), predicted=f"{one.predicted:.3g}",
          share=f"{one.happened / one.count:.3g}")
        for one in bins
        if one.count
    )  # fmt: skip


def table_reliability(bins: Sequence[Bin]) -> pd.DataFrame:
    """One row for each bin that holds anything."""
    return pd.DataFrame(
        [
            {
                _("predictions"): one.count,
                _("predicted probability"): one.predicted,
                _("share that came true"): one.happened / one.count,
            }
            for one in bins
            if one.count
        ]
    )
