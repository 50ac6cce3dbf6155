"""A network as a row of layers, each as deep as its stride: where attention stands, and how many positions it sees there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.grouping import grouped
from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped

HEIGHT = 330


@dataclass(frozen=True)
class RowLayer:
    """One layer: its kind, the strides of what comes out, the earlier layers that come in beside the one before."""

    kind: str
    strides: Sequence[int]
    joins: Sequence[int] = ()
    attention: str = ""
    """What is written beside it where it holds attention."""


def layer_row(layers: Sequence[RowLayer], positions: dict[int, int], *, title: str = "") -> go.Figure:
    """Layers from left to right; the deeper, the fewer positions. positions: how many there are at each stride."""
    held = [number for number, layer in enumerate(layers) if layer.attention]
    plain = [number for number in range(len(layers)) if number not in held]
    traces = [
        _ways(layers),
        _joins(layers),
        _marks(layers, plain, positions, palette.NEUTRAL, "square", 13),
        _marks(layers, held, positions, palette.HIGHLIGHT, "diamond", 22),
    ]
    strides = sorted(positions)
    described = layout.base(title=escaped(title), height=HEIGHT, left=118, right=16, bottom=46) | {
        "xaxis": {
            "title": layout.axis_title(_("layer")), "range": [-0.7, len(layers) - 0.3], "showgrid": False, "zeroline": False,
            "tickvals": list(range(0, len(layers), 2)), "fixedrange": True, "automargin": False,
        },
        "yaxis": {
            "range": [math.log2(strides[-1]) + 0.7, math.log2(strides[0]) - 0.5], "tickvals": [math.log2(stride) for stride in strides],
            "ticktext": [_("stride {stride}", stride=stride) + f"<br>{grouped(positions[stride])}" for stride in strides],
            "gridcolor": palette.PLAIN, "zeroline": False, "fixedrange": True, "automargin": False,
        },
        "annotations": [
            {"x": number, "y": _depth(layers[number]), "text": escaped(layers[number].attention), "showarrow": False, "yshift": -24,
             "font": {"size": 12, "color": palette.HIGHLIGHT}}
            for number in held
        ],
    }  # fmt: skip
    return plot.figure(traces, described)


def _depth(layer: RowLayer) -> float:
    return math.log2(max(layer.strides))


def _ways(layers: Sequence[RowLayer]) -> plot.Trace:
    """From each layer to the next one."""
    return plot.scatter(
        x=list(range(len(layers))), y=[_depth(layer) for layer in layers], mode="lines", hoverinfo="skip",
        line={"color": palette.NEUTRAL, "width": 1.5},
    )  # fmt: skip


def _joins(layers: Sequence[RowLayer]) -> plot.Trace:
    """From an earlier layer to a later one that takes it in, too."""
    x: list[float | None] = []
    y: list[float | None] = []
    for number, layer in enumerate(layers):
        for earlier in layer.joins:
            x += [earlier, number, None]
            y += [_depth(layers[earlier]), math.log2(max(layers[earlier].strides)), None]
    return plot.scatter(
        x=x, y=y, mode="lines", hoverinfo="skip", line={"color": palette.NEUTRAL, "width": 1, "dash": "dot"}
    )


def _marks(
    layers: Sequence[RowLayer], numbers: Sequence[int], positions: dict[int, int], colour: str, symbol: str, size: int
) -> plot.Trace:
    places = [(number, stride) for number in numbers for stride in layers[number].strides]
    return plot.scatter(
        x=[number for number, _stride in places],
        y=[math.log2(stride) for _number, stride in places],
        mode="markers",
        marker={"symbol": symbol, "size": size, "color": colour},
        customdata=[[layers[number].kind, stride, positions.get(stride, 0)] for number, stride in places],
        hovertemplate=_(
            "layer {number}, {kind}: stride {stride}, {positions} positions",
            number="%{x}",
            kind="%{customdata[0]}",
            stride="%{customdata[1]}",
            positions="%{customdata[2]:,}",
        )
        + "<extra></extra>",
    )


def describe_layer_row(layers: Sequence[RowLayer], positions: dict[int, int]) -> str:
    """Which layers hold attention, at which stride, over how many positions."""
    said = [
        _(
            "Layer {number} of {count} ({kind}) holds attention, at stride {stride}, over {positions} positions.",
            number=number, count=len(layers), kind=layer.kind, stride=max(layer.strides), positions=grouped(positions[max(layer.strides)]),
        )
        for number, layer in enumerate(layers)
        if layer.attention
    ]  # fmt: skip
    return " ".join(said)


def table_layer_row(layers: Sequence[RowLayer], positions: dict[int, int]) -> pd.DataFrame:
    """One row for each layer."""
    rows = [
        (
            number,
            layer.kind,
            ", ".join(str(stride) for stride in layer.strides),
            ", ".join(grouped(positions[stride]) for stride in layer.strides),
            layer.attention,
        )
        for number, layer in enumerate(layers)
    ]
    return pd.DataFrame(rows, columns=[_("layer"), _("kind"), _("stride"), _("positions"), _("attention")])
