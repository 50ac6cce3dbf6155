"""Error rates as dots with their intervals, one row for each head, mean or floor."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.cells import BLANK
from attnviz.figures.escape import escaped

Mark = Literal["head", "mean", "floor", "effect"]

_ROW = 22
# Pixels above the rows for the names of the columns of numbers, and of one row of the legend.
_HEAD = 18
_LEGEND = 19
# A digit of a printed number, about, in pixels; and how many stand between two columns.
_DIGIT = 6.6
_BETWEEN = 3
# Where the axis ends at most, in per cent.
_MOST_OF_AXIS = 115


@dataclass(frozen=True)
class ScoreRow:
    """Shares from 0 to 1; low and high are the ends of the error rate's interval."""

    name: str
    mark: Mark
    error_rate: float
    low: float
    high: float
    precision: float
    recall: float


def score_dots(rows: Sequence[ScoreRow], *, title: str = "", sentences: int = 0) -> go.Figure:
    """The alignment error rates in per cent, the rows in the order given. `customdata` is the row's place."""
    looks = {
        "head": (_("one head"), palette.CATEGORICAL[0], "circle"),
        "mean": (_("mean of heads"), palette.CATEGORICAL[3], "diamond"),
        "floor": (_("floor that looks at no attention"), palette.CATEGORICAL[7], "square"),
        "effect": (_("effect of removing words"), palette.CATEGORICAL[1], "star"),
    }
    traces = []
    for mark, (name, colour, symbol) in looks.items():
        places = [place for place, row in enumerate(rows) if row.mark == mark]
        if not places:
            continue
        traces.append(
            plot.scatter(
                name=name,
                x=[100 * rows[place].error_rate for place in places],
                y=places,
                mode="markers",
                marker={"color": colour, "size": 10, "symbol": symbol},
                error_x={
                    "type": "data",
                    "symmetric": False,
                    "array": [100 * (rows[place].high - rows[place].error_rate) for place in places],
                    "arrayminus": [100 * (rows[place].error_rate - rows[place].low) for place in places],
                    "thickness": 1.5,
                    "width": 3,
                    "color": colour,
                },
                customdata=places,
                text=[_tip(rows[place]) for place in places],
                hovertemplate="%{text}<extra></extra>",
                showlegend=True,
            )
        )
    return plot.figure([*traces, *_beside(rows)], _layout(rows, title, sentences))


def _beside(rows: Sequence[ScoreRow]) -> list[plot.Trace]:
    """The error rate right of its whisker; precision and recall in two columns right of the plot."""
    shared = {"mode": "text", "hoverinfo": "skip", "showlegend": False, "cliponaxis": False, "name": ""}
    places = list(range(len(rows)))
    pairs = [[_per_cent(share).rjust(5, BLANK) for share in (row.precision, row.recall)] for row in rows]
    return [
        plot.scatter(
            x=[100 * (row.high if row.high == row.high else row.error_rate) for row in rows],
            y=places,
            text=[f" {_per_cent(row.error_rate)}" for row in rows],
            textposition="middle right",
            textfont={"size": 11},
            **shared,
        ),
        # On an axis of its own, at its end and beyond it.
        plot.scatter(
            x=[1.0] * len(rows),
            y=places,
            xaxis="x2",
            text=[(BLANK * _BETWEEN).join(["", *pair]) for pair in pairs],
            textposition="middle right",
            textfont={"size": 12},
            **shared,
        ),
    ]


def _per_cent(share: float) -> str:
    return "—" if share != share else f"{100 * share:.1f}"


def describe_score_dots(rows: Sequence[ScoreRow]) -> str:
    """The lowest and the highest error rate."""
    known = [row for row in rows if row.error_rate == row.error_rate]
    if not known:
        return _("There is no error rate to show.")
    least, most = min(known, key=lambda row: row.error_rate), max(known, key=lambda row: row.error_rate)
    return _(
        "Alignment error rates of {count} rows, from {least} % ({least_name}) to {most} % ({most_name}).",
        count=len(known),
        least=f"{100 * least.error_rate:.1f}",
        least_name=least.name,
        most=f"{100 * most.error_rate:.1f}",
        most_name=most.name,
    )


def table_score_dots(rows: Sequence[ScoreRow]) -> pd.DataFrame:
    """One row each, in per cent."""
    return pd.DataFrame(
        {
            _("what"): [row.name for row in rows],
            _("error rate %"): [100 * row.error_rate for row in rows],
            _("from"): [100 * row.low for row in rows],
            _("to"): [100 * row.high for row in rows],
            _("precision %"): [100 * row.precision for row in rows],
            _("recall %"): [100 * row.recall for row in rows],
        }
    )


def _tip(row: ScoreRow) -> str:
    rate = _per_cent(row.error_rate)
    return "<br>".join(
        [
            f"<b>{escaped(row.name)}</b>",
            _("error rate {rate} %", rate=rate)
            if row.low != row.low
            else _(
                "error rate {rate} % ({low} to {high})", rate=rate, low=_per_cent(row.low), high=_per_cent(row.high)
            ),
            _(
                "precision {precision} %, recall {recall} %",
                precision=_per_cent(row.precision),
                recall=_per_cent(row.recall),
            ),
        ]
    )


def _layout(rows: Sequence[ScoreRow], title: str, sentences: int) -> dict[str, Any]:
    names = [row.name for row in rows]
    subtitle = ""
    if sentences == 1:
        subtitle = _("one sentence, which gives no interval")
    elif sentences:
        subtitle = _("{count} sentences; whiskers: 95 % bootstrap interval over sentences", count=sentences)
    most = max([100 * row.high for row in rows if row.high == row.high], default=100.0)
    kinds = len({row.mark for row in rows})
    bottom = 58 + _LEGEND * kinds
    base = layout.base(
        title=title,
        subtitle=subtitle,
        height=66 + _HEAD + bottom + _ROW * len(rows),
        left=min(layout.label_room(names, most=230.0), 190.0),
        right=12 + 2 * (5 + _BETWEEN) * _DIGIT,
        bottom=bottom,
    )
    base["margin"]["t"] += _HEAD
    # From the edge: beside the names there is little room.
    base["title"] |= {"xref": "container", "pad": {"t": 10, "l": 8}}
    return base | {
        "showlegend": True,
        "legend": {
            "orientation": "h",
            "x": 0,
            "xref": "container",
            "y": 0,
            "yref": "container",
            "yanchor": "bottom",
            "itemclick": False,
        },
        "xaxis": {
            # No rate is above 100 %; beyond it is room for the number beside the dot alone.
            "range": [0, min(palette.ceiling([most * 1.15], 10), _MOST_OF_AXIS)],
            "title": layout.axis_title(_("alignment error rate, %"), 4),
            "automargin": False,
            "zeroline": False,
        },
        "xaxis2": {"overlaying": "x", "range": [0, 1], "visible": False, "fixedrange": True},
        "yaxis": layout.token_axis(names, reverse=True),
        "shapes": [_guide(row) for row in rows if row.mark == "floor" and row.error_rate == row.error_rate],
        "annotations": [_heading(text, place) for place, text in enumerate((_("precision"), _("recall")))],
    }


def _heading(text: str, place: int) -> dict[str, Any]:
    """Over a column of numbers, ending where they do."""
    return {
        "text": text,
        "x": 1,
        "xref": "paper",
        "xanchor": "right",
        "xshift": 4 + (place + 1) * (5 + _BETWEEN) * _DIGIT,
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 11},
    }


def _guide(row: ScoreRow) -> dict[str, Any]:
    """A dotted line down from a floor's dot: what lies right of it is no better than the floor."""
    return {
        "type": "line",
        "x0": 100 * row.error_rate,
        "x1": 100 * row.error_rate,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": palette.NEUTRAL, "width": 1, "dash": "dot"},
        "layer": "below",
    }
