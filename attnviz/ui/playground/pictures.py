"""The Playground's pictures: the steps as small matrices, and in two dimensions the arrows."""

import functools
from typing import Any

import streamlit as st

from attnviz import figures
from attnviz.attention import by_hand
from attnviz.base.language import _
from attnviz.figures import Grid
from attnviz.ui import panels
from attnviz.ui.components import ChartClick, ChartDrag
from attnviz.ui.panels import Picture
from attnviz.ui.playground.compute import Worked
from attnviz.ui.state import Store
from attnviz.ui.views.playground import PlaygroundView

ARROWS_HEIGHT = 420
COLUMNS_IN_ONE = 5
"""A matrix of more columns needs the whole width for its numbers to be read."""


def steps(store: Store[PlaygroundView], worked: Worked) -> None:
    """Dot products, ÷ √d, softmax, weighted sum side by side; a click on a row selects its query."""
    view = store.view
    shown = {name: _grid_picture(grid, view.selected) for name, grid in _grids(view, worked).items()}
    shown["shares"] = _shares(view, worked)
    if _is_plane(view):
        shown["arrows"] = _arrows(view, worked)

    def click(event: ChartClick) -> None:
        if event.figure in ("dots", "scaled", "weights", "output") and isinstance(event.point, tuple):
            store.change(selected=event.point[0])

    def drag(event: ChartDrag) -> None:
        part, _colon, row = event.handle.partition(":")
        if part in ("query", "key") and row.isdigit() and int(row) < len(getattr(store.view, part)):
            rows = list(getattr(store.view, part))
            rows[int(row)] = (event.x, event.y)
            store.change(f"drag {event.handle}", {part: tuple(rows)})

    panels.show("playground-steps", shown, columns_min_width=320, on_click=click, on_drag=drag)


def _grids(view: PlaygroundView, worked: Worked) -> dict[str, Grid]:
    found, head = worked.steps, view.head
    absent = ~found.allowed[head]
    rows, columns = view.query_tokens, view.key_tokens
    divided = _divisor(view, found)
    grids = {
        "dots": Grid(found.dots[head], rows, columns, _("1 · Dot products q·k"), "signed", absent),
        "scaled": Grid(found.scaled[head], rows, columns, _("2 · {divided}", divided=divided), "signed", absent),
        "weights": Grid(found.weights[head], rows, columns, _("3 · Softmax: the weights"), "weights", absent),
        "output": Grid(
            found.concatenated,
            rows,
            _numbered(found.concatenated.shape[1]),
            _("4 · Weighted sum of the values") if view.heads == 1 else _("4 · Weighted sums, heads side by side"),
            "signed",
        ),
    }
    if worked.projected is not None:
        grids["projected"] = Grid(
            worked.projected, rows, _numbered(worked.projected.shape[1]), _("5 · times W_O"), "signed"
        )
    return grids


def _divisor(view: PlaygroundView, found: by_hand.Steps) -> str:
    width = found.query.shape[-1]
    if view.scale and view.temperature == 1:
        return _("÷ √{width}", width=width)
    if view.scale:
        return _("÷ (√{width} · {temperature:.2f})", width=width, temperature=view.temperature)
    if view.temperature != 1:
        return _("÷ {temperature:.2f}", temperature=view.temperature)
    return _("not divided")


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(str(number + 1) for number in range(count))


def _grid_picture(grid: Grid, selected: int) -> Picture:
    figure = figures.number_grid(
        grid.matrix, grid.row_labels, grid.column_labels, grid.title, grid.kind,
        absent=grid.absent, highlighted_row=selected,
    )  # fmt: skip
    return Picture(
        figure,
        figures.describe_number_grid(grid, selected),
        functools.partial(figures.table_number_grid, grid),
        int(figure.layout.height),
        span=2 if grid.matrix.shape[1] > COLUMNS_IN_ONE else 1,
    )


def _is_plane(view: PlaygroundView) -> bool:
    return view.projection is None and view.heads == 1 and len(view.query[0]) == 2


def _arrows(view: PlaygroundView, worked: Worked) -> Picture:
    found = worked.steps
    query, keys, weights = found.query[0, view.selected], found.key[0], found.weights[0, view.selected]
    named: dict[str, Any] = {"query_label": view.query_tokens[view.selected], "key_labels": view.key_tokens}
    figure = figures.arrows(
        query, keys, query_index=view.selected, dots=found.dots[0, view.selected], weights=weights,
        limit=view.limit, **named,
    )  # fmt: skip
    return Picture(
        figure,
        figures.describe_arrows(query, keys, weights=weights, **named),
        lambda: figures.table_arrows(query, keys, weights=weights, **named),
        ARROWS_HEIGHT,
    )


def _shares(view: PlaygroundView, worked: Worked) -> Picture:
    found = worked.steps
    row = view.selected
    given: dict[str, Any] = {
        "weights": found.weights[view.head, row],
        "shares": found.shares[view.head, row],
        "key_labels": view.key_tokens,
    }
    figure = figures.weight_bars(**given)
    return Picture(
        figure,
        figures.describe_weight_bars(**given),
        lambda: figures.table_weight_bars(**given),
        int(figure.layout.height),
    )


def formula(view: PlaygroundView, worked: Worked) -> None:
    """The formula with this moment's numbers filled in, for the selected query."""
    from attnviz.figures.formula import row_formula

    st.markdown(row_formula(worked.steps, view.head, view.selected, view.key_tokens))


def check(worked: Worked) -> None:
    """Whether torch's own function gives the same, and which of its backends was asked."""
    compared = by_hand.compare_with_torch(worked.steps)
    st.caption(
        _(
            "Equal to F.scaled_dot_product_attention: {answer} (backend {backend}, largest difference {difference:.1e}).",
            answer=_("yes") if compared.equal else _("no"),
            backend=compared.backend,
            difference=compared.largest_difference,
        )
    )
