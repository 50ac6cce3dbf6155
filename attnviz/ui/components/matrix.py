"""A large matrix of weights on a canvas: one byte a cell, the exact number for the cell that is looked at."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import streamlit as st
from jaxtyping import UInt8

from attnviz.base.language import _
from attnviz.figures import palette
from attnviz.figures.codes import code_colours
from attnviz.figures.heatmap import state_names
from attnviz.ui.components.mount import Component, Message, echo, pack

_component = Component("matrix")


@dataclass(frozen=True)
class MatrixClick:
    """A cell that was chosen."""

    row: int
    column: int


@dataclass(frozen=True)
class MatrixAsk:
    """A cell whose exact value is asked for: the pointer or the cursor rests on it."""

    row: int
    column: int


@dataclass(frozen=True)
class MatrixValue:
    """What the asked cell holds, as it should be read: the number and which pair it belongs to."""

    row: int
    column: int
    text: str


def matrix(
    key: str,
    codes: UInt8[np.ndarray, "rows columns"],
    *,
    description: str,
    cell: tuple[int, int] = (1, 1),
    row_labels: Sequence[str] | None = None,
    column_labels: Sequence[str] | None = None,
    tile: tuple[int, int] | None = None,
    tile_labels: tuple[Sequence[str], Sequence[str]] | None = None,
    selected: tuple[int | None, int | None] = (None, None),
    selected_tile: tuple[int, int] | None = None,
    value: MatrixValue | None = None,
    on_click: Callable[[MatrixClick], None] | None = None,
    on_ask: Callable[[MatrixAsk], None] | None = None,
    height: int = 640,
) -> None:
    """Show a matrix of codes (`attnviz.figures.codes`), up to 2048 × 2048 and more.

    A cell stands for `cell` = (rows, columns) positions, of which the labels are given one each: the label
    of cell (r, c) is that of row r × cell[0] onwards. `tile` is the size in cells of the small maps of an
    atlas, `tile_labels` names its rows and columns of maps. `selected` and `selected_tile` are outlined.

    Zoom and place are the browser's own and stay while the codes change, unless the size does. Zoomed out,
    a pixel shows the largest of its cells, so that no weight vanishes. With `on_ask`, the cell under the
    pointer is asked for, one message at a time; the page answers with `value`. Codes that the browser has
    are not sent again, so such an answer is small.
    """
    rows, columns = codes.shape
    sheet = json.dumps(
        {
            "rowLabels": list(row_labels or []),
            "columnLabels": list(column_labels or []),
            "tileLabels": [list(labels) for labels in tile_labels or ([], [])],
        },
        separators=(",", ":"),
    ).encode()
    body = np.ascontiguousarray(codes).tobytes()
    name = hashlib.blake2b(body, digest_size=12, salt=hashlib.blake2b(sheet, digest_size=16).digest()).hexdigest()
    held = st.session_state.get(_held_name(key)) == name
    header = {
        "seq": echo(key),
        "name": name,
        "file": key,
        "rows": rows,
        "columns": columns,
        "cell": cell,
        "tile": tile,
        "selected": selected,
        "selectedTile": selected_tile,
        "value": asdict(value) if value else None,
        "clicks": on_click is not None,
        "asks": on_ask is not None,
        "height": height,
        "description": description,
        "highlight": palette.HIGHLIGHT,
        "ticks": _ticks(),
        "labels": _labels(),
    }

    def receive(message: Message) -> None:
        # Whatever is said, the name of the codes that the browser has goes with it.
        st.session_state[_held_name(key)] = message.get("held")
        row, column = message.get("row"), message.get("column")
        if not (isinstance(row, int) and isinstance(column, int) and 0 <= row < rows and 0 <= column < columns):
            return
        if message.get("kind") == "click" and on_click is not None:
            on_click(MatrixClick(row, column))
        if message.get("kind") == "ask" and on_ask is not None:
            on_ask(MatrixAsk(row, column))

    parts = (b"", b"") if held else (sheet, body)
    _component.show(key, pack(header, *parts, code_colours().tobytes()), receive)


def _held_name(key: str) -> str:
    return f"attnviz held {key}"


def _ticks() -> list[tuple[float, str]]:
    """Where along the colours of the codes, 0–1, which weight is written."""
    least, greatest = palette.log_range()
    return [
        ((place - least) / (greatest - least), text)
        for place, text in zip(*palette.log_ticks(), strict=True)
        if place >= least
    ]


def _labels() -> dict[str, object]:
    return {
        "toolbar": _("Save, zoom or reset this map"),
        "png": _("Save as a PNG image"),
        "svg": _("Save as an SVG drawing"),
        "html": _("Save as a web page that opens offline"),
        "in": _("Zoom in"),
        "out": _("Zoom out"),
        "reset": _("Show the whole map"),
        "states": list(state_names()),
        "weight": _("weight (logarithmic scale)"),
        "below": _("the lowest colour also stands for everything below 2⁻²⁴"),
        "map": _("map {row} · {column}", row="{row}", column="{column}"),
        "cell": _("row {row}, column {column}", row="{row}", column="{column}"),
        "pooled": _("A pixel shows the largest of {count} × {count} cells.", count="{count}"),
        "help": _("Drag to move, + and − to zoom, double-click for the whole map; arrow keys go from cell to cell."),
        "wheel": _("Click the map or hold Ctrl to zoom with the wheel."),
    }
