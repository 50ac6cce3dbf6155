"""A crossing whose road users share tokens: lines from the ego to every token, and from a token to its members."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped
from attnviz.figures.numerals import weight_text
from attnviz.figures.street_lines import ROAD, Body
from attnviz.figures.to_numpy import to_numpy

_HEIGHT = 430
_EDGE = 4.0
_CLOSE = 8.0
"""Metres from the lowest to the highest of several for which their number can stand over or under them."""
_DISC = 1.2
"""Metres that the disc of a person and the diamond of a token reach from their middle, as they are drawn."""
_ASPHALT = "rgba(128,128,128,0.22)"
_GONE = "rgba(128,128,128,0.9)"


@dataclass(frozen=True, eq=False)
class SharedTokens:
    """members: of every token, as places among the bodies; who is in none has no token. weights: one for each token.

    people: the bodies that are persons, drawn as discs and named. The ego is body 0 and token 0.
    """

    members: tuple[tuple[int, ...], ...]
    weights: Float[np.ndarray | Tensor, " k"]
    people: tuple[int, ...] = ()

    def place(self, token: int, bodies: Sequence[Body]) -> tuple[float, float]:
        """The middle of a token's members."""
        members = [bodies[at] for at in self.members[token]]
        return sum(one.x for one in members) / len(members), sum(one.y for one in members) / len(members)

    def mixed(self, token: int) -> bool:
        """Whether a person shares it."""
        return len(self.members[token]) > 1 and any(at in self.people for at in self.members[token])


def merged_street(bodies: Sequence[Body], shared: SharedTokens, *, title: str = "", subtitle: str = "") -> go.Figure:
    """Lines as thick as the weights. Who has no token is a dotted outline. `customdata` of "users" is a body's place."""
    weights = to_numpy(shared.weights).astype(np.float64)
    there = {at for members in shared.members for at in members}
    places = [shared.place(token, bodies) for token in range(len(shared.members))]
    traces = [*_lines(places, weights), *_spokes(bodies, shared, places)]
    traces += [_body(one, at, at in there, at in shared.people) for at, one in enumerate(bodies)]
    traces += [_names(bodies, shared, there), _numbers(bodies, shared, places, weights)]
    return plot.figure(traces, _layout(bodies, title, subtitle))


def describe_merged_street(bodies: Sequence[Body], shared: SharedTokens) -> str:
    """Who is in which token, with its weight."""
    weights = to_numpy(shared.weights).tolist()
    listed = "; ".join(
        f"{' + '.join(bodies[at].label for at in members)} {weight_text(weight)}"
        for members, weight in zip(shared.members, weights, strict=True)
    )
    return _("{tokens} tokens and their weights: {numbers}.", tokens=len(weights), numbers=listed)


def table_merged_street(bodies: Sequence[Body], shared: SharedTokens) -> pd.DataFrame:
    """One row for each token."""
    return pd.DataFrame(
        {
            _("token"): [" + ".join(bodies[at].label for at in members) for members in shared.members],
            _("stands for"): [len(members) for members in shared.members],
            _("weight"): to_numpy(shared.weights).astype(np.float64),
        }
    )


def _lines(places: Sequence[tuple[float, float]], weights: Float[np.ndarray, " k"]) -> list[plot.Trace]:
    x, y = places[0]
    colour = palette.CATEGORICAL[0]
    ring = plot.scatter(
        name="own", x=[x], y=[y], mode="markers", hoverinfo="skip",
        marker={"size": 30, "color": palette.TRANSPARENT, "line": {"color": colour, "width": palette.thickness(float(weights[0]))}},
    )  # fmt: skip
    return [ring] + [
        plot.scatter(
            name="line", x=[x, other[0]], y=[y, other[1]], mode="lines", hoverinfo="skip",
            line={"color": colour, "width": palette.thickness(float(weight))},
        )
        for other, weight in zip(places[1:], weights[1:], strict=True)
    ]  # fmt: skip


def _spokes(bodies: Sequence[Body], shared: SharedTokens, places: Sequence[tuple[float, float]]) -> list[plot.Trace]:
    found = []
    for token, members in enumerate(shared.members):
        if len(members) == 1:
            continue
        x, y = places[token]
        colour = palette.HIGHLIGHT if shared.mixed(token) else palette.NEUTRAL
        found.append(
            plot.scatter(
                name="members", x=[one for at in members for one in (x, bodies[at].x, None)],
                y=[one for at in members for one in (y, bodies[at].y, None)], mode="lines", hoverinfo="skip",
                line={"color": colour, "width": 2.5},
            )
        )  # fmt: skip
        found.append(
            plot.scatter(
                name="token", x=[x], y=[y], mode="markers", hoverinfo="skip",
                marker={"size": 12, "symbol": "diamond", "color": colour, "line": {"color": "#ffffff", "width": 1}},
            )
        )  # fmt: skip
    return found


def _body(body: Body, at: int, there: bool, person: bool) -> plot.Trace:
    colour = palette.CATEGORICAL[1] if person else palette.CATEGORICAL[0] if at == 0 else palette.NEUTRAL
    if person:
        # To scale a person would be five pixels wide.
        symbol = "circle" if there else "circle-open-dot"
        marker = {
            "size": 11,
            "symbol": symbol,
            "color": colour,
            "line": {"color": "#ffffff" if there else colour, "width": 1.5},
        }
        return plot.scatter(name="body", x=[body.x], y=[body.y], mode="markers", hoverinfo="skip", marker=marker)
    cos, sin = math.cos(body.heading), math.sin(body.heading)
    half, side = body.length / 2, body.width / 2
    corners = [(half, side), (half, -side), (-half, -side), (-half, side), (half, side)]
    return plot.scatter(
        name="body", x=[body.x + a * cos - b * sin for a, b in corners], y=[body.y + a * sin + b * cos for a, b in corners],
        mode="lines", hoverinfo="skip", fill="toself" if there else "none", fillcolor=colour,
        line={"color": "#ffffff" if there else _GONE, "width": 1 if there else 1.5, "dash": "solid" if there else "dot"},
    )  # fmt: skip


def _names(bodies: Sequence[Body], shared: SharedTokens, there: set[int]) -> plot.Trace:
    """Everybody can be hovered over; persons are named, for they are what is looked for."""
    token_of = {at: token for token, members in enumerate(shared.members) for at in members}
    weights = to_numpy(shared.weights).tolist()
    told = [
        _("{name}: weight {weight} of its token", name=escaped(one.label), weight=weight_text(weights[token_of[at]]))
        if at in there
        else _("{name}: no token", name=escaped(one.label))
        for at, one in enumerate(bodies)
    ]
    texts = []
    for at, one in enumerate(bodies):
        alone = at in there and len(shared.members[token_of[at]]) == 1
        number = f" <b>{weight_text(weights[token_of[at]])}</b>" if alone else ""
        texts.append(f" {escaped(one.label)}{number}" if at in shared.people else "")
    return plot.scatter(
        name="users", x=[one.x for one in bodies], y=[one.y for one in bodies], mode="markers+text",
        customdata=list(range(len(bodies))), marker={"size": 14, "opacity": 0}, hovertext=told, hoverinfo="text",
        text=texts, textposition=["middle right" if one.x >= 0 else "top center" for one in bodies],
        textfont={"size": 11}, cliponaxis=False,
    )  # fmt: skip


def _numbers(
    bodies: Sequence[Body], shared: SharedTokens, places: Sequence[tuple[float, float]], weights: Float[np.ndarray, " k"]
) -> plot.Trace:  # fmt: skip
    """The weights, beside what they belong to: a person alone has its number at its name."""
    found = []
    for token, members in enumerate(shared.members):
        number = f"<b>{weight_text(float(weights[token]))}</b>"
        if len(members) > 1:
            found.append((*_above(bodies, members, places[token], shared.people), f"{number} ×{len(members)}"))
        elif members[0] not in shared.people:
            found.append((*_beside(bodies[members[0]]), number))
    return plot.scatter(
        name="numbers", x=[one[0] for one in found], y=[one[1] for one in found], mode="text",
        text=[one[3] for one in found], textposition=[one[2] for one in found], hoverinfo="skip",
        textfont={"size": 11}, cliponaxis=False,
    )  # fmt: skip


def _half(body: Body) -> tuple[float, float]:
    """Half of the room that a body takes east and north, in metres."""
    cos, sin = abs(math.cos(body.heading)), abs(math.sin(body.heading))
    return (cos * body.length + sin * body.width) / 2, (sin * body.length + cos * body.width) / 2


def _beside(body: Body) -> tuple[float, float, str]:
    """Where the number of a body stands, off the body itself: over or under one that lies across, else at its side."""
    east, north = _half(body)
    if east >= north:
        return (body.x, body.y + north, "top center") if body.y >= 0 else (body.x, body.y - north, "bottom center")
    return (body.x + east, body.y, "middle right") if body.x >= 0 else (body.x - east, body.y, "middle left")


def _above(
    bodies: Sequence[Body], members: Sequence[int], middle: tuple[float, float], people: Sequence[int]
) -> tuple[float, float, str]:  # fmt: skip
    """Where the number of several stands: over or under all of them where they are close, else right of their middle."""
    north = {at: _DISC if at in people else _half(bodies[at])[1] for at in members}
    tops = [bodies[at].y + north[at] for at in members]
    bottoms = [bodies[at].y - north[at] for at in members]
    if max(tops) - min(bottoms) > _CLOSE:
        return middle[0] + _DISC, middle[1], "middle right"
    return (middle[0], max(tops), "top center") if middle[1] >= 0 else (middle[0], min(bottoms), "bottom center")


def _layout(bodies: Sequence[Body], title: str, subtitle: str) -> dict[str, Any]:
    xs, ys = [one.x for one in bodies], [one.y for one in bodies]
    box = (min(xs) - 2 * _EDGE, max(xs) + _EDGE, min(ys) - _EDGE, max(ys) + _EDGE)
    shapes = [_road(box[0], box[1], -ROAD, ROAD), _road(-ROAD, ROAD, box[2], -ROAD), _road(-ROAD, ROAD, ROAD, box[3])]
    hidden = {"showgrid": False, "zeroline": False, "showticklabels": False, "fixedrange": True, "automargin": False}
    shared = layout.from_the_edge(
        layout.base(title=title, subtitle=subtitle, height=_HEIGHT, left=8, right=8, bottom=8)
    )
    return shared | {
        "shapes": shapes,
        "xaxis": hidden | {"range": [box[0], box[1]], "constrain": "range"},
        "yaxis": hidden | {"range": [box[2], box[3]], "scaleanchor": "x", "scaleratio": 1, "constrain": "domain"},
    }


def _road(x0: float, x1: float, y0: float, y1: float) -> dict[str, Any]:
    return {
        "type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "fillcolor": _ASPHALT, "line": {"width": 0},
        "layer": "below",
    }  # fmt: skip
