"""Several quantities of the same objects over time, one lane each on one time axis."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped, labels

Scale = Literal["share", "change", "seconds"]

ROW = 20
_TITLE, _BETWEEN, _AXIS = 24, 16, 44
# Most effects are close to 0, in long lanes: neither white on a dark page nor black on a light one.
_NOTHING_IS_FAINT = (palette.DIVERGING[0], (0.5, "rgba(136, 136, 136, 0.2)"), palette.DIVERGING[2])
_TEXT = {"share": "{:.3f}", "change": "{:+.2f}", "seconds": "{:.1f} s"}


@dataclass(frozen=True, eq=False)
class Lane:
    """One quantity of every object at every time; NaN where it has none. most: the end of the fixed colour scale."""

    title: str
    values: Float[np.ndarray, "objects times"]
    scale: Scale
    most: float


def lanes(
    objects: Sequence[str],
    times: Float[np.ndarray, " times"],
    parts: Sequence[Lane],
    *,
    now: float,
    first_seen: Mapping[int, float | None],
    row: int | None = None,
    title: str = "",
) -> go.Figure:
    """The lanes below each other. now: the moment that is shown elsewhere, a line through all of them.

    first_seen: by the object's place, when it is first seen (a tick), None for one that never is. row: the object to
    outline. A cell's `customdata` is its object's place; a click tells the time.
    """
    names = [escaped(name) for name in labels(list(objects), len(objects))]
    heights = [ROW * len(objects)] * len(parts)
    height = sum(heights) + len(parts) * (_TITLE + _BETWEEN) + _AXIS + (38 if title else 8)
    described = layout.base(title=escaped(title), height=height, left=_left(names), right=86, bottom=_AXIS)
    inner = height - described["margin"]["t"] - _AXIS
    traces: list[plot.Trace] = []
    shapes: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    top = 1.0
    for place, (part, tall) in enumerate(zip(parts, heights, strict=True)):
        axis = "" if not place else str(place + 1)
        top -= _TITLE / inner
        bottom = max(0.0, top - tall / inner)
        traces.append(_map(part, names, times, axis))
        described[f"yaxis{axis}"] = {
            "domain": [bottom, top], "range": [len(objects) - 0.5, -0.5], "tickvals": list(range(len(objects))),
            "ticktext": names, "showgrid": False, "zeroline": False, "fixedrange": True, "anchor": "x", "ticks": "",
        }  # fmt: skip
        notes.append(
            {"text": escaped(part.title), "x": 0, "xref": "paper", "xanchor": "left", "y": top, "yref": "paper",
             "yanchor": "bottom", "showarrow": False, "font": {"size": 12}}
        )  # fmt: skip
        shapes += _ticks(first_seen, float(times[0]), f"y{axis}")
        if row is not None:
            shapes.append(_around(row, times, f"y{axis}"))
        traces[-1]["colorbar"] |= {"y": (top + bottom) / 2, "len": tall / inner, "yanchor": "middle"}
        top = bottom - _BETWEEN / inner
    shapes.append(
        {"type": "line", "xref": "x", "yref": "paper", "x0": now, "x1": now, "y0": 0, "y1": 1,
         "line": {"color": palette.HIGHLIGHT, "width": 2}}
    )  # fmt: skip
    described["xaxis"] = {
        "title": layout.axis_title(_("time, s")), "range": [float(times[0]) - 0.05, float(times[-1]) + 0.05],
        "showgrid": False, "zeroline": False, "fixedrange": True, "anchor": f"y{len(parts) if len(parts) > 1 else ''}",
    }  # fmt: skip
    return plot.figure(traces, described | {"shapes": shapes, "annotations": notes})


def _map(part: Lane, names: Sequence[str], times: Float[np.ndarray, " times"], axis: str) -> plot.Trace:
    values = part.values
    shown = [[None if math.isnan(cell) else float(cell) for cell in line] for line in values]
    text = [
        [
            "" if math.isnan(cell) else f"{name}, {t:.1f} s: {_TEXT[part.scale].format(cell)}"
            for t, cell in zip(times, line, strict=True)
        ]
        for name, line in zip(names, values, strict=True)
    ]
    return plot.heatmap(
        x=[float(t) for t in times], y=list(range(len(names))), z=shown, text=text, yaxis=f"y{axis}", xaxis="x",
        zmin=-part.most if part.scale == "change" else 0.0, zmax=part.most,
        colorscale=_NOTHING_IS_FAINT if part.scale == "change" else palette.SEQUENTIAL,
        reversescale=part.scale == "seconds", xgap=0, ygap=2, name=escaped(part.title),
        customdata=[[place] * len(times) for place in range(len(names))],
        hovertemplate="%{text}<extra></extra>",
        colorbar=layout.colour_bar(""),
    )  # fmt: skip


def _ticks(first_seen: Mapping[int, float | None], start: float, axis: str) -> list[dict[str, Any]]:
    return [
        {"type": "line", "xref": "x", "yref": axis, "x0": t, "x1": t, "y0": place - 0.5, "y1": place + 0.5,
         "line": {"color": palette.CATEGORICAL[1], "width": 3}}
        for place, t in first_seen.items() if t is not None and t > start
    ]  # fmt: skip


def _around(row: int, times: Float[np.ndarray, " times"], axis: str) -> dict[str, Any]:
    return {
        "type": "rect", "xref": "x", "yref": axis, "x0": float(times[0]) - 0.05, "x1": float(times[-1]) + 0.05,
        "y0": row - 0.5, "y1": row + 0.5, "line": {"color": palette.HIGHLIGHT, "width": 1.5},
    }  # fmt: skip


def _left(names: Sequence[str]) -> float:
    return 14 + max((layout.text_width(name) for name in names), default=0)


def describe_lanes(
    objects: Sequence[str], times: Float[np.ndarray, " times"], parts: Sequence[Lane], *, now: float,
    first_seen: Mapping[int, float | None],
) -> str:  # fmt: skip
    """The same in words: who is first seen when, and the largest of each quantity."""
    said = [
        _("{name} is first seen at {t} s.", name=objects[place], t=f"{t:.1f}")
        for place, t in first_seen.items()
        if t is not None and t > float(times[0])
    ]
    for part in parts:
        strength = np.abs(part.values) if part.scale != "seconds" else -part.values
        if np.isfinite(strength).any():
            place, at = divmod(int(np.nanargmax(strength)), strength.shape[1])
            worded = _TEXT[part.scale].format(part.values[place, at])
            said.append(
                _("{title}: the most notable is {name} at {t} s, {value}.", title=part.title, name=objects[place],
                  t=f"{times[at]:.1f}", value=worded)
            )  # fmt: skip
    return " ".join([*said, _("The moment shown is {t} s.", t=f"{now:.1f}")])


def table_lanes(objects: Sequence[str], times: Float[np.ndarray, " times"], parts: Sequence[Lane]) -> pd.DataFrame:
    """One row for each object and time at which any of the quantities is known."""
    rows = [
        {_("object"): name, _("time, s"): float(t)} | {part.title: part.values[place, at] for part in parts}
        for place, name in enumerate(objects)
        for at, t in enumerate(times)
        if any(math.isfinite(part.values[place, at]) for part in parts)
    ]
    return pd.DataFrame(rows)
