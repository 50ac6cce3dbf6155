"""What the two kinds look at, side by side: as matrices, or where it belongs; who is computed; one query's weights."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from attnviz import figures
from attnviz.base.language import _
from attnviz.figures import layout
from attnviz.figures.patch_map import Dots
from attnviz.figures.weight_pair import Weighed
from attnviz.ui import panels
from attnviz.ui.components import ChartClick
from attnviz.ui.kinds.compute import Both, Side
from attnviz.ui.kinds.sources import Looked
from attnviz.ui.kinds.store import KindsStore
from attnviz.ui.panels import Picture
from attnviz.ui.views.kinds import KindsView

MOST_ROWS, MOST_LABELS, LOWER = 32, 24, 560
"""A matrix of more rows than this is drawn this many pixels high, with so many labels."""
WIDE = 430
"""Pixels below which the two sides stand below each other."""


def choice(store: KindsStore) -> None:
    """All weights as a matrix, or those of the query where they belong."""
    natural = {
        "sentence": _("The query's lines"),
        "picture": _("The query's weights on the picture"),
        "scene": _("The query's lines on the street"),
    }
    st.segmented_control(
        _("Drawn"), [True, False], required=True, label_visibility="collapsed",
        format_func=lambda as_map: _("All weights") if as_map else natural[store.view.source],
        **store.field("as_map"),
    )  # fmt: skip


def pictures(store: KindsStore, found: Both) -> None:
    """The weights of both, and below them which pairs are computed. A click chooses the query."""
    view = store.view
    shown: dict[str, Picture] = {}
    for place, side in zip(("left", "right"), found.sides, strict=True):
        shown[f"{place}-weights"] = _weights(view, found.looked, side)
    for place, side in zip(("left", "right"), found.sides, strict=True):
        shown[f"{place}-pairs"] = _pairs(side)

    def click(event: ChartClick) -> None:
        at = clicked(event)
        if at is not None and at < found.looked.tokens:
            store.change("query", query=at)

    panels.show("kinds-pictures", shown, columns_min_width=WIDE, on_click=click)


def clicked(event: ChartClick) -> int | None:
    """The position that a click chooses; None where it chooses none."""
    custom, name = event.custom, event.figure.rpartition("-")[2]
    if name == "pairs":
        return event.point[0] if isinstance(event.point, tuple) else None
    if isinstance(custom, list) and len(custom) >= 3:  # a cell of a matrix, a line
        return int(custom[0])
    if isinstance(custom, list) and len(custom) == 2 and custom[0] == "query":
        return int(custom[1])
    return int(custom) if isinstance(custom, int | float) else None


def _weights(view: KindsView, looked: Looked, side: Side) -> Picture:
    outcome = side.outcome
    if outcome.gates is not None:
        return _gates(side)
    if looked.grid is not None and not view.as_map:
        return _on_the_picture(looked, side)
    if side.tile is None:
        return _gates(side)
    if looked.bodies and not view.as_map and side.key_labels == side.labels:
        return _on_the_street(looked, side)
    return _matrix(side) if view.as_map else _lines(side)


def _gates(side: Side) -> Picture:
    assert side.outcome.gates is not None  # noqa: S101 - a kind without weights has gates
    gates = side.outcome.gates
    figure = figures.gate_bars(gates, title=side.name)
    return Picture(
        figure,
        figures.describe_gate_bars(gates),
        lambda: figures.table_gate_bars(gates),
        int(figure.layout.height),
    )


def _matrix(side: Side) -> Picture:
    tile = side.tile
    assert tile is not None  # noqa: S101 - only called where there are weights
    if side.is_signed:
        given: dict[str, Any] = {"query_labels": side.labels, "key_labels": side.key_labels}
        figure = figures.signed_map(tile.weights, tile.allowed, query=side.query, title=side.name, **given)
        _lower(figure, side.labels)
        return Picture(
            figure,
            figures.describe_signed_map(tile.weights, tile.allowed, **given),
            lambda: figures.table_signed_map(tile.weights, tile.allowed, **given),
            int(figure.layout.height),
        )
    figure = figures.heatmap(tile, query=side.query, title=side.name)
    _lower(figure, side.labels)
    return Picture(
        figure,
        figures.describe_heatmap(tile, query=side.query),
        lambda: figures.table_heatmap(tile),
        int(figure.layout.height),
    )


def _lower(figure: go.Figure, labels: Sequence[str]) -> None:
    """A matrix of many rows no higher than half a page is wide, with fewer of its labels."""
    if len(labels) > MOST_ROWS:
        figure.layout.height = LOWER
        figure.layout.yaxis.update(layout.token_axis(labels, reverse=True, most=MOST_LABELS))


def _lines(side: Side) -> Picture:
    tile = side.tile
    assert tile is not None  # noqa: S101 - only called where there are weights
    figure = figures.token_lines(tile, query=side.query, title=side.name)
    if side.is_signed:
        # Half a page holds one sentence; the signs stand beside the lines.
        figure.layout.title.subtitle.text = _("No uniform baseline: these rows need not sum to 1.")
    return Picture(
        figure,
        figures.describe_token_lines(tile, query=side.query),
        lambda: figures.table_token_lines(tile, query=side.query),
        int(figure.layout.height),
    )


def dots_of(side: Side, grid: tuple[int, int]) -> Dots | None:
    """The points at which the query reads, in patches; None where the kind has none."""
    points = side.outcome.points
    if points is None:
        return None
    head = min(side.head, points.weights.shape[1] - 1)
    place = points.locations[0, head, side.query]
    # −1 and 1 are the outer edges of the first and last patch.
    column = ((place[:, 0] + 1) / 2 * grid[1] - 0.5).numpy()
    row = ((place[:, 1] + 1) / 2 * grid[0] - 0.5).numpy()
    return Dots(row, column, points.weights[0, head, side.query].numpy())


def _on_the_picture(looked: Looked, side: Side) -> Picture:
    assert looked.picture is not None  # noqa: S101 - a grid has a picture
    assert looked.grid is not None  # noqa: S101 - only called where there is one
    grid, dots = looked.grid, dots_of(side, looked.grid)
    weights = None if dots is not None or side.key_labels != side.labels else side.weights
    if weights is None and dots is None:
        return _matrix(side)
    allowed = None if dots is not None else side.allowed
    figure = figures.patch_map(
        looked.picture, grid, query=side.query, weights=weights, allowed=allowed, dots=dots, title=side.name,
        subtitle=_("Points at which the framed patch reads; their area is their weight.") if dots is not None
        else _("Weights of the framed patch; grey veils what it may not see."),
    )  # fmt: skip
    return Picture(
        figure,
        figures.describe_patch_map(grid, query=side.query, weights=weights, dots=dots),
        lambda: figures.table_patch_map(grid, weights=weights, dots=dots),
        int(figure.layout.height),
    )


def _on_the_street(looked: Looked, side: Side) -> Picture:
    weights, allowed = side.weights, side.allowed
    figure = figures.street_lines(
        looked.bodies, side.query, weights, allowed, title=side.name,
        subtitle=_("Lines from {name}, as thick as its weights.", name=side.labels[side.query]),
    )  # fmt: skip
    return Picture(
        figure,
        figures.describe_street_lines(looked.bodies, side.query, weights, allowed),
        lambda: figures.table_street_lines(looked.bodies, weights, allowed),
        int(figure.layout.height),
    )


def _pairs(side: Side) -> Picture:
    live, computed = side.outcome.live, side.outcome.computed
    figure = figures.pair_map(live, computed, query=side.query, title=_("{name}: pairs", name=side.name))
    return Picture(
        figure,
        figures.describe_pair_map(live, computed),
        lambda: figures.table_pair_map(live, computed),
        int(figure.layout.height),
    )


def bars(found: Both) -> None:
    """The query's weights by both kinds, where they are weights of the same keys."""
    weighed = {}
    for side in found.sides:
        weights = side.weights
        if weights is not None:
            weighed[side.name] = Weighed(weights, side.allowed, side.baseline)
    with st.container():
        if weighed and (len(weighed) == 1 or found.same_keys):
            keys = next(side.key_labels for side in found.sides if side.tile is not None)
            title = _("Weights of the query “{query}”", query=found.left.labels[found.left.query])
            figure = figures.weight_pair(weighed, keys, title=title)
            panels.show(
                "kinds-bars",
                {"bars": Picture(
                    figure, figures.describe_weight_pair(weighed, keys), lambda: figures.table_weight_pair(weighed, keys),
                    int(figure.layout.height),
                )},
                columns_min_width=WIDE,
            )  # fmt: skip
