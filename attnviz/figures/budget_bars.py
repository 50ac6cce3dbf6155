"""Costs of several ways beside a budget, on a logarithmic axis: what ends left of the line fits."""

import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.language import _
from attnviz.figures import layout, magnitudes, palette, plot
from attnviz.figures.escape import escaped

Bars = Sequence[tuple[str, float, str, bool]]
"""Name, cost, the cost as it is written, and whether it fits."""

_ROW = 27


def budget_bars_height(count: int) -> int:
    """Pixels for so many bars."""
    return 94 + _ROW * count


def budget_bars(
    rows: Bars, *, limit: float, limit_label: str, axis: str, is_bytes: bool = False, title: str = ""
) -> go.Figure:
    """A dot on a stem for each way, in the given order; a dashed line is the budget. Filled: it fits; hollow: it does not.

    is_bytes: whether the axis is ticked at powers of two, as KiB and MiB.
    """
    known = [cost for _name, cost, _text, _fits in rows if cost > 0] + [limit]
    low, high = math.log10(min(known)) - 0.4, math.log10(max(known)) + 0.2
    ticks = magnitudes.log_ticks(10**low, 10**high, is_bytes=is_bytes)
    # The numbers stand in a column of their own: beside the dots the budget's line would run through them.
    high += (high - low) * 0.22
    stems = plot.scatter(
        x=[end for _name, cost, _text, _fits in rows for end in (10**low, max(cost, 10**low), None)],
        y=[place for at in range(len(rows)) for place in (at, at, None)],
        mode="lines", hoverinfo="skip", showlegend=False, name="", line={"color": "rgba(128,128,128,0.45)", "width": 2},
    )  # fmt: skip
    traces = [stems] + [_dots(rows, fits, 10**low) for fits in (True, False) if any(row[3] is fits for row in rows)]
    names = [escaped(row[0]) for row in rows]
    frame = layout.base(
        title=escaped(title), height=budget_bars_height(len(rows)), left=layout.label_room([row[0] for row in rows], most=290.0),
        right=12, bottom=56,
    )  # fmt: skip
    frame["margin"]["t"] = 30
    frame |= {
        "xaxis": {
            "type": "log", "range": [low, high], "fixedrange": True, "title": layout.axis_title(escaped(axis)),
            "tickmode": "array", "tickvals": ticks[0], "ticktext": ticks[1], "tickangle": 0, "gridcolor": palette.PLAIN,
            "zeroline": False, "automargin": False,
        },
        "yaxis": {
            "tickvals": list(range(len(rows))), "ticktext": names, "range": [len(rows) - 0.5, -0.5],
            "fixedrange": True, "showgrid": False, "zeroline": False, "automargin": False,
        },
        "shapes": [
            {"type": "line", "xref": "x", "yref": "paper", "x0": limit, "x1": limit, "y0": 0, "y1": 1,
             "line": {"color": palette.HIGHLIGHT, "width": 1.8, "dash": "dash"}}
        ],
        "annotations": [
            {"x": math.log10(limit), "xref": "x", "y": 1, "yref": "paper", "yanchor": "bottom", "text": escaped(limit_label),
             "showarrow": False, "font": {"size": 12, "color": palette.HIGHLIGHT}},
            *(_number(place, row[2]) for place, row in enumerate(rows)),
        ],
    }  # fmt: skip
    return plot.figure(traces, frame)


def describe_budget_bars(rows: Bars, *, limit_label: str) -> str:
    """What fits and what does not, with its cost."""
    fitting = ", ".join(f"{name} ({text})" for name, _cost, text, fits in rows if fits)
    others = ", ".join(f"{name} ({text})" for name, _cost, text, fits in rows if not fits)
    said = []
    if fitting:
        said.append(_("Within {limit}: {ways}.", limit=limit_label, ways=fitting))
    if others:
        said.append(_("Beyond {limit}: {ways}.", limit=limit_label, ways=others))
    return " ".join(said)


def table_budget_bars(rows: Bars, *, axis: str) -> pd.DataFrame:
    """One row for each way."""
    return pd.DataFrame([(name, cost, fits) for name, cost, _text, fits in rows], columns=[_("way"), axis, _("fits")])


def _number(place: int, text: str) -> dict[str, object]:
    return {
        "x": 1, "xref": "paper", "xanchor": "right", "y": place, "yref": "y", "yanchor": "middle", "text": escaped(text),
        "showarrow": False, "font": {"size": 12},
    }  # fmt: skip


def _dots(rows: Bars, fits: bool, least: float) -> plot.Trace:
    chosen = [(at, row) for at, row in enumerate(rows) if row[3] is fits]
    colour = palette.CATEGORICAL[2] if fits else palette.CATEGORICAL[1]
    return plot.scatter(
        x=[max(row[1], least) for _at, row in chosen], y=[at for at, _row in chosen], mode="markers",
        name=_("fits") if fits else _("does not fit"),
        marker={
            "size": 11, "symbol": "circle" if fits else "circle-open", "color": colour, "line": {"width": 2, "color": colour}
        },
        hovertext=[f"{escaped(row[0])}: {escaped(row[2])}" for _at, row in chosen],
        hovertemplate="%{hovertext}<extra></extra>",
    )  # fmt: skip
