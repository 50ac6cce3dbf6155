"""What all figures share: no colours of their own for text and ground, fixed margins, axes of positions."""

import unicodedata
from collections.abc import Sequence
from typing import Any

from attnviz.figures import palette
from attnviz.figures.escape import escaped

# Constant, so that zoom and camera survive a change of data (plotly.js keeps them while this stays the same).
UI_REVISION = "attnviz"

# More labels than this along an axis would lie on top of each other; hovering still tells every one.
MOST_LABELS = 64


def text_width(text: str, size: float = 12.0) -> float:
    """About how many pixels a label takes; East Asian letters are as wide as high."""
    return size * sum(1.0 if unicodedata.east_asian_width(letter) in "WF" else 0.6 for letter in text)


def base(
    *,
    title: str = "",
    subtitle: str = "",
    height: int,
    left: palette.Number = 16.0,
    right: palette.Number = 16.0,
    bottom: palette.Number = 16.0,
) -> dict[str, Any]:
    """The layout that every figure starts from, as arguments of `go.Layout`."""
    lines, size = bool(title) + bool(subtitle), 15 if title else 12
    if not title:
        title, subtitle = subtitle, ""
    return {
        # None of Plotly's own: written out, because names are only looked up where attributes are checked.
        "template": {"layout": {}},
        "paper_bgcolor": palette.TRANSPARENT,
        "plot_bgcolor": palette.TRANSPARENT,
        "uirevision": UI_REVISION,
        "height": height,
        "margin": {"l": left, "r": right, "b": bottom, "t": (8, 38, 58)[lines], "autoexpand": False},
        "title": {
            "text": title,
            "x": 0,
            "xref": "paper",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"t": 10, "l": 0},
            "font": {"size": size},
            "subtitle": {"text": subtitle, "font": {"size": 12}},
        },
        "hoverlabel": {"align": "left", "namelength": -1},
        "showlegend": False,
        "dragmode": False,
    }


def from_the_edge(frame: dict[str, Any]) -> dict[str, Any]:
    """The layout with its title at the figure's left edge: over the plot alone a long one is cut off in half a page."""
    return frame | {"title": frame["title"] | {"xref": "container"}}


def axis_title(text: str, standoff: int = 4) -> dict[str, Any]:
    """The title of an axis, as small as its labels."""
    return {"text": text, "standoff": standoff, "font": {"size": 12}}


def colour_bar(title: str, **more: Any) -> dict[str, Any]:
    """A narrow bar right of a map, with its title along it."""
    titled = {"text": title, "font": {"size": 12}, "side": "right"}
    return {"thickness": 12, "outlinewidth": 0, "x": 1.01, "xpad": 6, "ypad": 0, "title": titled, **more}


def token_axis(
    labels: Sequence[str],
    *,
    wholes: Sequence[str] | None = None,
    reverse: bool = False,
    most: int = MOST_LABELS,
    **more: Any,
) -> dict[str, Any]:
    """An axis of positions 0, 1, 2 …: repeated labels stay apart because only their text is the same.

    Beyond `most` every second, third … label is written; hovering names all of them, and whole (`wholes`) where
    the labels are short.
    """
    step = max(-(-len(labels) // most), 1)
    written = list(range(0, len(labels), step))
    last = len(labels) - 0.5
    return {
        "tickmode": "array",
        "tickvals": written,
        "ticktext": [escaped(labels[position]) for position in written],
        "labelalias": {str(position): escaped(text) for position, text in enumerate(wholes or labels)},
        "hoverformat": "d",
        "range": [last, -0.5] if reverse else [-0.5, last],
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "automargin": False,
        **more,
    }


def label_room(labels: Sequence[str], least: float = 40.0, most: float = 180.0, size: float = 12.0) -> float:
    """Pixels of margin that hold the longest of the labels."""
    return min(max([text_width(text, size) for text in labels], default=0.0) + 16, most) if labels else least
