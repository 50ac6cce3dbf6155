"""How numbers change from layer to layer."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.language import _
from attnviz.figures import layout, magnitudes, palette, plot
from attnviz.figures.escape import escaped
from attnviz.figures.numerals import signed_text

Series = Mapping[str, Sequence[float]]
"""By name, one number for each layer; NaN where there is none."""

_HEIGHT = 300
_LEGEND = 20
_DASHES = ("solid", "dash", "dot", "dashdot")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x")
_MOST_TICKS = 12


def depth_curve(
    series: Series,
    *,
    axis: str,
    first: int = 0,
    log: bool = False,
    bounds: tuple[float, float] | None = None,
    chosen: int | None = None,
    colours: Sequence[str] | None = None,
    ticks: str = "",
    title: str = "",
) -> go.Figure:
    """A line for each of the series over the layers; axis: what the numbers are.

    first: the layer of the first number. log: a logarithmic axis, on which zero has no place. bounds: ends of the axis.
    chosen: a layer to mark. ticks: what is counted, such as "after layers"; "layer" where nothing is said. A point's
    `customdata` is its layer.
    """
    colours = colours or [palette.category(place) for place in range(len(series))]
    traces = [
        _line(name, numbers, first, colours[place], place, ticks)
        for place, (name, numbers) in enumerate(series.items())
    ]
    last = first + max(len(numbers) for numbers in series.values()) - 1
    lines = _legend_lines(list(series))
    frame = layout.base(
        title=title, height=_HEIGHT + _LEGEND * lines, left=58, right=14, bottom=48 + 6 + _LEGEND * lines
    )
    return plot.figure(
        traces,
        layout.from_the_edge(frame)
        | {
            "showlegend": True,
            "legend": {
                "orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom",
            },
            "xaxis": layers_axis(first, last, ticks),
            "yaxis": _upright(axis, bounds) | (_logarithmic(series) if log else {}),
            "shapes": [] if chosen is None else [marked_layer(chosen)],
        },
    )  # fmt: skip


def describe_depth_curve(series: Series, *, axis: str, first: int = 0, ticks: str = "") -> str:
    """From what to what each of the numbers goes."""
    said = [f"{axis}."]
    for name, numbers in series.items():
        known = [(place, number) for place, number in enumerate(numbers) if math.isfinite(number)]
        if known and ticks:
            said.append(
                _(
                    "{name}: {first} ({ticks}: {first_layer}), {last} ({ticks}: {last_layer}).",
                    name=name, first=signed_text(known[0][1]), last=signed_text(known[-1][1]), ticks=ticks,
                    first_layer=first + known[0][0], last_layer=first + known[-1][0],
                )
            )  # fmt: skip
        elif known:
            said.append(
                _(
                    "{name}: {first} at layer {first_layer}, {last} at layer {last_layer}.",
                    name=name, first=signed_text(known[0][1]), last=signed_text(known[-1][1]),
                    first_layer=first + known[0][0], last_layer=first + known[-1][0],
                )
            )  # fmt: skip
    return " ".join(said)


def table_depth_curve(series: Series, *, first: int = 0, ticks: str = "") -> pd.DataFrame:
    """One row for each layer, or for each number of what `ticks` counts."""
    depth = max(len(numbers) for numbers in series.values())
    columns = {name: [*map(float, numbers), *[math.nan] * (depth - len(numbers))] for name, numbers in series.items()}
    return pd.DataFrame({ticks or _("layer"): range(first, first + depth)} | columns)


def layers_axis(first: int, last: int, title: str = "") -> dict[str, Any]:
    """An axis of layers with few ticks, evenly apart."""
    step = next((step for step in (1, 2, 4, 5, 10, 20, 50) if (last - first) / step <= _MOST_TICKS), 100)
    return {
        "title": layout.axis_title(title or _("layer"), 4), "range": [first - 0.5, last + 0.5], "fixedrange": True,
        "tickvals": list(range(first, last + 1, step)), "showgrid": False, "zeroline": False, "automargin": False,
    }  # fmt: skip


def marked_layer(layer: int) -> dict[str, Any]:
    """A band behind the layer that is looked into."""
    return {
        "type": "rect", "xref": "x", "yref": "paper", "x0": layer - 0.5, "x1": layer + 0.5, "y0": 0, "y1": 1,
        "layer": "below", "fillcolor": palette.with_alpha(palette.HIGHLIGHT, 0.10), "line": {"width": 0},
    }  # fmt: skip


def _line(name: str, numbers: Sequence[float], first: int, colour: str, place: int, ticks: str) -> plot.Trace:
    number = "<b>%{y:.4~g}</b>"
    told = f"{ticks}: %{{x}} · {number}" if ticks else _("layer {layer}: {number}", layer="%{x}", number=number)
    return plot.scatter(
        x=list(range(first, first + len(numbers))),
        y=[float(number) if math.isfinite(number) else None for number in numbers],
        customdata=list(range(first, first + len(numbers))),
        mode="lines+markers", name=escaped(name),
        line={"color": colour, "width": 2.5, "dash": _DASHES[place % len(_DASHES)]},
        marker={"color": colour, "size": 7, "symbol": _SYMBOLS[place % len(_SYMBOLS)]},
        hovertemplate=f"{told}<extra>{escaped(name)}</extra>",
    )  # fmt: skip


def _upright(axis: str, bounds: tuple[float, float] | None) -> dict[str, Any]:
    upright: dict[str, Any] = {
        "title": layout.axis_title(axis, 4), "fixedrange": True, "zeroline": True, "zerolinecolor": palette.NEUTRAL,
        "gridcolor": palette.PLAIN, "automargin": False, "nticks": 6,
    }  # fmt: skip
    return upright | ({"rangemode": "tozero"} if bounds is None else {"range": list(bounds)})


def _logarithmic(series: Series) -> dict[str, Any]:
    """Ticks with whole numbers beside them; Plotly's own are a lone 2 and 5 between powers of ten."""
    known = [number for numbers in series.values() for number in numbers if math.isfinite(number) and number > 0]
    low, high = min(known, default=1.0) / 1.2, max(known, default=1.0) * 1.2
    values, _texts = magnitudes.log_ticks(low, high, is_bytes=False)
    return {
        "type": "log", "zeroline": False, "rangemode": "normal", "range": [math.log10(low), math.log10(high)],
        "tickmode": "array", "tickvals": values, "ticktext": [_tick(value) for value in values],
    }  # fmt: skip


def _tick(value: float) -> str:
    return f"{value:g}" if 1e-3 <= value < 1e5 else f"10<sup>{math.log10(value):.0f}</sup>"


def _legend_lines(names: Sequence[str]) -> int:
    """About how many lines the names take where two figures stand beside each other."""
    room, lines, used = 400.0, 1, 0.0
    for name in names:
        wide = 50 + layout.text_width(name)
        if used and used + wide > room:
            lines, used = lines + 1, 0.0
        used += wide
    return lines
