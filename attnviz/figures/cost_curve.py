"""What a threshold costs: both kinds of error, weighed against each other, a thin line for each seed and the median thick."""

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped

_HEIGHT = 340
_TICKS = (0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999)
_DASHES = ("solid", "dash", "dot", "dashdot")
Curves = Mapping[str, Float[np.ndarray, "seeds thresholds"]]


def cost_curve(
    log_odds: Float[np.ndarray, " thresholds"],
    curves: Curves,
    *,
    chosen: float,
    best: float,
    axis: str,
    title: str = "",
) -> go.Figure:
    """log_odds: of the thresholds. curves: by name, the cost of every seed at each. chosen: the threshold that is set;
    best: the one that is best for calibrated probabilities; both probabilities."""
    traces: list[plot.Trace] = []
    for place, (name, seeds) in enumerate(curves.items()):
        colour = palette.category(place)
        dash = _DASHES[place % len(_DASHES)]
        for seed in seeds:
            traces.append(_line(log_odds, seed, palette.with_alpha(colour, 0.25), "solid", 1.0, None))
        traces.append(_line(log_odds, np.median(seeds, axis=0), colour, dash, 2.8, escaped(name)))
    low, high = float(log_odds[0]), float(log_odds[-1])
    described = layout.base(title=escaped(title), height=_HEIGHT, left=58, right=12, bottom=72)
    described |= {
        "xaxis": {
            "title": layout.axis_title(_("threshold: probability from which on the ego waits")), "range": [low, high],
            "tickvals": [_logit(tick) for tick in _TICKS], "ticktext": [f"{tick:g}" for tick in _TICKS],
            "fixedrange": True, "showgrid": False, "zeroline": False,
        },
        "yaxis": {"title": layout.axis_title(escaped(axis)), "rangemode": "tozero", "fixedrange": True, "zeroline": False, "gridcolor": palette.PLAIN},
        "shapes": [_upright(chosen, palette.HIGHLIGHT, "solid"), _upright(best, palette.NEUTRAL, "dot")],
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"},
    }  # fmt: skip
    return plot.figure(traces, described)


def _line(
    x: Float[np.ndarray, " thresholds"],
    y: Float[np.ndarray, " thresholds"],
    colour: str,
    dash: str,
    width: float,
    name: str | None,
) -> plot.Trace:
    return plot.scatter(
        x=[float(number) for number in x], y=[float(number) for number in y], mode="lines", name=name or "",
        showlegend=name is not None, hoverinfo="skip" if name is None else None,
        line={"color": colour, "width": width, "dash": dash},
        text=[f"{1 / (1 + math.exp(-float(number))):.3f}" for number in x],
        hovertemplate=None if name is None else "%{text}: %{y:.1f}<extra>%{fullData.name}</extra>",
    )  # fmt: skip


def _upright(probability: float, colour: str, dash: str) -> dict[str, object]:
    x = _logit(probability)
    return {
        "type": "line", "xref": "x", "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1,
        "line": {"color": colour, "width": 1.8, "dash": dash},
    }  # fmt: skip


def _logit(probability: float) -> float:
    return math.log(probability / (1 - probability))


def describe_cost_curve(
    log_odds: Float[np.ndarray, " thresholds"], curves: Curves, *, chosen: float, best: float
) -> str:
    """The same in words: the median cost at the threshold that is set, and where it is least."""
    at = int(np.abs(log_odds - _logit(chosen)).argmin())
    said = [
        _("{name}: {cost} at the threshold {threshold}, least {least} at {place}.", name=name, cost=f"{middle[at]:.1f}",
          threshold=f"{chosen:.3g}", least=f"{middle.min():.1f}", place=f"{1 / (1 + math.exp(-float(log_odds[int(middle.argmin())]))):.3g}")
        for name, seeds in curves.items()
        if len(middle := np.median(seeds, axis=0))
    ]  # fmt: skip
    return " ".join([*said, _("For calibrated probabilities {best} would be best.", best=f"{best:.3g}")])


def table_cost_curve(log_odds: Float[np.ndarray, " thresholds"], curves: Curves, *, axis: str) -> pd.DataFrame:
    """One row for each series, seed and threshold."""
    rows = [
        {_("series"): name, _("seed"): seed, _("threshold"): 1 / (1 + math.exp(-float(at))), axis: float(cost)}
        for name, seeds in curves.items()
        for seed, costs in enumerate(seeds)
        for at, cost in zip(log_odds, costs, strict=True)
    ]
    return pd.DataFrame(rows)
