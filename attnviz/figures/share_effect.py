"""What each part is of what leaves its layer, against what switching it off does: a share is no effect."""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
import plotly.graph_objects as go

from attnviz.attention.summands import PartKind
from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.part_colours import COLOURS, part_name

_HEIGHT = 380
_SYMBOLS: dict[PartKind, str] = {
    "attention": "circle",
    "cross-attention": "diamond",
    "feed-forward": "square",
    "other": "x",
}


class Acting(NamedTuple):
    """One part. share: of what leaves its layer; change: of what leaves the last layer, relative; both as fractions."""

    layer: int
    kind: PartKind
    share: float
    change: float


def share_effect(parts: Sequence[Acting], *, chosen: tuple[int, str] | None = None, title: str = "") -> go.Figure:
    """A point for each part, with the number of its layer. chosen: layer and kind of the one that is ringed.

    A point's `customdata` is [layer, kind].
    """
    traces = [_points([part for part in parts if part.kind == kind], kind) for kind in _SYMBOLS]
    ringed = [part for part in parts if (part.layer, part.kind) == chosen]
    traces.append(
        plot.scatter(
            x=[part.share for part in ringed], y=[part.change for part in ringed], mode="markers", hoverinfo="skip",
            showlegend=False, name="chosen",
            marker={"size": 20, "color": palette.TRANSPARENT, "line": {"color": palette.HIGHLIGHT, "width": 2.5}},
        )
    )  # fmt: skip
    axis = {
        "tickformat": ".0%", "fixedrange": True, "gridcolor": palette.PLAIN, "zerolinecolor": palette.NEUTRAL,
        "automargin": False, "nticks": 8, "rangemode": "tozero",
    }  # fmt: skip
    frame = layout.base(title=title, height=_HEIGHT, left=62, right=18, bottom=78)
    return plot.figure(
        traces,
        layout.from_the_edge(frame)
        | {
            "showlegend": True,
            "legend": {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"},
            "xaxis": {**axis, "title": layout.axis_title(_("share of what leaves its layer"))},
            "yaxis": {**axis, "title": layout.axis_title(_("change without it, at the end"))},
        },
    )


def describe_share_effect(parts: Sequence[Acting]) -> str:
    """Which part is the largest share, and which does most."""
    if not parts:
        return _("Nothing was switched off yet.")
    largest, strongest = max(parts, key=lambda part: part.share), max(parts, key=lambda part: part.change)
    return _(
        "The largest share, {share}, has {part} of layer {layer}; most changes, by {change}, without {other} of layer "
        "{other_layer}.",
        share=f"{largest.share:.1%}", part=part_name(largest.kind), layer=largest.layer, change=f"{strongest.change:.1%}",
        other=part_name(strongest.kind), other_layer=strongest.layer,
    )  # fmt: skip


def table_share_effect(parts: Sequence[Acting]) -> pd.DataFrame:
    """One row for each part."""
    return pd.DataFrame(
        {
            _("layer"): [part.layer for part in parts],
            _("part"): [part_name(part.kind) for part in parts],
            _("share of what leaves its layer"): [part.share for part in parts],
            _("change without it, at the end"): [part.change for part in parts],
        }
    )


def _points(parts: Sequence[Acting], kind: PartKind) -> plot.Trace:
    told = _("layer {layer}: share {share}, change {change}", layer="%{text}", share="%{x:.1%}", change="%{y:.1%}")
    return plot.scatter(
        x=[part.share for part in parts], y=[part.change for part in parts], mode="markers+text",
        text=[str(part.layer) for part in parts], textposition="top center", textfont={"size": 11},
        customdata=[[part.layer, part.kind] for part in parts], name=part_name(kind), showlegend=bool(parts),
        marker={"color": COLOURS[kind], "symbol": _SYMBOLS[kind], "size": 10},
        hovertemplate=f"{told}<extra>{part_name(kind)}</extra>",
    )  # fmt: skip
