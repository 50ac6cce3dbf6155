"""Layers × heads at a glance: one number for every head."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.cells import outline, printed
from attnviz.figures.escape import escaped
from attnviz.figures.numerals import brief_text, signed_text
from attnviz.figures.to_numpy import to_numpy

# With more heads than this a number no longer fits its cell; hovering still tells it.
MOST_HEADS_WITH_NUMBERS = 16


def head_grid(
    statistic: Float[np.ndarray | Tensor, "layers heads"],
    name: str,
    unit: str = "",
    *,
    layers: Sequence[int] | None = None,
    selected: tuple[int, int] | None = None,
    limits: tuple[palette.Number, palette.Number] | None = None,
    marks: Sequence[str] | None = None,
) -> go.Figure:
    """One number for each head; `name` and `unit` say what it is (already translated).

    layers: the layers' own numbers, where not 0, 1, 2 …; marks: a sign after each of these; selected: (layer number, head) to outline;
    limits: fixed ends of the colour scale, else from 0 to the next of 1, 2, 5, 10 … A NaN (a layer with
    fewer heads, or no normal row) is shown as absent. A cell's `customdata` is [layer, head].
    """
    values = to_numpy(statistic).astype(np.float32)
    count, heads = values.shape
    numbers = list(range(count)) if layers is None else list(layers)
    places = np.stack(np.broadcast_arrays(np.array(numbers)[:, None], np.arange(heads)[None]), axis=-1)
    least, greatest = (0.0, palette.ceiling(values)) if limits is None else limits
    suffix = f" {escaped(unit)}" if unit else ""
    traces = [
        plot.heatmap(
            name="heads",
            z=values,
            zmin=least,
            zmax=greatest,
            colorscale=palette.SEQUENTIAL,
            customdata=places.astype(np.int16),
            hovertemplate=_("layer {layer}, head {head}", layer="%{customdata[0]}", head="%{customdata[1]}")
            + f"<br>{escaped(name)}: <b>%{{z:.4~g}}</b>{suffix}<extra></extra>",
            hoverongaps=False,
            xgap=2,
            ygap=2,
            showscale=heads > MOST_HEADS_WITH_NUMBERS,
            colorbar=layout.colour_bar(escaped(unit)),
        )
    ]
    if heads <= MOST_HEADS_WITH_NUMBERS:
        texts = [["" if np.isnan(value) else brief_text(float(value)) for value in row] for row in values]
        places = (values.astype(np.float64) - least) / (greatest - least)
        traces += printed(texts, places, palette.SEQUENTIAL)
    gaps = np.argwhere(np.isnan(values))
    if len(gaps):
        signs = ["—"] * len(gaps)
        traces.append(plot.scatter(x=gaps[:, 1], y=gaps[:, 0], mode="text", text=signs, hoverinfo="skip"))
    shared = layout.base(
        title=escaped(f"{name} ({unit})" if unit else name),
        height=40 + max(90, count * 34) + 46,
        left=64,
        right=16 if heads <= MOST_HEADS_WITH_NUMBERS else 92,
        bottom=46,
    )
    layers_axis = layout.token_axis(
        [f"{number}{mark}" for number, mark in zip(numbers, marks or [""] * count, strict=True)],
        reverse=True,
        title=layout.axis_title(_("layer")),
    )
    heads_axis = layout.token_axis([str(head) for head in range(heads)], title=layout.axis_title(_("head")))
    return plot.figure(
        traces, shared | {"xaxis": heads_axis, "yaxis": layers_axis, "shapes": _outlines(numbers, selected)}
    )


def describe_head_grid(
    statistic: Float[np.ndarray | Tensor, "layers heads"],
    name: str,
    unit: str = "",
    *,
    layers: Sequence[int] | None = None,
) -> str:
    """The smallest and the largest in one sentence."""
    values = to_numpy(statistic).astype(np.float64)
    if np.isnan(values).all():
        return _("{name}: no head has a value.", name=name)
    numbers = list(range(values.shape[0])) if layers is None else list(layers)
    low_layer, low_head = np.unravel_index(np.nanargmin(values), values.shape)
    high_layer, high_head = np.unravel_index(np.nanargmax(values), values.shape)
    return _(
        "{name}: from {least} {unit} (layer {low_layer}, head {low_head}) to {greatest} {unit} "
        "(layer {high_layer}, head {high_head}).",
        name=name,
        unit=unit,
        least=signed_text(float(values[low_layer, low_head])),
        low_layer=numbers[low_layer],
        low_head=int(low_head),
        greatest=signed_text(float(values[high_layer, high_head])),
        high_layer=numbers[high_layer],
        high_head=int(high_head),
    )


def table_head_grid(
    statistic: Float[np.ndarray | Tensor, "layers heads"],
    name: str,
    unit: str = "",
    *,
    layers: Sequence[int] | None = None,
) -> pd.DataFrame:
    """One row for every head, with the exact number."""
    values = to_numpy(statistic).astype(np.float64)
    numbers = np.arange(values.shape[0]) if layers is None else np.array(layers)
    layer, head = np.meshgrid(numbers, np.arange(values.shape[1]), indexing="ij")
    heading = f"{name} ({unit})" if unit else name
    return pd.DataFrame({_("layer"): layer.ravel(), _("head"): head.ravel(), heading: values.ravel()})


def _outlines(numbers: Sequence[int], selected: tuple[int, int] | None) -> list[dict[str, Any]]:
    if selected is None or selected[0] not in numbers:
        return []
    row, head = float(list(numbers).index(selected[0])), float(selected[1])
    return [outline(head, head, row, row, 3.0)]
