"""Two sentences and curves between their words, as thick as the weights: where the word order crosses, curves cross."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.base.language import _, _n
from attnviz.figures import gold, layout, palette, plot
from attnviz.figures.alignment_map import UNWRITTEN, Masses, Matrix, hidden_sentence, largest_of, table_alignment_map
from attnviz.figures.escape import escaped, short_label, whole_labels
from attnviz.figures.gold import Link
from attnviz.figures.numerals import weight_text
from attnviz.figures.to_numpy import to_numpy
from attnviz.tokens import isolated

# Up to this many pixels of words, sentences lie one above the other; longer ones stand side by side.
MOST_ACROSS = 480.0
SIZE = 15.0
_GAP = 14.0
_POINTS = 17
_STEP = 26.0
# With more lines than this, those of like thickness share a trace.
_OWN_TRACES = 150
# More lines than this are slow to draw; the smallest are then left out, counted and summed.
MOST_LINES = 2048
# Up to this many lines can be hovered at three places each: of two that cross, the middles may be the same.
_HOVERED_ALONG = 400


Line = tuple[float, int, int]
"""A weight, its target word and its source word."""


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
    hidden: Masses | None = None,
    written: int | None = None,
    title: str = "",
) -> go.Figure:
    """Curves from source words (above, or left) to target words (below, or right).

    All weights are drawn, the smallest as thin lines; NaN has none. row, column: a target or a source word, whose
    lines come forward with their numbers. written: how many target words there are at this step of the decoder; later
    ones have no lines. hidden: for each target word the weight on what is not drawn, told in the subtitle. sure,
    possible: gold links, thin lines over the weights, possible ones broken.

    Up to 2048 lines are drawn; what is left out above that is counted and summed in the subtitle.

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
    drawn, left_out = _drawn(found)
    count = len(target) if written is None else min(written, len(target))
    traces = [
        *_lines(drawn, places, row, column),
        *_gold(places, sure, possible, count),
        _hover(drawn, places, labels),
        *_words(places, labels, _numbers(found, row, column), row, column, written),
        *gold.legend(sure, possible),
    ]
    said = [] if hidden is None else [hidden_sentence(hidden, row, count)]
    if len(left_out):
        said.append(_left_out_sentence(left_out))
    return plot.figure(traces, _layout(places, labels, title, " ".join(said), bool(sure or possible)))


def describe_alignment_lines(
    weights: Matrix,
    source: Sequence[str],
    target: Sequence[str],
    *,
    hidden: Masses | None = None,
    written: int | None = None,
) -> str:
    """To which source word each target word's thickest line runs, and how many of these lines cross."""
    found = to_numpy(weights)[:written]
    largest = largest_of(found)
    if not largest:
        return _("No line is drawn: there are no weights.")
    said = [
        _(
            "{target} ← {source} ({weight})",
            target=isolated(target[at]),
            source=isolated(source[most]),
            weight=weight_text(float(found[at, most])),
        )
        for at, most in largest
    ]
    crossing = sum(
        (one[0] - other[0]) * (one[1] - other[1]) < 0
        for place, one in enumerate(largest)
        for other in largest[place + 1 :]
    )
    told = [
        _("The thickest lines: {lines}.", lines="; ".join(said)),
        _n("{count} pair of them crosses.", "{count} pairs of them cross.", crossing),
    ]
    if hidden is not None:
        told.append(hidden_sentence(hidden, None, written))
    return " ".join(told)


def table_alignment_lines(
    weights: Matrix,
    source: Sequence[str],
    target: Sequence[str],
    *,
    sure: Collection[Link] = (),
    possible: Collection[Link] = (),
    row: int | None = None,
    column: int | None = None,
    hidden: Masses | None = None,
) -> pd.DataFrame:
    """One row for each line, those not drawn too; only those of the chosen words if there are any."""
    table = table_alignment_map(weights, source, target, sure=sure, possible=possible, hidden=hidden)
    if row is not None:
        table = table[table[_("target position")] == row]
    if column is not None:
        table = table[table[_("source position")] == column]
    return table.reset_index(drop=True)


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


def curve(start: palette.Number, end: palette.Number) -> tuple[list[float], list[float]]:
    """Points along the sentences and from the source (1) to the target (0); it leaves and arrives upright."""
    down = np.linspace(0, 1, _POINTS)
    along = start + (end - start) * (3 * down**2 - 2 * down**3)
    return along.tolist(), (1 - down).tolist()


def _axes(places: _Places, along: Sequence[float], between: Sequence[float]) -> dict[str, Any]:
    """Across: x along the sentences, y between them. Down: y along them, x from left to right."""
    one, other = np.array(along, dtype=np.float32), np.array(between, dtype=np.float32)
    return {"x": one, "y": other} if places.across else {"x": 1 - other, "y": one}


def _drawn(weights: Float[np.ndarray, "target source"]) -> tuple[list[Line], list[Line]]:
    """The lines to draw, thin ones first so that thick ones lie over them; and those that are too many."""
    every = sorted((abs(float(weights[at])), *at) for at in np.ndindex(*weights.shape) if np.isfinite(weights[at]))
    lines = [(float(weights[i, j]), i, j) for _size, i, j in every]
    too_many = max(len(lines) - MOST_LINES, 0)
    return lines[too_many:], lines[:too_many]


def _left_out_sentence(left_out: Sequence[Line]) -> str:
    return _n(
        "{count} line is too many and not drawn: its weight is {most}.",
        "{count} lines are too many and not drawn: each at most {most}, together {sum}.",
        len(left_out),
        most=weight_text(left_out[-1][0]),
        sum=weight_text(sum(weight for weight, _i, _j in left_out)),
    )


def _lines(lines: Sequence[Line], places: _Places, row: int | None, column: int | None) -> list[plot.Trace]:
    """Few lines exactly as thick as their weights; of many, those of like thickness share a trace."""
    groups: dict[tuple[float, bool], list[tuple[int, int]]] = {}
    for weight, i, j in lines:
        # A weight that is no share is drawn by its size, at most as thick as 1.
        width = palette.thickness(min(abs(weight), 1.0))
        forward = (row is None or i == row) and (column is None or j == column)
        if len(lines) > _OWN_TRACES:
            width = palette.MINIMUM_STROKE + round((width - palette.MINIMUM_STROKE) * 2) / 2
        groups.setdefault((width, forward), []).append((i, j))
    chosen = row is not None or column is not None
    return [_line(cells, width, places, forward, chosen) for (width, forward), cells in groups.items()]


def _line(cells: Sequence[tuple[int, int]], width: float, places: _Places, forward: bool, chosen: bool) -> plot.Trace:
    strength = (width - palette.MINIMUM_STROKE) / (palette.STROKE_OF_ONE - palette.MINIMUM_STROKE)
    alpha = 0.4 + 0.45 * min(1.0, strength) if forward else 0.12
    colour = palette.HIGHLIGHT if chosen and forward else palette.CATEGORICAL[0]
    return plot.scatter(
        name="lines",
        mode="lines",
        line={"color": palette.with_alpha(colour, round(alpha, 3)), "width": round(width, 3)},
        hoverinfo="skip",
        showlegend=False,
        **_curves(cells, places),
    )


def _curves(cells: Sequence[tuple[int, int]], places: _Places) -> dict[str, Any]:
    """The points of these lines (target, source), one after another with a gap between."""
    along: list[float] = []
    between: list[float] = []
    for i, j in cells:
        x, y = curve(places.source[j], places.target[i])
        along += [*x, np.nan]
        between += [*y, np.nan]
    return _axes(places, along, between)


def _gold(places: _Places, sure: Collection[Link], possible: Collection[Link], written: int) -> list[plot.Trace]:
    traces = []
    for links, broken in ((set(sure), False), (set(possible) - set(sure), True)):
        there = gold.inside(links, rows=written, columns=len(places.source))
        if there:
            traces.append(gold.lines(broken, **_curves([(i, j) for j, i in there], places)))
    return traces


def _hover(lines: Sequence[Line], places: _Places, labels: Sequence[Sequence[str]]) -> plot.Trace:
    """Invisible points along the lines, that tell their weights: Plotly tells nothing of a line between its points."""
    steps = (3, _POINTS // 2, _POINTS - 4) if len(lines) <= _HOVERED_ALONG else (3,)
    along, between = [], []
    for _weight, i, j in lines:
        x, y = curve(places.source[j], places.target[i])
        along += [x[step] for step in steps]
        between += [y[step] for step in steps]
    return plot.scatter(
        name="lines",
        mode="markers",
        marker={"size": 12, "opacity": 0, "color": palette.NEUTRAL},
        customdata=[[i, j, weight] for weight, i, j in lines for _step in steps],
        text=[f"{escaped(labels[1][i])} ← {escaped(labels[0][j])}" for _weight, i, j in lines for _step in steps],
        hovertemplate="%{text}<br>" + _("weight {weight}", weight="<b>%{customdata[2]:.4~g}</b>") + "<extra></extra>",
        showlegend=False,
        **_axes(places, along, between),
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
            told = [text if at < written else UNWRITTEN for at, text in enumerate(told)]
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
                # Not "skip": what is not hovered cannot be clicked.
                hoverinfo="none",
                cliponaxis=False,
                showlegend=False,
                **_axes(places, along, [between] * len(along)),
            )
        )
    return traces


def _layout(
    places: _Places, labels: Sequence[Sequence[str]], title: str, subtitle: str, has_gold: bool
) -> dict[str, Any]:
    # Room for two lines of legend: in half a page they do not stand beside each other.
    bottom = 50 if has_gold else 8
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
        frame = layout.base(
            title=title,
            subtitle=subtitle,
            height=276 + bottom + 30 * bool(title) + 20 * bool(subtitle),
            bottom=bottom + 42,
        )
        frame["margin"]["t"] += 40
        return layout.from_the_edge(frame) | {
            "showlegend": has_gold,
            "legend": legend,
            "xaxis": along,
            "yaxis": {**ends, "range": [-0.02, 1.02]},
        }
    rooms = [layout.label_room(side, most=190.0) + 48 for side in labels]
    frame = layout.base(
        title=title,
        subtitle=subtitle,
        height=round(places.length + 40 + 20 * bool(subtitle) + bottom),
        left=rooms[0],
        right=rooms[1],
        bottom=bottom,
    )
    return layout.from_the_edge(frame) | {
        "showlegend": has_gold,
        "legend": legend,
        "xaxis": {**ends, "range": [-0.02, 1.02]},
        "yaxis": {**ends, "range": [places.length, 0]},
    }
