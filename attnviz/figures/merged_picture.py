"""A picture in patches of which some have become one: what stands for each, and where the tokens' borders run."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Int, UInt8
from torch import Tensor

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.cells import outline
from attnviz.figures.escape import escaped
from attnviz.figures.patch_map import Grid, patch_name
from attnviz.figures.to_numpy import to_numpy

_CELL = 34
_BORDER = "rgba(255,255,255,0.9)"
_VEIL = "rgba(110,110,110,0.88)"

Picture = UInt8[np.ndarray, "height width 3"]
Became = Int[np.ndarray | Tensor, " n"]


def merged_picture(
    picture: Picture, grid: Grid, became: Became, told: Sequence[str], *, framed: Sequence[int] = (), title: str = "",
    subtitle: str = "",
) -> go.Figure:  # fmt: skip
    """picture: every patch as its token has it. became: the token of each patch, row by row; −1 is veiled.

    told: what hovering says of each patch. framed: patches with a frame around each. `customdata` is a patch's place.
    """
    rows, columns = grid
    tokens = to_numpy(became).reshape(grid)
    height, width = picture.shape[:2]
    dx, dy = columns / width, rows / height
    image = {
        "type": "image", "name": "picture", "z": picture, "x0": -0.5 + dx / 2, "dx": dx, "y0": -0.5 + dy / 2, "dy": dy,
        "hoverinfo": "skip",
    }  # fmt: skip
    veil = plot.heatmap(
        name="patches", z=np.where(tokens < 0, 1, 0).astype(np.uint8), zmin=0, zmax=1, showscale=False,
        colorscale=[[0, palette.TRANSPARENT], [0.5, palette.TRANSPARENT], [0.5, _VEIL], [1, _VEIL]],
        customdata=np.arange(rows * columns).reshape(grid),
        text=[[escaped(told[row * columns + column]) for column in range(columns)] for row in range(rows)],
        hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip
    shapes = [
        outline(float(at % columns), float(at % columns), float(at // columns), float(at // columns), 2.5)
        for at in framed
    ]
    return plot.figure([image, _borders(tokens), veil], _layout(grid, title, subtitle) | {"shapes": shapes})


def describe_merged_picture(became: Became) -> str:
    """How many patches, how many tokens, and the largest of them."""
    tokens = to_numpy(became)
    sizes = np.bincount(tokens[tokens >= 0])
    return _(
        "Patches: {patches}. Tokens: {tokens}; the largest stands for {largest}. Patches without a token: {gone}.",
        patches=len(tokens), tokens=len(sizes), largest=int(sizes.max(initial=0)), gone=int((tokens < 0).sum()),
    )  # fmt: skip


def table_merged_picture(grid: Grid, became: Became) -> pd.DataFrame:
    """One row for each patch with its token."""
    tokens = to_numpy(became)
    names = [patch_name(place, grid) for place in range(len(tokens))]
    return pd.DataFrame({_("patch"): names, _("token"): [int(one) if one >= 0 else pd.NA for one in tokens]})


def _borders(tokens: Int[np.ndarray, "rows columns"]) -> plot.Trace:
    """A line wherever two neighbouring patches have different tokens."""
    x: list[float | None] = []
    y: list[float | None] = []
    for row, column in np.argwhere(tokens[:, 1:] != tokens[:, :-1]).tolist():
        x += [column + 0.5, column + 0.5, None]
        y += [row - 0.5, row + 0.5, None]
    for row, column in np.argwhere(tokens[1:] != tokens[:-1]).tolist():
        x += [column - 0.5, column + 0.5, None]
        y += [row + 0.5, row + 0.5, None]
    return plot.scatter(name="borders", x=x, y=y, mode="lines", line={"color": _BORDER, "width": 1.4}, hoverinfo="skip")


def _layout(grid: Grid, title: str, subtitle: str) -> dict[str, object]:
    rows, columns = grid
    shared = layout.from_the_edge(
        layout.base(title=title, subtitle=subtitle, height=58 + rows * _CELL + 30, left=30, right=10, bottom=28)
    )
    numbers = [str(one + 1) for one in range(max(rows, columns))]
    return shared | {
        "xaxis": layout.token_axis(numbers[:columns], fixedrange=True, constrain="domain"),
        "yaxis": layout.token_axis(
            numbers[:rows], reverse=True, fixedrange=True, scaleanchor="x", scaleratio=1, constrain="domain"
        ),
    }
