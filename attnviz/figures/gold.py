"""Marks of gold links over a map or between two sentences: sure ones solid, possible ones broken."""

from collections.abc import Collection
from typing import Any

from attnviz.base.language import _
from attnviz.figures import palette, plot

Link = tuple[int, int]
"""A source word and a target word, counted from 0."""

# Neither colour of a weight nor of a choice; told apart by their form as well.
COLOUR = palette.CATEGORICAL[1]
_INSET = 0.1


def frames(sure: Collection[Link], possible: Collection[Link], *, rows: int, columns: int) -> list[dict[str, Any]]:
    """Frames in the cells of a map whose rows are target words and whose columns are source words, as layout shapes."""
    return [
        {
            "type": "rect",
            "x0": column - 0.5 + _INSET,
            "x1": column + 0.5 - _INSET,
            "y0": row - 0.5 + _INSET,
            "y1": row + 0.5 - _INSET,
            "line": {"color": COLOUR, "width": 2.5, "dash": "solid" if (column, row) in sure else "dot"},
        }
        for column, row in sorted(set(sure) | set(possible))
        if 0 <= row < rows and 0 <= column < columns
    ]


def legend(sure: Collection[Link], possible: Collection[Link]) -> list[plot.Trace]:
    """What the marks mean, for the legend."""
    kinds = [(_("gold link, sure"), "solid", set(sure)), (_("gold link, possible"), "dot", set(possible) - set(sure))]
    return [
        plot.scatter(
            x=[None],
            y=[None],
            mode="lines",
            line={"color": COLOUR, "width": 2.5, "dash": dash},
            name=name,
            showlegend=True,
        )
        for name, dash, links in kinds
        if links
    ]
