"""Small matrices with their numbers printed, one or several side by side: the steps of attention by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.figures import layout, palette
from attnviz.figures.escape import escaped, labels
from attnviz.figures.numerals import signed_text, weight_text
from attnviz.figures.to_numpy import to_numpy
from attnviz.tokens import Tokens

Kind = Literal["signed", "weights", "plain"]
Labels = Tokens | Sequence[str] | None

ABSENT_SIGN = "—"
ROW_HEIGHT = 34


@dataclass(frozen=True, eq=False)
class Grid:
    """One matrix to print. `absent` marks entries that the mask leaves out; they are shown as "—"."""

    matrix: Float[np.ndarray | Tensor, "n m"]
    row_labels: Labels = None
    column_labels: Labels = None
    title: str = ""
    kind: Kind = "plain"
    absent: Bool[np.ndarray | Tensor, "n m"] | None = None


def number_grid(
    matrix: Float[np.ndarray | Tensor, "n m"],
    row_labels: Labels = None,
    column_labels: Labels = None,
    title: str = "",
    kind: Kind = "plain",
    *,
    absent: Bool[np.ndarray | Tensor, "n m"] | None = None,
    highlighted_row: int | None = None,
) -> go.Figure:
    """One small matrix with its numbers. kind: "signed" colours around 0, "weights" on 0–1, "plain" not at all.

    A cell's `customdata` is [row, column].
    """
    grid = Grid(matrix, row_labels, column_labels, title, kind, absent)
    return number_grids([grid], highlighted_row=highlighted_row)


def number_grids(grids: Sequence[Grid], *, highlighted_row: int | None = None) -> go.Figure:
    """Several matrices side by side in one figure, row by row on the same height.

    All must have the same number of rows. A cell's `customdata` is [row, column, number of the grid].
    """
    rows = {grid.matrix.shape[0] for grid in grids}
    if len(rows) != 1:
        raise InputError(
            _m("Matrices side by side need the same number of rows; these have {rows}."),
            rows=", ".join(str(count) for count in sorted(rows)),
        )
    figure = go.Figure()
    domains = _domains([grid.matrix.shape[1] for grid in grids])
    axes: dict[str, Any] = {}
    for number, (grid, domain) in enumerate(zip(grids, domains, strict=True)):
        figure.add_traces(_traces(grid, number))
        axes |= _axes(grid, number, domain)
    shapes = (
        []
        if highlighted_row is None
        else [_outline(grid, number, highlighted_row) for number, grid in enumerate(grids)]
    )
    headings = [_heading(grid, domain) for grid, domain in zip(grids, domains, strict=True)]
    figure.update_layout(**_layout(grids), **axes, annotations=headings, shapes=shapes)
    return figure


def describe_number_grid(grid: Grid, highlighted_row: int | None = None) -> str:
    """The row as one sentence; the size of the matrix where no row is highlighted."""
    matrix, absent = to_numpy(grid.matrix), _absent(grid)
    n, m = matrix.shape
    if highlighted_row is None:
        return _("{title}: a matrix of {rows} rows and {columns} columns.", title=grid.title, rows=n, columns=m)
    return _(
        "{title}, row {label}: {numbers}.",
        title=grid.title,
        label=labels(grid.row_labels, n)[highlighted_row],
        numbers=", ".join(
            f"{label} {text}"
            for label, text in zip(
                labels(grid.column_labels, m), _texts(matrix, absent, grid.kind)[highlighted_row], strict=True
            )
        ),
    )


def table_number_grid(grid: Grid) -> pd.DataFrame:
    """The exact numbers; absent entries are missing values. Columns carry their position, so none merge."""
    matrix = to_numpy(grid.matrix).astype(np.float64)
    n, m = matrix.shape
    matrix = np.where(_absent(grid), np.nan, matrix)
    columns = [f"{position}: {label}" for position, label in enumerate(labels(grid.column_labels, m))]
    rows = [f"{position}: {label}" for position, label in enumerate(labels(grid.row_labels, n))]
    return pd.DataFrame(matrix, index=rows, columns=columns)


def _absent(grid: Grid) -> Bool[np.ndarray, "n m"]:
    shape = tuple(grid.matrix.shape)
    return np.zeros(shape, dtype=bool) if grid.absent is None else np.broadcast_to(to_numpy(grid.absent), shape)


def _texts(matrix: Float[np.ndarray, "n m"], absent: Bool[np.ndarray, "n m"], kind: Kind) -> list[list[str]]:
    written = weight_text if kind == "weights" else signed_text
    return [
        [ABSENT_SIGN if gone else written(float(value)) for value, gone in zip(row, missing, strict=True)]
        for row, missing in zip(matrix, absent, strict=True)
    ]


def _traces(grid: Grid, number: int) -> list[Any]:
    """The coloured cells, and the numbers of those that have no colour (their text takes the page's colour)."""
    matrix, absent = to_numpy(grid.matrix), _absent(grid)
    n, m = matrix.shape
    texts = _texts(matrix, absent, grid.kind)
    places = np.stack(np.broadcast_arrays(np.arange(n)[:, None], np.arange(m)[None], number), axis=-1)
    coloured = np.isfinite(matrix) & ~absent & (grid.kind != "plain")
    axes = {"xaxis": _axis("x", number), "yaxis": _axis("y", number)}
    cells = go.Heatmap(
        name="cells",
        z=np.where(absent, np.nan, matrix).astype(np.float32),
        text=[
            [text if there else "" for text, there in zip(*row, strict=True)]
            for row in zip(texts, coloured, strict=True)
        ],
        texttemplate="%{text}",
        customdata=places.astype(np.int16),
        hovertemplate="%{y} → %{x}: <b>%{z:.6~g}</b><extra></extra>",
        showscale=False,
        xgap=2,
        ygap=2,
        **axes,
        **_colours(grid.kind, matrix[~absent]),
    )
    at = np.argwhere(~coloured)
    if not len(at):
        return [cells]
    numbers = go.Scatter(
        name="numbers",
        x=at[:, 1],
        y=at[:, 0],
        mode="text",
        text=[texts[row][column] for row, column in at],
        hoverinfo="skip",
        **axes,
    )
    return [cells, numbers]


def _colours(kind: Kind, present: Float[np.ndarray, " count"]) -> dict[str, Any]:
    if kind == "weights":
        return {"colorscale": palette.SEQUENTIAL, "zmin": 0, "zmax": 1}
    if kind == "signed":
        limit = palette.symmetric_range(present)
        return {"colorscale": [list(stop) for stop in palette.DIVERGING], "zmin": -limit, "zmax": limit}
    return {"colorscale": [[0, palette.PLAIN], [1, palette.PLAIN]], "zmin": 0, "zmax": 1}


def _axis(letter: str, number: int) -> str:
    return letter if number == 0 else f"{letter}{number + 1}"


def _domains(widths: Sequence[int]) -> list[tuple[float, float]]:
    """Where each matrix lies, 0–1: as wide as it has columns, with room between for row labels."""
    gap = 0.0 if len(widths) == 1 else 0.24 / len(widths)
    share = (1.0 - gap * (len(widths) - 1)) / sum(widths)
    domains, start = [], 0.0
    for width in widths:
        stop = start + width * share
        domains.append((start, min(stop, 1.0)))
        start = stop + gap
    return domains


def _axes(grid: Grid, number: int, domain: tuple[float, float]) -> dict[str, Any]:
    n, m = grid.matrix.shape
    suffix = "" if number == 0 else str(number + 1)
    return {
        f"xaxis{suffix}": layout.token_axis(
            labels(grid.column_labels, m), side="bottom", domain=domain, anchor=_axis("y", number), fixedrange=True
        ),
        f"yaxis{suffix}": layout.token_axis(
            labels(grid.row_labels, n), reverse=True, anchor=_axis("x", number), fixedrange=True
        ),
    }


def _layout(grids: Sequence[Grid]) -> dict[str, Any]:
    rows = grids[0].matrix.shape[0]
    first = labels(grids[0].row_labels, rows)
    columns = [text for grid in grids for text in labels(grid.column_labels, grid.matrix.shape[1])]
    slanted = max(map(layout.text_width, columns), default=0) > 44
    bottom = min(layout.label_room(columns), 110) * 0.8 + 12 if slanted else 28
    shared = layout.base(height=round(34 + rows * ROW_HEIGHT + bottom), left=layout.label_room(first), bottom=bottom)
    shared["margin"]["t"] = 34
    del shared["title"]
    return shared


def _heading(grid: Grid, domain: tuple[float, float]) -> dict[str, Any]:
    return {
        "text": escaped(grid.title),
        "x": domain[0],
        "y": 1,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "yshift": 6,
        "showarrow": False,
        "font": {"size": 13},
    }


def _outline(grid: Grid, number: int, row: int) -> dict[str, Any]:
    return {
        "type": "rect",
        "xref": _axis("x", number),
        "yref": _axis("y", number),
        "x0": -0.5,
        "x1": grid.matrix.shape[1] - 0.5,
        "y0": row - 0.5,
        "y1": row + 0.5,
        "line": {"color": palette.HIGHLIGHT, "width": 2},
    }
