"""What a vector is made of, layer by layer: signed shares that add up to 1."""

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.depth_curve import layers_axis, marked_layer
from attnviz.figures.escape import escaped
from attnviz.figures.numerals import signed_text

Shares = Mapping[str, Sequence[float]]
"""By part, its share in each layer."""

_HEIGHT = 340


def block_shares(
    shares: Shares, *, chosen: int | None = None, colours: Sequence[str] | None = None, title: str = ""
) -> go.Figure:
    """Bars on each other, upwards from zero what points along the whole, downwards what points against it.

    In every layer the shares add up to 1, the dotted line: what lies below zero is made up for above it. chosen: a
    layer to mark. A bar's `customdata` is its layer.
    """
    colours = colours or [palette.category(place) for place in range(len(shares))]
    depth = max(len(numbers) for numbers in shares.values())
    told = _("layer {layer}: {share}", layer="%{x}", share="<b>%{y:.1%}</b>")
    traces = [
        plot.bar(
            x=list(range(len(numbers))), y=list(map(float, numbers)), customdata=list(range(len(numbers))),
            name=escaped(name), marker={"color": colours[place], "line": {"width": 0}},
            hovertemplate=f"{told}<extra>{escaped(name)}</extra>",
        )
        for place, (name, numbers) in enumerate(shares.items())
    ]  # fmt: skip
    one = {
        "type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 1, "y1": 1,
        "line": {"color": palette.NEUTRAL, "width": 1.5, "dash": "dot"},
    }  # fmt: skip
    low, high = _ends(shares, depth)
    frame = layout.base(title=title, height=_HEIGHT, left=58, right=14, bottom=98)
    return plot.figure(
        traces,
        layout.from_the_edge(frame)
        | {
            "barmode": "relative", "bargap": 0.25, "showlegend": True,
            "legend": {
                "orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom", "traceorder": "normal",
                "itemclick": False, "itemdoubleclick": False,
            },
            "xaxis": layers_axis(0, depth - 1),
            "yaxis": {
                "title": layout.axis_title(_("share of what leaves"), 4), "range": [low, high], "fixedrange": True,
                "tickformat": ".0%", "zeroline": True, "zerolinecolor": palette.NEUTRAL, "gridcolor": palette.PLAIN,
                "automargin": False, "nticks": 8,
            },
            "shapes": [one, *([] if chosen is None else [marked_layer(chosen)])],
        },
    )  # fmt: skip


def describe_block_shares(shares: Shares, *, layer: int) -> str:
    """The shares of one layer in words, and that they add up."""
    parts = ", ".join(f"{name} {percent(numbers[layer])}" for name, numbers in shares.items())
    return _("What leaves layer {layer} is made of: {parts}. Together 100 %.", layer=layer, parts=parts)


def table_block_shares(shares: Shares) -> pd.DataFrame:
    """One row for each layer, one column for each part."""
    depth = max(len(numbers) for numbers in shares.values())
    return pd.DataFrame({_("layer"): range(depth)} | {name: list(numbers) for name, numbers in shares.items()})


def percent(share: float) -> str:
    """0.123 as 12.3 %, with a true minus; small ones with two digits that count."""
    size = abs(100 * share)
    return (f"{'−' if share < 0 else ''}{size:.1f}" if size >= 0.95 else signed_text(100 * share)) + " %"


def _ends(shares: Shares, depth: int) -> tuple[float, float]:
    """Ends of the axis that hold every bar, in steps, so that it stays while somebody looks around."""
    above = [sum(max(numbers[layer], 0.0) for numbers in shares.values()) for layer in range(depth)]
    below = [sum(min(numbers[layer], 0.0) for numbers in shares.values()) for layer in range(depth)]
    low = -palette.ceiling([min(below)], 0.05) if min(below) < 0 else 0.0
    return low, max(1.08, palette.ceiling([max(above)], 1.0) if max(above) > 1.05 else 1.08)
