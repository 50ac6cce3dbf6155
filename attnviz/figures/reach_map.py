"""Which positions of the input can have reached one position, layer by layer."""

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Bool, Int
from torch import Tensor

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.cells import outline
from attnviz.figures.to_numpy import to_numpy

_NOT_YET, _BEFORE, _NOW = range(3)
_COLOURS = (palette.ABSENT, "rgba(0,114,178,0.45)", palette.CATEGORICAL[0])
_MOST_GAPS = 64
_ROW = 20
_LEAST, _MOST = 150, 460


def reach_map(reached: Bool[Tensor, "depth n"], *, one: int, other: int | None = None, title: str = "") -> go.Figure:
    """Layers upwards, positions to the right; row L says what position `one` can know of after L layers.

    other: a position to mark, the one that should be reached. `customdata` is [layer, position].
    """
    codes = _codes(reached)
    layers, positions = codes.shape
    names = _names()
    cells = plot.heatmap(
        name="reach",
        z=codes.astype(np.float32),
        zmin=-0.5,
        zmax=2.5,
        colorscale=[(place, colour) for at, colour in enumerate(_COLOURS) for place in (at / 3, (at + 1) / 3)],
        showscale=False,
        customdata=np.stack([*np.indices(codes.shape)], -1),
        text=[[names[code] for code in row] for row in codes.tolist()],
        hovertemplate=_("position {position}, {layer} layers: {state}", position="<b>%{x}</b>", layer="<b>%{y}</b>",
                        state="%{text}") + "<extra></extra>",
        xgap=1 if positions <= _MOST_GAPS else 0,
        ygap=1,
    )  # fmt: skip
    shapes = [outline(float(one), float(one), 0.0, layers - 1.0)]
    if other is not None and other != one:
        shapes.append(outline(float(other), float(other), 0.0, layers - 1.0, width=1.5))
        shapes[-1]["line"] = {"color": palette.CATEGORICAL[1], "width": 2}
    legend = [
        plot.scatter(
            x=[None], y=[None], mode="markers", name=names[code], showlegend=True,
            marker={"symbol": "square", "size": 12, "color": _COLOURS[code]},
        )
        for code in (_NOW, _BEFORE, _NOT_YET)
    ]  # fmt: skip
    return plot.figure([cells, *legend], _layout(layers, positions, title) | {"shapes": shapes})


def describe_reach_map(reached: Bool[Tensor, "depth n"], *, one: int) -> str:
    """How many positions the first, the middle and the last layer know of, and whether all are reached."""
    counts = to_numpy(reached).sum(1)
    said = [
        _(
            "Position {one} knows of {first} positions after 1 layer and of {last} of {all} after {depth}.",
            one=one, first=int(counts[min(1, len(counts) - 1)]), last=int(counts[-1]), all=reached.shape[1],
            depth=len(counts) - 1,
        )
    ]  # fmt: skip
    whole = np.flatnonzero(counts == reached.shape[1])
    if len(whole):
        said.append(_("It knows of all positions from layer {layer} on.", layer=int(whole[0])))
    return " ".join(said)


def table_reach_map(reached: Bool[Tensor, "depth n"]) -> pd.DataFrame:
    """One row for each position: after how many layers it is reached, empty where it is not."""
    known = to_numpy(reached)
    layer = np.where(known.any(0), known.argmax(0), -1)
    return pd.DataFrame(
        {
            _("position"): range(known.shape[1]),
            _("reached after layers"): pd.array([None if at < 0 else int(at) for at in layer], dtype="Int64"),
        }
    )


def _names() -> tuple[str, str, str]:
    return _("not reached"), _("reached before"), _("reached in this layer")


def _codes(reached: Bool[Tensor, "depth n"]) -> Int[np.ndarray, "depth n"]:
    known = to_numpy(reached).astype(np.int64)
    before = np.concatenate([np.zeros_like(known[:1]), known[:-1]])
    return np.where(known > 0, np.where(before > 0, _BEFORE, _NOW), _NOT_YET)


def _layout(layers: int, positions: int, title: str) -> dict[str, Any]:
    tall = max(_LEAST, min(_ROW * layers, _MOST))
    frame = layout.base(title=title, height=38 + tall + 84, left=52, right=12, bottom=84)
    return layout.from_the_edge(frame) | {
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom", "itemclick": False},
        "xaxis": _axis(positions, 12) | {"title": layout.axis_title(_("position"), 4)},
        "yaxis": _axis(layers, 10) | {"title": layout.axis_title(_("layers"), 4)},
    }


def _axis(count: int, most: int) -> dict[str, Any]:
    """Few ticks, evenly apart, at round numbers."""
    step = next(step for step in (1, 2, 4, 5, 8, 10, 16, 20, 32, 64) if count / step <= most)
    return {
        "tickvals": list(range(0, count, step)), "range": [-0.5, count - 0.5], "showgrid": False, "zeroline": False,
        "ticks": "", "automargin": False, "fixedrange": True,
    }  # fmt: skip
