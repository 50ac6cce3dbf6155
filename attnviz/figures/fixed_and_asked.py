"""The same filter and the same question on several pictures: what the filter answers, and what attention weighs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.cells import outline
from attnviz.figures.escape import escaped
from attnviz.figures.numerals import signed_text, weight_text

HEIGHT = 560
_GAP = 0.03
_SPACE_BELOW = 0.02
_GREY = ((0.0, "#3A3A3A"), (1.0, "#F2F2F2"))


@dataclass(frozen=True, eq=False)
class Looked:
    """One picture (0–1), what a filter answers at each place, and the weights of one place over all."""

    name: str
    picture: Float[np.ndarray, "rows columns"]
    answer: Float[np.ndarray, "rows columns"]
    weights: Float[np.ndarray, "rows columns"]


def fixed_and_asked(looked: Sequence[Looked], *, row: int, column: int, title: str = "") -> go.Figure:
    """A row for each picture: the picture, the filter's answers, the weights of the framed place (logarithmic colour).

    A cell's `customdata` is its row and column.
    """
    frame = layout.base(title=escaped(title), height=HEIGHT, left=8, right=8, bottom=8)
    frame["margin"]["t"] = 46
    frame["annotations"] = [_heading(place, text) for place, text in enumerate(headings())]
    frame["shapes"] = []
    traces = []
    high = 1 / len(looked)
    most = max(float(np.abs(one.answer).max()) for one in looked) or 1.0
    for place, one in enumerate(looked):
        for across, drawn in enumerate((_picture(one), _answer(one, most), _weights(one))):
            axis = str(3 * place + across + 1) if place or across else ""
            frame |= _axes(axis, across, 1 - (place + 1) * high, 1 - place * high, one.picture.shape)
            traces.append(drawn | {"xaxis": f"x{axis}", "yaxis": f"y{axis}", "customdata": _places(one.picture.shape)})
            around = outline(float(column), float(column), float(row), float(row))
            frame["shapes"].append(around | {"xref": f"x{axis}", "yref": f"y{axis}"})
    return plot.figure(traces, frame)


def headings() -> tuple[str, str, str]:
    """What the three columns are."""
    return _("picture"), _("the filter answers"), _("weights of the framed place")


def describe_fixed_and_asked(looked: Sequence[Looked], *, row: int, column: int) -> str:
    """For each picture, what stands at the framed place, and where its largest weight lies."""
    said = []
    for one in looked:
        high, across = np.unravel_index(int(one.weights.argmax()), one.weights.shape)
        said.append(
            _(
                "{name}: at row {row}, column {column} the filter answers {answer}; the largest weight, {weight}, is at row "
                "{far}, column {across}.",
                name=one.name, row=row + 1, column=column + 1, answer=signed_text(float(one.answer[row, column])),
                weight=weight_text(float(one.weights.max())), far=int(high) + 1, across=int(across) + 1,
            )
        )  # fmt: skip
    return " ".join(said)


def table_fixed_and_asked(looked: Sequence[Looked]) -> pd.DataFrame:
    """One row for each place of each picture."""
    return pd.DataFrame(
        [
            {
                _("picture"): one.name, _("row"): row + 1, _("column"): column + 1,
                _("brightness"): float(one.picture[row, column]),
                _("the filter answers"): float(one.answer[row, column]), _("weight"): float(one.weights[row, column]),
            }
            for one in looked for row, column in np.ndindex(one.picture.shape)
        ]
    )  # fmt: skip


def _places(shape: tuple[int, ...]) -> list[list[list[int]]]:
    return [[[row, column] for column in range(shape[1])] for row in range(shape[0])]


def _picture(one: Looked) -> plot.Trace:
    return _map(one.picture, f"{escaped(one.name)}<br>%{{z:.0f}}") | {"zmin": 0, "zmax": 1, "colorscale": list(_GREY)}


def _answer(one: Looked, most: float) -> plot.Trace:
    scale = {"zmin": -most, "zmax": most, "colorscale": list(palette.DIVERGING)}
    return _map(one.answer, f"{escaped(one.name)}<br>%{{z:.3~g}}") | scale


def _weights(one: Looked) -> plot.Trace:
    low, high = palette.log_range()
    logs = np.log10(np.maximum(one.weights, 1e-12))
    text = [[weight_text(float(cell)) for cell in line] for line in one.weights]
    drawn = _map(logs, f"{escaped(one.name)}<br>%{{text}}")
    return drawn | {"zmin": low, "zmax": high, "colorscale": list(palette.log_colorscale()), "text": text}


def _map(values: Float[np.ndarray, "rows columns"], hover: str) -> plot.Trace:
    return plot.heatmap(
        z=[[float(cell) for cell in line] for line in values], showscale=False, xgap=1, ygap=1, name="",
        hovertemplate=hover + "<extra></extra>",
    )  # fmt: skip


def _axes(axis: str, across: int, low: float, high: float, shape: tuple[int, ...]) -> dict[str, Any]:
    third = (1 - 2 * _GAP) / 3
    left = across * (third + _GAP)
    shared = {"showticklabels": False, "ticks": "", "showgrid": False, "zeroline": False, "fixedrange": True}
    return {
        f"xaxis{axis}": shared
        | {"domain": [left, left + third], "range": [-0.5, shape[1] - 0.5], "anchor": f"y{axis}", "constrain": "domain"},
        f"yaxis{axis}": shared
        | {
            "domain": [low + _SPACE_BELOW, high - _SPACE_BELOW], "range": [shape[0] - 0.5, -0.5], "anchor": f"x{axis}",
            "scaleanchor": f"x{axis}", "constrain": "domain",
        },
    }  # fmt: skip


def _heading(place: int, text: str) -> dict[str, Any]:
    third = (1 - 2 * _GAP) / 3
    return {
        "x": place * (third + _GAP) + third / 2, "xref": "paper", "xanchor": "center", "y": 1, "yref": "paper",
        "yanchor": "bottom", "text": escaped(text), "showarrow": False, "font": {"size": 12},
    }  # fmt: skip
