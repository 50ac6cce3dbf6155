"""How many sentences of each length are translated without a mistake, with intervals."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped

ByLength = Mapping[int, tuple[int, int]]
"""Source words → sentences of that length, and how many of them were right."""

_Z = 1.959964
_APART = 0.12
_SYMBOLS = ("circle", "square", "diamond", "triangle-up")


def wilson(right: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927, J. Am. Stat. Assoc. 22); from 0 to 1 where nothing was counted."""
    if not count:
        return 0.0, 1.0
    share, square = right / count, _Z**2 / count
    middle = (share + square / 2) / (1 + square)
    reach = _Z * math.sqrt(share * (1 - share) / count + square / (4 * count)) / (1 + square)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def length_curve(models: Mapping[str, ByLength], *, title: str = "") -> go.Figure:
    """Exactly right translations in per cent over the number of source words, a curve for each model."""
    traces = []
    for place, (name, counts) in enumerate(models.items()):
        lengths = sorted(counts)
        shares = [counts[length][1] / counts[length][0] for length in lengths]
        ends = [wilson(counts[length][1], counts[length][0]) for length in lengths]
        colour = palette.category(place)
        traces.append(
            plot.scatter(
                name=escaped(name),
                # Beside each other: whiskers of equal lengths would lie on each other.
                x=[length + (place - (len(models) - 1) / 2) * _APART for length in lengths],
                y=[100 * share for share in shares],
                mode="lines+markers",
                line={"color": colour, "width": 2.5},
                marker={"symbol": _SYMBOLS[place % len(_SYMBOLS)], "size": 8, "color": colour},
                error_y={
                    "type": "data",
                    "symmetric": False,
                    "array": [100 * (high - share) for (_low, high), share in zip(ends, shares, strict=True)],
                    "arrayminus": [100 * (share - low) for (low, _high), share in zip(ends, shares, strict=True)],
                    "thickness": 1,
                    "width": 3,
                    "color": colour,
                },
                customdata=[[length, *counts[length]] for length in lengths],
                hovertemplate=_(
                    "{length} words: {right} of {count} right",
                    length="%{customdata[0]}",
                    right="%{customdata[2]}",
                    count="%{customdata[1]}",
                )
                + f"<extra>{escaped(name)}</extra>",
                showlegend=True,
            )
        )
    return plot.figure(traces, _layout(title))


def describe_length_curve(models: Mapping[str, ByLength]) -> str:
    """What each model gets right of short and of long sentences, in halves of about as many sentences."""
    said = []
    for name, counts in models.items():
        short, long = _halves(counts)
        said.append(
            _(
                "{name}: {short} % of sentences up to {length} words, {long} % of longer ones.",
                name=name,
                short=f"{100 * short[1] / max(1, short[0]):.0f}",
                long=f"{100 * long[1] / max(1, long[0]):.0f}",
                length=short[2],
            )
        )
    return " ".join(said)


def table_length_curve(models: Mapping[str, ByLength]) -> pd.DataFrame:
    """One row for each model and length."""
    rows = [
        (name, length, count, right, *(100 * end for end in wilson(right, count)))
        for name, counts in models.items()
        for length, (count, right) in sorted(counts.items())
    ]
    columns = [_("model"), _("source words"), _("sentences"), _("exactly right"), _("from"), _("to")]
    return pd.DataFrame(rows, columns=columns)


def _halves(counts: ByLength) -> tuple[tuple[int, int, int], tuple[int, int]]:
    whole, seen, right, upto = sum(count for count, _right in counts.values()), 0, 0, 0
    for length in sorted(counts):
        if seen and seen + counts[length][0] > whole / 2:
            break
        seen, right, upto = seen + counts[length][0], right + counts[length][1], length
    all_right = sum(one for _count, one in counts.values())
    return (seen, right, upto), (whole - seen, all_right - right)


def _layout(title: str) -> dict[str, Any]:
    return layout.base(title=title, height=330, left=52, right=12, bottom=86) | {
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom", "font": {"size": 11}},
        "xaxis": {
            "title": layout.axis_title(_("source words"), 4),
            "automargin": False,
            "showgrid": False,
            "zeroline": False,
        },
        "yaxis": {
            "range": [0, 103],
            "title": layout.axis_title(_("exactly right, %"), 4),
            "automargin": False,
            "zeroline": False,
        },
    }
