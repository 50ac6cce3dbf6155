"""A small matrix with its numbers printed: one step of attention by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.cells import outline, printed
from attnviz.figures.escape import escaped, labels
from attnviz.figures.numerals import signed_text, weight_text
from attnviz.figures.to_numpy import to_numpy
from attnviz.tokens import Tokens

Kind = Literal["signed", "weights", "plain"]
Labels = Tokens | Sequence[str] | None

ABSENT_SIGN = "—"
# Pixels that a grid has for the labels of its columns where it stands beside another one.
ROOM_FOR_LABELS = 190
ROW_HEIGHT = 34
# With more columns than this, scores and coordinates are printed with two decimals; hovering tells all digits.
MOST_WIDE_NUMBERS = 6


@dataclass(frozen=True, eq=False)
class Grid:
    """A matrix to print.

    kind: "signed" colours around 0, "weights" on a fixed 0–1, "plain" not at all. absent: entries that the
    mask leaves out, shown as "—". limit: the ends ±limit of the signed colours; the next of 1, 2, 3 … if None.
    """

    matrix: Shaped[np.ndarray | Tensor, "n m"]
    row_labels: Labels = None
    column_labels: Labels = None
    title: str = ""
    kind: Kind = "plain"
    absent: Bool[np.ndarray | Tensor, "n m"] | None = None
    limit: palette.Number | None = None

    def values(self) -> Float[np.ndarray, "n m"]:
        """The numbers in float64, absent ones too."""
        return to_numpy(self.matrix).astype(np.float64)

    def gone(self) -> Bool[np.ndarray, "n m"]:
        """Which entries are absent."""
        return np.zeros(tuple(self.matrix.shape), bool) if self.absent is None else to_numpy(self.absent)

    def texts(self) -> list[list[str]]:
        """Every entry as it is printed."""
        decimals = 3 if self.matrix.shape[1] <= MOST_WIDE_NUMBERS else 2
        return [
            [
                ABSENT_SIGN if missing else self._written(float(value), decimals)
                for value, missing in zip(*row, strict=True)
            ]
            for row in zip(self.values(), self.gone(), strict=True)
        ]

    def _written(self, value: float, decimals: int) -> str:
        return weight_text(value) if self.kind == "weights" else signed_text(value, decimals)

    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The labels of the rows and of the columns."""
        n, m = self.matrix.shape
        return labels(self.row_labels, n), labels(self.column_labels, m)


def number_grid(
    matrix: Shaped[np.ndarray | Tensor, "n m"],
    row_labels: Labels = None,
    column_labels: Labels = None,
    title: str = "",
    kind: Kind = "plain",
    *,
    absent: Bool[np.ndarray | Tensor, "n m"] | None = None,
    highlighted_row: int | None = None,
    limit: palette.Number | None = None,
) -> go.Figure:
    """One small matrix with its numbers (see `Grid`). A cell's `customdata` is [row, column]."""
    return figure_of(Grid(matrix, row_labels, column_labels, title, kind, absent, limit), highlighted_row)


def figure_of(grid: Grid, highlighted_row: int | None = None) -> go.Figure:
    """The same for a `Grid`."""
    texts, places = grid.texts(), _places(grid)
    traces = [_cells(grid)]
    if grid.kind != "plain":
        traces += printed(texts, places, _scale(grid.kind))
    traces += _uncoloured(texts, np.isnan(places) | (grid.kind == "plain"))
    shapes = []
    if highlighted_row is not None:
        row = float(highlighted_row)
        shapes.append(outline(0.0, places.shape[1] - 1.0, row, row))
    return plot.figure(traces, _layout(grid) | {"shapes": shapes})


def describe_number_grid(grid: Grid, highlighted_row: int | None = None) -> str:
    """The highlighted row as one sentence, or the size of the matrix."""
    rows, columns = grid.names()
    if highlighted_row is None:
        return _("{title}: {rows} × {columns} numbers.", title=grid.title, rows=len(rows), columns=len(columns))
    numbers = zip(columns, grid.texts()[highlighted_row], strict=True)
    return _(
        "{title}, row {label}: {numbers}.",
        title=grid.title,
        label=rows[highlighted_row],
        numbers=", ".join(f"{name} {text}" for name, text in numbers),
    )


def table_number_grid(grid: Grid) -> pd.DataFrame:
    """The exact numbers; absent entries are missing values. Labels carry their position, so none merge."""
    rows, columns = ([f"{position}: {label}" for position, label in enumerate(names)] for names in grid.names())
    return pd.DataFrame(np.where(grid.gone(), np.nan, grid.values()), index=rows, columns=columns)


def _limits(grid: Grid) -> tuple[float, float]:
    if grid.kind != "signed":
        return 0.0, 1.0
    greatest = palette.ceiling(grid.values()[~grid.gone()], 1) if grid.limit is None else float(grid.limit)
    return -greatest, greatest


def _places(grid: Grid) -> Float[np.ndarray, "n m"]:
    """Where each cell's colour lies on its scale, 0–1; NaN for cells without colour."""
    (least, greatest), values = _limits(grid), grid.values()
    return np.where(grid.gone() | ~np.isfinite(values), np.nan, (values - least) / (greatest - least))


def _scale(kind: Kind) -> palette.ColorScale:
    if kind == "plain":
        return ((0.0, palette.PLAIN), (1.0, palette.PLAIN))
    return palette.SEQUENTIAL if kind == "weights" else palette.DIVERGING


def _cells(grid: Grid) -> plot.Trace:
    (least, greatest), scale = _limits(grid), _scale(grid.kind)
    values = np.where(grid.gone(), np.nan, grid.values()).astype(np.float32)
    rows, columns = np.indices(values.shape)
    return plot.heatmap(
        name="numbers",
        z=values,
        zmin=least,
        zmax=greatest,
        colorscale=scale if isinstance(scale, str) else list(scale),
        customdata=np.stack([rows, columns], axis=-1).astype(np.int16),
        hovertemplate="%{y} → %{x}: <b>%{z:.6~g}</b><extra></extra>",
        hoverongaps=False,
        showscale=False,
        xgap=2,
        ygap=2,
    )


def _uncoloured(texts: list[list[str]], cells: Bool[np.ndarray, "n m"]) -> list[plot.Trace]:
    """Numbers on the bare page, in the colour of its text."""
    at = np.argwhere(cells)
    if not len(at):
        return []
    return [
        plot.scatter(
            name="",
            x=at[:, 1],
            y=at[:, 0],
            mode="text",
            text=[texts[row][column] for row, column in at],
            textfont={"size": 12 if cells.shape[1] <= 6 else 10},
            hoverinfo="skip",
        )
    ]


def _layout(grid: Grid) -> dict[str, Any]:
    rows, columns = grid.names()
    slanted = max(map(layout.text_width, columns), default=0.0) * len(columns) > ROOM_FOR_LABELS
    bottom = round(layout.label_room(columns, most=150.0) * 0.75 + 14) if slanted else 28
    shared = layout.base(
        title=escaped(grid.title),
        height=round((40 if grid.title else 8) + len(rows) * ROW_HEIGHT + bottom),
        left=layout.label_room(rows, most=130.0),
        bottom=bottom,
    )
    return shared | {
        # From the edge: a long title would not fit beside the room for the labels.
        "title": shared["title"] | {"xref": "container"},
        "xaxis": layout.token_axis(columns, tickangle=-45 if slanted else 0, fixedrange=True),
        "yaxis": layout.token_axis(rows, reverse=True, fixedrange=True),
    }
