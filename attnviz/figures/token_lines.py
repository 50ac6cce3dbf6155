"""Queries on the left, keys on the right, and a line for every weight: the thicker, the larger."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Bool, Float, Int

from attnviz.attention import RowState
from attnviz.base.language import _, _n
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped
from attnviz.figures.heatmap import baseline_sentence, describe_heatmap, table_heatmap
from attnviz.figures.numerals import weight_text
from attnviz.figures.tile import Cut, Head, Source, Tile, cut

# More lines than this are slow to draw and say nothing; the smallest are then left out, counted and summed.
MOST_LINES = 8192
# Up to this many, every line has its own thickness; above, lines of like thickness share one of these traces.
LEVELS = 19
# With more lines than this, hovering tells positions but not the tokens' texts, which would be half a megabyte.
MOST_HOVER_TEXTS = 1024

# The width in pixels for which labels and lines share the room; on a wider page both get more.
_USUAL_WIDTH = 400
_APART = 0.14


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines of all heads in one list: head (its place in the list of heads), row, column, weight."""

    head: Int[np.ndarray, " lines"]
    row: Int[np.ndarray, " lines"]
    column: Int[np.ndarray, " lines"]
    weight: Float[np.ndarray, " lines"]

    def at(self, chosen: Int[np.ndarray, " some"] | Bool[np.ndarray, " lines"]) -> "Lines":
        """Some of the lines."""
        return Lines(self.head[chosen], self.row[chosen], self.column[chosen], self.weight[chosen])

    def __len__(self) -> int:
        return len(self.weight)


def token_lines(
    source: Source,
    *,
    heads: Sequence[Head] | None = None,
    query: int | None = None,
    key: int | None = None,
    title: str | None = None,
    **options: Unpack[Cut],
) -> go.Figure:
    """Lines between queries and keys (see `Cut` for the options), of one head or of several in colours.

    query, key: positions; with one of them only its own lines are drawn and their weights are printed.
    All allowed weights are drawn, the smallest as thin lines, up to 8192 lines; what is left out above that
    is counted and summed in the subtitle. Masked pairs and rows that are masked or NaN have no line.

    `customdata`: ["query", position] and ["key", position] on tokens (traces "queries" and "keys");
    [query position, key position, weight, place of the head] on lines (trace "lines").
    """
    tiles = _tiles(source, heads, options)
    lines, left_out = _drawn(tiles, query, key)
    traces = [*_line_traces(lines, tiles), _hover_points(lines, tiles), *_token_traces(tiles, query, key)]
    unnamed = [{**trace, "showlegend": False} for trace in traces]
    legend = _legend(tiles) if len(tiles) > 1 else []
    return plot.figure([*unnamed, *legend], _layout(tiles, title, left_out))


def describe_token_lines(
    source: Source,
    *,
    heads: Sequence[Head] | None = None,
    query: int | None = None,
    key: int | None = None,
    **options: Unpack[Cut],
) -> str:
    """How many lines are drawn and how many are not, and what each head's weights say."""
    tiles = _tiles(source, heads, options)
    lines, left_out = _drawn(tiles, query, key)
    said = [_n("{count} line is drawn.", "{count} lines are drawn.", len(lines))]
    if len(left_out):
        said.append(_left_out_sentence(left_out))
    for tile in tiles:
        if len(tiles) > 1:
            said.append(_("For {head}:", head=tile.head))
        said.append(describe_heatmap(tile, query=query))
    return " ".join(said)


def table_token_lines(
    source: Source,
    *,
    heads: Sequence[Head] | None = None,
    query: int | None = None,
    key: int | None = None,
    **options: Unpack[Cut],
) -> pd.DataFrame:
    """One row for every pair of every head, with the exact weight; only those of `query` and `key` if given."""
    tables = []
    for tile in _tiles(source, heads, options):
        table = table_heatmap(tile)
        if query is not None:
            table = table[table[_("query position")] == query]
        if key is not None:
            table = table[table[_("key position")] == key]
        table.insert(0, _("head"), tile.head)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _tiles(source: Source, heads: Sequence[Head] | None, options: Cut) -> list[Tile]:
    if heads is None:
        return [cut(source, **options)]
    tiles = []
    for head in heads:
        of_head = options.copy()
        of_head["head"] = head
        tiles.append(cut(source, **of_head))
    return tiles


def _drawn(tiles: Sequence[Tile], query: int | None, key: int | None) -> tuple[Lines, Lines]:
    """The lines to draw, thinnest first so that thick ones lie on top, and those that are too many."""
    parts = [_lines_of(number, tile, query, key) for number, tile in enumerate(tiles)]
    every = Lines(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("head", "row", "column", "weight"))
    )
    order = np.argsort(np.abs(every.weight), kind="stable")
    cut_at = max(len(order) - MOST_LINES, 0)
    return every.at(order[cut_at:]), every.at(order[:cut_at])


def _lines_of(number: int, tile: Tile, query: int | None, key: int | None) -> Lines:
    there = tile.allowed & np.isfinite(tile.weights)
    if query is not None:
        there &= (np.array(tile.rows) == query)[:, None]
    if key is not None:
        there &= (np.array(tile.columns) == key)[None]
    row, column = np.nonzero(there)
    return Lines(np.full(len(row), number), row, column, tile.weights[row, column].astype(np.float64))


def _line_traces(lines: Lines, tiles: Sequence[Tile]) -> list[plot.Trace]:
    """Few lines exactly as thick as they should be; many in levels of like thickness, one trace a level and head."""
    # A weight that is no share is drawn by its size, at most as thick as 1; the figure says so.
    thick = np.array([palette.thickness(min(abs(float(weight)), 1.0)) for weight in lines.weight])
    if len(lines) > LEVELS:
        levels = max(LEVELS // len(tiles), 6)
        span = palette.STROKE_OF_ONE - palette.MINIMUM_STROKE
        steps = np.rint((thick - palette.MINIMUM_STROKE) / span * (levels - 1))
        thick = palette.MINIMUM_STROKE + steps / (levels - 1) * span
        groups = [lines.head * 1000 + steps == group for group in np.unique(lines.head * 1000 + steps)]
        groups.sort(key=lambda chosen: float(thick[chosen][0]))
    else:
        groups = [np.arange(len(lines)) == index for index in range(len(lines))]
    faint = 0.3 if len(lines) > 200 else 0.75
    return [_line_trace(lines.at(chosen), len(tiles), float(thick[chosen][0]), faint) for chosen in groups]


def _line_trace(lines: Lines, heads: int, thick: float, faint: float) -> plot.Trace:
    count = len(lines)
    x = np.tile([0.0, 1.0, np.nan], count)
    shift = _shift(lines.head, heads)
    y = np.stack([lines.row + shift, lines.column + shift, np.full(count, np.nan)], axis=1).ravel()
    share = (thick - palette.MINIMUM_STROKE) / (palette.STROKE_OF_ONE - palette.MINIMUM_STROKE)
    return plot.scatter(
        name="",
        x=x.astype(np.float32),
        y=y.astype(np.float32),
        mode="lines",
        line={"color": palette.category(int(lines.head[0])), "width": round(thick, 3)},
        opacity=round(faint + (0.9 - faint) * min(share * 4, 1.0), 3),
        hoverinfo="skip",
    )


def _shift(head: Int[np.ndarray, " lines"], heads: int) -> Float[np.ndarray, " lines"]:
    """Lines of several heads run beside each other."""
    return (head - (heads - 1) / 2) * min(_APART, 0.7 / heads)


def _hover_points(lines: Lines, tiles: Sequence[Tile]) -> plot.Trace:
    """Invisible points along the lines: Plotly tells nothing of a line between its ends."""
    along = np.array([0.12, 0.5, 0.88] if len(lines) <= 400 else [0.12])
    which = np.repeat(np.arange(len(lines)), len(along))
    place = np.tile(along, len(lines))
    shift = _shift(lines.head, len(tiles))
    y = ((lines.row + shift)[:, None] + (lines.column - lines.row)[:, None] * along[None]).astype(np.float64)
    rows, columns = np.array(tiles[0].rows)[lines.row], np.array(tiles[0].columns)[lines.column]
    data = np.stack([rows, columns, lines.weight, lines.head], axis=1).astype(np.float32)[which]
    texts = [_hover_text(lines, tiles, index) for index in which.tolist()] if len(lines) <= MOST_HOVER_TEXTS else None
    numbers = _(
        "position {query} → {key}: weight {weight}",
        query="%{customdata[0]}",
        key="%{customdata[1]}",
        weight="<b>%{customdata[2]:.4~g}</b>",
    )
    return plot.scatter(
        name="lines",
        x=place.astype(np.float32),
        y=y.ravel().astype(np.float32),
        mode="markers",
        marker={"size": 8, "opacity": 0, "color": palette.NEUTRAL},
        customdata=data,
        text=texts,
        hovertemplate=("%{text}<br>" if texts else "") + numbers + "<extra></extra>",
    )


def _hover_text(lines: Lines, tiles: Sequence[Tile], index: int) -> str:
    tile = tiles[lines.head[index]]
    pair = f"{escaped(tile.query_labels[lines.row[index]])} → {escaped(tile.key_labels[lines.column[index]])}"
    return f"<b>{pair}</b>" + (f" · {tile.head}" if tile.head else "")


def _token_traces(tiles: Sequence[Tile], query: int | None, key: int | None) -> list[plot.Trace]:
    """Both columns of tokens; beside each the weight that it has with the selected one."""
    tile = tiles[0]
    row, column = tile.row_of(query), tile.column_of(key)
    beside_keys = [_weights_at(tiles, row, place) if row is not None else "" for place in range(len(tile.columns))]
    beside_queries = [
        _weights_at(tiles, place, column) if column is not None and row is None else ""
        for place in range(len(tile.rows))
    ]
    left = [
        f"{number} {_name(text, place == row)}"
        for place, (text, number) in enumerate(zip(tile.query_ticks, beside_queries, strict=True))
    ]
    right = [
        f"{_name(text, place == column)} {number}"
        for place, (text, number) in enumerate(zip(tile.key_ticks, beside_keys, strict=True))
    ]
    return [
        *_tokens("queries", "query", 0.0, left, tile.query_labels, tile.rows, _reach(tiles)[0]),
        *_tokens("keys", "key", 1.0, right, tile.key_labels, tile.columns, _reach(tiles)[1]),
    ]


def _name(text: str, selected: bool) -> str:
    return f'<b><span style="color:{palette.HIGHLIGHT}">{escaped(text)}</span></b>' if selected else escaped(text)


def _weights_at(tiles: Sequence[Tile], row: int, column: int) -> str:
    """The weights of one pair in all heads; where there are several, each after a mark in its head's colour."""
    texts = [_weight_or_state(tile, row, column) for tile in tiles]
    if len(texts) == 1:
        return f"<b>{texts[0]}</b>"
    return " ".join(
        f'<span style="color:{palette.category(number)}">■</span>{text}' for number, text in enumerate(texts)
    )


def _weight_or_state(tile: Tile, row: int, column: int) -> str:
    if tile.states[row] == RowState.MASKED:
        return "∅"
    return weight_text(float(tile.weights[row, column])) if tile.allowed[row, column] else "—"


def _tokens(
    name: str,
    side: str,
    x: float,
    texts: Sequence[str],
    wholes: Sequence[str],
    positions: Sequence[int],
    reach: float,
) -> list[plot.Trace]:
    """The visible labels, and invisible points under them so that a whole label can be clicked."""
    y = np.arange(len(texts))
    outwards = -1 if side == "query" else 1
    spots = np.arange(0.1, 0.95, 0.2)
    custom = [[side, position] for position in positions]
    shown = plot.scatter(
        name=name,
        x=np.full(len(texts), x),
        y=y,
        mode="markers+text",
        marker={"size": 5, "color": palette.NEUTRAL},
        text=[f" {text} " for text in texts],
        textposition="middle left" if side == "query" else "middle right",
        textfont={"size": 13 if len(texts) <= 32 else 10},
        customdata=custom,
        hovertext=[escaped(whole) for whole in wholes],
        hovertemplate=_hover_of_side(side),
        cliponaxis=False,
    )
    spread = plot.scatter(
        name=f"{name} (area)",
        x=(x + outwards * reach * np.tile(spots, len(texts))).astype(np.float32),
        y=np.repeat(y, len(spots)),
        mode="markers",
        marker={"size": 14, "opacity": 0, "color": palette.NEUTRAL},
        customdata=[entry for entry in custom for _spot in spots],
        hovertext=[escaped(whole) for whole in wholes for _spot in spots],
        hovertemplate=_hover_of_side(side),
    )
    return [shown, spread]


def _hover_of_side(side: str) -> str:
    position = "%{customdata[1]}"
    said = (
        _("query, position {position}", position=position)
        if side == "query"
        else _("key, position {position}", position=position)
    )
    return f"<b>%{{hovertext}}</b><br>{said}<extra></extra>"


def _legend(tiles: Sequence[Tile]) -> list[plot.Trace]:
    return [
        plot.scatter(
            name=tile.head,
            x=[None],
            y=[None],
            mode="lines",
            line={"color": palette.category(number), "width": 4},
            showlegend=True,
        )
        for number, tile in enumerate(tiles)
    ]


def _reach(tiles: Sequence[Tile]) -> tuple[float, float]:
    """How much room the labels take left and right, where the lines are 1 wide."""
    number = 52 if len(tiles) == 1 else 54 * len(tiles)
    left = layout.label_room(tiles[0].query_ticks, most=150.0) + 8
    right = layout.label_room(tiles[0].key_ticks, most=150.0) + number
    inner = max(_USUAL_WIDTH - left - right, 120)
    return left / inner, right / inner


def _left_out_sentence(left_out: Lines) -> str:
    return _n(
        "{count} line is too many and not drawn: its weight is {most}.",
        "{count} lines are too many and not drawn: each at most {most}, together {sum}.",
        len(left_out),
        most=weight_text(float(left_out.weight.max())),
        sum=weight_text(float(left_out.weight.sum())),
    )


def _layout(tiles: Sequence[Tile], title: str | None, left_out: Lines) -> dict[str, Any]:
    tile = tiles[0]
    count = max(len(tile.rows), len(tile.columns))
    row_height = 28 if count <= 24 else 20 if count <= 40 else 14
    left, right = _reach(tiles)
    several = len(tiles) > 1
    named = _("Attention weights, {head}", head=tile.head) if tile.head and not several else _("Attention weights")
    shared = layout.base(
        title=named if title is None else title,
        subtitle=_left_out_sentence(left_out) if len(left_out) else baseline_sentence(tile),
        height=84 + count * row_height + (34 if several else 8),
        left=8,
        right=8,
        bottom=34 if several else 8,
    )
    shared["margin"]["t"] = 84
    bare = {"showticklabels": False, "showgrid": False, "zeroline": False, "fixedrange": True, "automargin": False}
    heading = {"yref": "paper", "y": 1, "yanchor": "bottom", "showarrow": False, "font": {"size": 12}}
    return shared | {
        "hovermode": "closest",
        "hoverdistance": 14,
        "showlegend": several,
        "legend": {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom", "itemclick": False},
        "xaxis": bare | {"range": [-left, 1 + right]},
        "yaxis": bare | {"range": [count - 0.4, -0.6]},
        "annotations": [
            heading | {"text": _("queries"), "x": 0, "xanchor": "right"},
            heading | {"text": _("keys"), "x": 1, "xanchor": "left"},
        ],
    }
