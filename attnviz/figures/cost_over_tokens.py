"""What something costs over the number of tokens, one curve for each kind, on linear or logarithmic axes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.grouping import grouped
from attnviz.base.language import _
from attnviz.figures import layout, magnitudes, palette, plot
from attnviz.figures.escape import escaped

Unit = Literal["operations", "bytes", "pairs"]

HEIGHT = 430
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_LINE, _TOP, _BOTTOM = 15.0, 38.0, 52.0


@dataclass(frozen=True)
class Crossing:
    """Where two curves meet: at so many tokens, at this height, and which two (first: the dearer one beyond it)."""

    tokens: float
    cost: float
    first: str
    second: str


def cost_over_tokens(
    tokens: Sequence[int],
    curves: Mapping[str, Sequence[float]],
    *,
    unit: Unit,
    axis: str,
    log: bool,
    at: int | None = None,
    at_label: str = "",
    crossings: Sequence[Crossing] = (),
    title: str = "",
) -> go.Figure:
    """curves: by name, the cost at each of `tokens`. at: the user's own number, marked on every curve.

    A name stands at the right end of its curve; names that would touch are moved apart.
    """
    frame = _frame(tokens, curves, unit, axis, log, title)
    traces = []
    for place, (name, costs) in enumerate(curves.items()):
        traces.append(_curve(tokens, costs, name, place, unit))
        if at is not None:
            traces.append(_own(tokens, costs, at, place))
    if crossings:
        traces.append(_crossed(crossings, unit))
    frame["annotations"] = _names(curves, frame, log) + _mark(at, at_label, log)
    if at is not None:
        frame["shapes"] = [_upright(at)]
    return plot.figure(traces, frame)


def describe_cost_over_tokens(
    tokens: Sequence[int],
    curves: Mapping[str, Sequence[float]],
    *,
    unit: Unit,
    axis: str,
    at: int | None = None,
    crossings: Sequence[Crossing] = (),
) -> str:
    """What each costs at the number of tokens that is marked (or at the end), and where curves cross."""
    place = _nearest(tokens, tokens[-1] if at is None else at)
    said = [
        _("{axis} at {tokens} tokens: {costs}.", axis=axis, tokens=grouped(tokens[place]),
          costs=", ".join(f"{name} {_text(costs[place], unit)}" for name, costs in curves.items()))
    ]  # fmt: skip
    said += [
        _("From {tokens} tokens on {first} costs at least as much as {second}.", tokens=grouped(one.tokens),
          first=one.first, second=one.second)
        for one in crossings
    ]  # fmt: skip
    return " ".join(said)


def table_cost_over_tokens(tokens: Sequence[int], curves: Mapping[str, Sequence[float]]) -> pd.DataFrame:
    """One row for each number of tokens."""
    return pd.DataFrame({_("tokens, n"): list(tokens)} | {name: list(costs) for name, costs in curves.items()})


def _text(cost: float, unit: Unit) -> str:
    return magnitudes.bytes_text(cost) if unit == "bytes" else magnitudes.count_text(cost)


def _nearest(tokens: Sequence[int], at: int) -> int:
    return min(range(len(tokens)), key=lambda place: abs(tokens[place] - at))


def _curve(tokens: Sequence[int], costs: Sequence[float], name: str, place: int, unit: Unit) -> plot.Trace:
    return plot.scatter(
        x=list(tokens), y=[float(cost) if cost > 0 else None for cost in costs], mode="lines", name=escaped(name),
        line={"color": palette.category(place), "width": 2.5, "dash": _DASHES[place % len(_DASHES)]},
        text=[_text(cost, unit) for cost in costs],
        hovertemplate="n = %{x:,}: <b>%{text}</b><extra>%{fullData.name}</extra>",
    )  # fmt: skip


def _own(tokens: Sequence[int], costs: Sequence[float], at: int, place: int) -> plot.Trace:
    cost = costs[_nearest(tokens, at)]
    return plot.scatter(
        x=[at], y=[cost if cost > 0 else None], mode="markers", hoverinfo="skip", showlegend=False, name="",
        marker={"size": 8, "color": palette.category(place)},
    )  # fmt: skip


def _crossed(crossings: Sequence[Crossing], unit: Unit) -> plot.Trace:
    return plot.scatter(
        x=[one.tokens for one in crossings], y=[one.cost for one in crossings], mode="markers", name=_("costs cross"),
        marker={"symbol": "x-thin", "size": 11, "line": {"width": 2.5, "color": palette.HIGHLIGHT}},
        text=[
            escaped(_("From {tokens} tokens on {first} costs at least as much as {second}.", tokens=grouped(one.tokens),
                      first=one.first, second=one.second)) + f"<br>{_text(one.cost, unit)}"
            for one in crossings
        ],
        hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip


def _frame(
    tokens: Sequence[int], curves: Mapping[str, Sequence[float]], unit: Unit, axis: str, log: bool, title: str
) -> dict[str, Any]:
    known = [float(cost) for costs in curves.values() for cost in costs if cost > 0] or [1.0]
    least, most = min(known), max(known)
    room = max((layout.text_width(name, 11.5) for name in curves), default=40.0) + 22
    frame = layout.base(title=escaped(title), height=HEIGHT, left=66, right=min(room, 190.0), bottom=_BOTTOM)
    frame["margin"]["t"] = _TOP
    ends = (float(tokens[0]), float(tokens[-1]))
    if log:
        x = magnitudes.log_ticks(*ends, is_bytes=False)
        y = magnitudes.log_ticks(least, most, is_bytes=unit == "bytes")
        x_range, y_range = [math.log10(end) for end in ends], [math.log10(least) - 0.1, math.log10(most) + 0.1]
    else:
        x, y = magnitudes.linear_ticks(ends[1], is_bytes=False), magnitudes.linear_ticks(most, is_bytes=unit == "bytes")
        x_range, y_range = [0.0, ends[1]], [0.0, most * 1.05]
    kind = "log" if log else "linear"
    shared = {"type": kind, "fixedrange": True, "zeroline": False, "automargin": False, "tickmode": "array"}
    frame["xaxis"] = shared | {
        "title": layout.axis_title(_("tokens, n")), "tickvals": x[0], "ticktext": x[1], "range": x_range,
        "showgrid": False, "tickangle": 0,
    }  # fmt: skip
    frame["yaxis"] = shared | {
        "title": layout.axis_title(escaped(axis)), "tickvals": y[0], "ticktext": y[1], "range": y_range,
        "gridcolor": palette.PLAIN,
    }  # fmt: skip
    # Linear and logarithmic are two pictures: the zoom of one means nothing in the other.
    frame["uirevision"] = f"{layout.UI_REVISION}-{kind}"
    return frame


def _names(curves: Mapping[str, Sequence[float]], frame: dict[str, Any], log: bool) -> list[dict[str, Any]]:
    """The name of each curve at its right end, moved apart by at least a line."""
    low, high = frame["yaxis"]["range"]
    inner = HEIGHT - _TOP - _BOTTOM

    def from_top(cost: float) -> float:
        height = math.log10(cost) if log else cost
        return float(inner * (high - height) / (high - low))

    ends = [(from_top(costs[-1]), place, name) for place, (name, costs) in enumerate(curves.items()) if costs[-1] > 0]
    placed = apart([pixels for pixels, _place, _name in sorted(ends)], _LINE, inner)
    return [
        {
            "x": 1, "xref": "paper", "xanchor": "left", "y": 1 - pixels / inner, "yref": "paper", "yanchor": "middle",
            "text": escaped(name), "showarrow": False, "xshift": 6, "align": "left",
            "font": {"size": 11.5, "color": palette.category(place)},
        }
        for pixels, (_at, place, name) in zip(placed, sorted(ends), strict=True)
    ]  # fmt: skip


def apart(places: Sequence[float], least: float, room: float) -> list[float]:
    """The ascending places moved as little as needed to be `least` apart, within 0 to `room` where they fit."""
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + least) if moved else place)
    over = (moved[-1] - room) if moved else 0.0
    if over > 0:
        moved[-1] -= over
        for at in range(len(moved) - 2, -1, -1):
            moved[at] = min(moved[at], moved[at + 1] - least)
    return moved


def _mark(at: int | None, label: str, log: bool) -> list[dict[str, Any]]:
    if at is None:
        return []
    return [
        {
            "x": math.log10(at) if log else at, "xref": "x", "y": 1, "yref": "paper", "yanchor": "bottom",
            "text": escaped(label or f"n = {grouped(at)}"), "showarrow": False, "font": {"size": 12, "color": palette.HIGHLIGHT},
        }
    ]  # fmt: skip


def _upright(at: int) -> dict[str, Any]:
    return {
        "type": "line", "xref": "x", "yref": "paper", "x0": at, "x1": at, "y0": 0, "y1": 1,
        "line": {"color": palette.HIGHLIGHT, "width": 1.5, "dash": "dot"},
    }  # fmt: skip
