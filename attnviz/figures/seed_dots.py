"""One dot for every seed: a number against a factor, a colour for each series, the truth as a line."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped

Series = Mapping[str, Sequence[Sequence[float]]]
"""By name, for each category the numbers of its seeds; NaN is no dot."""

_HEIGHT = 340
_LEGEND = 22
_SPREAD = 0.8
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x")


def seed_dots(
    categories: Sequence[str],
    series: Series,
    *,
    axis: str,
    factor: str,
    truth: Mapping[str, float] | None = None,
    even: float | None = None,
    chosen: tuple[str, int, int] | None = None,
    title: str = "",
) -> go.Figure:
    """categories: of the factor, evenly apart. truth: by series, a dashed line. even: a dotted line for an even share.

    The axis goes from 0, or from below the lowest dot, to 1. chosen: series, place of the category and seed, ringed. A dot's `customdata` is its series, the place of its category and its seed.
    """
    traces: list[plot.Trace] = []
    width = _SPREAD / max(1, len(series))
    for place, (name, columns) in enumerate(series.items()):
        x, y, custom = _dots(name, columns, -_SPREAD / 2 + width * (place + 0.5), width)
        colour = palette.category(place)
        traces.append(
            plot.scatter(
                x=x, y=y, customdata=custom, mode="markers", name=escaped(name), showlegend=len(series) > 1,
                marker={"color": colour, "size": 8, "symbol": _SYMBOLS[place % len(_SYMBOLS)], "opacity": 0.85},
                text=[escaped(categories[one[1]]) for one in custom],
                hovertemplate=f"%{{text}} · {escaped(name)} · {_('seed')} %{{customdata[2]}}: %{{y:.3f}}<extra></extra>",
            )
        )  # fmt: skip
        if truth is not None and name in truth:
            traces.append(_line(categories, truth[name], colour, "dash"))
    if even is not None:
        traces.append(_line(categories, even, palette.NEUTRAL, "dot"))
    if chosen is not None:
        traces += _ring(series, chosen, width)
    described = layout.base(
        title=escaped(title), height=_HEIGHT, left=58, right=12, bottom=48 + _LEGEND * (len(series) > 1)
    )
    described["xaxis"] = {
        "title": layout.axis_title(escaped(factor)), "tickvals": list(range(len(categories))), "fixedrange": True,
        "ticktext": [escaped(one) for one in categories], "range": [-0.6, len(categories) - 0.4], "showgrid": False, "zeroline": False,
    }  # fmt: skip
    lowest = min(
        (number for columns in series.values() for seeds in columns for number in seeds if number < 0), default=0
    )
    described["yaxis"] = {
        "title": layout.axis_title(escaped(axis)), "fixedrange": True, "zeroline": False,
        "gridcolor": palette.PLAIN, "range": [lowest - 0.02, 1.02],
    }  # fmt: skip
    if len(series) > 1:
        described |= {
            "showlegend": True,
            "legend": {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"},
        }
    return plot.figure(traces, described)


def _dots(
    name: str, columns: Sequence[Sequence[float]], offset: float, width: float
) -> tuple[list[float], list[float], list[tuple[str, int, int]]]:
    x: list[float] = []
    y: list[float] = []
    custom: list[tuple[str, int, int]] = []
    for place, seeds in enumerate(columns):
        for seed, number in enumerate(seeds):
            if number == number:
                # Beside each other, so that equal numbers do not hide one another.
                x.append(place + offset + width * 0.8 * ((seed + 0.5) / len(seeds) - 0.5))
                y.append(number)
                custom.append((name, place, seed))
    return x, y, custom


def _line(categories: Sequence[str], height: float, colour: str, dash: str) -> plot.Trace:
    return plot.scatter(
        x=[-0.5, len(categories) - 0.5], y=[height, height], mode="lines", hoverinfo="skip", showlegend=False,
        line={"color": colour, "width": 1.5, "dash": dash},
    )  # fmt: skip


def _ring(series: Series, chosen: tuple[str, int, int], width: float) -> list[plot.Trace]:
    name, place, seed = chosen
    if name not in series or place >= len(series[name]) or seed >= len(series[name][place]):
        return []
    offset = -_SPREAD / 2 + width * (list(series).index(name) + 0.5)
    count = len(series[name][place])
    return [
        plot.scatter(
            x=[place + offset + width * 0.8 * ((seed + 0.5) / count - 0.5)], y=[series[name][place][seed]], mode="markers",
            hoverinfo="skip", showlegend=False, marker={"size": 17, "color": palette.TRANSPARENT, "line": {"color": palette.HIGHLIGHT, "width": 2.5}},
        )
    ]  # fmt: skip


def describe_seed_dots(
    categories: Sequence[str], series: Series, *, axis: str, truth: Mapping[str, float] | None = None
) -> str:
    """The same in words: for each series and category the median and the range over the seeds."""
    said = [f"{axis}."]
    for name, columns in series.items():
        parts = []
        for category, seeds in zip(categories, columns, strict=True):
            known = np.array([number for number in seeds if number == number])
            if len(known):
                parts.append(
                    _("{category}: {median} ({low} to {high})", category=category, median=f"{np.median(known):.3f}",
                      low=f"{known.min():.3f}", high=f"{known.max():.3f}")
                )  # fmt: skip
        line = _("{name}, median and range over the seeds: {parts}.", name=name, parts="; ".join(parts))
        if truth is not None and name in truth:
            line += " " + _("In truth {number}.", number=f"{truth[name]:.3f}")
        said.append(line)
    return " ".join(said)


def table_seed_dots(categories: Sequence[str], series: Series, *, axis: str, factor: str) -> pd.DataFrame:
    """One row for every dot."""
    rows = [
        {_("series"): name, factor: category, _("seed"): seed, axis: number}
        for name, columns in series.items()
        for category, seeds in zip(categories, columns, strict=True)
        for seed, number in enumerate(seeds)
        if number == number
    ]
    return pd.DataFrame(rows)
