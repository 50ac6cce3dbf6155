"""A crossing from above: lines from one road user to all that it looks at, as thick as their weights."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped
from attnviz.figures.numerals import weight_text
from attnviz.figures.to_numpy import to_numpy

ROAD = 3.5
"""Metres from the middle of each road to its edge."""
LONGEST = 12
"""Letters of a name on one line."""
_HEIGHT = 430
_EDGE = 5.0
_GAP = 0.4
_ASPHALT = "rgba(128,128,128,0.22)"

Row = Float[np.ndarray | Tensor, " m"]
There = Bool[np.ndarray | Tensor, " m"]


@dataclass(frozen=True)
class Body:
    """One road user: metres east and north, radians from east to north, length and width in metres."""

    label: str
    x: float
    y: float
    heading: float
    length: float
    width: float


def street_lines(
    bodies: Sequence[Body], query: int, weights: Row | None = None, allowed: There | None = None, *, title: str = "",
    subtitle: str = "",
) -> go.Figure:  # fmt: skip
    """The weights of the query-th road user; its own is a ring. Weights below zero are dashed.

    `customdata` of the trace "users" is the position of a road user.
    """
    values = np.full(len(bodies), np.nan) if weights is None else to_numpy(weights).astype(np.float64)
    there = np.ones(len(bodies), bool) if allowed is None else to_numpy(allowed)
    values = np.where(there, values, np.nan)
    traces = [*_lines(bodies, query, values), *(_body(one, at == query) for at, one in enumerate(bodies))]
    return plot.figure([*traces, *_names(bodies, values)], _layout(bodies, title, subtitle))


def describe_street_lines(bodies: Sequence[Body], query: int, weights: Row | None, allowed: There | None = None) -> str:
    """Who looks, and the weight of everybody that is looked at."""
    if weights is None:
        return _("A crossing with {count} road users; there are no weights between them.", count=len(bodies))
    values, there = to_numpy(weights), np.ones(len(bodies), bool) if allowed is None else to_numpy(allowed)
    order = [int(at) for at in np.argsort(-np.nan_to_num(values)) if there[at]]
    listed = ", ".join(f"{bodies[at].label} {weight_text(float(values[at]))}" for at in order)
    return _("{name} looks at: {numbers}.", name=bodies[query].label, numbers=listed)


def table_street_lines(bodies: Sequence[Body], weights: Row | None, allowed: There | None = None) -> pd.DataFrame:
    """One row for each road user."""
    values = np.full(len(bodies), np.nan) if weights is None else to_numpy(weights).astype(np.float64)
    if allowed is not None:
        values = np.where(to_numpy(allowed), values, np.nan)
    return pd.DataFrame(
        {_("road user"): [one.label for one in bodies], "x": [one.x for one in bodies], "y": [one.y for one in bodies],
         _("weight"): values}
    )  # fmt: skip


def _lines(bodies: Sequence[Body], query: int, values: Float[np.ndarray, " m"]) -> list[plot.Trace]:
    start, found = bodies[query], []
    for at, (body, weight) in enumerate(zip(bodies, values.tolist(), strict=True)):
        if math.isnan(weight):
            continue
        colour, width = palette.CATEGORICAL[0 if weight >= 0 else 1], palette.thickness(abs(weight))
        if at == query:
            found.append(
                plot.scatter(
                    name="own", x=[body.x], y=[body.y], mode="markers", hoverinfo="skip",
                    marker={"size": 30, "color": palette.TRANSPARENT, "line": {"color": colour, "width": width}},
                )
            )  # fmt: skip
        else:
            found.append(
                plot.scatter(
                    name="line", x=[start.x, body.x], y=[start.y, body.y], mode="lines", hoverinfo="skip",
                    line={"color": colour, "width": width, "dash": "solid" if weight >= 0 else "dash"},
                )
            )  # fmt: skip
    return found


def _body(body: Body, chosen: bool) -> plot.Trace:
    cos, sin = math.cos(body.heading), math.sin(body.heading)
    half, side = body.length / 2, body.width / 2
    corners = [(half, side), (half, -side), (-half, -side), (-half, side), (half, side)]
    return plot.scatter(
        name="body", x=[body.x + a * cos - b * sin for a, b in corners], y=[body.y + a * sin + b * cos for a, b in corners],
        mode="lines", fill="toself", hoverinfo="skip", fillcolor=palette.HIGHLIGHT if chosen else palette.NEUTRAL,
        line={"color": "#ffffff", "width": 1},
    )  # fmt: skip


def _named(body: Body, number: str) -> str:
    """A long name takes two lines: half a page has little room beside the street."""
    name = escaped(body.label)
    lines = name.replace(" ", "<br>", 1) if len(body.label) > LONGEST else name
    return f"{lines}<br><b>{number}</b>"


def _beginning(body: Body) -> tuple[float, float]:
    """Where its name begins: beside it on the road that crosses, above or below it elsewhere, so that neither hides."""
    cos, sin = abs(math.cos(body.heading)), abs(math.sin(body.heading))
    if abs(body.y) <= ROAD:
        return body.x + math.copysign((cos * body.length + sin * body.width) / 2 + _GAP, body.x), body.y
    return body.x, body.y + math.copysign((sin * body.length + cos * body.width) / 2 + _GAP, body.y)


def _names(bodies: Sequence[Body], values: Float[np.ndarray, " m"]) -> list[plot.Trace]:
    numbers = ["—" if math.isnan(one) else weight_text(one) for one in values.tolist()]
    texts = [_named(one, number) for one, number in zip(bodies, numbers, strict=True)]
    users = plot.scatter(
        name="users", x=[one.x for one in bodies], y=[one.y for one in bodies], mode="markers", text=texts,
        customdata=list(range(len(bodies))), marker={"size": 22, "opacity": 0},
        hovertemplate="%{text}<extra></extra>", cliponaxis=False,
    )  # fmt: skip
    said = plot.scatter(
        name="names", x=[_beginning(one)[0] for one in bodies], y=[_beginning(one)[1] for one in bodies],
        mode="text", text=texts, textfont={"size": 11}, hoverinfo="skip", cliponaxis=False,
        # Away from the middle of the crossing, where the lines run.
        textposition=[_beside(one) for one in bodies],
    )  # fmt: skip
    return [users, said]


def _beside(body: Body) -> str:
    upright = "top" if body.y > ROAD else "bottom" if body.y < -ROAD else "middle"
    return f"{upright} {'right' if body.x >= 0 else 'left'}"


def _layout(bodies: Sequence[Body], title: str, subtitle: str) -> dict[str, Any]:
    xs, ys = [one.x for one in bodies], [one.y for one in bodies]
    box = (min(xs) - 2 * _EDGE, max(xs) + 2 * _EDGE, min(ys) - 1.5 * _EDGE, max(ys) + 1.5 * _EDGE)
    shapes = [_road(box[0], box[1], -ROAD, ROAD), _road(-ROAD, ROAD, box[2], -ROAD), _road(-ROAD, ROAD, ROAD, box[3])]
    hidden = {"showgrid": False, "zeroline": False, "showticklabels": False, "fixedrange": True, "automargin": False}
    return layout.base(title=title, subtitle=subtitle, height=_HEIGHT, left=8, right=8, bottom=8) | {
        "shapes": shapes,
        "xaxis": hidden | {"range": [box[0], box[1]], "constrain": "range"},
        "yaxis": hidden | {"range": [box[2], box[3]], "scaleanchor": "x", "scaleratio": 1, "constrain": "domain"},
    }


def _road(x0: float, x1: float, y0: float, y1: float) -> dict[str, Any]:
    return {
        "type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "fillcolor": _ASPHALT, "line": {"width": 0},
        "layer": "below",
    }  # fmt: skip
