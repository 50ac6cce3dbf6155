"""All weights of one head as a map: query by key, what is absent shown as absent."""

from typing import Any, Unpack

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Float, Int

from attnviz.attention import RowState
from attnviz.base.language import _, _n
from attnviz.figures import layout, palette, plot
from attnviz.figures.cells import outline, printed
from attnviz.figures.codes import CODE_ABSENT, CODE_FULLY_MASKED, CODE_NAN, CODE_ZERO
from attnviz.figures.escape import escaped
from attnviz.figures.numerals import brief_text, weight_text
from attnviz.figures.tile import Cut, Source, Tile, cut
from attnviz.tokens import isolated

# With more rows than this the numbers would be too small to read.
MOST_ROWS_WITH_NUMBERS = 32
# With more keys than this, the numbers in the cells have two significant digits; hovering tells four.
WIDE_NUMBERS = 8
# Hovering tells why a cell has no weight; for more cells than this the texts would be too much to send.
MOST_NAMED_STATES = 4096

_STATE_COLOURS = (palette.ABSENT, palette.FULLY_MASKED, palette.NOT_A_NUMBER, palette.ZERO)
_STATE_SIGNS = ("—", "∅", "NaN", "0")


def heatmap(
    source: Source,
    *,
    query: int | None = None,
    key: int | None = None,
    title: str | None = None,
    **options: Unpack[Cut],
) -> go.Figure:
    """The weights of one head (see `Cut` for the options); `query` and `key` are positions to outline.

    Up to 16 keys the colour is linear on 0–1 and the number stands in the cell; above, the scale is
    logarithmic and labelled. A cell's `customdata` is [query position, key position, weight, baseline].
    """
    tile = cut(source, **options)
    states = cell_states(tile)
    traces = [_weight_map(tile, states)]
    if (states >= 0).any():
        traces += _state_traces(tile, states)
    if _prints_numbers(tile):
        shown = np.where(states < 0, tile.weights, np.nan)
        texts = _texts(shown, len(tile.columns) > WIDE_NUMBERS)
        traces += printed(texts, np.abs(shown.astype(np.float64)), palette.SEQUENTIAL)
    return plot.figure(traces, _layout(tile, title) | {"shapes": _outlines(tile, query, key)})


def describe_heatmap(source: Source, *, query: int | None = None, **options: Unpack[Cut]) -> str:
    """What the map says, in sentences: of one query, or its largest weight and what has no weight."""
    tile = cut(source, **options)
    row = tile.row_of(query)
    said = [_query_sentence(tile, row) if row is not None else _map_sentence(tile), baseline_sentence(tile, row)]
    return " ".join([*said, *_state_sentences(tile)])


def table_heatmap(source: Source, **options: Unpack[Cut]) -> pd.DataFrame:
    """One row for each cell with the exact weight, its baseline and their ratio; absent weights are missing."""
    tile = cut(source, **options)
    n, m = tile.weights.shape
    row, column = (axis.ravel() for axis in np.indices((n, m)))
    weights = np.where(tile.allowed, tile.weights, np.nan).ravel().astype(np.float64)
    baseline = np.array([tile.uniform(index) for index in range(n)])[row]
    names = [*state_names(), ""]
    return pd.DataFrame(
        {
            _("query position"): np.array(tile.rows, dtype=int)[row],
            _("query"): [tile.query_labels[index] for index in row],
            _("key position"): np.array(tile.columns, dtype=int)[column],
            _("key"): [tile.key_labels[index] for index in column],
            _("weight"): weights,
            _("uniform weight"): baseline,
            _("weight / uniform weight"): weights / baseline,
            _("state"): [names[state] for state in cell_states(tile).ravel()],
        }
    )


def cell_states(tile: Tile) -> Int[np.ndarray, "n m"]:
    """For every cell −1 where it is a weight, else the code of what it is: absent, fully masked, NaN, zero."""
    states = np.full(tile.weights.shape, -1, dtype=np.int16)
    states[tile.weights == 0] = CODE_ZERO
    states[np.isnan(tile.weights)] = CODE_NAN
    if tile.weights.shape[1] <= palette.LINEAR_KEYS:
        # On the linear scale a single zero has its place at the end; a row of zeros is no row of weights.
        states[(states == CODE_ZERO) & (tile.states != RowState.ZERO)[:, None]] = -1
    states[~tile.allowed] = CODE_ABSENT
    states[tile.states == RowState.MASKED] = CODE_FULLY_MASKED
    return states


def state_names() -> tuple[str, str, str, str]:
    """What the codes 0–3 mean, in the current language."""
    return (
        _("absent (masked)"),
        _("fully masked row"),
        _("not a number"),
        _("exactly zero"),
    )


def _prints_numbers(tile: Tile) -> bool:
    return len(tile.columns) <= palette.LINEAR_KEYS and len(tile.rows) <= MOST_ROWS_WITH_NUMBERS


def _weight_map(tile: Tile, states: Int[np.ndarray, "n m"]) -> plot.Trace:
    weights = np.where(states < 0, tile.weights, np.nan).astype(np.float32)
    linear = tile.weights.shape[1] <= palette.LINEAR_KEYS
    with np.errstate(divide="ignore", invalid="ignore"):
        # Of a weight below 0 the colour shows the size.
        z = np.abs(weights) if linear else np.log10(np.abs(weights))
    baseline = np.array([tile.uniform(row) for row in range(len(tile.rows))], dtype=np.float32)
    return plot.heatmap(
        name="weights",
        z=z,
        customdata=_customdata(tile, baseline),
        hovertemplate=_hover(bool(np.isfinite(baseline).any())),
        hoverongaps=False,
        xgap=1 if tile.weights.shape[1] <= 64 else 0,
        ygap=1 if tile.weights.shape[0] <= 64 else 0,
        showscale=not _prints_numbers(tile),
        **_colours(linear),
    )


def _customdata(tile: Tile, baseline: Float[np.ndarray, " n"]) -> Float[np.ndarray, "n m 4"]:
    n, m = tile.weights.shape
    data = np.empty((n, m, 4), dtype=np.float32)
    data[..., 0] = np.array(tile.rows)[:, None]
    data[..., 1] = np.array(tile.columns)[None]
    data[..., 2] = tile.weights
    data[..., 3] = baseline[:, None]
    return data


def _hover(has_baseline: bool) -> str:
    lines = [
        _("query {label} (position {position})", label="<b>%{y}</b>", position="%{customdata[0]}"),
        _("key {label} (position {position})", label="<b>%{x}</b>", position="%{customdata[1]}"),
        _("weight {weight}", weight="<b>%{customdata[2]:.4~g}</b>"),
    ]
    if has_baseline:
        lines.append(_("uniform attention: 1/N = {baseline}", baseline="%{customdata[3]:.3~g}"))
    return "<br>".join(lines) + "<extra></extra>"


def _colours(linear: bool) -> dict[str, Any]:
    if linear:
        return {"colorscale": palette.SEQUENTIAL, "zmin": 0, "zmax": 1, "colorbar": layout.colour_bar(_("weight"))}
    values, texts = palette.log_ticks()
    least, greatest = palette.log_range()
    bar = layout.colour_bar(_("weight (logarithmic scale)"), tickvals=values, ticktext=texts)
    return {"colorscale": list(palette.log_colorscale()), "zmin": least, "zmax": greatest, "colorbar": bar}


def _texts(weights: Float[np.ndarray, "n m"], brief: bool) -> list[list[str]]:
    written = brief_text if brief else weight_text
    return [["" if np.isnan(weight) else written(float(weight)) for weight in row] for row in weights]


def _state_traces(tile: Tile, states: Int[np.ndarray, "n m"]) -> list[plot.Trace]:
    """What is not a weight: its own flat colours, a sign in the cell where there is room, and a legend."""
    n, m = states.shape
    named = n * m <= MOST_NAMED_STATES
    names = [*map(escaped, state_names()), ""]
    stops = [(place, colour) for at, colour in enumerate(_STATE_COLOURS) for place in (at / 4, (at + 1) / 4)]
    cells = plot.heatmap(
        name="states",
        z=np.where(states < 0, np.nan, states).astype(np.float32),
        zmin=-0.5,
        zmax=3.5,
        colorscale=stops,
        showscale=False,
        customdata=_customdata(tile, np.full(n, np.nan, dtype=np.float32)),
        text=[[names[state] for state in row] for row in states] if named else None,
        hovertemplate="<br>".join([*_hover(False).split("<br>")[:2], "%{text}<extra></extra>"]) if named else None,
        hoverongaps=False,
        xgap=1 if m <= 64 else 0,
        ygap=1 if n <= 64 else 0,
    )
    return [cells, *_signs(states), *_legend(states)]


def _signs(states: Int[np.ndarray, "n m"]) -> list[plot.Trace]:
    """A sign in every cell that is not a weight, if the cells are large enough."""
    n, m = states.shape
    if n > MOST_ROWS_WITH_NUMBERS or m > MOST_ROWS_WITH_NUMBERS:
        return []
    at = np.argwhere(states >= 0)
    signs = plot.scatter(
        x=at[:, 1],
        y=at[:, 0],
        mode="text",
        text=[_STATE_SIGNS[states[row, column]] for row, column in at],
        textfont={"size": 12 if m <= WIDE_NUMBERS else 8},
        hoverinfo="skip",
        showlegend=False,
    )
    return [signs]


def _legend(states: Int[np.ndarray, "n m"]) -> list[plot.Trace]:
    names = state_names()
    return [
        plot.scatter(
            x=[None],
            y=[None],
            mode="markers",
            marker={"symbol": "square", "size": 12, "color": _STATE_COLOURS[state]},
            name=f"{_STATE_SIGNS[state]} {names[state]}",
            showlegend=True,
        )
        for state in np.unique(states[states >= 0]).tolist()
    ]


def _layout(tile: Tile, title: str | None) -> dict[str, Any]:
    n, m = tile.weights.shape
    key_room = min(layout.label_room(tile.key_ticks), 130)
    slanted = m > 6 or key_room > 90
    bottom = (key_room * 0.75 + 14 if slanted else 26) + 20 + 30
    plot_height = max(120, min(n * (30 if n <= 32 else 14), 900))
    shared = layout.base(
        title=_default_title(tile) if title is None else title,
        subtitle=baseline_sentence(tile),
        height=round(58 + plot_height + bottom),
        left=layout.label_room(tile.query_ticks) + 22,
        right=16 if _prints_numbers(tile) else 96,
        bottom=round(bottom),
    )
    return shared | {
        # A part of a large map is looked at by drawing a box around it.
        "dragmode": "zoom",
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom", "itemclick": False},
        "xaxis": layout.token_axis(
            tile.key_ticks,
            wholes=tile.key_labels,
            tickangle=-45 if slanted else 0,
            most=36,
            title=layout.axis_title(_("key"), 4),
            constrain="domain",
        ),
        "yaxis": layout.token_axis(
            tile.query_ticks, wholes=tile.query_labels, reverse=True, title=layout.axis_title(_("query"), 4)
        ),
    }


def _default_title(tile: Tile) -> str:
    return _("Attention weights, {head}", head=tile.head) if tile.head else _("Attention weights")


def baseline_sentence(tile: Tile, row: int | None = None) -> str:
    """The baseline of all rows, or of one row of the tile, in one sentence."""
    if not tile.baseline:
        said = _("No uniform baseline: these rows need not sum to 1.")
        return f"{said} {beyond_sentence()}" if tile.beyond else said
    counts = sorted({int(count) for count in (tile.counts if row is None else tile.counts[row : row + 1]) if count})
    if not counts:
        return _("No query may see any key.") if row is None else _("This query may see no key.")
    if len(counts) == 1:
        return _("Uniform baseline: 1/{count} = {baseline}.", count=counts[0], baseline=weight_text(1 / counts[0]))
    return _(
        "Uniform baseline: 1/N for N = {least} to {most} allowed keys.",
        least=counts[0],
        most=counts[-1],
    )


def beyond_sentence() -> str:
    """What colours and lines mean where weights are no shares."""
    return _("Colour and thickness show sizes up to 1, without the sign; the numbers are exact.")


def _outlines(tile: Tile, query: int | None, key: int | None) -> list[dict[str, Any]]:
    n, m = tile.weights.shape
    row, column = tile.row_of(query), tile.column_of(key)
    return [
        *([] if row is None else [outline(0.0, m - 1.0, float(row), float(row))]),
        *([] if column is None else [outline(float(column), float(column), 0.0, n - 1.0)]),
    ]


def _query_sentence(tile: Tile, row: int) -> str:
    """The largest and the smallest weight of one query."""
    weights = np.where(tile.allowed[row], tile.weights[row], np.nan)
    if not np.isfinite(weights).any():
        return _(
            "Query {label} (position {position}) has no weights.",
            label=isolated(tile.query_labels[row]),
            position=tile.rows[row],
        )
    most, least = int(np.nanargmax(weights)), int(np.nanargmin(weights))
    return _(
        "Query {label} (position {position}) gives most to {most} (position {most_position}), {most_weight}, "
        "and least to {least} (position {least_position}), {least_weight}.",
        label=isolated(tile.query_labels[row]),
        position=tile.rows[row],
        most=isolated(tile.key_labels[most]),
        most_position=tile.columns[most],
        most_weight=weight_text(float(weights[most])),
        least=isolated(tile.key_labels[least]),
        least_position=tile.columns[least],
        least_weight=weight_text(float(weights[least])),
    )


def _map_sentence(tile: Tile) -> str:
    """Size, head and the largest weight."""
    n, m = tile.weights.shape
    weights = np.where(tile.allowed, tile.weights, np.nan)
    if not np.isfinite(weights).any():
        return _("Attention weights of {rows} queries on {columns} keys; none of them has a value.", rows=n, columns=m)
    row, column = divmod(int(np.nanargmax(weights)), m)
    return _(
        "Attention weights of {rows} queries on {columns} keys, {head}. The largest, {weight}, is that of query "
        "{query} (position {row}) on key {key} (position {column}).",
        rows=n,
        columns=m,
        head=tile.head or _("one head"),
        weight=weight_text(float(weights[row, column])),
        query=isolated(tile.query_labels[row]),
        row=tile.rows[row],
        key=isolated(tile.key_labels[column]),
        column=tile.columns[column],
    )


def _state_sentences(tile: Tile) -> list[str]:
    """How many pairs and rows have no weight, and why."""
    states = cell_states(tile)
    pairs = int((states == CODE_ABSENT).sum())
    sunk = float(np.nanmax(tile.sinks, initial=0.0))
    masked, nan, zero = (int((tile.states == state).sum()) for state in (RowState.MASKED, RowState.NAN, RowState.ZERO))
    said = []
    if sunk > 0:
        said.append(_("A sink takes up to {mass} of a row, so its weights sum to less than 1.", mass=weight_text(sunk)))
    if pairs:
        said.append(
            _n(
                "{count} pair is absent: the mask leaves it out.",
                "{count} pairs are absent: the mask leaves them out.",
                pairs,
            )
        )
    if masked:
        said.append(_n("{count} query may see no key at all.", "{count} queries may see no key at all.", masked))
    if nan:
        said.append(_n("{count} row holds NaN.", "{count} rows hold NaN.", nan))
    if zero:
        said.append(_n("{count} row is zero throughout.", "{count} rows are zero throughout.", zero))
    return said
