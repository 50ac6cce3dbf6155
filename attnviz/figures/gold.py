"""Marks of gold links over a map or between two sentences: sure ones solid, possible ones broken."""

from collections.abc import Collection, Sequence
from typing import Any

from attnviz.base.language import _
from attnviz.figures import palette, plot

Link = tuple[int, int]
"""A source word and a target word, counted from 0."""

# Neither colour of a weight nor of a choice; told apart by their form as well.
COLOUR = palette.CATEGORICAL[1]
# Under the frames: so they are seen on a cell of their own colour, too.
EDGE = "#000000"
_WIDTH = 2.0
_INSET = 0.05
# Pixels of a line of legend.
_LINE = 20
_BROKEN = "5px,4px"


def frames(sure: Collection[Link], possible: Collection[Link], *, rows: int, columns: int) -> list[dict[str, Any]]:
    """Frames in the cells of a map whose rows are target words and whose columns are source words, as layout shapes."""
    return [
        {
            "type": "rect",
            "x0": column - 0.5 + _INSET,
            "x1": column + 0.5 - _INSET,
            "y0": row - 0.5 + _INSET,
            "y1": row + 0.5 - _INSET,
            "line": {"color": colour, "width": width, "dash": "solid" if (column, row) in sure else _BROKEN},
        }
        for column, row in inside({*sure, *possible}, rows=rows, columns=columns)
        for colour, width in ((EDGE, _WIDTH + 2.5), (COLOUR, _WIDTH))
    ]


def inside(links: Collection[Link], *, rows: int, columns: int) -> Sequence[Link]:
    """The links that have a place among so many target and source words, in order."""
    return sorted((column, row) for column, row in links if 0 <= row < rows and 0 <= column < columns)


def legend(sure: Collection[Link], possible: Collection[Link]) -> list[plot.Trace]:
    """What the marks mean, for the legend."""
    kinds = [
        (_("gold link, sure"), "solid", set(sure)),
        (_("gold link, possible"), _BROKEN, set(possible) - set(sure)),
    ]
    return [
        plot.scatter(
            x=[None],
            y=[None],
            mode="lines",
            line={"color": COLOUR, "width": _WIDTH, "dash": dash},
            name=name,
            showlegend=True,
        )
        for name, dash, links in kinds
        if links
    ]


def legend_room(sure: Collection[Link], possible: Collection[Link]) -> int:
    """Pixels that the legend needs more: where there is little width, each kind of link has a line of its own.

    Without them the legend would push the axis title up onto the words.
    """
    return _LINE * len(legend(sure, possible))


def lines(broken: bool, **attributes: Any) -> plot.Trace:
    """The trace that draws links between two sentences through the given points."""
    return plot.scatter(
        name="gold, possible" if broken else "gold, sure",
        mode="lines",
        line={"color": COLOUR, "width": _WIDTH, "dash": _BROKEN if broken else "solid"},
        hoverinfo="skip",
        showlegend=False,
        **attributes,
    )
