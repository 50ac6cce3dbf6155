"""One block of a Transformer as it is wired: what branches off, what is added, where it is normalised, with numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped

_UNIT = 46
"""Pixels of one step downwards."""
_LINE, _BRANCH, _RIGHT = 2.6, 7.0, 10.0
_HALF_WIDE, _HALF_TALL = 2.15, 0.36


@dataclass(frozen=True)
class Box:
    """A part of the model. name: what it says. key: what a click reports, "" where nothing can be clicked."""

    name: str
    colour: str = palette.NEUTRAL
    key: str = ""
    off: bool = False


@dataclass(frozen=True)
class OnTheLine:
    """A box that the whole vector passes through, with what is told of the vector behind it."""

    box: Box
    after: str


@dataclass(frozen=True)
class Branch:
    """Boxes beside the line, whose result is added to it. adds: what is told of that; after: of the sum."""

    boxes: tuple[Box, ...]
    adds: str
    after: str


Stage = OnTheLine | Branch


def block_diagram(came: str, stages: Sequence[Stage], *, title: str = "") -> go.Figure:
    """The residual stream as a line downwards, branches to its right, in the order of the model.

    came, and each `after`: what is told of the vector on the line there. A box with a key can be clicked; its
    `customdata` is the key.
    """
    drawn = _Drawing()
    drawn.note(_LINE - 0.3, 0.0, came, "right")
    y = 0.3
    for stage in stages:
        y = drawn.on_the_line(stage, y) if isinstance(stage, OnTheLine) else drawn.branch(stage, y)
    drawn.arrow(_LINE, y, _LINE, y + 0.55)
    tall = y + 0.75
    frame = layout.base(title=title, height=round(_UNIT * tall) + 46, left=4, right=4, bottom=8)
    hidden = {"visible": False, "fixedrange": True, "automargin": False}
    return plot.figure(
        [drawn.sums(), drawn.clickable()],
        layout.from_the_edge(frame)
        | {
            "xaxis": {**hidden, "range": [-0.9, _RIGHT]},
            "yaxis": {**hidden, "range": [tall, -0.4]},
            "shapes": drawn.shapes,
            "annotations": drawn.notes,
        },
    )


def describe_block_diagram(came: str, stages: Sequence[Stage]) -> str:
    """The same from top to bottom in words."""
    said = [_("In: {number}.", number=came)]
    for stage in stages:
        if isinstance(stage, OnTheLine):
            said.append(_("{name}: {number}.", name=stage.box.name, number=stage.after))
        else:
            names = " → ".join(box.name + (f" ({_('switched off')})" if box.off else "") for box in stage.boxes)
            said.append(_("{name} adds {number}; then {after}.", name=names, number=stage.adds, after=stage.after))
    return " ".join(said)


def table_block_diagram(came: str, stages: Sequence[Stage]) -> pd.DataFrame:
    """One row for each step from top to bottom."""
    rows = [(_("in"), "", came)]
    for stage in stages:
        boxes = (stage.box,) if isinstance(stage, OnTheLine) else stage.boxes
        adds = "" if isinstance(stage, OnTheLine) else stage.adds
        rows.append((" → ".join(box.name for box in boxes), adds, stage.after))
    return pd.DataFrame(rows, columns=[_("step"), _("adds"), _("then")])


class _Drawing:
    """Lines, boxes and words as they pile up from top to bottom."""

    def __init__(self) -> None:
        self.shapes: list[dict[str, Any]] = []
        self.notes: list[dict[str, Any]] = []
        self._keys: list[tuple[float, float, Box]] = []
        self._sums: list[float] = []

    def on_the_line(self, stage: OnTheLine, y: float) -> float:
        """A box on the line itself."""
        self.arrow(_LINE, y, _LINE, y + 0.45)
        middle = y + 0.45 + _HALF_TALL
        self.box(stage.box, _LINE, middle, 1.55)
        end = middle + _HALF_TALL
        self.note(_LINE - 0.3, end + 0.3, stage.after, "right")
        self.line(_LINE, end, _LINE, end + 0.5)
        return end + 0.5

    def branch(self, stage: Branch, y: float) -> float:
        """To the right, through the boxes, and back to where both are added."""
        self.line(_LINE, y, _BRANCH, y)
        below = y
        for box in stage.boxes:
            self.arrow(_BRANCH, below, _BRANCH, below + 0.4)
            self.box(box, _BRANCH, below + 0.4 + _HALF_TALL, _HALF_WIDE)
            below += 0.4 + 2 * _HALF_TALL
        add = below + 0.65
        self.line(_BRANCH, below, _BRANCH, add)
        self.arrow(_BRANCH, add, _LINE + 0.32, add)
        self.note(_BRANCH - 0.15, add - 0.26, stage.adds, "right")
        self.line(_LINE, y, _LINE, add - 0.18)
        self._sums.append(add)
        self.note(_LINE - 0.3, add + 0.45, stage.after, "right")
        self.line(_LINE, add + 0.18, _LINE, add + 0.7)
        return add + 0.7

    def line(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self.shapes.append(
            {"type": "line", "x0": x0, "y0": y0, "x1": x1, "y1": y1, "line": {"color": palette.NEUTRAL, "width": 2}}
        )

    def arrow(self, x0: float, y0: float, x1: float, y1: float) -> None:
        # The line as well: an arrow alone begins a little after its beginning.
        self.line(x0, y0, (x0 + x1) / 2, (y0 + y1) / 2)
        self.notes.append(
            {
                "x": x1, "y": y1, "ax": x0, "ay": y0, "xref": "x", "yref": "y", "axref": "x", "ayref": "y", "text": "",
                "showarrow": True, "arrowhead": 2, "arrowsize": 1, "arrowwidth": 2, "arrowcolor": palette.NEUTRAL,
            }
        )  # fmt: skip

    def box(self, box: Box, x: float, y: float, half: float) -> None:
        self.shapes.append(
            {
                "type": "rect", "x0": x - half, "x1": x + half, "y0": y - _HALF_TALL, "y1": y + _HALF_TALL,
                "line": {"color": box.colour, "width": 2, "dash": "dot" if box.off else "solid"},
                "fillcolor": palette.TRANSPARENT if box.off else palette.with_alpha(box.colour, 0.22),
            }
        )  # fmt: skip
        name = escaped(box.name)
        self.notes.append(_words(x, y, f"<s>{name}</s>" if box.off else name, "center"))
        if box.key:
            self._keys.append((x, y, box))

    def note(self, x: float, y: float, text: str, anchor: str) -> None:
        if text:
            self.notes.append(_words(x, y, escaped(text), anchor) | {"font": {"size": 12}})

    def sums(self) -> plot.Trace:
        """⊕ wherever two vectors are added."""
        return plot.scatter(
            x=[_LINE] * len(self._sums), y=self._sums, mode="markers", hoverinfo="skip", name="sums",
            marker={"symbol": "circle-cross-open", "size": 17, "color": palette.NEUTRAL, "line": {"width": 2}},
        )  # fmt: skip

    def clickable(self) -> plot.Trace:
        """Where a box can be clicked, a marker that is not seen."""
        return plot.scatter(
            x=[x for x, _y, _box in self._keys], y=[y for _x, y, _box in self._keys], mode="markers",
            customdata=[box.key for _x, _y, box in self._keys], text=[escaped(box.name) for _x, _y, box in self._keys],
            marker={"symbol": "square", "size": 34, "color": palette.with_alpha(palette.NEUTRAL, 0.01)},
            hovertemplate="%{text}<extra></extra>", name="parts",
        )  # fmt: skip


def _words(x: float, y: float, text: str, anchor: str) -> dict[str, Any]:
    return {
        "x": x, "y": y, "xref": "x", "yref": "y", "text": text, "showarrow": False, "xanchor": anchor,
        "yanchor": "middle", "font": {"size": 13},
    }  # fmt: skip
