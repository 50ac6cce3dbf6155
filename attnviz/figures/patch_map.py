"""A picture in patches, and over it the weights of one patch: as a map, or as points between the patches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Bool, Float, UInt8
from torch import Tensor

from attnviz.base.language import _, _n
from attnviz.figures import layout, palette, plot
from attnviz.figures.cells import outline
from attnviz.figures.numerals import weight_text
from attnviz.figures.to_numpy import to_numpy

Picture = UInt8[np.ndarray, "height width 3"]
Grid = tuple[int, int]
Row = Float[np.ndarray | Tensor, " m"]

_CELL = 34
_LARGEST_POINT = 40.0
_SMALLEST_POINT = 5.0
_VEIL = "rgba(110,110,110,0.82)"


@dataclass(frozen=True, eq=False)
class Dots:
    """Sampling points in units of patches (0 is the middle of the first) and the weight of each."""

    row: Float[np.ndarray, " points"]
    column: Float[np.ndarray, " points"]
    weight: Float[np.ndarray, " points"]


def patch_map(
    picture: Picture,
    grid: Grid,
    *,
    query: int | None = None,
    weights: Row | None = None,
    allowed: Bool[np.ndarray | Tensor, " m"] | None = None,
    dots: Dots | None = None,
    title: str = "",
    subtitle: str = "",
) -> go.Figure:
    """grid: rows and columns of patches. query: the patch that looks, framed. weights: one for each patch, row by row.

    Up to 16 patches the colour is linear on 0–1, above it is logarithmic and labelled; weights below zero have the
    diverging scale. Patches that are not allowed are veiled. dots: drawn on the bare picture, area by weight.
    A patch's `customdata` is its position.
    """
    _rows, columns = grid
    traces = [_picture(picture, grid)]
    values = None if weights is None else to_numpy(weights).astype(np.float64).reshape(grid)
    there = np.ones(grid, bool) if allowed is None else to_numpy(allowed).reshape(grid)
    traces.append(_patches(values, there, grid))
    if not there.all():
        traces.append(_veil(there))
    if dots is not None:
        traces += _dots(dots, query, grid)
    shapes = []
    if query is not None:
        row, column = divmod(query, columns)
        shapes.append(outline(float(column), float(column), float(row), float(row), 3.0))
    return plot.figure(traces, _layout(grid, title, subtitle) | {"shapes": shapes})


def describe_patch_map(
    grid: Grid, *, query: int | None = None, weights: Row | None = None, dots: Dots | None = None
) -> str:
    """Which patch looks, where its largest weights are, or where its points lie."""
    said = [_("A picture of {rows} × {columns} patches.", rows=grid[0], columns=grid[1])]
    if query is not None:
        said.append(_("The patch {patch} looks.", patch=patch_name(query, grid)))
    if weights is not None:
        values = to_numpy(weights).astype(np.float64)
        order = np.argsort(-np.nan_to_num(values, nan=-np.inf))[:4]
        listed = ", ".join(f"{patch_name(int(at), grid)} {weight_text(float(values[at]))}" for at in order)
        said.append(_("Weights, largest first: {numbers}.", numbers=listed))
    if dots is not None:
        said.append(
            _n("It reads at {count} point between the patches.", "It reads at {count} points between the patches.",
               len(dots.weight))
        )  # fmt: skip
    return " ".join(said)


def table_patch_map(grid: Grid, *, weights: Row | None = None, dots: Dots | None = None) -> pd.DataFrame:
    """One row for each patch, or for each point where there are points."""
    if dots is not None:
        return pd.DataFrame({_("row"): dots.row, _("column"): dots.column, _("weight"): dots.weight})
    rows, columns = (axis.ravel() for axis in np.indices(grid))
    found = pd.DataFrame({_("row"): rows, _("column"): columns})
    if weights is not None:
        found[_("weight")] = to_numpy(weights).astype(np.float64)
    return found


def patch_name(position: int, grid: Grid) -> str:
    """ "2·5": row and column, counted from 1."""
    row, column = divmod(position, grid[1])
    return f"{row + 1}·{column + 1}"


def _picture(picture: Picture, grid: Grid) -> plot.Trace:
    height, width = picture.shape[:2]
    dx, dy = grid[1] / width, grid[0] / height
    return {
        "type": "image", "name": "picture", "z": picture, "x0": -0.5 + dx / 2, "dx": dx, "y0": -0.5 + dy / 2, "dy": dy,
        "hoverinfo": "skip",
    }  # fmt: skip


def _patches(
    values: Float[np.ndarray, "rows columns"] | None, there: Bool[np.ndarray, "rows columns"], grid: Grid
) -> plot.Trace:
    """The weights over the picture; without any, cells that are seen through but can be clicked."""
    place = np.arange(grid[0] * grid[1]).reshape(grid)
    if values is None:
        return plot.heatmap(
            name="patches", z=np.zeros(grid, np.uint8), customdata=place, showscale=False, xgap=1, ygap=1,
            colorscale=[[0, palette.TRANSPARENT], [1, palette.TRANSPARENT]],
            hovertemplate="<b>%{y}·%{x}</b><extra></extra>",
        )  # fmt: skip
    shown = np.where(there, values, np.nan)
    return plot.heatmap(
        name="weights", customdata=place, text=[[weight_text(float(one)) for one in row] for row in shown],
        hovertemplate=_("patch {patch}: weight {weight}", patch="<b>%{y}·%{x}</b>", weight="<b>%{text}</b>")
        + "<extra></extra>",
        hoverongaps=False, opacity=0.62, xgap=1, ygap=1, **_colours(shown),
    )  # fmt: skip


def _colours(shown: Float[np.ndarray, "rows columns"]) -> dict[str, Any]:
    if np.nanmin(shown, initial=0.0) < 0:
        most = palette.ceiling(shown[np.isfinite(shown)], 0.01)
        return {
            "z": shown, "zmin": -most, "zmax": most, "colorscale": [list(stop) for stop in palette.DIVERGING],
            "colorbar": layout.colour_bar(_("weight")),
        }  # fmt: skip
    if shown.size <= palette.LINEAR_KEYS:
        bar = layout.colour_bar(_("weight"))
        return {"z": shown, "zmin": 0, "zmax": 1, "colorscale": palette.SEQUENTIAL, "colorbar": bar}
    least, greatest = palette.log_range()
    ticks, texts = palette.log_ticks()
    with np.errstate(divide="ignore"):
        # Of a weight of exactly 0 that is allowed the colour is the scale's end; hovering tells the 0.
        z = np.maximum(np.log10(shown), least)
    return {
        "z": z, "zmin": least, "zmax": greatest, "colorscale": list(palette.log_colorscale()),
        "colorbar": layout.colour_bar(_("weight (logarithmic scale)"), tickvals=ticks, ticktext=texts),
    }  # fmt: skip


def _veil(there: Bool[np.ndarray, "rows columns"]) -> plot.Trace:
    return plot.heatmap(
        name="absent", z=np.where(there, np.nan, 0).astype(np.float32), zmin=0, zmax=1, showscale=False, xgap=1, ygap=1,
        colorscale=[[0, _VEIL], [1, _VEIL]], hoverinfo="skip",
    )  # fmt: skip


def _dots(dots: Dots, query: int | None, grid: Grid) -> list[plot.Trace]:
    traces: list[plot.Trace] = []
    if query is not None:
        row, column = divmod(query, grid[1])
        x = [one for at in dots.column for one in (float(column), float(at), None)]
        y = [one for at in dots.row for one in (float(row), float(at), None)]
        traces.append(
            plot.scatter(name="", x=x, y=y, mode="lines", line={"color": "#ffffff", "width": 1.5}, hoverinfo="skip")
        )
    sizes = [max(_SMALLEST_POINT, _LARGEST_POINT * float(abs(one)) ** 0.5) for one in dots.weight]
    traces.append(
        plot.scatter(
            name="points", x=dots.column, y=dots.row, mode="markers", text=[weight_text(float(w)) for w in dots.weight],
            marker={"size": sizes, "color": palette.HIGHLIGHT, "opacity": 0.8, "line": {"color": "#ffffff", "width": 1.5}},
            hovertemplate=_("point at row {row}, column {column}: weight {weight}", row="%{y:.2f}", column="%{x:.2f}",
                            weight="<b>%{text}</b>") + "<extra></extra>",
        )
    )  # fmt: skip
    return traces


def _layout(grid: Grid, title: str, subtitle: str) -> dict[str, Any]:
    rows, columns = grid
    shared = layout.base(
        title=title, subtitle=subtitle, height=round(58 + rows * _CELL + 30), left=30, right=96, bottom=28
    )  # fmt: skip
    numbers: Sequence[str] = [str(one + 1) for one in range(max(rows, columns))]
    return shared | {
        "xaxis": layout.token_axis(numbers[:columns], fixedrange=True, constrain="domain"),
        "yaxis": layout.token_axis(
            numbers[:rows], reverse=True, fixedrange=True, scaleanchor="x", scaleratio=1, constrain="domain"
        ),
    }
