"""Numbers printed in the cells of a heatmap, black or white by what their ground needs."""

import functools
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from plotly.colors import sample_colorscale

from attnviz.figures import palette, plot

_STEPS = 256
INKS = ("#ffffff", "#000000")
# As wide as a digit.
BLANK = "\u2007"


def printed(
    texts: list[list[str]], places: Float[np.ndarray, "n m"], colorscale: palette.ColorScale, **axes: str
) -> list[plot.Trace]:
    """The texts over cells whose colour is at these places (0–1) of the scale; where the place is NaN, none.

    Plotly's own automatic ink is a dark grey that is hard to read on green. These traces, one for each ink, are
    invisible but for their text, and are not hovered; like the cells' own text they shrink where the cells are
    narrow. Both are there even if one is empty: so other numbers are the same figure with other numbers.
    """
    there = np.isfinite(places)
    steps = np.rint(np.clip(np.where(there, places, 0), 0, 1) * (_STEPS - 1)).astype(int)
    dark = np.array(_needs_black(colorscale))[steps]
    return [_overlay(texts, there & (dark == black), ink, axes) for ink, black in zip(INKS, (False, True), strict=True)]


def _overlay(texts: list[list[str]], cells: Bool[np.ndarray, "n m"], ink: str, axes: dict[str, str]) -> plot.Trace:
    """Texts of some cells and blanks of the same length in all others, so that both inks get the same size."""
    return plot.heatmap(
        name="",
        z=np.zeros(cells.shape, dtype=np.uint8),
        zmin=0,
        zmax=1,
        text=[
            [text if here else BLANK * len(text) for text, here in zip(*row, strict=True)]
            for row in zip(texts, cells, strict=True)
        ],
        texttemplate="%{text}",
        textfont={"color": ink},
        colorscale=[[0, palette.TRANSPARENT], [1, palette.TRANSPARENT]],
        showscale=False,
        hoverinfo="skip",
        **axes,
    )


def outline(x0: float, x1: float, y0: float, y1: float, width: float = 2.0) -> dict[str, Any]:
    """A frame around the cells between these positions, as a layout shape."""
    return {
        "type": "rect",
        "x0": x0 - 0.5,
        "x1": x1 + 0.5,
        "y0": y0 - 0.5,
        "y1": y1 + 0.5,
        "line": {"color": palette.HIGHLIGHT, "width": width},
    }


@functools.cache
def _needs_black(colorscale: palette.ColorScale) -> tuple[bool, ...]:
    """For even steps along the scale whether black has more contrast than white (WCAG 2.1: luminance > 0.179)."""
    scale = colorscale if isinstance(colorscale, str) else [list(stop) for stop in colorscale]
    colours = sample_colorscale(scale, np.linspace(0, 1, _STEPS).tolist())
    return tuple(palette.luminance(palette.channels(colour)) > 0.179 for colour in colours)
