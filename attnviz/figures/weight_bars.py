"""One query's weights as bars, its baseline, and beside each weight its share of the output vector."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.cells import outline
from attnviz.figures.escape import labels
from attnviz.figures.numerals import signed_text, weight_text
from attnviz.figures.to_numpy import to_numpy
from attnviz.tokens import Tokens

ROW_HEIGHT = 28

Row = Float[np.ndarray | Tensor, " m"]
Labels = Tokens | Sequence[str] | None
Allowed = Bool[np.ndarray | Tensor, " m"] | None


def weight_bars(
    weights: Row,
    *,
    shares: Row | None = None,
    key_labels: Labels = None,
    allowed: Allowed = None,
    normalised: bool = True,
    keys: Sequence[int] | None = None,
    key: int | None = None,
    title: str = "",
) -> go.Figure:
    """A bar and its number for every key; the dashed line is 1/N for the N keys that are allowed.

    shares: each key's share of the output vector (`by_hand.Steps.shares`), drawn beside it. normalised:
    whether the weights are a softmax; if not, there is no baseline. keys: the keys' positions, where not
    0, 1, 2 …; key: the position of one to outline. A bar's `customdata` is its key's position.
    """
    values, there = to_numpy(weights).astype(np.float64), _there(weights, allowed)
    positions = list(range(len(values))) if keys is None else list(keys)
    traces = [
        _bars(np.where(there, values, np.nan), positions, palette.CATEGORICAL[0], _("weight"), "x"),
        _numbers(_weight_texts(values, there), np.where(there, values, 0.0), "x"),
    ]
    if shares is not None:
        parts = to_numpy(shares).astype(np.float64)
        shown = np.where(there & np.isfinite(parts), parts, np.nan)
        traces.append(_bars(shown, positions, palette.CATEGORICAL[1], _("share of the output"), "x2"))
        traces.append(_numbers(_share_texts(parts, there), np.nan_to_num(shown), "x2"))
    described = _layout(values, there, shares, labels(key_labels, len(values)), title, normalised)
    return plot.figure(traces, described | {"shapes": _shapes(there, normalised, positions, key)})


def describe_weight_bars(
    weights: Row,
    *,
    shares: Row | None = None,
    key_labels: Labels = None,
    allowed: Allowed = None,
    normalised: bool = True,
) -> str:
    """Every weight in one sentence (the largest eight of many), the baseline, and the shares."""
    values, there = to_numpy(weights).astype(np.float64), _there(weights, allowed)
    names = labels(key_labels, len(values))
    if not np.isfinite(np.where(there, values, np.nan)).any():
        return _("This query has no weights.")
    order = [index for index in np.argsort(-np.nan_to_num(values)) if there[index]]
    listed = ", ".join(f"{names[index]} {weight_text(values[index])}" for index in order[:8])
    said = [_("Weights, largest first: {numbers}.", numbers=listed)]
    if len(order) > 8:
        rest = float(np.nansum(values[order[8:]]))
        said.append(_("The other {count} keys have {sum} together.", count=len(order) - 8, sum=weight_text(rest)))
    if normalised:
        said.append(_("Uniform attention would give each {baseline}.", baseline=weight_text(1 / int(there.sum()))))
    if shares is not None:
        parts = to_numpy(shares)
        listed = ", ".join(f"{names[index]} {_percent(float(parts[index]))}" for index in order[:8])
        said.append(_("Shares of the output vector: {numbers}.", numbers=listed))
    return " ".join(said)


def table_weight_bars(
    weights: Row,
    *,
    shares: Row | None = None,
    key_labels: Labels = None,
    allowed: Allowed = None,
    normalised: bool = True,
) -> pd.DataFrame:
    """One row for every key: weight, baseline, ratio, share of the output. Absent ones are missing values."""
    values, there = to_numpy(weights).astype(np.float64), _there(weights, allowed)
    baseline = 1 / max(int(there.sum()), 1) if normalised else np.nan
    table = pd.DataFrame(
        {
            _("key position"): range(len(values)),
            _("key"): labels(key_labels, len(values)),
            _("weight"): np.where(there, values, np.nan),
            _("uniform weight"): np.where(there, baseline, np.nan),
            _("weight / uniform weight"): np.where(there, values / baseline, np.nan),
        }
    )
    if shares is not None:
        table[_("share of the output")] = np.where(there, to_numpy(shares).astype(np.float64), np.nan)
    return table


def _there(weights: Row, allowed: Allowed) -> Bool[np.ndarray, " m"]:
    return np.ones(len(weights), dtype=bool) if allowed is None else to_numpy(allowed)


def _weight_texts(values: Float[np.ndarray, " m"], there: Bool[np.ndarray, " m"]) -> list[str]:
    return [weight_text(float(value)) if here else "—" for value, here in zip(values, there, strict=True)]


def _share_texts(parts: Float[np.ndarray, " m"], there: Bool[np.ndarray, " m"]) -> list[str]:
    return [_percent(float(part)) if here else "—" for part, here in zip(parts, there, strict=True)]


def _percent(part: float) -> str:
    """12.3 %, and never 0 % for what is not zero."""
    return "NaN" if np.isnan(part) else f"{signed_text(100 * part) if abs(part) < 0.001 else _rounded(part)} %"


def _rounded(part: float) -> str:
    return f"{100 * part:.1f}".replace("-", "−")


def _bars(values: Float[np.ndarray, " m"], positions: Sequence[int], colour: str, name: str, axis: str) -> plot.Trace:
    return plot.bar(
        name=name,
        orientation="h",
        x=values,
        y=np.arange(len(values)),
        customdata=np.array(positions),
        marker={"color": colour},
        width=0.66,
        hovertemplate=f"%{{y}}<br>{name}: <b>%{{x:.4~g}}</b><extra></extra>",
        xaxis=axis,
    )


def _numbers(texts: list[str], values: Float[np.ndarray, " m"], axis: str) -> plot.Trace:
    """The numbers at the ends of the bars, in the colour of the page's text."""
    return plot.scatter(
        name="",
        x=np.maximum(np.nan_to_num(values), 0.0),
        y=np.arange(len(values)),
        mode="text",
        text=[f" {text}" for text in texts],
        textposition="middle right",
        hoverinfo="skip",
        cliponaxis=False,
        xaxis=axis,
    )


def _layout(
    values: Float[np.ndarray, " m"],
    there: Bool[np.ndarray, " m"],
    shares: Row | None,
    names: Sequence[str],
    title: str,
    normalised: bool,
) -> dict[str, Any]:
    count = len(values)
    greatest = 1.0 if count <= palette.LINEAR_KEYS else palette.ceiling(values[there])
    beside, top = shares is not None, 100 if title else 78
    shared = layout.base(
        title=title,
        subtitle=_baseline_sentence(there, normalised),
        height=top + count * ROW_HEIGHT + 12,
        left=layout.label_room(names),
        right=20,
        bottom=12,
    )
    shared["margin"]["t"] = top
    axis = {"side": "top", "fixedrange": True, "automargin": False, "zeroline": True, "title": {"standoff": 2}}
    found = shared | {
        "bargap": 0.3,
        "xaxis": axis
        | {
            "range": [0, greatest * (1.3 if beside else 1.12)],
            "domain": [0, 0.56 if beside else 1],
            "title": layout.axis_title(_("weight"), 2),
            "tickvals": [0, greatest / 2, greatest],
        },
        "yaxis": layout.token_axis(names, reverse=True, fixedrange=True),
    }
    if beside:
        parts = to_numpy(shares)[there] if shares is not None else values
        reach = palette.ceiling(parts[parts > 0], 1)
        least = -palette.ceiling(parts[parts < 0]) if (parts < 0).any() else 0.0
        found["xaxis2"] = axis | {
            "range": [least * 1.05, reach + 0.4 * (reach - least)],
            "domain": [0.6, 1],
            "title": layout.axis_title(_("share of the output"), 2),
            "tickformat": ".0%",
            "tickvals": [0, reach],
        }
    return found


def _shapes(
    there: Bool[np.ndarray, " m"], normalised: bool, positions: Sequence[int], key: int | None
) -> list[dict[str, Any]]:
    shapes = []
    if normalised and there.any():
        place = 1 / int(there.sum())
        line = {"color": palette.NEUTRAL, "width": 1.5, "dash": "dash"}
        shapes.append(
            {
                "type": "line",
                "x0": place,
                "x1": place,
                "yref": "paper",
                "y0": 0,
                "y1": 1,
                "line": line,
                "layer": "below",
            }
        )
    if key in positions:
        row = float(positions.index(key))
        shapes.append(outline(0.0, 0.0, row, row) | {"xref": "paper", "x0": 0, "x1": 1})
    return shapes


def _baseline_sentence(there: Bool[np.ndarray, " m"], normalised: bool) -> str:
    count = int(there.sum())
    if not normalised or not count:
        return _("No uniform baseline: these weights need not sum to 1.")
    return _("Dashed: uniform baseline 1/{count} = {baseline}.", count=count, baseline=weight_text(1 / count))
