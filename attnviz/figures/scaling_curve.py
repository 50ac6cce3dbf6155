"""Why scores are divided by √d, as curves over d: with the division they stay level, without it they do not."""

from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from jaxtyping import Float

from attnviz.attention.scaling import Sweep
from attnviz.base.language import _
from attnviz.figures import layout, palette, plot
from attnviz.figures.numerals import signed_text
from attnviz.figures.to_numpy import to_numpy

Measure = Literal["variance", "entropy", "gradient"]

HEIGHT = 300


def scaling_curve(found: Sweep, measure: Measure) -> go.Figure:
    """One measure over the dimension d, with and without ÷ √d; dashed is what theory says or allows.

    variance: of the scores, on a logarithmic axis, dashed d and 1. entropy: of the weights, dashed its maximum
    log₂(keys). gradient: the sum of ∂weight/∂score, dashed its maximum 1 − 1/keys.
    """
    dimensions = to_numpy(found.dimensions)
    theory = [
        plot.scatter(
            name=name,
            x=dimensions,
            y=level,
            mode="lines",
            line={"color": colour, "width": 1.5, "dash": "dash"},
            hoverinfo="skip",
        )
        for name, level, colour in _references(found, measure)
    ]
    measured = [
        plot.scatter(
            name=name,
            x=dimensions,
            y=values,
            mode="lines+markers",
            line={"color": colour, "width": 2.5},
            marker={"symbol": symbol, "size": 8, "color": colour},
            hovertemplate=f"{name}<br>d = %{{x}}: <b>%{{y:.4~g}}</b><extra></extra>",
        )
        for name, values, colour, symbol in _curves(found, measure)
    ]
    return plot.figure([*theory, *measured], _layout(found, measure))


def describe_scaling_curve(found: Sweep, measure: Measure) -> str:
    """Both ends of both curves in one sentence."""
    (_name, without, *_rest), (_name2, divided, *_rest2) = _curves(found, measure)
    return _(
        "{measure} from d = {first} to d = {last}: from {without_first} to {without_last} without the division, "
        "from {with_first} to {with_last} with ÷ √d.",
        measure=_title(measure),
        first=int(found.dimensions[0]),
        last=int(found.dimensions[-1]),
        without_first=signed_text(float(without[0])),
        without_last=signed_text(float(without[-1])),
        with_first=signed_text(float(divided[0])),
        with_last=signed_text(float(divided[-1])),
    )


def table_scaling_curve(found: Sweep, measure: Measure) -> pd.DataFrame:
    """One row for every dimension."""
    table = pd.DataFrame({"d": to_numpy(found.dimensions)})
    for name, values, *_rest in _curves(found, measure):
        table[name] = values.astype(np.float64)
    return table


def _curves(found: Sweep, measure: Measure) -> list[tuple[str, Float[np.ndarray, " dimensions"], str, str]]:
    return [
        (_("not divided"), to_numpy(getattr(found.unscaled, measure)), palette.CATEGORICAL[1], "circle"),
        (_("divided by √d"), to_numpy(getattr(found.scaled, measure)), palette.CATEGORICAL[0], "square"),
    ]


def _references(found: Sweep, measure: Measure) -> list[tuple[str, Float[np.ndarray, " dimensions"], str]]:
    """The dashed lines: their names, heights and colours."""
    dimensions = to_numpy(found.dimensions).astype(np.float64)
    level = np.ones_like(dimensions)
    if measure == "variance":
        return [
            (_("theory: d"), dimensions, palette.CATEGORICAL[1]),
            (_("theory: 1"), level, palette.CATEGORICAL[0]),
        ]
    if measure == "entropy":
        most = found.most_entropy
        name = _("maximum: log₂({keys}) = {bits}", keys=found.keys, bits=signed_text(most))
        return [(name, level * most, palette.NEUTRAL)]
    most = 1 - 1 / found.keys
    return [(_("maximum: 1 − 1/{keys}", keys=found.keys), level * most, palette.NEUTRAL)]


def _title(measure: Measure) -> str:
    titles = {
        "variance": _("Variance of the scores"),
        "entropy": _("Entropy of the weights (bits)"),
        "gradient": _("Gradient of the softmax (Σ ∂weight/∂score)"),
    }
    return titles[measure]


def _layout(found: Sweep, measure: Measure) -> dict[str, Any]:
    dimensions = [int(d) for d in found.dimensions]
    # Powers of two are the usual widths; others are ticked as they are.
    upright: dict[str, Any] = {"rangemode": "tozero", "title": {"text": ""}, "automargin": False, "nticks": 6}
    if measure == "variance":
        upright = {"type": "log", "automargin": False, "dtick": 1}
    return layout.base(title=_title(measure), height=HEIGHT, left=48, right=12, bottom=86) | {
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom", "font": {"size": 11}},
        "xaxis": {
            "type": "log",
            "tickvals": dimensions,
            "ticktext": [str(d) for d in dimensions],
            "title": layout.axis_title(_("d, the width of one head"), 4),
            "automargin": False,
            "showgrid": False,
        },
        "yaxis": upright,
    }
