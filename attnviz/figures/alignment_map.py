"""Target words by source words: attention as an alignment, or what removing a source word does; gold links over it."""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from attnviz.attention import RowState
from attnviz.base.language import _, _n
from attnviz.figures import gold, layout, palette, plot
from attnviz.figures.cells import outline, printed
from attnviz.figures.escape import tick_labels, whole_labels
from attnviz.figures.gold import Link
from attnviz.figures.heatmap import describe_heatmap, heatmap
from attnviz.figures.numerals import signed_text
from attnviz.figures.tile import Tile
from attnviz.figures.to_numpy import to_numpy
from attnviz.tokens import isolated

Matrix = Float[np.ndarray | Tensor, "target source"]


def alignment_map(
    weights: Matrix,
    source: Sequence[str],
    target: Sequence[str],
    *,
    baseline: int | None = None,
    sure: Collection[Link] = (),
    possible: Collection[Link] = (),
    row: int | None = None,
    column: int | None = None,
    title: str | None = None,
    name: str = "",
) -> go.Figure:
    """Weights of target words (rows) on source words (columns), as `heatmap` draws them.

    baseline: the N of the uniform weight 1/N, where every cell is one token's weight in a softmax over N. sure,
    possible: gold links, framed. row, column: what is chosen, outlined. name: the head, for the title.
    A cell's `customdata` is [row, column, weight, baseline].
    """
    tile = _tile(weights, source, target, baseline, name)
    drawn = heatmap(tile, query=row, key=column, title=title)
    figure = drawn.to_dict()
    figure["layout"]["shapes"] = [
        *gold.frames(sure, possible, rows=len(target), columns=len(source)),
        *figure["layout"].get("shapes", ()),
    ]
    figure["layout"]["xaxis"]["title"] = layout.axis_title(_("source"), 4)
    figure["layout"]["yaxis"]["title"] = layout.axis_title(_("target"), 4)
    return plot.figure([*figure["data"], *gold.legend(sure, possible)], figure["layout"])


def describe_alignment_map(
    weights: Matrix,
    source: Sequence[str],
    target: Sequence[str],
    *,
    baseline: int | None = None,
    sure: Collection[Link] = (),
    row: int | None = None,
    name: str = "",
) -> str:
    """What the map says in sentences, and how many of the largest weights lie on a sure link."""
    tile = _tile(weights, source, target, baseline, name)
    said = [describe_heatmap(tile, query=row)]
    if sure and len(target) and len(source):
        largest = {
            (int(np.nanargmax(values)), at) for at, values in enumerate(tile.weights) if np.isfinite(values).any()
        }
        hits = len(largest & set(sure))
        said.append(
            _(
                "The largest weight lies on a sure gold link in {hits} of {rows} rows.",
                hits=hits,
                rows=len(target),
            )
        )
    return " ".join(said)


def table_alignment_map(
    weights: Matrix,
    source: Sequence[str],
    target: Sequence[str],
    *,
    sure: Collection[Link] = (),
    possible: Collection[Link] = (),
    value: str | None = None,
) -> pd.DataFrame:
    """One row for each cell: both words with their places, the number, and what gold says."""
    found = to_numpy(weights).astype(np.float64)
    rows, columns = (axis.ravel() for axis in np.indices(found.shape))
    names = {True: _("sure"), False: _("possible")}
    marks = [
        names[(j, i) in sure] if (j, i) in sure or (j, i) in possible else ""
        for i, j in np.ndindex(*found.shape)
    ]
    return pd.DataFrame(
        {
            _("target position"): rows,
            _("target"): [target[row] for row in rows.tolist()],
            _("source position"): columns,
            _("source"): [source[column] for column in columns.tolist()],
            value or _("weight"): found.ravel(),
            _("gold"): marks,
        }
    )


def effect_map(
    effect: Matrix,
    source: Sequence[str],
    target: Sequence[str],
    *,
    sure: Collection[Link] = (),
    possible: Collection[Link] = (),
    row: int | None = None,
    column: int | None = None,
    title: str | None = None,
) -> go.Figure:
    """By how much each target word's log-probability falls when a source word is removed, in nats; orange: it falls.

    The colours are symmetric about 0 and end at the next round number. `customdata` is [row, column, nats].
    """
    found = to_numpy(effect).astype(np.float64)
    most = palette.ceiling(found, 0.1)
    places = (found / most + 1) / 2
    indices = np.indices(found.shape)
    cells = plot.heatmap(
        name="effect",
        z=found,
        zmin=-most,
        zmax=most,
        colorscale=[list(stop) for stop in palette.DIVERGING],
        customdata=np.stack([*indices, found], -1),
        hovertemplate="<br>".join(
            [
                _("without “{word}”", word="<b>%{x}</b>"),
                _("log-probability of “{word}” falls by {nats} nats", word="<b>%{y}</b>", nats="<b>%{z:.4~g}</b>"),
            ]
        )
        + "<extra></extra>",
        xgap=1,
        ygap=1,
        colorbar=layout.colour_bar(_("nats")),
        showscale=False,
    )
    texts = [["" if np.isnan(value) else signed_text(float(value), 2) for value in line] for line in found]
    ticks, target_ticks = (
        tick_labels(list(source), whole_labels(list(source), len(source))),
        tick_labels(list(target), whole_labels(list(target), len(target))),
    )
    room = min(layout.label_room(ticks), 130)
    slanted = len(source) > 6 or room > 90
    bottom = (room * 0.75 + 14 if slanted else 26) + 50
    chosen = [
        *([] if row is None else [outline(0.0, len(source) - 1.0, float(row), float(row))]),
        *([] if column is None else [outline(float(column), float(column), 0.0, len(target) - 1.0)]),
    ]
    frame = layout.base(
        title=_("Effect of removing a source word") if title is None else title,
        subtitle=_("nats by which the target word's log-probability falls"),
        height=round(58 + max(120, 30 * len(target)) + bottom),
        left=layout.label_room(target_ticks) + 22,
        bottom=round(bottom),
    )
    return plot.figure(
        [cells, *printed(texts, places, palette.DIVERGING), *gold.legend(sure, possible)],
        frame
        | {
            "shapes": [*gold.frames(sure, possible, rows=len(target), columns=len(source)), *chosen],
            "showlegend": True,
            "legend": {
                "orientation": "h",
                "x": 0,
                "y": 0,
                "yref": "container",
                "yanchor": "bottom",
                "itemclick": False,
            },
            "xaxis": layout.token_axis(
                ticks, tickangle=-45 if slanted else 0, title=layout.axis_title(_("removed source word"), 4)
            ),
            "yaxis": layout.token_axis(target_ticks, reverse=True, title=layout.axis_title(_("target"), 4)),
        },
    )


def describe_effect_map(effect: Matrix, source: Sequence[str], target: Sequence[str]) -> str:
    """Without which word each target word loses most."""
    said = []
    for at, values in enumerate(to_numpy(effect)):
        if np.isfinite(values).any():
            most = int(np.nanargmax(values))
            said.append(
                _(
                    "“{target}” loses most without “{source}”: {nats} nats.",
                    target=isolated(target[at]),
                    source=isolated(source[most]),
                    nats=signed_text(float(values[most])),
                )
            )
    return " ".join(said) or _n(
        "{count} word: nothing can be removed.", "{count} words: nothing can be removed.", len(source)
    )


def _tile(weights: Matrix, source: Sequence[str], target: Sequence[str], baseline: int | None, name: str) -> Tile:
    found = to_numpy(weights).astype(np.float32)
    n, m = found.shape
    states = np.where(np.isnan(found).all(1), int(RowState.NAN), int(RowState.NORMAL)) if m else np.zeros(n, dtype=int)
    query, key = whole_labels(list(target), n), whole_labels(list(source), m)
    return Tile(
        weights=found,
        allowed=np.ones((n, m), dtype=bool),
        states=states,
        counts=np.full(n, baseline or 0, dtype=np.int64),
        sinks=np.zeros(n, dtype=np.float32),
        rows=tuple(range(n)),
        columns=tuple(range(m)),
        query_labels=query,
        key_labels=key,
        query_ticks=tick_labels(list(target), query),
        key_ticks=tick_labels(list(source), key),
        head=name,
        baseline=baseline is not None,
    )
