"""Target words by source words: attention as an alignment, with the gold links over it."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from attnviz.attention import RowState
from attnviz.base.language import _
from attnviz.figures import gold, layout, palette, plot
from attnviz.figures.cells import printed
from attnviz.figures.escape import escaped, tick_labels, whole_labels
from attnviz.figures.gold import Link
from attnviz.figures.heatmap import MOST_ROWS_WITH_NUMBERS, WIDE_NUMBERS, describe_heatmap, heatmap
from attnviz.figures.numerals import brief_text, weight_text
from attnviz.figures.tile import Tile
from attnviz.figures.to_numpy import to_numpy

Matrix = Float[np.ndarray | Tensor, "target source"]
Masses = Float[np.ndarray | Tensor, " target"] | Sequence[palette.Number]

# Stands for a target word that is not written yet.
UNWRITTEN = "·"
# Between the source words and the mass of what is hidden, in columns.
_GAP = 0.25
# With more rows or columns than this, marks of the largest weights would cover the cells.
MOST_MARKED = 40


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
    hidden: Masses | None = None,
    written: int | None = None,
    title: str | None = None,
    name: str = "",
) -> go.Figure:
    """Weights of target words (rows) on source words (columns), as `heatmap` draws them.

    baseline: the N of the uniform weight 1/N, where every cell is one token's weight in a softmax over N. sure,
    possible: gold links, framed. row, column: what is chosen, outlined. hidden: for each target word the weight on
    what is not among the columns (punctuation, the end of the sentence), shown in a column of its own. written: how
    many target words there are at this step of the decoder; later ones are grey. name: the head, for the title.

    The largest weight of each row is marked. A cell's `customdata` is [row, column, weight, baseline]; cells of
    hidden weights and of what is not written have none.
    """
    n, m = len(target), len(source)
    shown = n if written is None else min(max(written, 0), n)
    tile = _tile(weights, source, target, baseline, name, shown)
    drawn = heatmap(tile, query=row, key=column, title=title)
    found = {"data": [one.to_plotly_json() for one in drawn.data], "layout": drawn.layout.to_plotly_json()}
    found["data"][0]["hovertemplate"] = _hover(baseline is not None)
    traces = [
        *found["data"],
        *_later(shown, n, m),
        *_hidden(None if hidden is None else _masses(hidden)[:shown], m),
        *_largest(tile),
        *gold.legend(sure, possible),
    ]
    _widen(found["layout"], source, target, shown, hidden is not None)
    room = gold.legend_room(sure, possible)
    found["layout"]["height"] += room
    found["layout"]["margin"]["b"] += room
    found["layout"] = layout.from_the_edge(found["layout"])
    found["layout"]["shapes"] = [
        *gold.frames(sure, possible, rows=shown, columns=m),
        *found["layout"].get("shapes", ()),
    ]
    return plot.figure(traces, found["layout"])


def describe_alignment_map(
    weights: Matrix,
    source: Sequence[str],
    target: Sequence[str],
    *,
    baseline: int | None = None,
    sure: Collection[Link] = (),
    row: int | None = None,
    hidden: Masses | None = None,
    written: int | None = None,
    name: str = "",
) -> str:
    """What the map says in sentences, and how many of the largest weights lie on a sure link."""
    shown = len(target) if written is None else min(max(written, 0), len(target))
    tile = _tile(weights, source, target, baseline, name, shown)
    said = [describe_heatmap(tile, query=row)]
    if hidden is not None:
        said.append(hidden_sentence(hidden, row, shown))
    places = [(column, at) for at, column in largest_of(tile.weights)]
    if sure and places:
        said.append(
            _(
                "The largest weight lies on a sure gold link in {hits} of {rows} rows.",
                hits=len(set(places) & set(sure)),
                rows=len(places),
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
    hidden: Masses | None = None,
    value: str | None = None,
) -> pd.DataFrame:
    """One row for each cell: both words with their places, the number, what gold says, and what the row hides."""
    found = to_numpy(weights).astype(np.float64)
    rows, columns = (axis.ravel() for axis in np.indices(found.shape))
    names = {True: _("sure"), False: _("possible")}
    marks = [names[(j, i) in sure] if (j, i) in sure or (j, i) in possible else "" for i, j in np.ndindex(*found.shape)]
    table = pd.DataFrame(
        {
            _("target position"): rows,
            _("target"): [target[row] for row in rows.tolist()],
            _("source position"): columns,
            _("source"): [source[column] for column in columns.tolist()],
            value or _("weight"): found.ravel(),
            _("gold"): marks,
        }
    )
    if hidden is not None:
        table[_("hidden weight of the row")] = _masses(hidden)[rows]
    return table


def hidden_sentence(hidden: Masses, row: int | None, shown: int | None = None) -> str:
    """How much weight lies on what is not shown: of one row, or at most."""
    masses = _masses(hidden)[:shown]
    if row is not None and 0 <= row < len(masses):
        return _("Hidden: {mass} of this row.", mass=weight_text(float(masses[row])))
    known = masses[np.isfinite(masses)]
    return _("Hidden: at most {mass} of a row.", mass=weight_text(float(known.max(initial=0.0))))


def largest_of(weights: Float[np.ndarray, "rows columns"]) -> list[tuple[int, int]]:
    """Row and column of the largest weight of every row that has one; the first where several are as large."""
    return [(at, int(np.nanargmax(values))) for at, values in enumerate(weights) if np.isfinite(values).any()]


def largest_marks(places: Sequence[tuple[int, int]], said: str) -> list[plot.Trace]:
    """A small triangle in the corner of these cells (row, column), white with a black edge: seen on every colour."""
    if not places:
        return []
    return [
        plot.scatter(
            name=said,
            x=[column - 0.33 for _row, column in places],
            y=[row - 0.22 for row, _column in places],
            mode="markers",
            marker={
                "symbol": "triangle-down",
                "size": 7,
                "color": "#ffffff",
                "line": {"color": "#000000", "width": 1},
            },
            hoverinfo="skip",
            showlegend=True,
        )
    ]


def _masses(hidden: Masses) -> Float[np.ndarray, " target"]:
    return (to_numpy(hidden) if isinstance(hidden, np.ndarray | Tensor) else np.asarray(hidden)).astype(np.float64)


def _hover(has_baseline: bool) -> str:
    lines = [
        _("target {word} (position {position})", word="<b>%{y}</b>", position="%{customdata[0]}"),
        _("source {word} (position {position})", word="<b>%{x}</b>", position="%{customdata[1]}"),
        _("weight {weight}", weight="<b>%{customdata[2]:.4~g}</b>"),
    ]
    if has_baseline:
        lines.append(_("uniform attention: 1/N = {baseline}", baseline="%{customdata[3]:.3~g}"))
    return "<br>".join(lines) + "<extra></extra>"


def _largest(tile: Tile) -> list[plot.Trace]:
    if max(tile.weights.shape, default=0) > MOST_MARKED:
        return []
    return largest_marks(largest_of(tile.weights), _("largest of its row"))


def _later(shown: int, n: int, m: int) -> list[plot.Trace]:
    """Pale cells for what is not written yet."""
    if shown >= n or not m:
        return []
    return [
        plot.heatmap(
            name="later",
            z=np.zeros((n - shown, m), dtype=np.uint8),
            y=list(range(shown, n)),
            colorscale=[[0, palette.ABSENT], [1, palette.ABSENT]],
            showscale=False,
            hovertemplate=escaped(_("not written yet")) + "<extra></extra>",
            xgap=1,
            ygap=1,
        )
    ]


def _hidden(masses: Float[np.ndarray, " rows"] | None, m: int) -> list[plot.Trace]:
    """The weight of what is hidden, coloured like the others, its number printed wherever the map prints any."""
    if masses is None or not len(masses):
        return []
    linear = m <= palette.LINEAR_KEYS
    with np.errstate(divide="ignore"):
        logs = np.log10(masses)
    least = palette.log_range()[0]
    place = masses if linear else palette.place_on_log_scale(np.maximum(logs, least))
    edges = [m - 0.5 + _GAP, m + 0.5 + _GAP]
    column = plot.heatmap(
        name="hidden",
        x=edges,
        z=(masses if linear else np.maximum(logs, least))[:, None],
        zmin=0 if linear else least,
        zmax=1 if linear else 0,
        colorscale=palette.SEQUENTIAL if linear else list(palette.log_colorscale()),
        showscale=False,
        text=[[weight_text(float(mass))] for mass in masses],
        hovertemplate="<b>%{y}</b><br>" + _("hidden weight {weight}", weight="<b>%{text}</b>") + "<extra></extra>",
        hoverongaps=False,
        ygap=1,
    )
    if len(masses) > MOST_ROWS_WITH_NUMBERS or not linear:
        return [column]
    written = brief_text if m > WIDE_NUMBERS else weight_text
    texts = [["" if np.isnan(mass) else written(float(mass))] for mass in masses]
    return [column, *(trace | {"x": edges} for trace in printed(texts, place[:, None], palette.SEQUENTIAL))]


def _widen(found: dict[str, Any], source: Sequence[str], target: Sequence[str], shown: int, hidden: bool) -> None:
    """The layout of the written rows becomes that of all rows, with room for what is hidden."""
    n, m = len(target), len(source)
    # As the heatmap counts its height.
    found["height"] += _rows_height(n) - _rows_height(shown)
    ticks = list(tick_labels(list(target), whole_labels(list(target), n)))
    ticks[shown:] = [UNWRITTEN] * (n - shown)
    found["margin"]["l"] = layout.label_room(tick_labels(list(target), whole_labels(list(target), n))) + 22
    found["yaxis"] = layout.token_axis(
        ticks,
        wholes=[*whole_labels(list(target), n)[:shown], *[UNWRITTEN] * (n - shown)],
        reverse=True,
        title=layout.axis_title(_("target"), 4),
    )
    found["xaxis"]["title"] = layout.axis_title(_("source"), 4)
    if hidden:
        axis = found["xaxis"]
        axis["tickvals"] = [*axis["tickvals"], m + _GAP]
        axis["ticktext"] = [*axis["ticktext"], f"<i>{escaped(_('hidden'))}</i>"]
        axis["range"] = [-0.5, m + 0.5 + _GAP]


def _rows_height(n: int) -> int:
    return max(120, min(n * (30 if n <= 32 else 14), 900))


def _tile(
    weights: Matrix, source: Sequence[str], target: Sequence[str], baseline: int | None, name: str, shown: int
) -> Tile:
    found = to_numpy(weights).astype(np.float32)[:shown]
    n, m = found.shape
    states = np.where(np.isnan(found).all(1), int(RowState.NAN), int(RowState.NORMAL)) if m else np.zeros(n, dtype=int)
    query, key = whole_labels(list(target), len(target))[:n], whole_labels(list(source), m)
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
