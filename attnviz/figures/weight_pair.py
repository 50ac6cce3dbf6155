"""One query's weights by two kinds of attention, bar beside bar, each with its own even share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Bool, Float
from torch import Tensor

from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.escape import escaped, labels
from attnviz.figures.numerals import weight_text
from attnviz.figures.to_numpy import to_numpy

MOST_BARS = 16
_ROW = 40


@dataclass(frozen=True, eq=False)
class Weighed:
    """The weights that one kind gives, the keys it may look at, and the even share, None where it has none."""

    weights: Float[np.ndarray | Tensor, " m"]
    allowed: Bool[np.ndarray | Tensor, " m"]
    baseline: float | None

    def shown(self) -> Float[np.ndarray, " m"]:
        """The weights; NaN where the key is not allowed."""
        return np.where(to_numpy(self.allowed), to_numpy(self.weights).astype(np.float64), np.nan)


def weight_pair(kinds: Mapping[str, Weighed], key_labels: Sequence[str], *, title: str = "") -> go.Figure:
    """A pair of bars with their numbers for every key; of many keys those with the largest weights.

    Dashed lines: the even shares, in the colour of their kind. `customdata` is the key's position.
    """
    keys = chosen_keys(kinds)
    names = labels(list(key_labels), len(key_labels))
    traces, shapes = [], []
    for place, (name, weighed) in enumerate(kinds.items()):
        values = weighed.shown()[keys]
        colour = palette.category(place)
        traces.append(
            plot.bar(
                name=escaped(name), orientation="h", x=values, y=np.arange(len(keys)), customdata=np.array(keys),
                marker={"color": colour}, width=0.36, offset=(-0.38, 0.02)[place % 2], showlegend=True,
                hovertemplate=f"%{{y}}<br>{escaped(name)}: <b>%{{x:.4~g}}</b><extra></extra>",
            )
        )  # fmt: skip
        traces.append(_numbers(values, (-0.2, 0.2)[place % 2]))
        if weighed.baseline is not None:
            shapes.append(_even(weighed.baseline, colour))
    return plot.figure(traces, _layout(kinds, [names[key] for key in keys], title) | {"shapes": shapes})


def describe_weight_pair(kinds: Mapping[str, Weighed], key_labels: Sequence[str]) -> str:
    """Of each kind the largest weights and the even share."""
    said = []
    for name, weighed in kinds.items():
        values = weighed.shown()
        order = [int(at) for at in np.argsort(-np.nan_to_num(values)) if np.isfinite(values[at])][:5]
        listed = ", ".join(f"{key_labels[at]} {weight_text(float(values[at]))}" for at in order)
        said.append(_("{name}: {numbers}.", name=name, numbers=listed))
        if weighed.baseline is not None:
            said.append(_("Uniform attention would give each {baseline}.", baseline=weight_text(weighed.baseline)))
    return " ".join(said)


def table_weight_pair(kinds: Mapping[str, Weighed], key_labels: Sequence[str]) -> pd.DataFrame:
    """One row for each key; absent weights are missing."""
    table: dict[str, Any] = {_("key position"): range(len(key_labels)), _("key"): list(key_labels)}
    return pd.DataFrame(table | {name: weighed.shown() for name, weighed in kinds.items()})


def chosen_keys(kinds: Mapping[str, Weighed]) -> list[int]:
    """All keys where they are few; of many those with the largest weights by any kind, in their own order."""
    shown = np.abs([weighed.shown() for weighed in kinds.values()])
    # Absent for every kind comes last, and where keys are many not at all.
    sizes = np.where(np.isnan(shown), -1.0, shown).max(axis=0)
    largest = np.argsort(-sizes, kind="stable")[:MOST_BARS]
    few = len(sizes) <= MOST_BARS
    return sorted(int(at) for at in largest if few or sizes[at] >= 0)


def _numbers(values: Float[np.ndarray, " keys"], beside: float) -> plot.Trace:
    return plot.scatter(
        name="", x=np.maximum(np.nan_to_num(values), 0.0), y=np.arange(len(values)) + beside, mode="text",
        text=[f" {'—' if np.isnan(one) else weight_text(float(one))}" for one in values], textposition="middle right",
        textfont={"size": 11}, hoverinfo="skip", cliponaxis=False, showlegend=False,
    )  # fmt: skip


def _even(baseline: float, colour: str) -> dict[str, Any]:
    return {
        "type": "line", "x0": baseline, "x1": baseline, "yref": "paper", "y0": 0, "y1": 1,
        "line": {"color": colour, "width": 1, "dash": "dash"}, "layer": "below",
    }  # fmt: skip


def _layout(kinds: Mapping[str, Weighed], names: Sequence[str], title: str) -> dict[str, Any]:
    every = np.concatenate([weighed.shown() for weighed in kinds.values()])
    finite = every[np.isfinite(every)]
    greatest = palette.ceiling(finite[finite > 0], 0.1)
    least = -palette.ceiling(finite[finite < 0]) if (finite < 0).any() else 0.0
    total = max(len(one.weights) for one in kinds.values())
    told = [_("The {count} largest of {total} keys.", count=len(names), total=total)] if total > len(names) else []
    if any(weighed.baseline is not None for weighed in kinds.values()):
        told.append(_("Dashed: the even share 1/N of each."))
    shared = layout.base(
        title=title, subtitle=" ".join(told), height=58 + len(names) * _ROW + 70, left=layout.label_room(names, most=180.0),
        right=16, bottom=70,
    )  # fmt: skip
    return shared | {
        "title": shared["title"] | {"xref": "container"},
        "barmode": "overlay",
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"},
        "xaxis": {
            "range": [least * 1.1, greatest * 1.15], "fixedrange": True, "automargin": False, "zeroline": True,
            "title": layout.axis_title(_("weight"), 2), "nticks": 5, "showgrid": False,
        },
        "yaxis": layout.token_axis(names, reverse=True, fixedrange=True),
    }  # fmt: skip
