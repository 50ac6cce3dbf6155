"""Two sentences and curves between their words, as thick as the weights: where the word order crosses, curves cross."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float
from torch import Tensor

from attnviz.base.language import _, _n
from attnviz.figures import gold, layout, palette, plot
from attnviz.figures.escape import escaped, short_label, whole_labels
from attnviz.figures.gold import Link
from attnviz.figures.numerals import weight_text
from attnviz.figures.to_numpy import to_numpy

Matrix = Float[np.ndarray | Tensor, "target source"]

# Up to this many pixels of words, sentences lie one above the other; longer ones stand side by side.
MOST_ACROSS = 620.0
SIZE = 15.0
_GAP = 22.0
_POINTS = 17
_STEP = 26.0
# With more lines than this, those of like thickness share a trace.
_OWN_TRACES = 150


@dataclass(frozen=True, eq=False)
class _Places:
    """Where the words' middles are along their sentence, and how long the longer sentence is, in pixels."""

    source: list[float]
    target: list[float]
    length: float
    across: bool


def alignment_lines(
    weights: Matrix,
    source: Sequence[str],
    target: Sequence[str],
    *,
    sure: Collection[Link] = (),
    possible: Collection[Link] = (),
    row: int | None = None,
    column: int | None = None,
    written: int | None = None,
    title: str = "",
) -> go.Figure:
    """Curves from source words (above, or left) to target words (below, or right).

    All weights are drawn, the smallest as thin lines; NaN has none. row, column: a target or a source word, whose
    lines come forward with their numbers. written: how many target words there are at this step of the decoder; later
    ones are pale and have no lines. sure, possible: gold links, drawn broken beside the weights.

    `customdata`: ["target", position] and ["source", position] on words, [row, column, weight] on lines.
    """
    found = to_numpy(weights).astype(np.float64)
    if written is not None:
        found = np.where(np.arange(len(target))[:, None] < written, found, np.nan)
    labels = [
        tuple(short_label(label, at) for at, label in enumerate(whole_labels(list(words), len(words))))
        for words in (source, target)
    ]
    places = _laid_out(*labels)
    traces = [
        *_lines(found, places, row, column),
        *_gold(places, sure, possible),
        _hover(found, places, labels),
        *_words(places, labels, _numbers(found, row, column), row, column, written),
        *gold.legend(sure, possible),
    ]
    return plot.figure(traces, _layout(places, labels, title, bool(sure or possible)))


def describe_alignment_lines(weights: Matrix, source: Sequence[str], target: Sequence[str]) -> str:
    """To which source word each target word's thickest line runs, and how many of these lines cross."""
    found = to_numpy(weights)
    largest = [int(np.nanargmax(values)) if np.isfinite(values).any() else None for values in found]
    said = [
        _(
            "{target} ← {source} ({weight})",
            target=target[at],
            source=source[most],
            weight=weight_text(float(found[at, most])),
        )
        for at, most in enumerate(largest)
        if most is not None
    ]
    known = [(most, at) for at, most in enumerate(largest) if most is not None]
    crossing = sum(
        (one[0] - other[0]) * (one[1] - other[1]) < 0 for place, one in enumerate(known) for other in known[place + 1 :]
    )
    counted = _n("{count} pair of them crosses.", "{count} pairs of them cross.", crossing)
    return _("The thickest lines: {lines}.", lines="; ".join(said)) + " " + counted


def _laid_out(source: Sequence[str], target: Sequence[str]) -> _Places:
    lengths = [sum(layout.text_width(label, SIZE) + _GAP for label in labels) for labels in (source, target)]
    if max(lengths) > MOST_ACROSS:
        long = max(len(source), len(target)) * _STEP
        return _Places(_spread(len(source), long), _spread(len(target), long), long, across=False)
    return _Places(_centred(source, max(lengths)), _centred(target, max(lengths)), max(lengths), across=True)


def _centred(labels: Sequence[str], length: float) -> list[float]:
    widths = [layout.text_width(label, SIZE) + _GAP for label in labels]
    at, middles = (length - sum(widths)) / 2, []
    for width in widths:
        middles.append(at + width / 2)
        at += width
    return middles


def _spread(count: int, length: float) -> list[float]:
    return [(place + 0.5) * _STEP + (length - count * _STEP) / 2 for place in range(count)]


def curve(start: float, end: float) -> tuple[list[float], list[float]]:
    """Points along the sentences and from the source (1) to the target (0); it leaves and arrives upright."""
    down = np.linspace(0, 1, _POINTS)
    along = start + (end - start) * (3 * down**2 - 2 * down**3)
    return along.tolist(), (1 - down).tolist()


def _axes(places: _Places, along: Sequence[Any], between: Sequence[Any]) -> dict[str, Any]:
    """Across: x along the sentences, y between them. Down: y along them, x from left to right."""
    if places.across:
        return {"x": along, "y": between}
    return {"x": [None if value is None else 1 - value for value in between], "y": along}


def _lines(
    weights: Float[np.ndarray, "target source"], places: _Places, row: int | None, column: int | None
) -> list[plot.Trace]:
    """Thin ones first, so that thick ones lie over them."""
    pairs = [(float(weights[at]), at) for at in np.ndindex(*weights.shape) if np.isfinite(weights[at])]
    groups: dict[tuple[float, bool], list[tuple[int, int]]] = {}
    own = len(pairs) <= _OWN_TRACES
    for weight, (i, j) in sorted(pairs):
        width = palette.thickness(weight)
        forward = (row is None or i == row) and (column is None or j == column)
        groups.setdefault((width if own else round(width * 2) / 2, forward), []).append((i, j))
    chosen = row is not None or column is not None
    traces = []
    for (width, forward), cells in groups.items():
        along: list[float | None] = []
        between: list[float | None] = []
        for i, j in cells:
            x, y = curve(places.source[j], places.target[i])
            along += [*x, None]
            between += [*y, None]
        strength = (width - palette.MINIMUM_STROKE) / (palette.STROKE_OF_ONE - palette.MINIMUM_STROKE)
        alpha = 0.3 + 0.55 * min(1.0, strength) if forward else 0.12
        colour = palette.HIGHLIGHT if chosen and forward else palette.CATEGORICAL[0]
        traces.append(
            plot.scatter(
                name="lines",
                mode="lines",
                line={"color": palette.with_alpha(colour, alpha), "width": width},
                hoverinfo="skip",
                showlegend=False,
                **_axes(places, along, between),
            )
        )
    return traces


def _gold(places: _Places, sure: Collection[Link], possible: Collection[Link]) -> list[plot.Trace]:
    traces = []
    for links, dash in ((set(sure), "solid"), (set(possible) - set(sure), "dot")):
        along: list[float | None] = []
        between: list[float | None] = []
        for j, i in sorted(links):
            if j < len(places.source) and i < len(places.target):
                x, y = curve(places.source[j], places.target[i])
                along += [*x, None]
                between += [*y, None]
        if along:
            traces.append(
                plot.scatter(
                    name="gold",
                    mode="lines",
                    line={"color": gold.COLOUR, "width": 2, "dash": dash},
                    hoverinfo="skip",
                    showlegend=False,
                    **_axes(places, along, between),
                )
            )
    return traces


def _hover(weights: Float[np.ndarray, "target source"], places: _Places, labels: Sequence[Sequence[str]]) -> plot.Trace:
    """Invisible points in the middle of the lines, that tell their weights."""
    cells = [at for at in np.ndindex(*weights.shape) if np.isfinite(weights[at])]
    middles = [(places.source[j] + places.target[i]) / 2 for i, j in cells]
    return plot.scatter(
        name="lines",
        mode="markers",
        marker={"size": 12, "opacity": 0},
        customdata=[[i, j, float(weights[i, j])] for i, j in cells],
        text=[f"{escaped(labels[1][i])} ← {escaped(labels[0][j])}" for i, j in cells],
        hovertemplate="%{text}<br>" + _("weight {weight}", weight="<b>%{customdata[2]:.4~g}</b>") + "<extra></extra>",
        showlegend=False,
        **_axes(places, middles, [0.5] * len(cells)),
    )


def _numbers(weights: Float[np.ndarray, "target source"], row: int | None, column: int | None) -> dict[str, list[str]]:
    """The weights of the chosen word, beside the words at the other ends of its lines."""
    if row is not None and row < len(weights):
        return {"source": ["" if np.isnan(value) else weight_text(float(value)) for value in weights[row]]}
    if column is not None and column < weights.shape[1]:
        return {"target": ["" if np.isnan(value) else weight_text(float(value)) for value in weights[:, column]]}
    return {}


def _told(name: str, text: str, number: str, *, across: bool) -> str:
    """A word with its number on the side that no line comes to."""
    if not number:
        return text
    small = f"<span style='font-size:11px'>{number}</span>"
    outside = (small, text) if name == "source" else (text, small)
    return ("<br>" if across else "  ").join(outside)


def _words(
    places: _Places,
    labels: Sequence[Sequence[str]],
    numbers: dict[str, list[str]],
    row: int | None,
    column: int | None,
    written: int | None,
) -> list[plot.Trace]:
    positions = ("top center", "bottom center") if places.across else ("middle left", "middle right")
    sides = zip(("source", "target"), labels, (places.source, places.target), (1.0, 0.0), positions, strict=True)
    traces = []
    for name, texts, along, between, position in sides:
        chosen = column if name == "source" else row
        told = [f"<b>{escaped(text)}</b>" if at == chosen else escaped(text) for at, text in enumerate(texts)]
        if name == "target" and written is not None:
            # What is not written yet has its place, and no more.
            told = [text if at < written else "·" for at, text in enumerate(told)]
        beside = numbers.get(name, [""] * len(texts))
        told = [_told(name, text, one, across=places.across) for text, one in zip(told, beside, strict=True)]
        traces.append(
            plot.scatter(
                name=name,
                mode="markers+text",
                marker={
                    "size": [9 if at == chosen else 5 for at in range(len(texts))],
                    "color": [palette.HIGHLIGHT if at == chosen else palette.NEUTRAL for at in range(len(texts))],
                },
                text=told,
                textposition=position,
                textfont={"size": SIZE if places.across else 12},
                customdata=[[name, at] for at in range(len(texts))],
                hoverinfo="skip",
                cliponaxis=False,
                showlegend=False,
                **_axes(places, along, [between] * len(along)),
            )
        )
    return traces


def _layout(places: _Places, labels: Sequence[Sequence[str]], title: str, has_gold: bool) -> dict[str, Any]:
    bottom = 30 if has_gold else 8
    ends = {
        "showgrid": False,
        "zeroline": False,
        "showticklabels": False,
        "ticks": "",
        "automargin": False,
        "title": "",
    }
    along = {**ends, "range": [0, places.length]}
    legend = {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom", "itemclick": False}
    if places.across:
        frame = layout.base(title=title, height=276 + bottom + (30 if title else 0), bottom=bottom + 42)
        frame["margin"]["t"] += 40
        return frame | {
            "showlegend": has_gold,
            "legend": legend,
            "xaxis": along,
            "yaxis": {**ends, "range": [-0.02, 1.02]},
        }
    rooms = [layout.label_room(side, most=190.0) + 48 for side in labels]
    frame = layout.base(
        title=title, height=round(places.length + 40 + bottom), left=rooms[0], right=rooms[1], bottom=bottom
    )
    return frame | {
        "showlegend": has_gold,
        "legend": legend,
        "xaxis": {**ends, "range": [-0.02, 1.02]},
        "yaxis": {**ends, "range": [places.length, 0]},
    }
