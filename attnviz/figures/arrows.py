"""Query and keys as arrows in the plane: the longer and the more aligned, the larger the dot product."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from attnviz.base.errors import InputError
from attnviz.base.language import _, _m
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped, shortened
from attnviz.figures.numerals import signed_text, weight_text
from attnviz.figures.to_numpy import to_numpy

SIZE = 460


@dataclass(frozen=True)
class Arrow:
    """One arrow from the origin. `name` is "query:0", "key:2" … and identifies it; `label` is shown."""

    name: str
    label: str
    x: float
    y: float
    colour: str
    note: str = ""


def arrows(
    query: Float[np.ndarray | Tensor, " two"],
    keys: Float[np.ndarray | Tensor, "m two"],
    *,
    query_label: str | None = None,
    key_labels: Sequence[str] | None = None,
    query_index: int = 0,
    key_indices: Sequence[int] | None = None,
    dots: Float[np.ndarray | Tensor, " m"] | None = None,
    weights: Float[np.ndarray | Tensor, " m"] | None = None,
    values: Float[np.ndarray | Tensor, "m two"] | None = None,
    dimensions: tuple[int, int] = (0, 1),
    limit: palette.Number | None = None,
    step: palette.Number | None = None,
) -> go.Figure:
    """One query and all keys (and values, if given) from the origin, on equal axes.

    Vectors of more than two dimensions are shown in the two `dimensions` named; `dots` and `weights` are
    then those of the whole vectors and must be given to be shown. In two dimensions dots are worked out.
    limit: half the width of the picture; else the next of 1, 2, 3, 4 …, so that it does not jump.

    Every arrow is one trace from (0, 0) to its tip with meta {"handles": [None, "key:1"]}, by which the chart
    component lets the tip be dragged: within ±limit and in steps of `step`, where these are given.
    """
    shown = _all_arrows(
        query, keys, query_label, key_labels, query_index, key_indices, dots, weights, values, dimensions
    )
    reach = palette.ceiling([c for arrow in shown for c in (arrow.x, arrow.y)], 1) if limit is None else float(limit)
    return plot.figure([_trace(arrow, limit, step) for arrow in shown], _layout(reach, dimensions))


def describe_arrows(
    query: Float[np.ndarray | Tensor, " two"],
    keys: Float[np.ndarray | Tensor, "m two"],
    *,
    query_label: str | None = None,
    key_labels: Sequence[str] | None = None,
    weights: Float[np.ndarray | Tensor, " m"] | None = None,
) -> str:
    """The dot product with every key in one sentence, and the largest weight if weights are given."""
    dots = _dots(query, keys)
    names = _key_labels(key_labels, len(dots))
    listed = ", ".join(f"{name} {signed_text(float(dot))}" for name, dot in zip(names, dots, strict=True))
    said = _("Dot products of {query} with the keys: {numbers}.", query=query_label or _("query"), numbers=listed)
    if weights is None or not np.isfinite(to_numpy(weights)).any():
        return said
    largest = int(np.nanargmax(to_numpy(weights)))
    most = _(
        "The largest weight, {weight}, goes to {key}.",
        weight=weight_text(float(to_numpy(weights)[largest])),
        key=names[largest],
    )
    return f"{said} {most}"


def table_arrows(
    query: Float[np.ndarray | Tensor, " two"],
    keys: Float[np.ndarray | Tensor, "m two"],
    *,
    query_label: str | None = None,
    key_labels: Sequence[str] | None = None,
    weights: Float[np.ndarray | Tensor, " m"] | None = None,
) -> pd.DataFrame:
    """Coordinates of query and keys, dot products, angles in degrees, weights."""
    vectors = np.vstack([to_numpy(query)[None], to_numpy(keys)]).astype(np.float64)
    dots = _dots(query, keys)
    lengths = np.linalg.norm(vectors, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        cosine = np.clip(dots / (lengths[0] * lengths[1:]), -1, 1)
    table = pd.DataFrame(
        {
            _("vector"): [query_label or _("query"), *_key_labels(key_labels, len(dots))],
            **{f"x{number + 1}": vectors[:, number] for number in range(vectors.shape[1])},
            _("length"): lengths,
            _("dot product"): [np.nan, *dots],
            _("angle to the query (degrees)"): [np.nan, *np.degrees(np.arccos(cosine))],
        }
    )
    if weights is not None:
        table[_("weight")] = [np.nan, *to_numpy(weights).astype(np.float64)]
    return table


def _all_arrows(
    query: Float[np.ndarray | Tensor, " two"],
    keys: Float[np.ndarray | Tensor, "m two"],
    query_label: str | None,
    key_labels: Sequence[str] | None,
    query_index: int,
    key_indices: Sequence[int] | None,
    dots: Float[np.ndarray | Tensor, " m"] | None,
    weights: Float[np.ndarray | Tensor, " m"] | None,
    values: Float[np.ndarray | Tensor, "m two"] | None,
    dimensions: tuple[int, int],
) -> list[Arrow]:
    start, ends = to_numpy(query), to_numpy(keys)
    if max(dimensions) >= len(start):
        raise InputError(
            _m("Arrows need two dimensions; dimension {dimension} of {count} was asked for."),
            dimension=max(dimensions) + 1,
            count=len(start),
        )
    count = len(ends)
    products = _dots(query, keys) if dots is None and len(start) == 2 else None if dots is None else to_numpy(dots)
    names = _key_labels(key_labels, count)
    indices = list(range(count)) if key_indices is None else list(key_indices)
    first, second = dimensions
    shown = [
        Arrow(
            f"query:{query_index}",
            shortened(query_label) if query_label else _("query"),
            float(start[first]),
            float(start[second]),
            palette.HIGHLIGHT,
        )
    ]
    for row in range(count):
        note = _note(products, None if weights is None else to_numpy(weights), row)
        x, y = float(ends[row, first]), float(ends[row, second])
        shown.append(Arrow(f"key:{indices[row]}", names[row], x, y, palette.category(indices[row]), note))
    if values is not None:
        shown += _value_arrows(to_numpy(values), names, indices, dimensions)
    return shown


def _value_arrows(
    values: Float[np.ndarray, "m two"], names: Sequence[str], indices: Sequence[int], dimensions: tuple[int, int]
) -> list[Arrow]:
    first, second = dimensions
    return [
        Arrow(
            f"value:{index}",
            _("value of {key}", key=name),
            float(value[first]),
            float(value[second]),
            palette.category(index),
        )
        for value, name, index in zip(values, names, indices, strict=True)
    ]


def _dots(query: Float[np.ndarray | Tensor, " d"], keys: Float[np.ndarray | Tensor, "m d"]) -> Float[np.ndarray, " m"]:
    return to_numpy(keys).astype(np.float64) @ to_numpy(query).astype(np.float64)


def _key_labels(key_labels: Sequence[str] | None, count: int) -> list[str]:
    if key_labels is None:
        return [_("key {position}", position=position) for position in range(count)]
    return [shortened(label) for label in key_labels]


def _note(dots: Float[np.ndarray, " m"] | None, weights: Float[np.ndarray, " m"] | None, row: int) -> str:
    """What stands under a key's label: its dot product with the query and its weight."""
    lines = []
    if dots is not None:
        lines.append(f"q·k = {signed_text(float(dots[row]))}")
    if weights is not None:
        lines.append(_("weight {weight}", weight=weight_text(float(weights[row]))))
    return "<br>".join(lines)


def _trace(arrow: Arrow, limit: palette.Number | None, step: palette.Number | None) -> plot.Trace:
    """From the origin to the tip, with an arrow head and its label; values are dotted."""
    kind = arrow.name.split(":")[0]
    text = f"<b>{escaped(arrow.label)}</b>" + (f"<br>{arrow.note}" if arrow.note else "")
    return plot.scatter(
        name=arrow.label,
        meta=_handle(arrow, limit, step),
        customdata=["", arrow.name],
        x=[0.0, arrow.x],
        y=[0.0, arrow.y],
        mode="lines+markers+text",
        line={
            "color": arrow.colour,
            "width": 4 if kind == "query" else 2.5,
            "dash": "dot" if kind == "value" else "solid",
        },
        marker={
            "symbol": "arrow",
            "angleref": "previous",
            "size": [0, 15],
            "color": arrow.colour,
            "opacity": [0, 1],
            "line": {"width": 0},
        },
        text=["", text],
        textposition=_outward(arrow),
        hovertemplate=f"<b>{escaped(arrow.label)}</b><br>(%{{x:.3~f}}, %{{y:.3~f}})<extra></extra>",
        cliponaxis=False,
    )


def _handle(arrow: Arrow, limit: palette.Number | None, step: palette.Number | None) -> dict[str, Any]:
    """What the chart component needs to let the tip be dragged."""
    meta: dict[str, Any] = {"handles": [None, arrow.name], "labels": ["", escaped(arrow.label)]}
    if limit is not None:
        meta["bounds"] = [-limit, limit]
    if step is not None:
        meta["step"] = step
    return meta


def _outward(arrow: Arrow) -> str:
    """Beyond the tip, away from the origin, so that a label does not lie on its arrow.

    A query's label stands beside its tip, where it does not meet that of a key in the same place.
    """
    if not arrow.name.startswith("query"):
        if abs(arrow.x) > abs(arrow.y):
            return "middle right" if arrow.x >= 0 else "middle left"
        return "top center" if arrow.y >= 0 else "bottom center"
    if abs(arrow.y) > abs(arrow.x):
        return "middle left" if arrow.x >= 0 else "middle right"
    return "bottom center" if arrow.y >= 0 else "top center"


def _layout(reach: float, dimensions: tuple[int, int]) -> dict[str, Any]:
    room = reach * 1.35
    axis = {
        "range": [-room, room],
        "zeroline": True,
        "automargin": False,
        "fixedrange": True,
    }
    return layout.base(height=SIZE, left=46, right=16, bottom=42) | {
        "xaxis": axis | {"title": layout.axis_title(_("dimension {number}", number=dimensions[0] + 1), 6)},
        "yaxis": axis
        | {
            "title": layout.axis_title(_("dimension {number}", number=dimensions[1] + 1), 4),
            "scaleanchor": "x",
            "constrain": "domain",
        },
    }
