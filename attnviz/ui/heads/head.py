"""One head: as matrix, as lines, in the text itself, and the pair that is chosen."""

import csv
import io
import math
from typing import Any

import numpy as np
import streamlit as st
import torch
from jaxtyping import UInt8

from attnviz import figures
from attnviz.attention import RowState
from attnviz.base.language import _, _n
from attnviz.figures.codes import codes
from attnviz.figures.escape import GENERATED, whole_labels
from attnviz.figures.heatmap import beyond_sentence
from attnviz.figures.numerals import weight_text
from attnviz.tokens import Tokens, isolated
from attnviz.ui import panels, presenting
from attnviz.ui.components import ChartClick, MatrixAsk, MatrixClick, MatrixValue, matrix
from attnviz.ui.heads.look import ROWS_AT_ONCE, Look
from attnviz.ui.heads.store import HeadsStore
from attnviz.ui.page import plain
from attnviz.ui.panels import Picture

# More tokens than this on a side, and the lines of all queries at once say nothing.
MOST_LINED = 48
LARGEST_CANVAS = 1024


def pair(look: Look) -> None:
    """The chosen pair in words: its weight, what an even share would be, and what was hidden."""
    said = []
    if look.query is not None and look.query in look.rows:
        shown, hidden = look.weights((look.query,))
        tile = look.tile((look.query,))
        if look.key is not None and look.key in look.columns:
            column = look.columns.index(look.key)
            said.append(_pair_sentence(look, float(shown[0, column]), tile.uniform(0)))
        if look.hides:
            said.append(
                _(
                    "Of the weight of this query, {mass} lies on hidden tokens.",
                    mass=weight_text(float(hidden[0])),
                )
            )
    elif look.hides and look.is_small:
        _shown, hidden = look.weights(look.rows)
        said.append(
            _(
                "Hidden tokens hold {mass} of the weight, in the mean over queries.",
                mass=weight_text(float(torch.nanmean(hidden))),
            )
        )
    if look.renormalise:
        said.append(_("Shown renormalised: each row was divided by what is left of it."))
    said += [*_of_padding(look), *_of_rows(look)]
    # The place is kept when nothing is said, so that the pictures below stay where they are.
    with st.container():
        if said:
            st.markdown(" ".join(said))


def _of_padding(look: Look) -> list[str]:
    """What lies on positions where there is nothing: 0 where the mask does its work."""
    chosen = look.query is not None
    mass = look.on_padding(look.rows if look.query is None else (look.query,))
    if mass is None or math.isnan(mass):
        return []
    if chosen:
        return [_("Padding received {mass} of the weight of this query.", mass=weight_text(mass))]
    return [_("Padding received {mass} of the weight of this head, in the mean over queries.", mass=weight_text(mass))]


def _of_rows(look: Look) -> list[str]:
    """How many of the queries shown have no weights to look at, and why."""
    states = look.states()
    masked, nan, zero = (int((states == state).sum()) for state in (RowState.MASKED, RowState.NAN, RowState.ZERO))
    said = []
    if masked:
        said.append(_n("{count} query may see no key at all.", "{count} queries may see no key at all.", masked))
    if nan:
        said.append(_n("{count} row holds NaN.", "{count} rows hold NaN.", nan))
    if zero:
        said.append(_n("{count} row is zero throughout.", "{count} rows are zero throughout.", zero))
    if look.beyond():
        said.append(beyond_sentence())
    return said


def _pair_sentence(look: Look, weight: float, uniform: float) -> str:
    named = {
        "query": plain(isolated(look.queries.label(look.query or 0))),
        "query_position": look.query,
        "key": plain(isolated(look.keys.label(look.key or 0))),
        "key_position": look.key,
        "weight": f"**{weight_text(weight)}**",
    }
    if not torch.isfinite(torch.tensor([weight, uniform])).all() or not uniform:
        return _("Query “{query}” ({query_position}) gives key “{key}” ({key_position}) the weight {weight}.", **named)
    return _(
        "Query “{query}” ({query_position}) gives key “{key}” ({key_position}) the weight {weight}, "
        "{times} times an even share of {uniform}.",
        times=f"{weight / uniform:.3g}",
        uniform=weight_text(uniform),
        **named,
    )


def pictures(store: HeadsStore, look: Look) -> None:
    """The head as matrix and as lines; a click on a cell or a token chooses it."""
    if not look.rows or not look.columns:
        st.info(_("Every token is hidden."))
        return
    if look.is_small:
        _figures(store, look)
    else:
        _canvas(store, look)


def _figures(store: HeadsStore, look: Look) -> None:
    tile = look.tile()
    chosen: dict[str, Any] = {"query": look.query, "key": look.key}
    # An exported picture must say by itself what it shows.
    title = _("Layer {layer}, {head}", layer=look.attention.layer, head=tile.head)
    heatmap = figures.heatmap(tile, title=title, **chosen)
    shown = {
        "matrix": Picture(
            heatmap,
            figures.describe_heatmap(tile, query=look.query),
            lambda: figures.table_heatmap(tile),
            int(heatmap.layout.height),
        )
    }
    if max(len(look.rows), len(look.columns)) <= MOST_LINED or look.query is not None or look.key is not None:
        lines = figures.token_lines(tile, title=title, **chosen)
        shown["lines"] = Picture(
            lines,
            figures.describe_token_lines(tile, **chosen),
            lambda: figures.table_token_lines(tile, **chosen),
            int(lines.layout.height),
        )

    def click(event: ChartClick) -> None:
        custom = event.custom
        if not isinstance(custom, list):
            return
        if event.figure == "lines" and len(custom) == 2 and custom[0] in ("query", "key"):
            store.change(fields={custom[0]: int(custom[1])})
        elif len(custom) == 4:
            store.change(query=int(custom[0]), key=int(custom[1]))

    panels.show("heads-head", shown, columns_min_width=420, on_click=click)


def _canvas(store: HeadsStore, look: Look) -> None:
    """More tokens than a figure can carry: one byte a cell, exact numbers for the cell under the pointer."""
    step = -(-max(len(look.rows), len(look.columns)) // LARGEST_CANVAS)
    image = _bytes(look, step)
    asked: tuple[int, int] | None = st.session_state.get("heads:asked")

    def click(event: MatrixClick) -> None:
        store.change(query=look.rows[event.row * step], key=look.columns[event.column * step])

    def ask(event: MatrixAsk) -> None:
        st.session_state["heads:asked"] = (event.row, event.column)

    matrix(
        "heads-matrix",
        image,
        cell=(step, step),
        row_labels=_labels(look.queries, look.rows),
        column_labels=_labels(look.keys, look.columns),
        selected=_selected(look, step),
        value=_exact(look, asked, step) if asked else None,
        description=_(
            "Attention weights of {rows} queries on {columns} keys, logarithmic scale.",
            rows=len(look.rows),
            columns=len(look.columns),
        )
        + (" " + _("A cell is the largest weight of {step} × {step} tokens.", step=step) if step > 1 else ""),
        on_click=click,
        on_ask=ask,
        height=720,
    )
    presenting.leave_out(lambda: _save(look))
    chosen = look.query if look.query in look.rows else None
    if chosen is not None:
        panels.as_text("heads-row", {"row": (figures.describe_heatmap(look.tile((chosen,)), query=chosen),
                                            lambda: figures.table_heatmap(look.tile((chosen,))))})  # fmt: skip


def _labels(tokens: Tokens, positions: tuple[int, ...]) -> list[str]:
    labels = whole_labels(tokens, len(tokens))
    generated = tokens.generated or (False,) * len(tokens)
    return [f"{labels[position]} {GENERATED}" if generated[position] else labels[position] for position in positions]


def _save(look: Look) -> None:
    st.download_button(
        _("Save all weights of this head as CSV"), data=lambda: _csv(look), file_name="weights.csv", mime="text/csv",
        on_click="ignore", type="tertiary", icon=":material/download:",
    )  # fmt: skip


def _csv(look: Look) -> bytes:
    """Queries down, keys across, exact weights; empty where there is none. Every label carries its position."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["", *(f"{position} {look.keys.label(position)}" for position in look.columns)])
    for start in range(0, len(look.rows), ROWS_AT_ONCE):
        tile = look.tile(look.rows[start : start + ROWS_AT_ONCE])
        numbers = np.where(tile.allowed, tile.weights, np.nan)
        for position, row in zip(tile.rows, numbers.tolist(), strict=True):
            label = f"{position} {look.queries.label(position)}"
            writer.writerow([label, *("" if math.isnan(weight) else f"{weight:.9g}" for weight in row)])
    return out.getvalue().encode()


def _bytes(look: Look, step: int) -> UInt8[np.ndarray, "rows columns"]:
    """One byte for each step × step cell: the largest weight in it. Worked out in strips of rows."""
    strips = []
    for start in range(0, len(look.rows), step * ROWS_AT_ONCE):
        tile = look.tile(look.rows[start : start + step * ROWS_AT_ONCE])
        # A byte holds the size of a weight from 0 to 1; where there are others, the page says so.
        strips.append(_pooled(codes(np.clip(np.abs(tile.weights), 0, 1), tile.allowed, tile.states), step))
    return np.concatenate(strips)


def _pooled(found: UInt8[np.ndarray, "n m"], step: int) -> UInt8[np.ndarray, "rows columns"]:
    # What is no weight has the smallest bytes, so the largest byte of a cell is its largest weight.
    rows, columns = (-(-size // step) * step - size for size in found.shape)
    padded = np.pad(found, ((0, rows), (0, columns)))
    cells = padded.reshape(padded.shape[0] // step, step, padded.shape[1] // step, step)
    return np.asarray(cells.max((1, 3)))


def _selected(look: Look, step: int) -> tuple[int | None, int | None]:
    row = look.rows.index(look.query) // step if look.query in look.rows else None
    column = look.columns.index(look.key) // step if look.key in look.columns else None
    return row, column


def _exact(look: Look, cell: tuple[int, int], step: int) -> MatrixValue | None:
    """The number under the pointer, and which pair it belongs to."""
    row, column = cell
    rows = look.rows[row * step : (row + 1) * step]
    if not rows or column * step >= len(look.columns):
        return None
    tile = look.tile(rows)
    part = slice(column * step, (column + 1) * step)
    weights = np.where(tile.allowed[:, part], tile.weights[:, part], np.nan)
    names = {"row": row, "column": column}
    if not np.isfinite(weights).any():
        return MatrixValue(**names, text=_("no weight: masked or not a number"))
    at, beside = np.unravel_index(int(np.nanargmax(weights)), weights.shape)
    text = _(
        "{weight}: “{query}” ({query_position}) → “{key}” ({key_position})",
        weight=weight_text(float(weights[at, beside])),
        query=isolated(tile.query_labels[at]),
        query_position=rows[at],
        key=isolated(tile.key_labels[column * step + beside]),
        key_position=look.columns[column * step + beside],
    )
    return MatrixValue(**names, text=text)
