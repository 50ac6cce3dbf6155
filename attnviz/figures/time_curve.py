"""Milliseconds over tokens on two logarithmic axes: lines that nothing is below, dots that were measured, a budget."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from attnviz.base.grouping import grouped
from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped

HEIGHT = 460
_TOKENS = tuple(100 * 4**power for power in range(8))
_SYMBOLS = ("diamond", "square-open", "circle")
_DASHES = ("solid", "dot", "dash")


@dataclass(frozen=True)
class TimeLine:
    """The least time of one chip: milliseconds at each number of tokens, and whether computing decides there.

    crosses: the most tokens within the budget, None where the line stays on one side of it.
    """

    name: str
    tokens: Sequence[int]
    milliseconds: Sequence[float]
    by_compute: Sequence[bool]
    crosses: int | None = None
    chosen: bool = False


@dataclass(frozen=True)
class TimeDots:
    """What was measured: median and quartiles in milliseconds at each number of tokens."""

    name: str
    tokens: Sequence[int]
    median: Sequence[float]
    low: Sequence[float] = field(default=())
    high: Sequence[float] = field(default=())


def time_curve(
    lines: Sequence[TimeLine],
    dots: Sequence[TimeDots],
    *,
    budget: float,
    least: int,
    most: int,
    given: int | None = None,
    title: str = "",
) -> go.Figure:
    """Lines dotted where memory decides and solid where computing does; dots with their quartiles; the budget (ms)
    across. least, most: tokens at the ends of the axis. given: how many tokens somebody has, an upright line."""
    traces = [trace for place, line in enumerate(lines) for trace in _line(line, palette.category(place))]
    traces += [_crossing(line, palette.category(place), budget) for place, line in enumerate(lines) if line.crosses]
    traces += [_dots(one, place) for place, one in enumerate(dots)]
    traces.append(_budget(budget, least, most))
    low, high = _powers(lines, dots, budget)
    if given is not None and least <= given <= most:
        traces.append(_given(given, 10.0**low, 10.0**high))
    return plot.figure(traces, _layout(low, high, least, most, len(lines) + len(dots) + 2, title))


def _line(line: TimeLine, colour: str) -> list[plot.Trace]:
    """One trace for each stretch, and one without points that stands in the legend, solid whatever the line begins with."""
    traces = [
        plot.scatter(
            x=[None], y=[None], mode="lines", name=escaped(line.name), legendgroup=line.name, showlegend=True,
            line={"color": colour, "width": 4 if line.chosen else 1.6}, hoverinfo="skip",
        )
    ]  # fmt: skip
    for start, end in _stretches(line.by_compute):
        compute = line.by_compute[start]
        traces.append(
            plot.scatter(
                x=list(line.tokens[start : end + 1]), y=list(line.milliseconds[start : end + 1]), mode="lines",
                name=escaped(line.name), legendgroup=line.name, showlegend=False,
                line={"color": colour, "width": 4 if line.chosen else 1.6, "dash": "solid" if compute else "dot"},
                hovertemplate=_("{tokens} tokens: at least {milliseconds} ms", tokens="%{x:,}", milliseconds="%{y:.3~g}")
                + f" ({_by(compute)})<extra>{escaped(line.name)}</extra>",
            )
        )  # fmt: skip
    return traces


def _stretches(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """Where the flag stays: first and last place, which is the next one's first, so that the line has no gap."""
    ends = [place for place in range(1, len(flags)) if flags[place] != flags[place - 1]]
    starts = [0, *ends]
    return list(zip(starts, [*ends, len(flags) - 1], strict=True))


def _crossing(line: TimeLine, colour: str, budget: float) -> plot.Trace:
    return plot.scatter(
        x=[line.crosses], y=[budget], mode="markers+text", showlegend=False, name=escaped(line.name),
        text=[f"<b>{grouped(line.crosses)}</b>" if line.chosen and line.crosses else ""], textposition="top left", textfont={"size": 13},
        marker={"symbol": "circle-open", "size": 12 if line.chosen else 9, "color": colour, "line": {"width": 2.5}},
        hovertemplate=_("up to {tokens} tokens within the budget", tokens="%{x:,}") + f"<extra>{escaped(line.name)}</extra>",
    )  # fmt: skip


def _dots(dots: TimeDots, place: int) -> plot.Trace:
    spread: dict[str, Any] = {}
    if dots.low and dots.high:
        spread["error_y"] = {
            "type": "data", "symmetric": False, "thickness": 1.5, "width": 4, "color": palette.HIGHLIGHT,
            "array": [high - middle for high, middle in zip(dots.high, dots.median, strict=True)],
            "arrayminus": [middle - low for low, middle in zip(dots.low, dots.median, strict=True)],
        }  # fmt: skip
    return plot.scatter(
        x=list(dots.tokens), y=list(dots.median), mode="lines+markers", name=escaped(dots.name), showlegend=True,
        line={"color": palette.HIGHLIGHT, "width": 1, "dash": _DASHES[place % len(_DASHES)]},
        marker={"symbol": _SYMBOLS[place % len(_SYMBOLS)], "size": 9, "color": palette.HIGHLIGHT},
        hovertemplate=_("{tokens} tokens: median {milliseconds} ms, measured", tokens="%{x:,}", milliseconds="%{y:.3~g}")
        + f"<extra>{escaped(dots.name)}</extra>",
        **spread,
    )  # fmt: skip


def _budget(budget: float, least: int, most: int) -> plot.Trace:
    return plot.scatter(
        x=[least, most], y=[budget, budget], mode="lines", hoverinfo="skip", showlegend=True,
        name=_("budget: {milliseconds} ms", milliseconds=f"{budget:.3g}"),
        line={"color": palette.NEUTRAL, "width": 2, "dash": "dash"},
    )  # fmt: skip


def _given(tokens: int, low: float, high: float) -> plot.Trace:
    return plot.scatter(
        x=[tokens, tokens], y=[low, high], mode="lines", hoverinfo="skip", showlegend=True,
        name=_("what you have: {tokens} tokens", tokens=grouped(tokens)),
        line={"color": palette.NEUTRAL, "width": 2, "dash": "dot"},
    )  # fmt: skip


def _powers(lines: Sequence[TimeLine], dots: Sequence[TimeDots], budget: float) -> tuple[int, int]:
    """The powers of ten that hold everything, in milliseconds."""
    shown = [
        budget,
        *(one for each in lines for one in each.milliseconds),
        *(one for each in dots for one in each.median),
    ]
    return math.floor(math.log10(min(shown))), math.ceil(math.log10(max(shown)))


def _layout(low: int, high: int, least: int, most: int, legend: int, title: str) -> dict[str, Any]:
    ticks = list(range(low, high + 1))
    tokens = [n for n in _TOKENS if least <= n <= most]
    return layout.base(title=escaped(title), height=HEIGHT, left=64, right=16, bottom=62 + 20 * math.ceil(legend / 3)) | {
        "xaxis": {
            "type": "log", "title": layout.axis_title(_("tokens")), "range": [math.log10(least) - 0.03, math.log10(most) + 0.03],
            "tickvals": tokens, "ticktext": [grouped(n) for n in tokens], "showgrid": False, "zeroline": False,
            "automargin": False,
        },
        "yaxis": {
            "type": "log", "title": layout.axis_title(_("milliseconds for one layer")), "range": [low, high],
            "tickvals": [10.0**power for power in ticks], "ticktext": [_milliseconds(10.0**power) for power in ticks],
            "gridcolor": palette.PLAIN, "zeroline": False, "automargin": False,
        },
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom", "font": {"size": 11}},
    }  # fmt: skip


def _by(compute: bool) -> str:
    return _("computing decides") if compute else _("memory decides")


def _milliseconds(number: float) -> str:
    return grouped(number) if number >= 1 else f"{number:.7f}".rstrip("0")


def describe_time_curve(lines: Sequence[TimeLine], dots: Sequence[TimeDots], *, budget: float) -> str:
    """Where each line crosses the budget, and what was measured at the largest number of tokens."""
    said = [_("The budget is {milliseconds} ms for one layer.", milliseconds=f"{budget:.3g}")]
    for line in lines:
        if line.crosses:
            said.append(
                _("{name}: within it up to {tokens} tokens at best.", name=line.name, tokens=grouped(line.crosses))
            )
    for one in dots:
        if one.tokens:
            said.append(
                _(
                    "{name}: median {milliseconds} ms at {tokens} tokens.",
                    name=one.name, milliseconds=f"{one.median[-1]:.3g}", tokens=grouped(one.tokens[-1]),
                )
            )  # fmt: skip
    return " ".join(said)


def table_time_curve(lines: Sequence[TimeLine], dots: Sequence[TimeDots]) -> pd.DataFrame:
    """One row for each line or measurement and number of tokens."""
    rows: list[tuple[str, int, float, str]] = []
    for line in lines:
        for n, milliseconds, compute in zip(line.tokens, line.milliseconds, line.by_compute, strict=True):
            rows.append((line.name, n, milliseconds, _("lower bound") + ", " + _by(compute)))
    for one in dots:
        rows += [(one.name, n, median, _("measured here")) for n, median in zip(one.tokens, one.median, strict=True)]
    return pd.DataFrame(rows, columns=[_("series"), _("tokens"), _("milliseconds for one layer"), _("origin")])
