"""The Playground's pictures: the steps as small matrices, and in two dimensions the arrows."""

import functools
from typing import Any

import streamlit as st
import torch

from attnviz import figures
from attnviz.attention import by_hand
from attnviz.base.language import _
from attnviz.figures import Grid
from attnviz.figures.number_grid import figure_of
from attnviz.figures.numerals import weight_text
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
    made: dict[str, Grid] = {}
    if view.projection is not None:
        for name, vectors in (("q", found.query[head]), ("k", found.key[head]), ("v", found.value[head])):
            title = f"{name} = x · W_{name.upper()}"
            made[name] = Grid(vectors, rows, _numbered(vectors.shape[1]), title, "signed")
    grids = made | {
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
    figure = figure_of(grid, selected)
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
    """The selected query's weights, and below each its share of the output: they are not the same.

    A matrix like the others, and not bars, because it is drawn anew with every movement of a slider.
    """
    found, row = worked.steps, view.selected
    weights, shares, allowed = (
        found.weights[view.head, row],
        found.shares[view.head, row],
        found.allowed[view.head, row],
    )
    grid = Grid(
        torch.stack([weights, shares]),
        (_("weight"), _("share of the output")),
        view.key_tokens,
        _(
            "{token}: even weight {baseline}",
            token=view.query_tokens[row],
            baseline=weight_text(1 / int(allowed.sum())),
        ),
        "signed",
        torch.stack([~allowed, ~allowed]),
        limit=1.0,
    )
    given: dict[str, Any] = {"shares": shares, "key_labels": view.key_tokens, "allowed": allowed}
    figure = figure_of(grid)
    return Picture(
        figure,
        figures.describe_weight_bars(weights, **given),
        lambda: figures.table_weight_bars(weights, **given),
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
