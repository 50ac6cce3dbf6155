"""Plotly figures that keep their zoom, camera and legend while their data change, and report clicks and drags."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

import plotly.graph_objects as go
import plotly.io

from attnviz.base.language import _
from attnviz.ui.components.mount import Component, Message, echo, pack

_component = Component("chart")


@dataclass(frozen=True)
class ChartClick:
    """A heatmap cell or a point that was clicked, as the figure's data name it."""

    figure: str
    x: Any
    y: Any
    z: Any
    """Value of the cell; None for points without one."""
    trace: int
    """Position of the trace in the figure."""
    point: int | tuple[int, int]
    """Position of the point in its trace; (row, column) in a heatmap."""
    custom: Any
    """The point's customdata, None without."""


@dataclass(frozen=True)
class ChartDrag:
    """Where a handle was put, in the units of the figure's axes."""

    figure: str
    handle: str
    x: float
    y: float
    done: bool
    """False while the pointer is still down."""


def chart(
    key: str,
    figures: Mapping[str, go.Figure],
    *,
    descriptions: Mapping[str, str],
    height: int | Mapping[str, int] = 380,
    columns_min_width: int = 300,
    spans: Mapping[str, int] | None = None,
    on_click: Callable[[ChartClick], None] | None = None,
    on_drag: Callable[[ChartDrag], None] | None = None,
) -> None:
    """Show the figures side by side, wrapping where it is narrow, all in one message to the browser.

    `descriptions` says in one sentence what each figure shows: for screen readers, and inside exports.
    `height` is in CSS pixels and stays as it is while the data change. `columns_min_width` is the width
    below which the figures wrap; `spans` says how many columns a figure takes where there are as many.
    Callbacks run before the script does, as Streamlit's own do.

    What a figure's template sets is replaced by the theme of the site; what its layout and traces set stays.
    The view survives until `layout.uirevision` changes.

    Handles: a trace with `meta={"handles": ["query:0", None, ...]}`, one entry for each point, None where
    nothing can be dragged. An arrow is drawn by the same trace, from point to point (`x=[0, tip, None, ...]`,
    `marker={"symbol": "arrow", "angleref": "previous"}`), so that it follows its handle at once. Further
    entries of `meta`: `labels` (what a screen reader says for each point), `step` (size of one arrow key and
    of the grid that handles snap to, in axis units), `bounds` ([least, greatest] of x and y).
    """
    bodies = [_body(figure) for figure in figures.values()]
    header = {
        "seq": echo(key),
        "columnsMinWidth": columns_min_width,
        "clicks": on_click is not None,
        "labels": labels(),
        "figures": [
            {
                "name": name,
                "description": descriptions[name],
                "height": height if isinstance(height, int) else height[name],
                "span": (spans or {}).get(name, 1),
            }
            for name in figures
        ],
    }

    def receive(message: Message) -> None:
        if message.get("figure") not in figures:
            return
        if message.get("kind") == "click" and on_click is not None and (click := _click(message)):
            on_click(click)
        if message.get("kind") == "drag" and on_drag is not None and (drag := _drag(message)):
            on_drag(drag)

    _component.show(key, pack(header, *bodies), receive)


def labels() -> dict[str, str]:
    """What the toolbar of a figure says, in the current language."""
    return {
        "toolbar": _("Save or reset this figure"),
        "png": _("Save as a PNG image"),
        "svg": _("Save as an SVG drawing"),
        "html": _("Save as a web page that opens offline"),
        "csv": _("Save the numbers as CSV"),
        "reset": _("Reset the view"),
        "failed": _("The figure could not be loaded. Is the server still running?"),
    }


def _body(figure: go.Figure) -> bytes:
    content = figure.to_dict()
    # Seven kilobytes a figure, and the browser puts the theme's colours there anyway.
    content["layout"].pop("template", None)
    text: str = plotly.io.to_json(content, validate=False)
    return text.encode()


def _click(message: Message) -> ChartClick | None:
    point, trace = message.get("point"), message.get("trace")
    if isinstance(point, list) and len(point) == 2 and all(isinstance(part, int) for part in point):
        point = (point[0], point[1])
    if not isinstance(point, int | tuple) or not isinstance(trace, int):
        return None
    return ChartClick(
        str(message["figure"]),
        message.get("x"),
        message.get("y"),
        message.get("z"),
        trace,
        point,
        message.get("custom"),
    )


def _drag(message: Message) -> ChartDrag | None:
    x, y = message.get("x"), message.get("y")
    if not (_finite(x) and _finite(y)):
        return None
    return ChartDrag(
        str(message["figure"]), str(message.get("handle")), float(x), float(y), message.get("done") is True
    )


def _finite(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and math.isfinite(value)
